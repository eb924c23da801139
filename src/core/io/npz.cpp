// The format of .npy: numpy.lib.format.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <set>
#include <string_view>

#include "core/base/errors.h"
#include "core/io/csv.h"
#include "core/io/file_limits.h"
#include "core/io/named_tensors.h"
#include "core/io/printable.h"
#include "core/io/stored_numbers.h"
#include "core/io/zip.h"

namespace kappaflow {
namespace {

// APPNOTE.TXT of PKWARE, 6.3: sections 4.3.7 (local header), 4.3.12 (directory), 4.3.16 (end of it), 4.5.3 (ZIP64).

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
    if (checksum(bytes) != entry.crc) refuseEntry(entry.name, "it is damaged: its checksum is wrong");
    return bytes;
}

namespace {

using namespace tensors;

constexpr std::size_t kMaxNpyHeader = 1u << 16, kMaxFactBytes = 4096;
double mostUnpacked() { return 8 * fileLimits().weights + (1 << 20); }

bool isFact(std::string_view name) {
    return name == "activation" || name == "input" || name == "stride" || name == "padding" || name == "epsilon";
}

struct NpyHeader {
    std::string type;
    bool columnsFirst = false;
    std::vector<std::int64_t> dims;
};

/// The Python dictionary in front of an array: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class NpyHeaderParser {
public:
    NpyHeaderParser(std::string_view name, std::string_view text) : name_(name), text_(text) {}

    NpyHeader read() {
        NpyHeader header;
        int known = 0;
        expect('{');
        while (peek() != '}') {
            const std::string key = string();
            expect(':');
            if (key == "descr")
                header.type = string();
            else if (key == "fortran_order")
                header.columnsFirst = flag();
            else if (key == "shape")
                header.dims = tuple();
            else
                fail();
            ++known;
            if (peek() == ',') ++at_;
        }
        if (known != 3 || header.type.empty()) fail();
        return header;
    }

private:
    [[noreturn]] void fail() const { refuse(name_, "its header makes no sense at byte " + std::to_string(at_)); }
    char peek() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    void expect(char wanted) {
        if (peek() != wanted) fail();
        ++at_;
    }
    std::string string() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') fail();
        const std::size_t end = text_.find(quote, ++at_);
        if (end == text_.npos) fail();
        std::string found(text_.substr(at_, end - at_));
        at_ = end + 1;
        return found;
    }
    bool flag() {
        peek();
        for (const bool value : {true, false}) {
            const std::string_view word = value ? "True" : "False";
            if (text_.substr(at_, word.size()) != word) continue;
            at_ += word.size();
            return value;
        }
        fail();
    }
    std::vector<std::int64_t> tuple() {
        std::vector<std::int64_t> numbers;
        expect('(');
        while (peek() != ')') {
            std::int64_t number = 0;
            const std::size_t start = at_;
            for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
                if (at_ - start == 15) fail();
                number = 10 * number + (text_[at_] - '0');
            }
            if (at_ == start || numbers.size() == kMaxDims) fail();
            if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // as Python 2 wrote them
            numbers.push_back(number);
            if (peek() == ',') ++at_;
        }
        ++at_;
        return numbers;
    }

    std::string_view name_, text_;
    std::size_t at_ = 0;
};

/// Header and numbers of a .npy file.
std::pair<NpyHeader, Bytes> partsOf(std::string_view name, Bytes file) {
    const bool begins = file.size() >= 12 && file[0] == 0x93 && std::memcmp(file.data() + 1, "NUMPY", 5) == 0;
    if (!begins || file[6] < 1 || file[6] > 3) refuse(name, "it is no .npy file of version 1 to 3");
    const std::size_t lengthBytes = file[6] == 1 ? 2 : 4;
    const auto length = static_cast<double>(wholeAt(file, 8, lengthBytes));
    const std::size_t start = 8 + lengthBytes;
    if (length > static_cast<double>(std::min(kMaxNpyHeader, file.size() - start))) refuse(name, "its header is cut off or far too long");
    const auto size = static_cast<std::size_t>(length);
    const std::string_view text(reinterpret_cast<const char*>(file.data()) + start, size);
    return {NpyHeaderParser(name, text).read(), file.subspan(start + size)};
}

