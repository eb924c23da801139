#include "scene/playhead.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kappaflow {
namespace {

constexpr double kLongestRun = 20, kSlow = 3, kGlideSeconds = 0.35;

double smooth(double t) { return t * t * (3 - 2 * t); }
// Half way between steady and stopping at every step: steps can be told apart, yet the flow does not stutter.
double ease(double t) { return 0.5 * (t + smooth(t)); }
double uneased(double eased) {
    double low = 0, high = 1;
    for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (low + high);
        (ease(middle) < eased ? low : high) = middle;
    }
    return 0.5 * (low + high);
}
double easedTime(double clock) { return std::floor(clock) + ease(clock - std::floor(clock)); }
double clockOf(double time) { return std::floor(time) + uneased(time - std::floor(time)); }

}  // namespace

Track trackOf(const Declaration& scene, const TimelineRow& timeline, const Report& report) {
    const Param* param = scene.param(timeline.param);
    Track track{
        {}, timeline.backward, timeline.secondsPerStep, param && param->kind == Kind::Integer, timeline.slowSteps, timeline.whenReached};
    if (!param) return track;
    for (const auto& array : report.arrays)
        for (const auto& axis : array.axes)
            if (axis.name == timeline.axis && track.steps.empty()) track.steps = axis.values;
    return track;
}

void Playhead::setTrack(Track track) {
    if (track == track_) return;
    track_ = std::move(track);
    release();
}

void Playhead::release() {
    clock_.reset();
    target_.reset();
}

double Playhead::stepSeconds() const { return std::min(track_.secondsPerStep, kLongestRun / std::max<double>(1, lastStep())); }

double Playhead::slowSteps() const { return std::min<double>(track_.slowSteps, static_cast<double>(lastStep())); }

double Playhead::duration() const { return stepSeconds() * (static_cast<double>(lastStep()) + (kSlow - 1) * slowSteps()); }

double Playhead::valueAfter(double share) const {
    const double last = static_cast<double>(lastStep()), slow = slowSteps(),
                 passed = std::clamp(share, 0.0, 1.0) * (last + (kSlow - 1) * slow);
    const double clock = passed < kSlow * slow ? passed / kSlow : slow + passed - kSlow * slow;
    return valueAt(easedTime(std::min(last, clock)));
}

double Playhead::timeOf(double at) const {
    if (empty()) return 0;
    const auto& steps = track_.steps;
    const auto above = std::upper_bound(steps.begin(), steps.end(), at);
    double index = 0;
    if (above == steps.end())
        index = static_cast<double>(lastStep());
    else if (above != steps.begin())
        index = static_cast<double>(above - steps.begin()) - (*above - at) / (*above - *(above - 1));
    return track_.backward ? static_cast<double>(lastStep()) - index : index;
}

double Playhead::valueAt(double time) const {
    const double value = between(time);
    return track_.whole ? std::round(value) : value;
}

double Playhead::between(double time) const {
    if (track_.steps.empty()) return 0;
    const double last = static_cast<double>(lastStep());
    const double index = std::clamp(track_.backward ? last - time : time, 0.0, last);
    const auto below = static_cast<std::size_t>(index);
    if (below == lastStep()) return track_.steps.back();
    const double part = index - static_cast<double>(below);
    return track_.steps[below] + part * (track_.steps[below + 1] - track_.steps[below]);
}

std::size_t Playhead::stepAt(double at) const {
    const double time = timeOf(at), last = static_cast<double>(lastStep());
    const double told = track_.whenReached ? std::floor(time + 0.01) : std::round(time);
    return static_cast<std::size_t>(track_.backward ? last - told : told);
}

double Playhead::play(double at, double seconds) {
    if (empty()) return at;
    target_.reset();
    const double last = static_cast<double>(lastStep());
    // Who asks to play at the end wants to see it from the start.
    if (!clock_ || at != shown_) clock_ = !clock_ && timeOf(at) >= last ? 0 : clockOf(timeOf(at));
    const double pace = *clock_ < track_.slowSteps ? kSlow : 1;
    clock_ = std::min(last, *clock_ + seconds / (pace * stepSeconds()));
    return shown_ = valueAt(easedTime(*clock_));
}

void Playhead::step(double at, int direction) {
    if (empty()) return;
    const double now = target_.value_or(timeOf(at));
    const double next = direction > 0 ? std::floor(now + 1e-6) + 1 : std::ceil(now - 1e-6) - 1;
    clock_.reset();
    from_ = timeOf(at);
    glided_ = 0;
    target_ = std::clamp(next, 0.0, static_cast<double>(lastStep()));
}

double Playhead::glide(double at, double seconds) {
    if (!target_) return at;
    glided_ += seconds;
    const double part = std::min(1.0, glided_ / kGlideSeconds);
    const double time = from_ + (*target_ - from_) * smooth(part);
    if (part >= 1) target_.reset();
    return valueAt(time);
}

}  // namespace kappaflow
