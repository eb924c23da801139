// How time passes in the app: the timeline follows the report's axis, plays, steps and is scrubbed.
#include <algorithm>
#include <utility>

#include "app/app.h"
#include "app/screen.h"

namespace kappaflow {
namespace {

constexpr std::string_view kPlay = "play";

/// The first axis of that name in any array.
const Axis* findAxis(const Report& report, std::string_view name) {
    for (const auto& array : report.arrays)
        for (const auto& axis : array.axes)
            if (axis.name == name) return &axis;
    return nullptr;
}

bool hasWholeSteps(const Declaration& scene, const Timeline& timeline) {
    const Param* param = scene.param(timeline.param);
    return param && param->kind == Kind::Integer;
}

}  // namespace

// The timeline walks along an axis of what is shown, which may lag behind the params.
void App::followReport() {
    const Report* report = session_.report();
    const Timeline& timeline = session_.timeline();
    Track track{{}, timeline.backward, timeline.secondsPerStep, hasWholeSteps(session_.scene(), timeline)};
    const Axis* axis = report && !timeline.param.empty() ? findAxis(*report, timeline.axis) : nullptr;
    if (axis) track.steps = axis->values;
    playhead_.setTrack(std::move(track));
    const bool answered = session_.resultsSeen() != resultsAtBeginning_ || !session_.busy();
    if (!axis || !startOver_ || !answered) return;
    startOver_ = false;
    if (playing()) setAt(playhead_.valueAt(0));
}

void App::moveTimeline(double seconds) {
    if (!hasTimeline()) return;
    if (playing()) {
        if (!awaitingResult()) setAt(playhead_.play(at(), seconds));
    } else if (playhead_.stepping())
        setAt(playhead_.glide(at(), seconds));
}

bool App::awaitingResult() const {
    const Param* param = session_.scene().param(session_.timeline().param);
    return param && param->affects == Affects::Request && session_.busy();
}

void App::setAt(double at) { session_.change(Change::param(session_.timeline().param, at)); }

double App::at() const {
    const std::string& param = session_.timeline().param;
    if (param.empty() || playhead_.empty()) return 0;
    const auto& steps = playhead_.track().steps;
    return std::clamp(session_.state().params.number(param), steps.front(), steps.back());
}

bool App::playing() const {
    if (playhead_.empty() || !session_.state().params.contains(kPlay)) return false;
    return session_.state().params.flag(kPlay) && (!options_.reducedMotion || motionAsked_);
}

void App::play(bool on) {
    motionAsked_ = on;
    playhead_.release();
    if (session_.state().params.contains(kPlay)) session_.change(Change::param(std::string(kPlay), on));
    wake();
}

void App::step(int direction) {
    if (!hasTimeline()) return;
    if (playing()) play(false);
    playhead_.step(at(), direction);
    wake();
}

void App::scrub(double at) {
    if (!hasTimeline()) return;
    if (playing()) play(false);
    playhead_.release();
    setAt(at);
}

}  // namespace kappaflow