Stored storedOf(std::string_view name, const NpyHeader& header, Bytes data) {
    const std::string_view type = header.type, letters = type.substr(1);
    if (type.front() == '<' || type.front() == '>')
        for (const auto& [key, element] : {std::pair{"f8", Element::F64}, {"f4", Element::F32}, {"f2", Element::F16}})
            if (letters == key) return {element, type.front() == '>', header.columnsFirst, data};
    refuse(name, "it holds " + quoted(type) + "; only floating-point numbers of 8, 4 and 2 bytes (f8, f4, f2) are supported");
}

/// A signed number of two's complement, or one without a sign.
std::string wholeText(std::uint64_t bits, std::size_t width, bool isSigned) {
    const std::uint64_t sign = std::uint64_t{1} << (8 * width - 1);
    if (!isSigned || (bits & sign) == 0) return std::to_string(bits);
    return "-" + std::to_string((~bits + 1) & (sign | (sign - 1)));
}

std::string realText(std::string_view name, Bytes data, bool bigEndian) {
    const Element element = data.size() == 8 ? Element::F64 : data.size() == 4 ? Element::F32 : Element::F16;
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", numbers(name, {1}, {element, bigEndian, false, data}).front());
    return digits;
}

/// One entry of a fact: a text, or a number.
std::string factText(std::string_view name, char kind, Bytes data, bool bigEndian) {
    if (kind == 'i' || kind == 'u') return wholeText(wholeAt(data, 0, data.size(), bigEndian), data.size(), kind == 'i');
    if (kind == 'f') return realText(name, data, bigEndian);
    std::string text;
    const std::size_t width = kind == 'U' ? 4 : 1;
    for (std::size_t at = 0; at + width <= data.size(); at += width) {
        const std::uint64_t code = wholeAt(data, at, width, bigEndian);
        if (code == 0) break;
        appendUtf8(text, static_cast<std::uint32_t>(std::min<std::uint64_t>(code, 0x10FFFF)));
    }
    return text;
}

/// Kind of an array's entries ('i', 'u', 'f', 'S' or 'U') and bytes of each. Throws InputError naming the array.
std::pair<char, std::size_t> entriesOf(std::string_view name, const NpyHeader& header) {
    const std::string& type = header.type;
    char kind = type.size() >= 3 ? type[1] : '\0';
    double width = 0;
    for (std::size_t i = 2; i < type.size() && type[i] >= '0' && type[i] <= '9' && width < 1e6; ++i) width = 10 * width + (type[i] - '0');
    if (kind == 'b') kind = 'u';  // truth values
    if (kind == 'U') width *= 4;
    const bool number = width == 8 || width == 4 || width == 2 || (width == 1 && kind != 'f');
    const bool known = kind == 'U' || kind == 'S' || ((kind == 'i' || kind == 'u' || kind == 'f') && number);
    if (!known || width < 1) refuse(name, "it holds " + quoted(type) + " where a text or numbers are needed");
    return {kind, static_cast<std::size_t>(width)};
}

/// A text, a number, or a list of either: "relu,tanh".
std::string factOf(std::string_view name, const NpyHeader& header, Bytes data) {
    const auto [kind, each] = entriesOf(name, header);
    const double bytes = countOf(name, header.dims) * static_cast<double>(each);
    if (bytes > kMaxFactBytes || bytes != static_cast<double>(data.size())) refuse(name, "its length is wrong, or far too large");
    std::string text;
    for (std::size_t at = 0; at < data.size(); at += each)
        text += (at == 0 ? "" : ",") + factText(name, kind, data.subspan(at, each), header.type.front() == '>');
    return text;
}

