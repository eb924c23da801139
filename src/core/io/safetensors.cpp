#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/errors.h"
#include "core/io/named_tensors.h"
#include "core/io/printable.h"
#include "core/io/stored_numbers.h"

namespace kappaflow {
namespace {

/// A value of an object inside a flat JSON document: a text, or a list of whole numbers.
using FlatValue = std::variant<std::string, std::vector<std::int64_t>>;
using Bytes = std::span<const unsigned char>;

struct FlatObject {
    std::string name;
    std::vector<std::pair<std::string, FlatValue>> members;
};

class FlatParser {
public:
    FlatParser(std::string_view text, std::size_t mostNumbers) : text_(text), mostNumbers_(mostNumbers) {}

    std::vector<FlatObject> document() {
        std::vector<FlatObject> objects;
        std::set<std::string> names;
        members([&](std::string name) {
            if (!names.insert(name).second) fail("a name occurs twice");
            objects.push_back({std::move(name), {}});
            FlatObject& object = objects.back();
            std::set<std::string> keys;
            members([&](std::string key) {
                if (!keys.insert(key).second) fail("a name occurs twice");
                FlatValue value = peek() == '[' ? FlatValue(list()) : FlatValue(string());
                object.members.emplace_back(std::move(key), std::move(value));
            });
        });
        skipSpace();
        if (at_ != text_.size()) fail("something follows its end");
        return objects;
    }

private:
    [[noreturn]] void fail(const char* what) const {
        throw InputError("The file's header makes no sense at byte " + std::to_string(at_ + 8) + ": " + what + ".");
    }
    void skipSpace() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
    }
    char peek() {
        skipSpace();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    void expect(char wanted, const char* what) {
        if (peek() != wanted) fail(what);
        ++at_;
    }
    /// {"key": …}, `value` reading what stands behind each colon.
    template <class Value>
    void members(Value value) {
        expect('{', "an object should begin");
        if (peek() == '}') {
            ++at_;
            return;
        }
        do {
            std::string key = string();
            expect(':', "a colon is missing");
            value(std::move(key));
        } while (another('}'));
    }
    bool another(char end) {
        const char next = peek();
        if (next != ',' && next != end) fail("a comma is missing");
        ++at_;
        return next == ',';
    }
    std::vector<std::int64_t> list() {
        expect('[', "a list should begin");
        std::vector<std::int64_t> numbers;
        if (peek() == ']') {
            ++at_;
            return numbers;
        }
        do {
            if (numbers.size() == mostNumbers_) fail("a list is too long");
            numbers.push_back(number());
        } while (another(']'));
        return numbers;
    }
    std::int64_t number() {
        skipSpace();
        const std::size_t start = at_;
        std::int64_t value = 0;
        for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
            if (at_ - start == 15) fail("a number is too large");
            value = 10 * value + (text_[at_] - '0');
        }
        if (at_ == start) fail("a whole number should stand here");
        return value;
    }
    std::string string() {
        expect('"', "a text should begin");
        std::string text;
        for (;;) {
            if (at_ >= text_.size()) fail("a text does not end");
            const char c = text_[at_++];
            if (c == '"') return text;
            if (static_cast<unsigned char>(c) < 0x20) fail("a control character stands in a text");
            if (c == '\\')
                addEscape(text);
            else
                text += c;
        }
    }
    void addEscape(std::string& text) {
        static constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
        const char letter = at_ < text_.size() ? text_[at_++] : '\0';
        if (const auto found = kLetters.find(letter); letter != '\0' && found != kLetters.npos) {
            text += kMeant[found];
            return;
        }
        if (letter != 'u') fail("an escape is unknown");
        std::uint32_t code = unit();
        if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
            at_ += 2;
            const std::uint32_t low = unit();
            if (low < 0xDC00 || low > 0xDFFF) fail("half of a character is missing");
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else if (code >= 0xD800 && code <= 0xDFFF) {
            fail("half of a character is missing");
        }
        appendUtf8(text, code);
    }
    std::uint32_t unit() {
        std::uint32_t code = 0;
        for (int i = 0; i < 4; ++i) {
            const char c = at_ < text_.size() ? text_[at_++] : '\0';
            const int digit = c >= '0' && c <= '9'   ? c - '0'
                              : c >= 'a' && c <= 'f' ? c - 'a' + 10
                              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : -1;
            if (digit < 0) fail("an escape is unknown");
            code = 16 * code + static_cast<std::uint32_t>(digit);
        }
        return code;
    }

