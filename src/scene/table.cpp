#include "scene/table.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

// Rows hold functions from an object to its member; what is read only goes through the same ones.
template <class T>
T& held(MemberAccess at, const void* object) {
    return *static_cast<T*>(at(const_cast<void*>(object)));
}

Value valueOf(const ParamRow& row, const void* params) {
    switch (row.held) {
        case Held::Double:
            return held<double>(row.at, params);
        case Held::Int:
            return static_cast<double>(held<int>(row.at, params));
        case Held::Seed:
            return static_cast<double>(held<std::uint64_t>(row.at, params));
        case Held::Bool:
            return held<bool>(row.at, params);
        case Held::Enum:
            return std::string(row.options[static_cast<std::size_t>(held<int>(row.at, params))].key);
        case Held::Text:
            return held<std::string>(row.at, params);
        case Held::Doubles:
            return held<std::vector<double>>(row.at, params);
        case Held::Ints:
            break;
    }
    const auto& numbers = held<std::vector<int>>(row.at, params);
    return std::vector<double>(numbers.begin(), numbers.end());
}

int optionIndex(const ParamRow& row, const std::string& key) {
    for (std::size_t i = 0; i < row.options.size(); ++i)
        if (key == row.options[i].key) return static_cast<int>(i);
    assert(false && "values are admitted before they are bound");
    return 0;
}

void setValue(const ParamRow& row, const Value& value, void* params) {
    switch (row.held) {
        case Held::Double:
            held<double>(row.at, params) = std::get<double>(value);
            return;
        case Held::Int:
            held<int>(row.at, params) = static_cast<int>(std::get<double>(value));
            return;
        case Held::Seed:
            held<std::uint64_t>(row.at, params) = static_cast<std::uint64_t>(std::get<double>(value));
            return;
        case Held::Bool:
            held<bool>(row.at, params) = std::get<bool>(value);
            return;
        case Held::Enum:
            held<int>(row.at, params) = optionIndex(row, std::get<std::string>(value));
            return;
        case Held::Text:
            held<std::string>(row.at, params) = std::get<std::string>(value);
            return;
        case Held::Doubles:
            held<std::vector<double>>(row.at, params) = std::get<std::vector<double>>(value);
            return;
        case Held::Ints:
            break;
    }
    auto& numbers = held<std::vector<int>>(row.at, params);
    numbers.clear();
    for (const double number : std::get<std::vector<double>>(value)) numbers.push_back(static_cast<int>(std::lround(number)));
}

/// A row's rule, asked of params with these values.
template <class Rule>
auto ask(const Param& param, Rule rule, const Values& values) {
    const auto params = param.scene->makeParams();
    bindParams(*param.scene, values, params.get());
    return rule(params.get());
}

bool isArray(const FieldRow& row) {
    return row.found == Found::Array || row.found == Found::Estimates || row.found == Found::OptionalArray;
}

/// Those that are not empty, unless empty ones are wanted too.
std::vector<Axis> axesIn(const AxisRows& rows, const void* result, bool alsoEmpty = false) {
    std::vector<Axis> axes;
    for (const AxisRow* row : rows.rows()) {
        Axis axis{row->name, {}, {}};
        if (row->keys)
            axis.keys = held<std::vector<std::string>>(row->at, result);
        else
            axis.values = held<std::vector<double>>(row->at, result);
        if (alsoEmpty || axis.size() > 0) axes.push_back(std::move(axis));
    }
    return axes;
}

std::vector<Axis> axesOf(const FieldRow& row, const void* result) {
    auto grid = axesIn(row.gridAxes, result);
    return !grid.empty() && grid.size() == row.gridAxes.rows().size() ? grid : axesIn(row.axes, result);
}

[[maybe_unused]] std::size_t cellsOf(const std::vector<Axis>& axes) {
    std::size_t cells = 1;
    for (const auto& axis : axes) cells *= axis.size();
    return cells;
}

void addArray(Report& report, const FieldRow& row, void* result) {
    Estimates taken;
    bool kept = false;
    if (row.found == Found::Estimates) {
        taken = std::move(held<Estimates>(row.at, result));
    } else if (row.found == Found::OptionalArray) {
        auto& values = held<std::optional<std::vector<double>>>(row.at, result);
        kept = values.has_value();
        if (kept) taken.values = std::move(*values);
    } else {
        taken.values = std::move(held<std::vector<double>>(row.at, result));
    }
    if (taken.values.empty() && !kept) return;
    auto axes = taken.values.empty() ? axesIn(row.axes, result, true) : axesOf(row, result);
    assert(cellsOf(axes) == taken.values.size() && "an array has as many values as its axes span");
    report.arrays.push_back(
        {row.name, std::move(axes), std::move(taken.values), row.symbol, row.about, row.role, std::move(taken.standardErrors), row.gaps});
}

