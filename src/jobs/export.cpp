#include "jobs/export.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

/// Whole numbers without the ".0" that JSON does not need; minus zero keeps its sign by staying a double.
Json numberJson(double x) {
    if (!std::isfinite(x)) return nullptr;
    const bool whole = x == std::floor(x) && std::abs(x) < 1e15 && !(x == 0 && std::signbit(x));
    return whole ? Json(static_cast<std::int64_t>(x)) : Json(x);
}

Json listJson(const std::vector<double>& values) {
    auto list = Json::array_t();
    list.reserve(values.size());
    for (double value : values) list.push_back(numberJson(value));
    return list;
}

Json valueJson(const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag;
    if (const auto* number = std::get_if<double>(&value)) return numberJson(*number);
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    return listJson(std::get<std::vector<double>>(value));
}

Json valueJson(const Param& param, const Value& value) {
    if (const auto* number = std::get_if<double>(&value))
        for (const auto& option : param.options)
            if (option.number == *number) return option.key;
    return valueJson(value);
}

Json paramsJson(const Report& report) {
    const Declaration* declaration = findDeclaration(report.scene);
    Json params = Json::object();
    for (const auto& [key, value] : report.params) {
        const Param* param = declaration ? declaration->param(key) : nullptr;
        params[key] = param ? valueJson(*param, value) : valueJson(value);
    }
    return params;
}

Json scalarJson(const Scalar& scalar) {
    Json json = {{"value", numberJson(scalar.value)}, {"symbol", scalar.symbol}, {"about", scalar.about}};
    if (scalar.standardError) {
        json["standardError"] = numberJson(*scalar.standardError);
        json["draws"] = numberJson(scalar.draws);
    }
    return json;
}

Json axisJson(const Axis& axis, bool withValues) {
    Json json = {{"name", axis.name}};
    if (!axis.keys.empty())
        json["values"] = axis.keys;
    else if (withValues)
        json["values"] = listJson(axis.values);
    return json;
}

Json arrayJson(const Array& array, bool withValues) {
    Json json = {{"axes", Json::array()}, {"shape", Json::array()}};
    for (const auto& axis : array.axes) {
        json["axes"].push_back(axisJson(axis, withValues));
        json["shape"].push_back(axis.size());
    }
    if (withValues) json["values"] = listJson(array.values);
    json["symbol"] = array.symbol;
    json["role"] = roleName(array.role);
    if (withValues && !array.standardError.empty()) json["standardError"] = listJson(array.standardError);
    json["about"] = array.about;
    return json;
}

Json layerJson(const ReportLayer& layer) {
    return {
        {"kind", layer.kind}, {"weights", {{"shape", layer.shape}, {"values", listJson(layer.weights)}}}, {"bias", listJson(layer.bias)}};
}

std::size_t countMeaningless(const std::vector<double>& values, bool mayBeUndefined) {
    std::size_t count = 0;
    for (double value : values) count += std::isfinite(value) || (mayBeUndefined && std::isnan(value)) ? 0 : 1;
    return count;
}

void warnOfNulls(Json& warnings, const Report& report) {
    const auto warn = [&](const std::string& name, std::size_t count) {
        if (count > 0)
            warnings.push_back(name + " holds " + std::to_string(count) + (count == 1 ? " value that is" : " values that are") +
                               " not finite: null here.");
    };
    for (const auto& scalar : report.scalars) warn(scalar.name, std::isfinite(scalar.value) ? 0 : 1);
    for (const auto& array : report.arrays)
        warn(array.name,
             countMeaningless(array.values, array.mayBeUndefined) + countMeaningless(array.standardError, array.mayBeUndefined));
}

Json optionJson(const Param& param, const Option& option) {
    Json json = {{"key", option.key}, {"label", option.label}};
    if (param.kind != Kind::Choice && param.kind != Kind::Network) json["value"] = numberJson(option.number);
    return json;
}

