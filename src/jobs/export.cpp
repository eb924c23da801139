#include "jobs/export.h"

#include <cmath>
#include <cstdint>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

/// Bytes of the character that starts at `at`; negative: that many bytes make none (the beginning of one that breaks off counts as
/// one mistake, RFC 3629).
int characterLength(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    if (lead < 0xC2 || lead > 0xF4) return -1;
    const int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    // No second way to write a character, no halves of surrogate pairs, nothing above U+10FFFF.
    const unsigned lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80, highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byte(1) < lowest || byte(1) > highest) return -1;
    for (int i = 2; i < length; ++i)
        if ((byte(static_cast<std::size_t>(i)) & 0xC0) != 0x80) return -i;
    return length;
}

void appendEscaped(std::string& out, unsigned char c) {
    static constexpr std::string_view kSpecial = "\b\f\n\r\t\"\\", kLetters = "bfnrt\"\\";
    static constexpr char kHex[] = "0123456789abcdef";
    const auto special = kSpecial.find(static_cast<char>(c));
    if (special != kSpecial.npos)
        (out += '\\') += kLetters[special];
    else if (c < 0x20)
        ((out += "\\u00") += kHex[c >> 4]) += kHex[c & 15];
    else
        out += static_cast<char>(c);
}

}  // namespace

void JsonText::breakLine() {
    if (indented_) text_.append("\n").append(2 * depth_, ' ');
}

void JsonText::separate() {
    if (named_) {
        named_ = false;
        return;
    }
    if (!first_) text_ += ',';
    first_ = false;
    if (depth_ > 0) breakLine();
}

JsonText& JsonText::open(char bracket) {
    separate();
    text_ += bracket;
    first_ = true;
    ++depth_;
    return *this;
}

JsonText& JsonText::close(char bracket) {
    --depth_;
    if (!first_) breakLine();
    text_ += bracket;
    first_ = false;
    return *this;
}

JsonText& JsonText::name(std::string_view key) {
    text(key);
    text_ += indented_ ? ": " : ":";
    named_ = true;
    return *this;
}

JsonText& JsonText::text(std::string_view value) {
    separate();
    text_ += '"';
    for (std::size_t at = 0; at < value.size();) {
        const int length = characterLength(value, at);
        const auto bytes = static_cast<std::size_t>(std::abs(length));
        if (length == 1)
            appendEscaped(text_, static_cast<unsigned char>(value[at]));
        else
            text_ += length > 0 ? value.substr(at, bytes) : "\xEF\xBF\xBD";
        at += bytes;
    }
    text_ += '"';
    return *this;
}

JsonText& JsonText::number(double x) {
    separate();
    if (!std::isfinite(x)) {
        text_ += "null";
        return *this;
    }
    if (x == std::floor(x) && std::abs(x) < 1e15 && !(x == 0 && std::signbit(x))) {
        text_ += std::to_string(static_cast<std::int64_t>(x));
        return *this;
    }
    text_ += x == 0 ? "-0.0" : formatNumber(x);
    return *this;
}

JsonText& JsonText::flag(bool value) {
    separate();
    text_ += value ? "true" : "false";
    return *this;
}

JsonText& JsonText::numbers(const std::vector<double>& values) {
    open('[');
    for (const double value : values) number(value);
    return close(']');
}

JsonText& JsonText::texts(const std::vector<std::string>& values) {
    open('[');
    for (const auto& value : values) text(value);
    return close(']');
}

std::string JsonText::take() && { return std::move(text_ += '\n'); }

namespace {

constexpr int kSchema = 1;

void writeValue(JsonText& json, const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value))
        json.flag(*flag);
    else if (const auto* number = std::get_if<double>(&value))
        json.number(*number);
    else if (const auto* text = std::get_if<std::string>(&value))
        json.text(*text);
    else
        json.numbers(std::get<std::vector<double>>(value));
}

void writeParams(JsonText& json, const Values& params) {
    json.name("params").open('{');
    for (const auto& [key, value] : params) writeValue(json.name(key), value);
    json.close('}');
}

void writeScalar(JsonText& json, const Scalar& scalar) {
    json.name(scalar.name).open('{').number("value", scalar.value).text("symbol", scalar.symbol).text("about", scalar.about);
    if (scalar.standardError) json.number("standardError", *scalar.standardError).number("draws", scalar.draws);
    json.close('}');
}

