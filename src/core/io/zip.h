#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kappaflow {

/// A file inside a ZIP archive as the archive's directory lists it.
struct ZipEntry {
    std::string name;
    bool deflated = false;
    std::uint32_t crc = 0;
    std::size_t packed = 0, size = 0;     ///< bytes in the archive, and of the file
    std::span<const unsigned char> data;  ///< as it stands in the archive
};

/// Files of an archive, at most this many.
inline constexpr std::size_t kMaxZipEntries = 4096;

/// Whether the bytes begin as an archive does.
bool looksLikeZip(std::span<const unsigned char>);
/// The directory of an archive: stored and deflated entries. Nothing is unpacked. Throws InputError naming the entry: encrypted ones,
/// other compressions, archives in parts, places outside the archive, entries that overlap, two of one name.
std::vector<ZipEntry> zipDirectory(std::span<const unsigned char> archive);
/// The file itself, its length and CRC-32 checked. Throws InputError naming the entry.
std::vector<unsigned char> unpacked(const ZipEntry&);
/// CRC-32 as in ZIP (reflected 0x04C11DB7).
std::uint32_t checksum(std::span<const unsigned char>);

/// What a DEFLATE stream (RFC 1951) holds, which must be exactly `size` bytes: nothing is written beyond them, whatever the stream says,
/// and no more are allocated than a stream of its length can hold. Throws InputError with the offset in the stream where it makes no sense,
/// when it holds fewer or more, or is in far more blocks than there are bytes for. Cost: some ns a byte.
std::vector<unsigned char> inflated(std::span<const unsigned char> stream, std::size_t size);

}  // namespace kappaflow
