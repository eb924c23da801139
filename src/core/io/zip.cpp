#include "core/io/zip.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "core/base/errors.h"
#include "core/io/inflate.h"
#include "core/io/printable.h"
#include "core/io/stored_whole.h"

// APPNOTE.TXT of PKWARE, 6.3: sections 4.3.7 (local header), 4.3.12 (directory), 4.3.16 (end of it), 4.5.3 (ZIP64).
namespace kappaflow {
namespace {

using Bytes = std::span<const unsigned char>;
constexpr std::size_t kLocalHeader = 30, kDirectoryHeader = 46, kEnd = 22, kMaxComment = 65535;
constexpr std::uint64_t kElsewhere = 0xFFFFFFFF;

bool starts(Bytes bytes, std::size_t at, std::string_view signature) {
    return bytes.size() >= at + 4 && std::equal(signature.begin(), signature.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

[[noreturn]] void refuseArchive(const std::string& reason) { throw InputError("The file is a ZIP archive " + reason + "."); }
[[noreturn]] void refuseEntry(std::string_view name, const std::string& reason) {
    throw InputError("entry " + quoted(name) + ": " + reason + ".");
}

std::size_t endOfDirectory(Bytes archive) {
    if (archive.size() < kEnd) refuseArchive("that is cut off");
    const std::size_t last = archive.size() - kEnd, first = last > kMaxComment ? last - kMaxComment : 0;
    for (std::size_t at = last + 1; at-- > first;)
        if (starts(archive, at, "PK\5\6") && wholeAt(archive, at + 20, 2) == archive.size() - at - kEnd) return at;
    refuseArchive("without a directory: it is cut off or damaged");
}

/// Sizes and place that stand in the ZIP64 field because a writer left room for large ones.
void readLargeSizes(Bytes extra, std::uint64_t& size, std::uint64_t& packed, std::uint64_t& place, std::string_view name) {
    std::uint64_t* const wanted[] = {&size, &packed, &place};
    for (std::size_t at = 0; at + 4 <= extra.size();) {
        const std::size_t id = wholeAt(extra, at, 2), length = wholeAt(extra, at + 2, 2);
        at += 4;
        if (length > extra.size() - at) break;
        std::size_t next = at;
        if (id == 1)
            for (std::uint64_t* value : wanted) {
                if (*value != kElsewhere) continue;
                if (next + 8 > at + length) refuseEntry(name, "its ZIP64 sizes are missing");
                *value = wholeAt(extra, next, 8);
                next += 8;
            }
        at += length;
    }
    for (const std::uint64_t* value : wanted)
        if (*value >= kElsewhere) refuseEntry(name, "it is larger than an archive of this size can hold");
}

Bytes dataOf(Bytes archive, std::uint64_t place, std::uint64_t packed, std::string_view name) {
    if (place > archive.size() || archive.size() - place < kLocalHeader || !starts(archive, place, "PK\3\4"))
        refuseEntry(name, "it is not where the archive's directory says");
    const std::uint64_t start = place + kLocalHeader + wholeAt(archive, place + 26, 2) + wholeAt(archive, place + 28, 2);
    if (start > archive.size() || packed > archive.size() - start) refuseEntry(name, "it reaches beyond the end of the archive");
    return archive.subspan(start, packed);
}

/// The entry at `at`, which moves behind it.
ZipEntry entryAt(Bytes archive, std::size_t& at, std::size_t end) {
    if (at + kDirectoryHeader > end || !starts(archive, at, "PK\1\2")) refuseArchive("with a damaged directory");
    const std::size_t nameLength = wholeAt(archive, at + 28, 2), extraLength = wholeAt(archive, at + 30, 2),
                      commentLength = wholeAt(archive, at + 32, 2);
    if (nameLength + extraLength + commentLength > end - at - kDirectoryHeader) refuseArchive("with a damaged directory");
    ZipEntry entry;
    entry.name.assign(archive.begin() + static_cast<std::ptrdiff_t>(at + kDirectoryHeader),
                      archive.begin() + static_cast<std::ptrdiff_t>(at + kDirectoryHeader + nameLength));
    const std::uint64_t flags = wholeAt(archive, at + 8, 2), method = wholeAt(archive, at + 10, 2);
    if (flags & 1) refuseEntry(entry.name, "it is encrypted");
    if (method != 0 && method != 8)
        refuseEntry(entry.name,
                    "its compression, number " + std::to_string(method) + ", is not supported; stored and deflated entries are");
    std::uint64_t packed = wholeAt(archive, at + 20, 4), size = wholeAt(archive, at + 24, 4), place = wholeAt(archive, at + 42, 4);
    readLargeSizes(archive.subspan(at + kDirectoryHeader + nameLength, extraLength), size, packed, place, entry.name);
    entry.deflated = method == 8;
    if (!entry.deflated && packed != size) refuseEntry(entry.name, "it is stored as it is, but with two different sizes");
    entry.crc = static_cast<std::uint32_t>(wholeAt(archive, at + 16, 4));
    entry.packed = packed;
    entry.size = size;
    entry.data = dataOf(archive, place, packed, entry.name);
    at += kDirectoryHeader + nameLength + extraLength + commentLength;
    return entry;
}

void requireApart(const std::vector<ZipEntry>& entries) {
    std::vector<const ZipEntry*> order;
    for (const ZipEntry& entry : entries)
        if (!entry.data.empty()) order.push_back(&entry);
    std::sort(order.begin(), order.end(), [](const ZipEntry* a, const ZipEntry* b) { return a->data.data() < b->data.data(); });
    for (std::size_t i = 1; i < order.size(); ++i)
        if (order[i]->data.data() < order[i - 1]->data.data() + order[i - 1]->data.size())
            refuseEntry(order[i]->name, "it overlaps " + quoted(order[i - 1]->name));
}

}  // namespace

bool looksLikeZip(Bytes bytes) { return starts(bytes, 0, "PK\3\4") || starts(bytes, 0, "PK\5\6"); }

std::vector<ZipEntry> zipDirectory(Bytes archive) {
    const std::size_t end = endOfDirectory(archive);
    const std::uint64_t count = wholeAt(archive, end + 10, 2), length = wholeAt(archive, end + 12, 4),
                        start = wholeAt(archive, end + 16, 4);
    if (wholeAt(archive, end + 4, 2) != 0 || wholeAt(archive, end + 8, 2) != count) refuseArchive("in several parts");
    if (count == 0xFFFF || start == kElsewhere) refuseArchive("in the ZIP64 form, which only larger ones need");
    if (count > kMaxZipEntries)
        refuseArchive("of " + std::to_string(count) + " entries; at most " + std::to_string(kMaxZipEntries) + " are read");
    if (start > end || length > end - start) refuseArchive("with a damaged directory");
    std::vector<ZipEntry> entries;
    std::set<std::string_view> names;
    std::size_t at = start;
    for (std::uint64_t i = 0; i < count; ++i) entries.push_back(entryAt(archive, at, start + length));
    for (const ZipEntry& entry : entries)
        if (!names.insert(entry.name).second) refuseEntry(entry.name, "the archive holds two entries of this name");
    requireApart(entries);
    return entries;
}

std::vector<unsigned char> unpacked(const ZipEntry& entry) {
    std::vector<unsigned char> bytes;
    try {
        bytes = entry.deflated ? inflated(entry.data, entry.size) : std::vector<unsigned char>(entry.data.begin(), entry.data.end());
    } catch (const InputError& error) {
        std::string sentence = error.what();
        sentence.front() = 't';
        throw InputError("entry " + quoted(entry.name) + ": " + sentence);
    }
    if (crc32(bytes) != entry.crc) refuseEntry(entry.name, "it is damaged: its checksum is wrong");
    return bytes;
}

std::uint32_t crc32(Bytes bytes) {
    static const std::array<std::uint32_t, 256> table = [] {
        std::array<std::uint32_t, 256> made{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit) value = value & 1 ? 0xEDB88320u ^ value >> 1 : value >> 1;
            made[i] = value;
        }
        return made;
    }();
    std::uint32_t crc = 0xFFFFFFFFu;
    for (const unsigned char byte : bytes) crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8;
    return ~crc;
}

}  // namespace kappaflow
