// Labelled points from JSON and from archives of numpy, as the table in text that the other half of csv.h reads.
#include "core/io/csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/base/decimal.h"
#include "core/base/errors.h"
#include "core/io/named_tensors.h"
#include "core/io/printable.h"
#include "core/io/stored_numbers.h"

namespace kappaflow {
namespace {

using Bytes = std::span<const unsigned char>;
using tensors::NamedCells;

constexpr std::array<std::string_view, 5> kPoints{"X", "x", "points", "data", "xy"};
constexpr std::array<std::string_view, 8> kLabels{"label", "labels", "class", "classes", "target", "targets", "y", "Y"};
constexpr std::string_view kWanted =
    "needed are points [samples][2] called X or points and labels called y or labels, or x, y and label, [samples] each";

template <class Names>
bool isOneOf(std::string_view name, const Names& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}
bool isKnown(std::string_view name) { return isOneOf(name, kPoints) || isOneOf(name, kLabels); }

template <class Names>
const NamedCells* findOne(const std::vector<NamedCells>& arrays, const Names& names) {
    for (const std::string_view name : names)
        for (const NamedCells& array : arrays)
            if (array.name == name) return &array;
    return nullptr;
}

/// A text as a field of a table: in quotes, in one line.
std::string inQuotes(std::string_view text) {
    std::string field = "\"";
    for (const char c : text) {
        if (c == '"') field += '"';
        field += c == '\n' || c == '\r' || c == '\0' ? ' ' : c;
    }
    return field + '"';
}

/// Rows [x, y, label] of the arrays; sentences name the array.
std::string tableOf(const std::vector<NamedCells>& arrays) {
    const auto along = [&](const NamedCells* array, std::size_t dims) { return array && array->dims.size() == dims; };
    const NamedCells *x = findOne(arrays, kPoints), *y = findOne(arrays, std::array<std::string_view, 1>{"y"});
    const NamedCells* labels = findOne(arrays, kLabels);
    const bool matrix = along(x, 2) && x->dims[1] == 2;
    if (!(along(labels, 1) && (matrix || (along(x, 1) && along(y, 1) && labels != y)))) {
        std::string found;
        for (const NamedCells& array : arrays)
            found += (found.empty() ? "" : ", ") + quoted(array.name) + " (" + shapeText(array.dims) + ")";
        throw InputError("The file has " + (found.empty() ? "no array of points" : found) + "; " + std::string(kWanted) + ".");
    }
    const std::size_t samples = labels->cells.size();
    for (const NamedCells* array : {x, matrix ? x : y})
        if (static_cast<std::size_t>(array->dims[0]) != samples)
            throw InputError("The file has " + std::to_string(samples) + " entries in " + quoted(labels->name) + " and " +
                             std::to_string(array->dims[0]) + " in " + quoted(array->name) + "; there must be as many.");
    std::string text;
    for (std::size_t row = 0; row < samples; ++row) {
        const auto add = [&](const NamedCells& array, std::size_t index, bool number, const char* end) {
            const std::string& cell = array.cells[index];
            const auto refuse = [&](const std::string& why) {
                throw InputError("The file's " + quoted(array.name) + " has " + why + " in row " + std::to_string(row + 1) + ".");
            };
            if (number && (array.texts || !std::isfinite(decimalNumber(cell)))) refuse(quoted(cell) + " where a number is needed");
            if (cell.empty()) refuse("no label");
            text += (array.texts ? inQuotes(cell) : cell) + end;
        };
        add(*x, matrix ? 2 * row : row, true, ",");
        add(matrix ? *x : *y, matrix ? 2 * row + 1 : row, true, ",");
        add(*labels, row, false, "\n");
    }
    return text;
}

/// The JSON of labelled points: what is neither rows, records nor arrays is refused at its place.
class JsonReader {
public:
    explicit JsonReader(std::string_view text) : text_(text) {}

