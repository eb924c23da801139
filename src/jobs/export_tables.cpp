#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "jobs/export.h"

namespace kappaflow {

std::string csvCell(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == text.npos) return text;
    std::string out = "\"";
    for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

std::string csvNumber(double value) { return std::isfinite(value) ? formatNumber(value) : ""; }

namespace {

std::size_t widthOf(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string alignedColumns(const std::vector<std::vector<std::string>>& rows, const std::string& indent) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows)
        for (std::size_t i = 0; i + 1 < row.size(); ++i) {
            widths.resize(std::max(widths.size(), i + 1));
            widths[i] = std::max(widths[i], widthOf(row[i]));
        }
    std::string text;
    for (const auto& row : rows) {
        std::string line = indent;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += row[i] + (i + 1 < row.size() ? std::string(widths[i] - widthOf(row[i]) + 2, ' ') : "");
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

namespace {

std::string axisCell(const Axis& axis, std::size_t index) {
    return axis.keys.empty() ? csvNumber(axis.values[index]) : csvCell(axis.keys[index]);
}

/// Indices of element `flat` of a row-major array as cells, each with a comma behind it.
std::string axisCells(const Array& array, std::size_t flat) {
    std::string cells;
    std::size_t stride = array.values.size();
    for (const auto& axis : array.axes) {
        stride /= axis.size();
        cells += axisCell(axis, flat / stride % axis.size()) + ",";
    }
    return cells;
}

using Row = std::vector<std::string>;

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

Row scalarRow(const Scalar& scalar) {
    std::string value = inWords(scalar.value, 6);
    if (scalar.standardError) value += " ± " + inWords(*scalar.standardError, 2) + " (" + inWords(scalar.draws) + " draws)";
    return {scalar.name, scalar.symbol, value, scalar.about};
}

Row arrayRow(const Array& array) {
    std::vector<std::string> axes;
    for (const auto& axis : array.axes) axes.push_back(axis.name + " " + std::to_string(axis.size()));
    return {array.name, array.symbol, "[" + joined(axes) + "]", array.about};
}

Row paramRow(const Param& param) {
    const std::string standard = formatValue(param, param.standard);
    return {param.key, param.symbol, admissible(param) + (standard.empty() ? "" : "; default " + standard), param.help};
}

Row fieldRow(const FieldRow& field) {
    const std::string grid = joined(field.gridAxes.names());
    return {field.name, field.symbol, "[" + joined(field.axes.names()) + "]" + (grid.empty() ? "" : " or [" + grid + "]"), field.about};
}

}  // namespace

std::string reportCsv(const Report& report) {
    std::string text = "name,value,standardError,draws,symbol,about\n";
    for (const auto& scalar : report.scalars) {
        const std::string spread = scalar.standardError ? csvNumber(*scalar.standardError) + "," + csvNumber(scalar.draws) : ",";
        text += csvCell(scalar.name) + "," + csvNumber(scalar.value) + "," + spread + "," + csvCell(scalar.symbol) + "," +
                csvCell(scalar.about) + "\n";
    }
    return text;
}

std::string arrayCsv(const Report& report, std::string_view name) {
    const Array* array = report.array(name);
    if (!array) {
        std::vector<std::string> names;
        for (const auto& each : report.arrays) names.push_back(each.name);
        throw InputError("The report has no array " + quote(name) + "; it has " + joined(names) + ".");
    }
    std::string text;
    for (const auto& axis : array->axes) text += csvCell(axis.name) + ",";
    text += array->standardError.empty() ? "value\n" : "value,standardError\n";
    for (std::size_t i = 0; i < array->values.size(); ++i) {
        text += axisCells(*array, i) + csvNumber(array->values[i]);
        if (!array->standardError.empty()) text += "," + csvNumber(array->standardError[i]);
        text += "\n";
    }
    return text;
}

std::string reportText(const Report& report) {
    const Declaration* declaration = findDeclaration(report.scene);
    std::string text = (declaration ? declaration->title : report.scene) + "\n" + report.summary + "\n";
    if (report.status != Status::Ok) text += std::string(statusName(report.status)) + ": " + report.message + "\n";
    for (const auto& warning : report.warnings) text += "Warning: " + warning + "\n";
    for (const auto& note : report.notes) text += note.part + ": " + note.text + "\n";
    std::vector<Row> rows;
    for (const auto& scalar : report.scalars) rows.push_back(scalarRow(scalar));
    text += "\n" + alignedColumns(rows, "  ");
    rows.clear();
    for (const auto& array : report.arrays) rows.push_back(arrayRow(array));
    return text + "\nArrays (print one with --array NAME)\n" + alignedColumns(rows, "  ");
}

std::string declarationText(const Declaration& declaration) {
    std::vector<Row> params, fields, presets;
    for (const auto& param : declaration.params) params.push_back(paramRow(param));
    for (const auto& field : declaration.fields) fields.push_back(fieldRow(field));
    for (const auto& preset : declaration.presets) {
        std::string settings;
        for (const auto& [key, value] : preset.values) settings.append(settings.empty() ? "" : ", ").append(key).append("=").append(value);
        presets.push_back({preset.name, settings});
    }
    std::string text = declaration.id + ": " + declaration.title + "\n" + declaration.claim + "\n" + declaration.source + "\n";
    text += "\nParams (--set KEY=VALUE)\n" + alignedColumns(params, "  ");
    text += "\nReport\n" + alignedColumns(fields, "  ");
    return text + "\nPresets\n" + alignedColumns(presets, "  ");
}

std::string listText() {
    std::vector<Row> rows;
    for (const auto& declaration : declarations())
        rows.push_back({declaration.id, declaration.title, declaration.group, declaration.source});
    return alignedColumns(rows, "");
}

}  // namespace kappaflow