void writeAxis(JsonText& json, const Axis& axis, bool withValues) {
    json.open('{').text("name", axis.name);
    if (!axis.keys.empty())
        json.name("values").texts(axis.keys);
    else if (withValues)
        json.name("values").numbers(axis.values);
    json.close('}');
}

void writeArray(JsonText& json, const Array& array, bool withValues) {
    json.name(array.name).open('{').name("axes").open('[');
    for (const auto& axis : array.axes) writeAxis(json, axis, withValues);
    json.close(']').name("shape").open('[');
    for (const auto& axis : array.axes) json.number(static_cast<double>(axis.size()));
    json.close(']');
    if (withValues) json.name("values").numbers(array.values);
    json.text("symbol", array.symbol).text("role", roleName(array.role));
    if (withValues && !array.standardError.empty()) json.name("standardError").numbers(array.standardError);
    json.text("about", array.about).close('}');
}

void writeLayer(JsonText& json, const ReportLayer& layer) {
    json.open('{').text("kind", layer.kind).name("weights").open('{').name("shape").open('[');
    for (const std::size_t extent : layer.shape) json.number(static_cast<double>(extent));
    json.close(']').name("values").numbers(layer.weights).close('}').name("bias").numbers(layer.bias).close('}');
}

std::size_t countMeaningless(const std::vector<double>& values, bool mayBeUndefined) {
    std::size_t count = 0;
    for (double value : values) count += std::isfinite(value) || (mayBeUndefined && std::isnan(value)) ? 0 : 1;
    return count;
}

std::vector<std::string> warningsOf(const Report& report) {
    auto warnings = report.warnings;
    const auto warn = [&](const std::string& name, std::size_t count) {
        if (count > 0)
            warnings.push_back(name + " holds " + std::to_string(count) + (count == 1 ? " value that is" : " values that are") +
                               " not finite: null here.");
    };
    for (const auto& scalar : report.scalars) warn(scalar.name, std::isfinite(scalar.value) ? 0 : 1);
    for (const auto& array : report.arrays)
        warn(array.name,
             countMeaningless(array.values, array.mayBeUndefined) + countMeaningless(array.standardError, array.mayBeUndefined));
    return warnings;
}

void writeRange(JsonText& json, const Param& param) {
    const auto range = [&](double min, double max) { json.number("min", min).number("max", max); };
    switch (param.kind) {
        case Kind::Number:
        case Kind::Integer:
        case Kind::Seed:
            range(param.min, param.max);
            break;
        case Kind::List:
        case Kind::Architecture:
            range(param.min, param.max);
            json.number("maxLength", param.maxLength);
            break;
        case Kind::Profile:
            range(0, param.max);
            json.number("maxLength", param.maxLength);
            break;
        case Kind::Boolean:
        case Kind::Choice:
        case Kind::Network:
        case Kind::Data:
            break;
    }
    if (param.odd) json.name("odd").flag(true);
    if (param.logarithmic) json.name("logarithmic").flag(true);
}

void writeOptions(JsonText& json, const Param& param) {
    if (param.options.empty()) return;
    json.name("options").open('[');
    for (const auto& option : param.options) {
        json.open('{').text("key", option.key).text("label", option.label);
        if (param.kind != Kind::Choice && !takesFile(param.kind)) json.number("value", option.number);
        json.close('}');
    }
    json.close(']');
}

void writeParam(JsonText& json, const Param& param) {
    constexpr std::string_view kGroups[] = {"main", "more", "hidden"};
    json.open('{').text("key", param.key).text("symbol", param.symbol).text("label", param.label).text("unit", param.unit);
    json.text("kind", kindName(param.kind)).name("default");
    writeValue(json, named(param, param.standard));
    writeRange(json, param);
    writeOptions(json, param);
    json.text("takes", admissible(param)).text("help", param.help).text("serves", param.serves);
    json.text("group", kGroups[static_cast<std::size_t>(param.group)]);
    json.text("affects", param.affects == Affects::View ? "view" : "request").close('}');
}

void writeField(JsonText& json, const FieldRow& field) {
    json.open('{').text("name", field.name).text("symbol", field.symbol).name("axes").texts(field.axes.names());
    json.text("role", roleName(field.role)).text("about", field.about);
    if (const auto grid = field.gridAxes.names(); !grid.empty()) json.name("gridAxes").texts(grid);
    json.close('}');
}

