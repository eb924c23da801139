#pragma once
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kappaflow {

/// What an XML document says, read strictly.
struct XmlElement {
    std::string name, text;  ///< text: all of its own, without that of elements inside
    std::map<std::string, std::string> attributes;
    std::vector<XmlElement> children;

    std::string attribute(const std::string& key) const {
        const auto found = attributes.find(key);
        return found == attributes.end() ? std::string() : found->second;
    }
    double number(const std::string& key) const { return std::stod(attribute(key)); }
    /// Text of the element and of those inside, in order of appearance where text does not follow elements.
    std::string allText() const {
        std::string all = text;
        for (const auto& child : children) all += child.allText();
        return all;
    }
    /// All elements inside that pass, however deep, in the document's order.
    template <class Passes>
    std::vector<const XmlElement*> all(Passes passes) const {
        std::vector<const XmlElement*> found;
        for (const auto& child : children) {
            if (passes(child)) found.push_back(&child);
            for (const auto* deeper : child.all(passes)) found.push_back(deeper);
        }
        return found;
    }
    std::vector<const XmlElement*> named(std::string_view wanted) const {
        return all([&](const XmlElement& element) { return element.name == wanted; });
    }
};

/// Reads the subset of XML 1.0 without comments, CDATA, processing instructions and document types; throws std::runtime_error where a
/// document is not well-formed: tags, names, quotes, doubled attributes, references, UTF-8, characters XML does not admit.
class XmlReader {
public:
    static XmlElement read(std::string_view text) { return XmlReader(text).document(); }

private:
    explicit XmlReader(std::string_view text) : text_(text) { checkCharacters(); }

    [[noreturn]] void refuse(const std::string& why) const { throw std::runtime_error(why + " at byte " + std::to_string(at_)); }
    void require(bool holds, const char* why) const {
        if (!holds) refuse(why);
    }
    bool has(std::string_view next) const { return text_.substr(at_, next.size()) == next; }
    void take(std::string_view next) {
        require(has(next), "something else is expected");
        at_ += next.size();
    }
    static bool blank(char c) { return c == ' ' || c == '\n' || c == '\t'; }
    void blanks() {
        while (at_ < text_.size() && blank(text_[at_])) ++at_;
    }

    void checkCharacters() {
        for (at_ = 0; at_ < text_.size();) {
            const auto byte = [&](std::size_t i) { return i < text_.size() ? static_cast<unsigned char>(text_[i]) : 0u; };
            const unsigned first = byte(at_);
            const unsigned length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
            require(length > 0, "bad UTF-8");
            unsigned code = length == 1 ? first : first & (0xFFu >> (length + 1));
            for (unsigned i = 1; i < length; ++i) {
                require(byte(at_ + i) >> 6 == 2, "bad UTF-8");
                code = code << 6 | (byte(at_ + i) & 63);
            }
            constexpr unsigned kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
            require(code >= kLeast[length] && code <= 0x10FFFF && !(code >= 0xD800 && code < 0xE000), "bad UTF-8");
            require(code >= 0x20 || code == '\n' || code == '\t' || code == '\r', "a control character");
            require(code != 0xFFFE && code != 0xFFFF, "a character that is none");
            at_ += length;
        }
        at_ = 0;
    }

    std::string name() {
        const std::size_t begin = at_;
        const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
        while (at_ < text_.size() && (letter(text_[at_]) || (at_ > begin && ((text_[at_] >= '0' && text_[at_] <= '9') ||
                                                                             text_[at_] == '-' || text_[at_] == ':'))))
            ++at_;
        require(at_ > begin, "a name is expected");
        return std::string(text_.substr(begin, at_ - begin));
    }

    std::string characters(std::string_view until) {
        std::string read;
        while (at_ < text_.size() && until.find(text_[at_]) == until.npos) {
            require(text_[at_] != '<' && !has("]]>"), "a sign that has to be escaped");
            if (text_[at_] != '&') {
                read += text_[at_++];
                continue;
            }
            const std::map<std::string_view, char> known{{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
            const auto end = text_.find(';', at_);
            const auto found = end == text_.npos ? known.end() : known.find(text_.substr(at_, end + 1 - at_));
            require(found != known.end(), "an unknown reference");
            read += found->second;
            at_ = end + 1;
        }
        require(at_ < text_.size(), "the end comes too soon");
        return read;
    }

    XmlElement element() {
        XmlElement read;
        take("<");
        read.name = name();
        for (;;) {
            const std::size_t before = at_;
            blanks();
            if (has("/>")) {
                at_ += 2;
                return read;
            }
            if (has(">")) break;
            require(at_ > before, "a blank is missing");
            const std::string key = name();
            take("=\"");
            require(read.attributes.emplace(key, characters("\"")).second, "an attribute stands twice");
            take("\"");
        }
        take(">");
        while (!has("</")) {
            read.text += characters("<");
            if (!has("</")) read.children.push_back(element());
        }
        take("</" + read.name);
        blanks();
        take(">");
        return read;
    }

    XmlElement document() {
        if (has("<?xml ")) at_ = text_.find("?>") + 2;
        blanks();
        XmlElement root = element();
        blanks();
        require(at_ == text_.size(), "something behind the root");
        return root;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace kappaflow