    std::string table() {
        std::vector<NamedCells> arrays;
        if (peek() == '[') {
            arrays = {{"x", {0}, {}, false}, {"y", {0}, {}, false}, {"label", {0}, {}, false}};
            list([&] { row(arrays); });
            for (NamedCells& array : arrays) array.dims[0] = static_cast<std::int64_t>(array.cells.size());
        } else {
            members([&](const std::string& name) { member(name, arrays); });
        }
        if (peek() != '\0' || at_ != text_.size()) fail("something follows the end");
        return tableOf(arrays);
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        const std::string_view before = text_.substr(0, at_);
        const auto line = std::count(before.begin(), before.end(), '\n') + 1;
        const auto start = before.rfind('\n');  // npos + 1 is 0
        throw InputError("Line " + std::to_string(line) + ", column " + std::to_string(at_ - (start + 1) + 1) + ": " + what + ".");
    }
    char peek() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    void expect(char wanted, const char* what) {
        if (peek() != wanted) fail(what);
        ++at_;
    }
    /// From behind an opening bracket: each item, to the bracket that closes.
    template <class Item>
    void items(char end, Item item) {
        if (peek() == end) {
            ++at_;
            return;
        }
        for (;; ++at_) {
            item();
            if (peek() == end) break;
            if (peek() != ',') fail("a comma is missing");
        }
        ++at_;
    }
    template <class Item>
    void list(Item item) {
        expect('[', "a list should begin here");
        items(']', item);
    }
    template <class Member>
    void members(Member member) {
        expect('{', "an object should begin here");
        items('}', [&] {
            if (peek() != '"') fail("a name in quotes is missing");
            const std::string name = string();
            expect(':', "a colon is missing");
            member(name);
        });
    }
    /// [x, y, label], or {"x", "y", "label"} in any order.
    void row(std::vector<NamedCells>& arrays) {
        const std::size_t rows = arrays[0].cells.size();
        if (rows == kMaxSamples) fail("this is one more than the " + std::to_string(kMaxSamples) + " samples that can be taken");
        std::size_t found = 0;
        if (peek() == '[') {
            list([&] {
                if (found == 3) fail("a row has three entries: x, y, label");
                add(arrays[found++]);
            });
        } else {
            members([&](const std::string& name) {
                const std::size_t place = name == "x" ? 0 : name == "y" ? 1 : isOneOf(name, kLabels) ? 2 : 3;
                if (place == 3) return pass();
                if (arrays[place].cells.size() > rows) fail(quoted(name) + " comes twice");
                add(arrays[place]);
                ++found;
            });
        }
        if (found != 3) fail("a row has three entries: x, y, label");
    }
    /// A list of scalars, or of rows of scalars; what has another name is passed over.
    void member(const std::string& name, std::vector<NamedCells>& arrays) {
        if (!isKnown(name)) return pass();
        for (const NamedCells& array : arrays)
            if (array.name == name) fail(quoted(name) + " comes twice");
        arrays.push_back({name, {0}, {}, false});
        NamedCells& array = arrays.back();
        list([&] {
            if (static_cast<std::size_t>(array.dims[0]) == kMaxSamples)
                fail("this is one more than the " + std::to_string(kMaxSamples) + " samples that can be taken");
            const bool nested = peek() == '[';
            if (array.dims[0]++ == 0 && nested) array.dims.push_back(2);
            if (nested != (array.dims.size() == 2)) fail("entries are numbers, or rows of two, all alike");
            if (!nested) return add(array);
            const std::size_t before = array.cells.size();
            list([&] {
                if (array.cells.size() - before == 2) fail("a point has two coordinates");
                add(array);
            });
            if (array.cells.size() - before != 2) fail("a point has two coordinates");
        });
    }
    /// A number or a text; an array is of one or the other.
    void add(NamedCells& array) {
        const bool text = peek() == '"';
        if (array.cells.empty()) array.texts = text;
        if (text != array.texts) fail("numbers and texts are mixed");
        array.cells.push_back(text ? string() : number());
    }
    std::string number() {
        const std::size_t start = at_;
        while (at_ < text_.size() && std::string_view("0123456789+-.eE").find(text_[at_]) != std::string_view::npos) ++at_;
        std::string digits(text_.substr(start, at_ - start));
        if (digits.size() > 64 || !std::isfinite(decimalNumber(digits))) {
            at_ = start;
            fail("a number or a text in quotes should stand here");
        }
        return digits;
    }
    std::string string() {
        std::string text;
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (static_cast<unsigned char>(text_[at_]) < 0x20) fail("a control character stands in a text");
            if (text_[at_] != '\\') {
                text += text_[at_];
                continue;
            }
            ++at_;
            const char letter = at_ < text_.size() ? text_[at_] : '\0';
            if (letter == '"' || letter == '\\' || letter == '/')
                text += letter;
            else if (letter == 'u')
                appendUtf8(text, unit());
            else if (letter != '\0' && std::string_view("bfnrt").find(letter) != std::string_view::npos)
                text += ' ';
            else
                fail("an escape is unknown");
        }
        if (at_ == text_.size()) fail("a text does not end");
        ++at_;
        return text;
    }
    std::uint32_t unit() {
        std::uint32_t code = 0;
        for (int i = 0; i < 4; ++i) {
            const char c = ++at_ < text_.size() ? text_[at_] : '\0';
            const auto digit = std::string_view("0123456789abcdef").find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
            if (c == '\0' || digit == std::string_view::npos) fail("an escape is unknown");
            code = 16 * code + static_cast<std::uint32_t>(digit);
        }
        return code;
    }
    /// Any value, not kept.
    void pass(int depth = 0) {
        if (depth > 8) fail("this is nested too deeply");
        const char next = peek();
        if (next == '[') return list([&] { pass(depth + 1); });
        if (next == '{') return members([&](const std::string&) { pass(depth + 1); });
        if (next == '"') return void(string());
        for (const std::string_view word : {"true", "false", "null"})
            if (text_.substr(at_, word.size()) == word) return void(at_ += word.size());
        number();
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

std::string_view textOf(Bytes bytes) {
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
    return text;
}

}  // namespace

bool looksLikeNpz(Bytes bytes) {
    constexpr std::size_t kLocalHeader = 30;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return text.size() > kLocalHeader && text.substr(0, 4) == "PK\x03\x04" &&
           text.substr(kLocalHeader, wholeAt(bytes, 26, 2)).ends_with(".npy");
}

bool namesPoints(Bytes bytes) {
    if (!looksLikeNpz(bytes)) return false;
    constexpr std::size_t kDirectoryHeader = 46;
    constexpr std::string_view kBegins = "PK\x01\x02", kEnding = ".npy";
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    bool points = false, labels = false;
    for (std::size_t at = text.find(kBegins); at != text.npos && at + kDirectoryHeader <= text.size(); at = text.find(kBegins, at + 1)) {
        std::string_view name = text.substr(at + kDirectoryHeader, wholeAt(bytes, at + 28, 2));
        if (!name.ends_with(kEnding)) continue;
        name.remove_suffix(kEnding.size());
        points |= isOneOf(name, kPoints);
        labels |= isOneOf(name, kLabels);
    }
    return points && labels;
}

bool needsTable(Bytes bytes) {
    if (looksLikeNpz(bytes)) return true;
    const std::string_view text = textOf(bytes);
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != text.npos && (text[first] == '[' || text[first] == '{');
}

std::string pointsAsTable(Bytes bytes, std::string_view fileName) {
    try {
        if (bytes.size() > kMaxDataFileBytes)
            throw InputError("The file has " + std::to_string(bytes.size()) + " bytes; at most " + std::to_string(kMaxDataFileBytes) +
                             " are read.");
        return looksLikeNpz(bytes) ? tableOf(readNpzCells(bytes, isKnown, 2 * kMaxSamples)) : JsonReader(textOf(bytes)).table();
    } catch (const InputError& error) {
        const std::string sentence = error.what();
        if (fileName.empty()) throw;
        throw InputError(sentence.starts_with("Line") ? "In " + quoted(fileName) + " line" + sentence.substr(4)
                                                      : withFileName(sentence, fileName));
    }
}

}  // namespace kappaflow
