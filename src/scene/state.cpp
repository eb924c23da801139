#include "scene/state.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

using Warnings = std::vector<std::string>;

/// Runs what may refuse a reader's input; a refusal becomes a warning.
template <typename Action>
void attempt(Warnings& warnings, Action&& action) {
    try {
        action();
    } catch (const InputError& error) {
        warnings.emplace_back(error.what());
    }
}

/// Defaults that depend on other values follow them while nobody has chosen otherwise, and what was chosen stays within its range.
void followOthers(const Declaration& declaration, const Values& before, const std::string& changed, Values& values) {
    for (const auto& param : declaration.params) {
        if (!param.beside || param.key == changed) continue;
        const bool chosen = before.at(param.key) != standardBeside(param, before);
        values.set(param.key, chosen ? admitValue(adapted(param, values), values.at(param.key)).value : standardBeside(param, values));
    }
}

void setParam(State& state, const std::string& key, const Value& value, Warnings& warnings) {
    const Declaration& declaration = requireDeclaration(state.scene);
    const Values before = state.params;
    Values given;
    given.set(key, value);
    attempt(warnings, [&] {
        const Param* param = declaration.param(key);
        if (!param || !param->beside) return state.params.set(key, completeValues(declaration, given, warnings).at(key));
        ParsedValue admitted = admitValue(adapted(*param, before), value);
        state.params.set(key, std::move(admitted.value));
        if (!admitted.warning.empty()) warnings.push_back(std::move(admitted.warning));
    });
    followOthers(declaration, before, key, state.params);
}

void setPreset(State& state, const std::string& name, Warnings& warnings) {
    const Declaration& declaration = requireDeclaration(state.scene);
    const auto preset =
        std::find_if(declaration.presets.begin(), declaration.presets.end(), [&](const Preset& p) { return p.name == name; });
    if (preset == declaration.presets.end()) {
        warnings.push_back(state.scene + " has no preset " + quote(name) + ".");
        return;
    }
    state.params = declaration.defaults();
    for (const auto& [key, text] : preset->values) setParam(state, key, text, warnings);
}

void setZoom(State& state, const std::string& plot, const std::array<double, 4>& range, Warnings& warnings) {
    const bool finite = std::all_of(range.begin(), range.end(), [](double end) { return std::isfinite(end); });
    const bool room = state.zooms.size() < kMaxZooms || state.zooms.count(plot);
    if (finite && range[0] != range[1] && range[2] != range[3] && room && !plot.empty() && plot.size() <= kMaxPlotId)
        state.zooms[plot] = range;
    else
        warnings.push_back("The zoom of " + quote(plot) + " is not a range and was ignored.");
}

}  // namespace

State initialState(std::string_view scene) {
    const Declaration* declaration = findDeclaration(scene);
    if (!declaration) declaration = &declarations().front();
    return {declaration->id, declaration->defaults(), {}};
}

State apply(State state, const Change& change, Warnings& warnings) {
    switch (change.what) {
        case Change::What::Scene:
            attempt(warnings, [&] { state = initialState(requireDeclaration(change.key).id); });
            break;
        case Change::What::Param:
            setParam(state, change.key, change.value, warnings);
            break;
        case Change::What::Preset:
            setPreset(state, change.key, warnings);
            break;
        case Change::What::Zoom:
            setZoom(state, change.key, change.zoom, warnings);
            break;
        case Change::What::Unzoom:
            state.zooms.erase(change.key);
            break;
        case Change::What::Reset:
            state = initialState(state.scene);
            break;
    }
    return state;
}

}  // namespace kappaflow
