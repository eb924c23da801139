#include "app/describe.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace kappaflow {

std::string statusOf(const Session& session) {
    if (session.busy()) return "computing";
    if (!session.message().empty()) return "failed";
    if (!session.report()) return "empty";
    return session.report()->status == Status::Partial ? "partial" : "ok";
}

std::string progressWords(const Session& session) {
    const double share = session.progress(), seconds = session.busyFor();
    if (!session.busy() || seconds < 1) return {};
    std::string words = std::to_string(static_cast<int>(100 * share)) + " %";
    // Before that a twentieth is done the rest is a guess.
    if (share >= 0.05)
        words += ", about " + std::to_string(std::max(1, static_cast<int>(std::lround(seconds * (1 - share) / share)))) + " s left";
    return words;
}

std::vector<ControlView> controlsOf(const App& app) {
    std::vector<ControlView> controls;
    const Session& session = app.session();
    for (const auto& param : session.scene().params) {
        const UiMode ui = app.options().ui;
        const bool shown =
            param.group != Group::Hidden && session.isVisible(param) && !app.options().isHidden(param.key) && !session.isLocked(param.key);
        const bool offered = shown && (ui == UiMode::Full || (ui == UiMode::Lesson && param.group == Group::Main));
        controls.push_back({&param, stepOf(param), formatValue(param, session.state().params.at(param.key)), shown, offered});
    }
    return controls;
}

std::vector<std::string> examplesOf(const App& app) {
    std::vector<std::string> names;
    if (app.options().ui == UiMode::Figure || app.options().isHidden("examples") || app.options().isHidden("presets")) return names;
    for (const Preset& preset : app.session().scene().presets) names.push_back(preset.name);
    return names;
}

double stepOf(const Param& param) {
    if (param.kind == Kind::Seed) return 1;
    if (param.kind == Kind::Integer) return param.odd ? 2 : 1;
    return std::pow(10, std::floor(std::log10(std::max((param.max - param.min) / 50, 1e-12))));
}

std::string_view kindText(Kind kind) {
    constexpr std::string_view kNames[] = {"number", "integer", "seed",         "boolean", "choice",
                                           "list",   "profile", "architecture", "network", "data"};
    return kNames[static_cast<std::size_t>(kind)];
}

namespace {

/// What each preset makes of the scene, read once: a frame asks.
const std::vector<State>& presetStates(const Declaration& scene) {
    static std::map<const Declaration*, std::vector<State>> known;
    std::vector<State>& states = known[&scene];
    std::vector<std::string> ignored;
    if (states.empty())
        for (const Preset& preset : scene.presets) states.push_back(apply(initialState(scene.id), Change::preset(preset.name), ignored));
    return states;
}

}  // namespace

int presetOf(const Session& session) {
    const Declaration& scene = session.scene();
    const auto unlike = [&](const State& other) {
        return std::any_of(scene.params.begin(), scene.params.end(), [&](const Param& param) {
            const bool setting = param.group != Group::Hidden && param.key != scene.timeline.param && param.key != scene.instead.param;
            return setting && other.params.at(param.key) != session.state().params.at(param.key);
        });
    };
    const auto& presets = presetStates(scene);
    const auto found = std::find_if_not(presets.begin(), presets.end(), unlike);
    return found == presets.end() ? -1 : static_cast<int>(found - presets.begin());
}

Heading headingOf(const Session& session) {
    const Declaration& scene = session.scene();
    const auto left = [&](const State& preset) {
        return std::any_of(scene.params.begin(), scene.params.end(), [&](const Param& param) {
            const bool passes = param.key == scene.timeline.param || param.key == scene.instead.param;
            return param.affects == Affects::Request && !passes && session.isVisible(param) &&
                   session.state().params.at(param.key) != preset.params.at(param.key);
        });
    };
    const auto& states = presetStates(scene);
    const int same = presetOf(session);
    const auto alike = std::find_if_not(states.begin(), states.end(), left) - states.begin();
    const auto preset = static_cast<std::size_t>(same < 0 ? alike : same);
    if (preset == 0) return {scene.claim, scene.lookAt, scene.tryThis};
    if (preset < states.size() && *scene.presets[preset].lookAt) return {"", scene.presets[preset].lookAt, ""};
    return {"", session.report() ? session.report()->summary : "", ""};
}

}  // namespace kappaflow