/// The array's name: the entry's without its ending.
std::string arrayName(const ZipEntry& entry) {
    constexpr std::string_view kEnding = ".npy", kPickle = "data.pkl";
    const std::string_view name = entry.name;
    const auto ends = [&](std::string_view with) { return name.size() >= with.size() && name.substr(name.size() - with.size()) == with; };
    if (ends(kPickle))
        throw InputError("The file is PyTorch's own (.pt), which holds a program; save the weights as safetensors, or the model as ONNX.");
    if (!ends(kEnding))
        throw InputError("entry " + quoted(name) + ": it is no numpy array (.npy); only archives of those (.npz) are read.");
    return std::string(name.substr(0, name.size() - kEnding.size()));
}

void readArray(const ZipEntry& entry, TensorFile& read) {
    const std::string name = arrayName(entry);
    if (isPassedOver(name)) return;
    const std::vector<unsigned char> file = unpacked(entry);
    const auto [header, data] = partsOf(name, file);
    if (isFact(name)) {
        read.facts[name] = factOf(name, header, data);
        return;
    }
    addTensor(read, name, header.dims, storedOf(name, header, data));
}

double unpackedSize(const std::vector<ZipEntry>& entries) {
    double size = 0;
    for (const ZipEntry& entry : entries) size += static_cast<double>(entry.size);
    return size;
}

}  // namespace

TensorFile readNpz(Bytes archive) {
    const std::vector<ZipEntry> entries = zipDirectory(archive);
    for (const ZipEntry& entry : entries) arrayName(entry);
    if (unpackedSize(entries) > mostUnpacked())
        throw InputError("The file would be " + whole(unpackedSize(entries)) + " bytes unpacked; at most " + whole(mostUnpacked()) +
                         " are read.");
    TensorFile read;
    for (const ZipEntry& entry : entries) readArray(entry, read);
    return read;
}

std::vector<NamedCells> readNpzCells(Bytes archive, bool (*wanted)(std::string_view), std::size_t most) {
    std::vector<NamedCells> arrays;
    for (const ZipEntry& entry : zipDirectory(archive)) {
        const std::string name = arrayName(entry);
        if (!wanted(name)) continue;
        if (entry.size > kMaxDataFileBytes) refuse(name, "it is larger than " + std::to_string(kMaxDataFileBytes) + " bytes");
        const std::vector<unsigned char> file = unpacked(entry);
        const auto [header, data] = partsOf(name, file);
        const auto [kind, each] = entriesOf(name, header);
        const double count = countOf(name, header.dims);
        if (count > static_cast<double>(most))
            refuse(name, "it has " + whole(count) + " entries; at most " + std::to_string(most) + " are read");
        if (count * static_cast<double>(each) != static_cast<double>(data.size())) refuse(name, "its length is wrong");
        NamedCells array{name, header.dims, {}, kind == 'U' || kind == 'S'};
        const auto entries = static_cast<std::size_t>(count), rows = static_cast<std::size_t>(header.dims.empty() ? 1 : header.dims[0]);
        if (header.columnsFirst && header.dims.size() > 2) refuse(name, "it has more than two dimensions");
        for (std::size_t i = 0; i < entries; ++i) {
            const std::size_t columns = entries / rows, at = header.columnsFirst ? i % columns * rows + i / columns : i;
            array.cells.push_back(factText(name, kind, data.subspan(at * each, each), header.type.front() == '>'));
        }
        arrays.push_back(std::move(array));
    }
    return arrays;
}

NamedTensor readNpy(Bytes file, std::string_view name) {
    const auto [header, data] = partsOf(name, file);
    return {std::string(name), header.dims, numbers(name, header.dims, storedOf(name, header, data))};
}

double numbersAtMost(Bytes archive) {
    try {
        return std::min(fileLimits().weights, unpackedSize(zipDirectory(archive)) / 2);
    } catch (const InputError&) {
        return 0;
    }
}

}  // namespace kappaflow
