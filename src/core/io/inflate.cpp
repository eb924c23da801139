#include <zlib.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/base/errors.h"
#include "core/io/zip.h"

namespace kappaflow {
namespace {

/// A copy of 258 bytes takes two bits at least.
constexpr std::size_t kMostFromByte = 1032;
/// Blocks that may be as short as they like, and bytes that each beyond them must bring: an empty one takes ten bits, and a code of its own
/// microseconds. Writers begin one for every ten thousand bytes or more.
constexpr std::size_t kFreeBlocks = 1024, kBytesOfBlock = 64;

}  // namespace

std::uint32_t checksum(std::span<const unsigned char> bytes) { return static_cast<std::uint32_t>(crc32_z(0, bytes.data(), bytes.size())); }

std::vector<unsigned char> inflated(std::span<const unsigned char> stream, std::size_t size) {
    z_stream z{};
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_stream*)> closing(&z, inflateEnd);
    const auto wrong = [&](const std::string& what) { throw InputError("The compressed data " + what); };
    const auto should = [&] { return " than the " + std::to_string(size) + " bytes that it should."; };
    std::vector<unsigned char> out(std::min(size, stream.size() > size / kMostFromByte ? size : kMostFromByte * stream.size()));
    unsigned char beyond = 0;
    z.next_in = const_cast<unsigned char*>(stream.data());
    z.avail_in = static_cast<unsigned>(stream.size());
    z.next_out = out.data();
    z.avail_out = static_cast<unsigned>(out.size());
    for (std::size_t blocks = 0;; ++blocks) {
        if (z.avail_out == 0) z.next_out = &beyond, z.avail_out = 1;
        const int status = inflate(&z, Z_BLOCK);
        if (z.total_out > size) wrong("holds more" + should());
        if (status == Z_STREAM_END) break;
        const bool idle = blocks > kFreeBlocks + z.total_out / kBytesOfBlock;
        if (status != Z_OK || idle)
            wrong("makes no sense at byte " + std::to_string(z.total_in) + " of " + std::to_string(stream.size()) + ".");
    }
    if (z.total_out < size) wrong("holds fewer" + should());
    return out;
}

}  // namespace kappaflow
