#include "core/io/flat_json.h"

#include <set>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

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
        addUtf8(text, code);
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
    static void addUtf8(std::string& text, std::uint32_t code) {
        const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
        if (code < 0x80) return add(code);
        if (code < 0x800) {
            add(0xC0 | code >> 6);
        } else if (code < 0x10000) {
            add(0xE0 | code >> 12);
            add(0x80 | (code >> 6 & 63));
        } else {
            add(0xF0 | code >> 18);
            add(0x80 | (code >> 12 & 63));
            add(0x80 | (code >> 6 & 63));
        }
        add(0x80 | (code & 63));
    }

    std::string_view text_;
    std::size_t mostNumbers_, at_ = 0;
};

}  // namespace

std::vector<FlatObject> parseFlatJson(std::string_view text, std::size_t mostNumbers) { return FlatParser(text, mostNumbers).document(); }

}  // namespace kappaflow
