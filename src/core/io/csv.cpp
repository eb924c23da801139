#include "core/io/csv.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "core/base/decimal.h"
#include "core/base/errors.h"
#include "core/io/printable.h"

namespace kappaflow {
namespace {

constexpr std::size_t kColumns = 3, kMaxNumber = 64, kMaxColumns = 1 << 18;
/// Squares of coordinates are added up.
constexpr double kMaxCoordinate = 1e100;

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    return first == text.npos ? std::string_view{} : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// A decimal number; `comma` too may stand before its fraction. Spelt-out NaN and infinity are none.
std::optional<double> numberOf(std::string_view text, bool comma) {
    if (text.size() > kMaxNumber || text.find_first_not_of("0123456789+-.eE,") != text.npos) return std::nullopt;
    std::string copy(text);
    const auto at = copy.find(',');
    if (at != copy.npos) {
        if (!comma || copy.find('.') != copy.npos) return std::nullopt;
        copy[at] = '.';
    }
    const double x = decimalNumber(copy);
    if (std::isnan(x)) return std::nullopt;
    return x + 0.0;  // −0 becomes 0
}

/// What a program writes where it has no number: no header's word.
bool isMissing(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.erase(0, 1);
    return text.empty() || text == "nan" || text == "na" || text == "n/a" || text == "null" || text == "inf" || text == "infinity";
}

bool isWord(const std::string& field, bool comma) { return !numberOf(field, comma) && !isMissing(field); }

/// One line after the other, wherever it ends.
class Lines {
public:
    Lines(std::string_view text, std::size_t longest) : rest_(text), longest_(longest) {}
    /// Goes to the next line that is not empty.
    bool next() {
        while (!rest_.empty()) {
            const auto end = std::min(rest_.find_first_of("\r\n"), rest_.size());
            line_ = rest_.substr(0, end);
            const bool pair = rest_.substr(end, 2) == "\r\n";
            rest_.remove_prefix(std::min(rest_.size(), end + (pair ? 2 : 1)));
            ++number_;
            if (line_.size() > longest_) refuse("is longer than " + std::to_string(longest_) + " characters");
            if (line_.find_first_not_of(" \t") != line_.npos) return true;
        }
        return false;
    }
    std::string_view line() const { return line_; }
    /// "Line 12 has 2 columns, …"
    [[noreturn]] void refuse(const std::string& why) const { throw InputError("Line " + std::to_string(number_) + " " + why + "."); }

private:
    std::string_view rest_, line_;
    std::size_t longest_, number_ = 0;
};

/// A field in quotes from just after the opening one; `at` comes to stand behind the closing one.
std::string quotedField(const Lines& lines, std::size_t& at) {
    const std::string_view line = lines.line();
    std::string field;
    for (;; ++at) {
        if (at >= line.size()) lines.refuse("opens a quotation mark that it does not close");
        if (line[at] != '"') {
            field += line[at];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
            field += line[++at];
        } else {
            ++at;
            return field;
        }
    }
}

std::vector<std::string> fieldsOf(const Lines& lines, char separator) {
    const std::string_view line = lines.line();
    std::vector<std::string> fields;
    for (std::size_t at = 0;; ++at) {
        if (fields.size() == kMaxColumns) lines.refuse("has more than " + std::to_string(kMaxColumns) + " columns");
        // Blanks around a field do not count; a tab may be the separator.
        while (at < line.size() && line[at] == ' ') ++at;
        std::string field;
        if (at < line.size() && line[at] == '"') field = quotedField(lines, ++at);
        const auto end = std::min(line.find(separator, at), line.size());
        const std::string_view bare = trimmed(line.substr(at, end - at));
        if (!field.empty() && !bare.empty()) lines.refuse("has text after a closing quotation mark");
        fields.push_back(field.empty() ? std::string(bare) : std::move(field));
        at = end;
        if (at >= line.size()) return fields;
    }
}

/// Of tab, semicolon and comma the first that the line has outside quotes; '\0' when it has none.
char separatorOf(const Lines& lines) {
    bool inQuotes = false;
    std::string bare;
    for (const char c : lines.line()) {
        if (c == '"') inQuotes = !inQuotes;
        if (!inQuotes) bare += c;
    }
    for (const char separator : {'\t', ';', ','})
        if (bare.find(separator) != bare.npos) return separator;
    return '\0';
}

std::string_view textOf(std::span<const unsigned char> bytes) {
    if (bytes.size() > kMaxDataFileBytes)
        throw InputError("The file has " + std::to_string(bytes.size()) + " bytes; at most " + std::to_string(kMaxDataFileBytes) +
                         " are read.");
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
    if (text.find('\0') != text.npos) throw InputError("The file is not text in UTF-8: it has bytes that are zero.");
    return text;
}

struct Table {
    std::vector<double> x, y;
    std::vector<std::string> labels;
};

double coordinate(const Lines& lines, const std::string& field, bool comma) {
    const auto number = numberOf(field, comma);
    if (!number) lines.refuse("has " + quoted(field) + " where a number is needed");
    // Written so that an overflow to infinity is refused too.
    if (!(std::abs(*number) <= kMaxCoordinate)) lines.refuse("has " + quoted(field) + ", which is too large");
    return *number;
}

Table tableOf(std::string_view text) {
    Lines lines(text, kMaxDataLine);
    Table table;
    char separator = 0;
    while (lines.next()) {
        const bool first = separator == 0;
        if (first) separator = separatorOf(lines);
        if (separator == 0) lines.refuse("has no commas, semicolons or tabs; three columns are needed: x, y, label");
        const bool comma = separator != ',';
        const auto fields = fieldsOf(lines, separator);
        if (fields.size() != kColumns)
            lines.refuse("has " + std::to_string(fields.size()) + (fields.size() == 1 ? " column" : " columns") +
                         "; three are needed: x, y, label");
        if (first && isWord(fields[0], comma) && isWord(fields[1], comma)) continue;
        if (table.x.size() == kMaxSamples)
            lines.refuse("is one more than the " + std::to_string(kMaxSamples) + " samples that can be taken");
        table.x.push_back(coordinate(lines, fields[0], comma));
        table.y.push_back(coordinate(lines, fields[1], comma));
        if (fields[2].empty()) lines.refuse("has no label");
        table.labels.push_back(fields[2]);
    }
    return table;
}

Matrix matrixOf(std::string_view text) {
    Lines lines(text, kMaxDataFileBytes);
    Matrix table;
    char separator = 0;
    while (lines.next()) {
        const bool first = separator == 0;
        if (first) separator = separatorOf(lines);
        if (separator == 0) separator = ',';
        const bool comma = separator != ',';
        const auto fields = fieldsOf(lines, separator);
        if (first) table.columns = fields.size();
        if (fields.size() != table.columns)
            lines.refuse("has " + std::to_string(fields.size()) + (fields.size() == 1 ? " column" : " columns") + " where the first has " +
                         std::to_string(table.columns));
        if (first && std::all_of(fields.begin(), fields.end(), [&](const auto& field) { return isWord(field, comma); })) continue;
        for (const auto& field : fields) table.values.push_back(coordinate(lines, field, comma));
        ++table.rows;
    }
    if (table.rows == 0) throw InputError("The file has no line with a sample.");
    return table;
}

[[noreturn]] void refuseClasses() { throw InputError("The file has more than " + std::to_string(kMaxDataClasses) + " different labels."); }

/// The same number may be written in several ways.
std::optional<std::vector<double>> numbersOf(const std::vector<std::string>& labels) {
    std::vector<double> numbers;
    for (const auto& label : labels) {
        const auto number = numberOf(label, false);
        if (!number) return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

/// Index of each item among the different ones, which are kept in the order of their first appearance with their first spelling.
template <class Item>
std::vector<Item> numbered(const std::vector<Item>& items, const std::vector<std::string>& spelling, LabelledPoints& set) {
    std::vector<Item> different;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto found = std::find(different.begin(), different.end(), items[i]);
        set.labels.push_back(static_cast<int>(found - different.begin()));
        if (found != different.end()) continue;
        if (different.size() == kMaxDataClasses) refuseClasses();
        different.push_back(items[i]);
        set.classes.push_back(printable(spelling[i]));
    }
    return different;
}

void sortClasses(const std::vector<double>& numbers, LabelledPoints& set) {
    std::vector<std::string> names(numbers.size());
    std::vector<int> place(numbers.size());
    for (std::size_t c = 0; c < numbers.size(); ++c) {
        place[c] = static_cast<int>(std::count_if(numbers.begin(), numbers.end(), [&](double other) { return other < numbers[c]; }));
        names[static_cast<std::size_t>(place[c])] = set.classes[c];
    }
    for (int& label : set.labels) label = place[static_cast<std::size_t>(label)];
    set.classes = std::move(names);
}

LabelledPoints setOf(const Table& table) {
    const std::size_t samples = table.x.size();
    if (samples == 0) throw InputError("The file has no line with a sample: x, y, label.");
    LabelledPoints set{Matrix(2, samples), {}, {}};
    std::copy(table.x.begin(), table.x.end(), set.points.row(0));
    std::copy(table.y.begin(), table.y.end(), set.points.row(1));
    if (const auto numbers = numbersOf(table.labels))
        sortClasses(numbered(*numbers, table.labels, set), set);
    else
        numbered(table.labels, table.labels, set);
    if (set.classes.size() < 2)
        throw InputError("The file has one label only, " + quoted(table.labels.front()) + "; at least two classes are needed.");
    return set;
}

/// What `read` returns; its sentences name the file where there is a name.
template <class Read>
auto namingFile(std::string_view fileName, Read read) {
    try {
        return read();
    } catch (const InputError& error) {
        const std::string sentence = error.what();
        if (fileName.empty()) throw;
        for (const std::string_view start : {"The file", "Line"})
            if (sentence.rfind(start, 0) == 0)
                throw InputError(start == "Line" ? "In " + quoted(fileName) + " line" + sentence.substr(start.size())
                                                 : "The file " + quoted(fileName) + sentence.substr(start.size()));
        throw;
    }
}

}  // namespace

LabelledPoints readCsv(std::span<const unsigned char> bytes, std::string_view fileName) {
    LabelledPoints set = readCsvAsWritten(bytes, fileName);
    standardise(set.points);
    return set;
}

LabelledPoints readCsvAsWritten(std::span<const unsigned char> bytes, std::string_view fileName) {
    return namingFile(fileName, [&] { return setOf(tableOf(textOf(bytes))); });
}

Matrix readNumbers(std::span<const unsigned char> bytes, std::string_view fileName) {
    return namingFile(fileName, [&] { return matrixOf(textOf(bytes)); });
}

}  // namespace kappaflow