    std::string_view text_;
    std::size_t mostNumbers_, at_ = 0;
};

/// {"name": {"key": "text", "key": [1, 2]}, …}: the JSON that a safetensors file begins with, and nothing beyond it. Lists have at most
/// `mostNumbers`. Throws InputError with the byte offset: anything else, names that occur twice. Texts are not checked to be UTF-8.
std::vector<FlatObject> parseFlatJson(std::string_view text, std::size_t mostNumbers) { return FlatParser(text, mostNumbers).document(); }

using namespace tensors;

constexpr std::size_t kLengthBytes = 8, kMaxHeader = 4u << 20;

double headerLength(Bytes file) { return static_cast<double>(wholeAt(file, 0, kLengthBytes)); }

std::string_view headerOf(Bytes file) {
    if (file.size() < kLengthBytes + 2) throw InputError("The file is too short for a safetensors file.");
    const double length = headerLength(file);
    if (length > static_cast<double>(file.size() - kLengthBytes))
        throw InputError("The file claims a header of " + whole(length) + " bytes, but holds " +
                         std::to_string(file.size() - kLengthBytes) + "; it is cut off or no safetensors file.");
    if (length > kMaxHeader)
        throw InputError("The file's header has " + whole(length) + " bytes; at most " + std::to_string(kMaxHeader) + " are read.");
    return {reinterpret_cast<const char*>(file.data()) + kLengthBytes, static_cast<std::size_t>(length)};
}

struct Described {
    std::string name, type;
    std::vector<std::int64_t> dims;
    std::size_t begin = 0, end = 0;
};

template <class Wanted>
const Wanted& member(const FlatObject& object, std::string_view key) {
    for (const auto& [name, value] : object.members)
        if (name == key)
            if (const auto* wanted = std::get_if<Wanted>(&value)) return *wanted;
    refuse(object.name, "its " + std::string(key) + " is missing, or of another kind");
}

Described described(const FlatObject& object, std::size_t bytes) {
    using List = std::vector<std::int64_t>;
    if (object.members.size() != 3) refuse(object.name, "it should have dtype, shape and data_offsets, and nothing else");
    Described tensor{object.name, member<std::string>(object, "dtype"), member<List>(object, "shape"), 0, 0};
    const List& offsets = member<List>(object, "data_offsets");
    if (offsets.size() != 2 || offsets[0] > offsets[1]) refuse(object.name, "its data_offsets should be where it begins and where it ends");
    if (static_cast<double>(offsets[1]) > static_cast<double>(bytes)) refuse(object.name, "it reaches beyond the end of the file");
    tensor.begin = static_cast<std::size_t>(offsets[0]);
    tensor.end = static_cast<std::size_t>(offsets[1]);
    return tensor;
}

/// The format wants tensors without gaps between them: what is hidden there could be anything.
void requireGapless(std::vector<Described>& all, std::size_t bytes) {
    std::sort(all.begin(), all.end(),
              [](const Described& a, const Described& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
    std::size_t at = 0;
    for (const Described& tensor : all) {
        if (tensor.begin < at) refuse(tensor.name, "it overlaps another tensor");
        if (tensor.begin > at) refuse(tensor.name, "there are bytes in front of it that belong to no tensor");
        at = tensor.end;
    }
    if (at != bytes) throw InputError("The file has " + std::to_string(bytes - at) + " bytes behind its tensors.");
}

Element elementOf(const Described& tensor) {
    if (tensor.type == "F64") return Element::F64;
    if (tensor.type == "F32") return Element::F32;
    if (tensor.type == "F16") return Element::F16;
    if (tensor.type == "BF16") return Element::BF16;
    refuse(tensor.name, "it holds " + quoted(tensor.type) + "; only F64, F32, F16 and BF16 are supported");
}

}  // namespace

bool looksLikeSafetensors(Bytes file) {
    return file.size() > kLengthBytes && file[kLengthBytes] == '{' && headerLength(file) <= static_cast<double>(file.size() - kLengthBytes);
}

TensorFile readSafetensors(Bytes file) {
    const std::string_view header = headerOf(file);
    const Bytes data = file.subspan(kLengthBytes + header.size());
    TensorFile read;
    std::vector<Described> all;
    for (const FlatObject& object : parseFlatJson(header, kMaxDims)) {
        if (object.name != "__metadata__") {
            all.push_back(described(object, data.size()));
            continue;
        }
        for (const auto& [key, value] : object.members)
            if (const auto* text = std::get_if<std::string>(&value)) read.facts[key] = *text;
    }
    requireGapless(all, data.size());
    for (const Described& tensor : all)
        if (!isPassedOver(tensor.name))
            addTensor(read, tensor.name, tensor.dims,
                      {elementOf(tensor), false, false, data.subspan(tensor.begin, tensor.end - tensor.begin)});
    return read;
}

}  // namespace kappaflow