void addRange(Json& json, const Param& param) {
    switch (param.kind) {
        case Kind::Number:
        case Kind::Integer:
            json.update({{"min", numberJson(param.min)}, {"max", numberJson(param.max)}});
            break;
        case Kind::Seed:
            json.update({{"min", 0}, {"max", 4294967295u}});
            break;
        case Kind::List:
        case Kind::Architecture:
            json.update({{"min", numberJson(param.min)}, {"max", numberJson(param.max)}, {"maxLength", param.maxLength}});
            break;
        case Kind::Profile:
            json.update({{"min", 0}, {"max", numberJson(param.max)}, {"maxLength", param.maxLength}});
            break;
        case Kind::Boolean:
        case Kind::Choice:
        case Kind::Network:
            break;
    }
    if (param.odd) json["odd"] = true;
    if (param.logarithmic) json["logarithmic"] = true;
    for (const auto& option : param.options) json["options"].push_back(optionJson(param, option));
}

Json paramJson(const Param& param) {
    constexpr std::string_view kGroups[] = {"main", "more", "hidden"};
    Json json = {
        {"key", param.key}, {"symbol", param.symbol}, {"label", param.label}, {"unit", param.unit}, {"kind", kindName(param.kind)}};
    json["default"] = valueJson(param, param.standard);
    addRange(json, param);
    json["takes"] = admissible(param);
    json["help"] = param.help;
    json["serves"] = param.serves;
    json["group"] = kGroups[static_cast<std::size_t>(param.group)];
    json["affects"] = param.affects == Affects::View ? "view" : "request";
    return json;
}

Json presetJson(const Preset& preset) {
    Json values = Json::object();
    for (const auto& [key, text] : preset.values) values[key] = text;
    return {{"name", preset.name}, {"values", values}};
}

Json headJson(const Declaration& d) {
    return {{"id", d.id}, {"title", d.title}, {"claim", d.claim}, {"group", d.group}, {"source", d.source}};
}

std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string_view kindName(Kind kind) {
    constexpr std::string_view kNames[] = {"number", "integer", "seed", "boolean", "choice", "list", "profile", "architecture", "network"};
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

std::string reportJson(const Report& report, bool arrayValues) {
    Json json = {{"kappaflow", KAPPAFLOW_VERSION}, {"schema", kSchema}, {"scene", report.scene}, {"params", paramsJson(report)}};
    json["status"] = statusName(report.status);
    json["message"] = report.status == Status::Ok ? "" : report.message;
    json["warnings"] = report.warnings;
    warnOfNulls(json["warnings"], report);
    json["summary"] = report.summary;
    json["scalars"] = Json::object();
    for (const auto& scalar : report.scalars) json["scalars"][scalar.name] = scalarJson(scalar);
    json["arrays"] = Json::object();
    for (const auto& array : report.arrays) json["arrays"][array.name] = arrayJson(array, arrayValues);
    if (!report.network.empty()) {
        json["network"]["layers"] = Json::array();
        for (const auto& layer : report.network) json["network"]["layers"].push_back(layerJson(layer));
    }
    return dump(json, -1);
}

std::string declarationJson(const Declaration& declaration) {
    Json json = headJson(declaration);
    json["lookAt"] = declaration.lookAt;
    json["tryThis"] = declaration.tryThis;
    json["params"] = Json::array();
    for (const auto& param : declaration.params) json["params"].push_back(paramJson(param));
    json["fields"] = Json::array();
    for (const auto& field : declaration.fields) {
        json["fields"].push_back(
            {{"name", field.name}, {"symbol", field.symbol}, {"axes", field.axes}, {"role", roleName(field.role)}, {"about", field.about}});
        if (!field.gridAxes.empty()) json["fields"].back()["gridAxes"] = field.gridAxes;
    }
    json["presets"] = Json::array();
    for (const auto& preset : declaration.presets) json["presets"].push_back(presetJson(preset));
    if (!declaration.timeline.param.empty())
        json["timeline"] = {
            {"param", declaration.timeline.param}, {"axis", declaration.timeline.axis}, {"label", declaration.timeline.label}};
    json["statistical"] = declaration.bits;
    return dump(json, 2);
}

std::string listJson() {
    Json scenes = Json::array();
    for (const auto& declaration : declarations()) scenes.push_back(headJson(declaration));
    return dump(scenes, 2);
}

std::string exportReport(const Report& report, std::string_view format, std::string_view array) {
    if (format != "csv" && !array.empty()) throw InputError("One array by name comes as csv only, not as " + quote(format) + ".");
    if (format == "json") return reportJson(report);
    if (format == "csv") return array.empty() ? reportCsv(report) : arrayCsv(report, array);
    if (format == "text") return reportText(report);
    throw InputError("A report comes as json, csv or text, not as " + quote(format) + ".");
}

}  // namespace kappaflow
