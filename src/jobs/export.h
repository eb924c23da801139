#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/net/network.h"
#include "scene/report.h"
#include "scene/scene.h"

namespace kappaflow {

/// The public JSON of a report, its params as namedParams gives them: numbers read back as the same doubles; NaN and infinity are
/// null, with a warning unless the array may be undefined there; invalid UTF-8 is replaced. Without `arrayValues` the arrays carry
/// everything but their numbers and their axes' numbers (JavaScript takes those from memory as they are). Cost: about 40 bytes a
/// number while it is made.
std::string reportJson(const Report&, const Values& params, bool arrayValues = true);
/// Scalars, one a row: name, value, standard error, draws, symbol, about. Undefined numbers are empty cells.
std::string reportCsv(const Report&);
/// One array in long form: a column per axis, then value (and standardError where there is one). Throws InputError on an unknown
/// name, listing those there are.
std::string arrayCsv(const Report&, std::string_view name);
/// Summary, warnings, scalars and the list of arrays, to be read in a terminal.
std::string reportText(const Report&);
/// By name of the format: json, csv (of `array` when that is not empty), text, or onnx: the bytes of the network's file, none when there
/// is none. Throws InputError on any other.
std::string exportReport(const Report&, std::string_view format, std::string_view array = {});

/// A scene's params and report fields.
std::string declarationJson(const Declaration&);
std::string declarationText(const Declaration&);
/// Every scene: id, title, claim, group, source.
std::string listJson();
std::string listText();

/// A network file as it is shown: its layers with shapes and counts, and what the network made of samples where it was run.
struct DescribedNetwork {
    std::string file;
    Network network;
    std::vector<std::string> warnings;
    bool ran = false;
    std::vector<double> outputs{};  ///< [sample][unit]
};
/// {kappaflow, file, warnings, input, layers: [{layer, name, kind, output, weights, biases, multiplyAdds, activation}], their sums,
/// outputs}: every layer, those inside a block behind it ("3.1" inside "3"). Shapes are [channels, height, width]. Cost: a line a layer.
std::string networkJson(const DescribedNetwork&);
/// The layers as csv, a row each; of a network that was run the outputs instead, a sample a row.
std::string networkCsv(const DescribedNetwork&);
/// The layers as a table for a terminal, their sums in its last line, the outputs behind it.
std::string networkText(const DescribedNetwork&);
/// A shape in words: "2 × 24 × 24"; of a vector its length.
std::string textOf(const Shape&);

/// "integer", "choice", … as JSON and JavaScript spell a param's kind.
std::string_view kindName(Kind);
std::string_view roleName(Role);
std::string_view statusName(Status);

/// A csv cell as RFC 4180 has it: quoted when it holds a separator.
std::string csvCell(const std::string& text);
/// Reads back as the same double; an empty cell when it is not finite.
std::string csvNumber(double);
/// Rows as lines, columns as wide as their widest cell, counted in characters, two blanks between; the last one runs free.
std::string alignedColumns(const std::vector<std::vector<std::string>>& rows, const std::string& indent);

/// JSON text, written from front to back: names and values in the order of the calls, commas and line breaks by itself. What is
/// opened must be closed, and in an object every value has its name before it.
class JsonText {
public:
    /// Indented by two blanks a level, or on one line.
    explicit JsonText(bool indented) : indented_(indented) {}

    JsonText& open(char bracket);
    JsonText& close(char bracket);
    JsonText& name(std::string_view);

    JsonText& text(std::string_view);  ///< invalid UTF-8 becomes U+FFFD
    /// Reads back as the same double; whole numbers without ".0"; null when it is not finite.
    JsonText& number(double);
    JsonText& flag(bool);
    JsonText& numbers(const std::vector<double>&);
    JsonText& texts(const std::vector<std::string>&);

    /// A named value.
    JsonText& text(std::string_view key, std::string_view value) { return name(key).text(value); }
    JsonText& number(std::string_view key, double value) { return name(key).number(value); }

    /// Ends with a line break.
    std::string take() &&;

private:
    void separate();
    void breakLine();

    std::string text_;
    std::size_t depth_ = 0;
    bool indented_, first_ = true, named_ = false;
};

}  // namespace kappaflow