void addScalar(Report& report, const FieldRow& row, const void* result) {
    Scalar scalar{row.name, 0, row.symbol, row.about, {}, 0};
    const auto estimate = [&](const Estimate& e) {
        scalar.value = e.value, scalar.draws = e.draws;
        const bool known = !std::isnan(e.standardError) && (e.standardError != 0 || e.draws != 0);
        if (known) scalar.standardError = e.standardError;
    };
    if (row.found == Found::Number) {
        scalar.value = held<double>(row.at, result);
    } else if (row.found == Found::Optional) {
        const auto& value = held<std::optional<double>>(row.at, result);
        if (!value) return;
        scalar.value = *value;
    } else if (row.found == Found::Estimate) {
        estimate(held<Estimate>(row.at, result));
    } else {
        const auto& value = held<std::optional<Estimate>>(row.at, result);
        if (!value) return;
        estimate(*value);
    }
    report.scalars.push_back(std::move(scalar));
}

}  // namespace

Declaration declare(const SceneTable& scene) {
    Declaration d;
    d.id = scene.id, d.title = scene.title, d.claim = scene.claim, d.group = scene.group, d.icon = scene.icon, d.source = scene.source;
    d.lookAt = scene.lookAt, d.tryThis = scene.tryThis;
    d.opening = *scene.opening ? scene.opening : scene.presets.front().name;
    const auto defaults = scene.makeParams();
    for (const auto& row : scene.params) d.params.push_back({row, valueOf(row, defaults.get()), &scene});
    d.fields = scene.fields;
    for (const auto& row : scene.fields)
        if (row.chaotic) d.bits.emplace_back(row.name);
    for (const auto& row : scene.presets) {
        d.presets.push_back({row.name, row.lookAt, {}});
        const auto changed = scene.makeParams();
        if (row.change) row.change(changed.get());
        for (const auto& param : d.params) {
            const Value value = valueOf(param, changed.get());
            if (value != param.standard) d.presets.back().values.emplace_back(param.key, formatValue(param, value));
        }
    }
    d.timeline = scene.timeline, d.instead = scene.instead;
    d.savesNetwork = scene.savesNetwork;
    return d;
}

void bindParams(const SceneTable& scene, const Values& values, void* params) {
    for (const auto& row : scene.params)
        if (values.contains(row.key)) setValue(row, values.at(row.key), params);
}

bool Param::visible(const Values& values) const { return !shown || ask(*this, shown, values); }

Value standardBeside(const Param& param, const Values& values) {
    return param.beside ? Value(ask(param, param.beside, values).standard) : param.standard;
}

Param adapted(Param param, const Values& values) {
    if (!param.beside) return param;
    const Beside now = ask(param, param.beside, values);
    param.standard = now.standard;
    param.max = now.max;
    return param;
}

void resetParam(const ParamRow& row, const void* defaults, void* params) {
    setValue(row, row.beside ? Value(row.beside(params).standard) : valueOf(row, defaults), params);
}

Report takeReport(const SceneTable& scene, void* result, Findings& findings) {
    Report report;
    report.warnings = std::move(findings.warnings);
    report.notes = std::move(findings.notes);
    for (const auto& row : scene.fields) {
        if (isArray(row))
            addArray(report, row, result);
        else
            addScalar(report, row, result);
    }
    return report;
}

void readAllButArrays(const SceneTable& scene, const Report& report, void* result) {
    for (const auto& row : scene.fields) {
        if (!isArray(row)) {
            const Scalar* scalar = report.scalar(row.name);
            if (!scalar) continue;
            const Estimate estimate{scalar->value, scalar->standardError.value_or(0), scalar->draws};
            if (row.found == Found::Number)
                held<double>(row.at, result) = scalar->value;
            else if (row.found == Found::Optional)
                held<std::optional<double>>(row.at, result) = scalar->value;
            else if (row.found == Found::Estimate)
                held<Estimate>(row.at, result) = estimate;
            else
                held<std::optional<Estimate>>(row.at, result) = estimate;
            continue;
        }
        const Array* array = report.array(row.name);
        if (!array) continue;
        for (const auto& axis : array->axes)
            for (const auto& axes : {row.axes, row.gridAxes})
                for (const AxisRow* known : axes.rows()) {
                    if (axis.name != known->name) continue;
                    if (known->keys)
                        held<std::vector<std::string>>(known->at, result) = axis.keys;
                    else
                        held<std::vector<double>>(known->at, result) = axis.values;
                }
    }
}

void swapArrays(const SceneTable& scene, Report& report, void* result) {
    for (const auto& row : scene.fields) {
        const auto array = std::find_if(report.arrays.begin(), report.arrays.end(), [&](const Array& a) { return a.name == row.name; });
        if (!isArray(row) || array == report.arrays.end()) continue;
        if (row.found == Found::Estimates) {
            auto& [values, standardErrors] = held<Estimates>(row.at, result);
            values.swap(array->values), standardErrors.swap(array->standardError);
        } else if (row.found == Found::OptionalArray) {
            auto& values = held<std::optional<std::vector<double>>>(row.at, result);
            if (!values) values.emplace();
            values->swap(array->values);
        } else {
            held<std::vector<double>>(row.at, result).swap(array->values);
        }
    }
}

void readReport(const SceneTable& scene, const Report& report, void* result) {
    Report copy;
    for (const Array& array : report.arrays) {
        Array& own = copy.arrays.emplace_back();
        own.name = array.name, own.values = array.values, own.standardError = array.standardError;
    }
    swapArrays(scene, copy, result);
    readAllButArrays(scene, report, result);
}

}  // namespace kappaflow