void writePreset(JsonText& json, const Preset& preset) {
    json.open('{').text("name", preset.name);
    if (*preset.lookAt) json.text("lookAt", preset.lookAt);
    json.name("values").open('{');
    for (const auto& [key, text] : preset.values) json.text(key, text);
    json.close('}').close('}');
}

void writeHead(JsonText& json, const Declaration& d) {
    json.text("id", d.id).text("title", d.title).text("claim", d.claim).text("group", d.group).text("source", d.source);
}

template <typename Items, typename Item>
void writeList(JsonText& json, std::string_view name, const Items& items, void (*write)(JsonText&, const Item&)) {
    json.name(name).open('[');
    for (const auto& item : items) write(json, item);
    json.close(']');
}

}  // namespace

std::string_view kindName(Kind kind) {
    constexpr std::string_view kNames[] = {"number", "integer", "seed",         "boolean", "choice",
                                           "list",   "profile", "architecture", "network", "data"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view roleName(Role role) {
    constexpr std::string_view kNames[] = {"measurement", "theory", "bound"};
    return kNames[static_cast<std::size_t>(role)];
}

std::string_view statusName(Status status) {
    constexpr std::string_view kNames[] = {"ok", "partial", "cancelled", "failed"};
    return kNames[static_cast<std::size_t>(status)];
}

std::string reportJson(const Report& report, const Values& params, bool arrayValues) {
    JsonText json(false);
    json.open('{').text("kappaflow", KAPPAFLOW_VERSION).number("schema", kSchema).text("scene", report.scene);
    writeParams(json, params);
    json.text("status", statusName(report.status)).text("message", report.status == Status::Ok ? "" : report.message);
    json.name("warnings").texts(warningsOf(report)).text("summary", report.summary);
    if (!report.notes.empty()) {
        json.name("notes").open('{');
        for (const auto& note : report.notes) json.text(note.part, note.text);
        json.close('}');
    }
    json.name("scalars").open('{');
    for (const auto& scalar : report.scalars) writeScalar(json, scalar);
    json.close('}').name("arrays").open('{');
    for (const auto& array : report.arrays) writeArray(json, array, arrayValues);
    json.close('}');
    if (!report.network.empty()) {
        json.name("network").open('{');
        writeList(json, "layers", report.network, writeLayer);
        json.close('}');
    }
    return std::move(json.close('}')).take();
}

// Nothing where there is none.
void writeTimeline(JsonText& json, std::string_view name, const TimelineRow& timeline) {
    if (timeline.param.empty()) return;
    json.name(name).open('{').text("param", timeline.param).text("axis", timeline.axis).text("label", timeline.label).close('}');
}

std::string declarationJson(const Declaration& declaration) {
    JsonText json(true);
    json.open('{');
    writeHead(json, declaration);
    json.name("savesNetwork").flag(declaration.savesNetwork).text("lookAt", declaration.lookAt).text("tryThis", declaration.tryThis);
    writeList(json, "params", declaration.params, writeParam);
    writeList(json, "fields", declaration.fields, writeField);
    writeList(json, "presets", declaration.presets, writePreset);
    writeTimeline(json, "timeline", declaration.timeline);
    writeTimeline(json, "timelineInstead", declaration.instead);
    json.name("statistical").texts(declaration.bits);
    return std::move(json.close('}')).take();
}

std::string listJson() {
    JsonText json(true);
    json.open('[');
    for (const auto& declaration : declarations()) {
        json.open('{');
        writeHead(json, declaration);
        json.close('}');
    }
    return std::move(json.close(']')).take();
}

std::string exportReport(const Report& report, std::string_view format, std::string_view array) {
    if (format != "csv" && !array.empty()) throw InputError("One array by name comes as csv only, not as " + quote(format) + ".");
    if (format == "json") return reportJson(report, namedParams(report));
    if (format == "csv") return array.empty() ? reportCsv(report) : arrayCsv(report, array);
    if (format == "text") return reportText(report);
    if (format == "onnx") return {report.networkFile.begin(), report.networkFile.end()};
    throw InputError("A report comes as json, csv or text, or as onnx its network, not as " + quote(format) + ".");
}

}  // namespace kappaflow
