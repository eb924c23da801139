// Dichotomies (survey 2.1): labels along a great circle of weights as strips, and how many label vectors appear against the depth after.
#include <algorithm>
#include <cmath>
#include <span>

#include "draw/number_text.h"
#include "scenes/expressivity/dichotomies.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace dichotomies {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

constexpr double kFull = 360;

/// Part `index` of a list whose parts begin at `offsets`.
std::span<const double> partOf(const Vector& list, const Vector& offsets, Size index) {
    return std::span(list).subspan(static_cast<Size>(offsets[index]), static_cast<Size>(offsets[index + 1] - offsets[index]));
}

/// Remaining depths whose sweep came to its end.
Size reached(const Seen& s) {
    const Result& r = s.result;
    Size depths = r.labelStart.empty() ? 0 : r.remaining.size();
    while (depths > 0 && std::isnan(r.labelStart[(depths - 1) * r.samples.size()])) --depths;
    return depths;
}
/// The remaining depth whose strips are drawn.
Size shownDepth(const Seen& s) { return std::min(reached(s) - 1, static_cast<Size>(s.params.shown)); }
/// The curve of the network that is drawn in strips.
Size shownCurve(const Seen& s) {
    const auto own = std::find(s.result.curveWidth.begin(), s.result.curveWidth.end(), s.asked.width);
    const bool found = !sweepsEvery(s.asked) && own != s.result.curveWidth.end();
    return found ? static_cast<Size>(own - s.result.curveWidth.begin()) : s.result.curves.size() - 1;
}
double angle(const Seen& s) { return std::clamp(s.params.at, 0.0, kFull); }

// Dichotomies against the layers that remain, beside what infinitely wide networks would flip, and the numbers of the drawn strips.

/// The upright line of the strips' depth, which is also the handle that chooses them.
void offerDepth(const Seen& s, Plot& plot) {
    const double shown = static_cast<double>(shownDepth(s)), last = static_cast<double>(reached(s) - 1);
    plot.vertical("growth/shown", shown, {s.f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (last < 1) return;
    const AxisHandle handle{.id = "depth",
                            .label = "remaining depth of the strips",
                            .valueText = numberText(shown),
                            .value = shown,
                            .min = 0,
                            .max = last,
                            .step = 1,
                            .x = shown,
                            .line = "growth"};
    if (const auto moved = dragAlong(s.f, plot, handle)) s.f.changes.push_back(Change::param("shown", std::round(*moved)));
}

Curves growth(const Seen& s) {
    static constexpr Size kOthers[] = {2, 1, 3, 5, 6, 7, 4};
    const Result& r = s.result;
    double lo = std::max(r.flipsMeanField[0], 1.0), hi = largest(r.flipsMeanField, 2);
    for (const double value : r.dichotomies.values)
        if (value > 0) lo = std::min(lo, value), hi = std::max(hi, value);
    // A low chart has no height to spare for the cap.
    const bool capInSight = r.cap <= (s.f.compact ? 3 : 120) * hi, every = sweepsEvery(s.asked);
    const double left = -0.3, right = std::max(1.0, r.remaining.back()) + 0.3;
    Curves curves{.id = "growth",
                  .title = every      ? "only what remains counts"
                           : r.growth ? "each layer × " + numberText(*r.growth, 3)
                                      : "dichotomies and depth",
                  .x = {.label = "remaining depth *r*", .lo = left, .hi = right, .whole = true},
                  .y = {.label = "dichotomies", .lo = lo / 1.4, .hi = std::max(hi, capInSight ? r.cap : 0) * 1.6, .scale = Scale::Log},
                  .fit = Fit::Given};
    if (capInSight)
        curves.curves.push_back({"bound",
                                 {left, right},
                                 {r.cap, r.cap},
                                 Role::Bound,
                                 "2^{" + numberText(static_cast<double>(r.samples.size())) + "}",
                                 s.f.theme.muted,
                                 1.6});
    curves.curves.push_back({"theory", r.remaining, r.flipsMeanField, Role::Theory, "flips, *k* → ∞", std::nullopt, 1.6});
    for (Size c = 0; c < r.curves.size(); ++c) {
        const bool own = c == shownCurve(s);
        curves.curves.push_back({"measured", r.remaining, rowAt(r.dichotomies.values, r.remaining.size(), static_cast<double>(c)),
                                 Role::Measurement, every ? "*n* = " + numberText(r.curveDepth[c]) : "*k* = " + numberText(r.curveWidth[c]),
                                 s.f.theme.series[own ? 0 : kOthers[c % 7]], own ? 2.6 : 1.8, false, true});
    }
    curves.more = [&s](PictureFrame&, Plot& plot) { offerDepth(s, plot); };
    return curves;
}

void drawReadings(const Seen& s, Rect rect) {
    const Result& r = s.result;
    const Size depth = shownDepth(s), cell = shownCurve(s) * r.remaining.size() + depth;
    const auto known = [](const std::optional<double>& value) { return value ? numberText(*value, 3) : std::string("–"); };
    const std::string lines[] = {
        "*r* = " + numberText(static_cast<double>(depth)) + ", mean over draws:",
        "dichotomies " + numberText(r.dichotomies.values[cell], 4) + ", label flips " + numberText(r.flips.values[cell], 4),
        "flips by Crofton (length/π) " + numberText(r.flipsPredicted[cell], 4),
        "flips for *k* → ∞ " + numberText(r.flipsMeanField[depth], 4),
        "growth a layer " + known(r.growth) + "; √χ = " + known(r.growthMeanField)};
    const double height = std::min(24.0, rect.height() / 5);
    for (Size i = 0; i < 5; ++i)
        s.f.painter.text("readings", {rect.lo.x + 12, rect.lo.y + height * (static_cast<double>(i) + 0.5)}, lines[i],
                         {.color = i == 0 ? s.f.theme.muted : s.f.theme.text, .size = s.f.theme.smallSize, .v = AlignV::Middle});
}

// Every sample's label along the great circle, the flips as exact edges, and below them the label vectors met so far.

struct Strips {
    Strips(const Seen& seen, const Plot& angles, Rect area) : s(seen), plot(angles), rect(area) {}

    double x(double at) const { return plot.toScreen(at, 0).x; }
    std::span<const double> flipsOf(Size sample) const {
        return partOf(s.result.labelFlips, s.result.labelFlipsOffsets, depth * s.result.samples.size() + sample);
    }
    bool startsPositive(Size sample) const { return s.result.labelStart[depth * s.result.samples.size() + sample] > 0; }
    /// Distinct label vectors met up to an angle.
    double metAt(double at) const {
        const auto passed = std::upper_bound(changes.begin(), changes.end(), at) - changes.begin();
        return passed ? met[static_cast<Size>(passed) - 1] : 1;
    }
    void drawRow(Size sample) const;
    void drawNew(double top) const;
    void drawRunning(Plot&) const;
    void offerAngle(Rect) const;
    void drawTip() const;

    const Seen& s;
    const Plot& plot;  ///< of the running count: gives the angles their places
    Rect rect;
    Size depth = shownDepth(s);
    double row = rect.height() / static_cast<double>(s.result.samples.size());  ///< height of one
    std::span<const double> changes = partOf(s.result.changes, s.result.changesOffsets, depth),
                            met = partOf(s.result.distinct, s.result.changesOffsets, depth);
};

void Strips::drawRow(Size sample) const {
    const Color colors[] = {s.f.theme.series[1].withAlpha(0.55f), s.f.theme.series[0].withAlpha(0.85f)};
    const auto flips = flipsOf(sample);
    const double top = rect.lo.y + row * static_cast<double>(sample), bottom = top + row - (row > 7 ? 1 : 0);
    bool positive = startsPositive(sample);
    double from = 0;
    for (Size i = 0; i <= flips.size(); ++i) {
        const double to = i < flips.size() ? flips[i] : kFull;
        const double left = std::max(x(from), rect.lo.x), right = std::min(x(to), rect.hi.x);
        if (right > left) s.f.painter.rect("strips/label", {{left, top}, {right, bottom}}, colors[positive]);
        if (angle(s) >= from && (angle(s) < to || to == kFull))
            s.f.painter.rect("strips/now", {{rect.hi.x + 4, top}, {rect.hi.x + 13, bottom}}, colors[positive].withAlpha(1));
        positive = !positive;
        from = to;
    }
}

/// A mark for every stretch whose label vector had not been met before.
void Strips::drawNew(double top) const {
    double before = 1;
    for (Size i = 0; i < changes.size(); ++i) {
        const double to = i + 1 < changes.size() ? changes[i + 1] : kFull;
        const double left = std::max(x(changes[i]), rect.lo.x), right = std::min(x(to), rect.hi.x);
        if (met[i] > before && right > left)
            s.f.painter.rect("strips/new", {{left, top}, {right, top + 4}}, s.f.theme.accent.withAlpha(0.8f));
        before = met[i];
    }
}

void Strips::drawRunning(Plot& running) const {
    Vector xs{0}, ys{1};
    for (Size i = 0; i < changes.size(); ++i) {
        xs.insert(xs.end(), {changes[i], changes[i]});
        ys.insert(ys.end(), {ys.back(), met[i]});
    }
    xs.push_back(kFull);
    ys.push_back(ys.back());
    running.line("running/measured", xs, ys, {s.f.theme.series[0], Dash::Solid, 2, ""});
    const double at[] = {angle(s)}, now[] = {metAt(angle(s))};
    running.markers("running/now", at, now, {s.f.theme.accent, Dash::Solid, 1, ""});
    // The count rises: above it to the left there is room.
    const bool late = at[0] > 0.15 * kFull;
    s.f.painter.text("running/value", running.toScreen(at[0], now[0]) + Vec2{late ? -8.0 : 8.0, -12.0}, numberText(now[0], 6),
                     {.color = s.f.theme.text,
                      .size = s.f.theme.smallSize,
                      .h = late ? AlignH::Right : AlignH::Left,
                      .v = AlignV::Middle,
                      .halo = s.f.theme.ground});
}

/// The playhead through strips and running count.
void Strips::offerAngle(Rect area) const {
    const double place = std::clamp(x(angle(s)), area.lo.x, area.hi.x);
    const auto grip = s.f.handles.offer({"angle",
                                         "angle of the great circle",
                                         numberText(angle(s), 3) + " degrees",
                                         angle(s),
                                         0,
                                         kFull,
                                         5,
                                         {{place - 9, area.lo.y}, {place + 9, area.hi.y}}},
                                        [&](Vec2 p) { return plot.toData(p).x; });
    const double crisp = s.f.painter.crisp(place);
    const bool lively = grip.lively();
    s.f.painter.line("strips/playhead", {crisp, area.lo.y}, {crisp, area.hi.y}, {s.f.theme.text, lively ? 2.0 : 1.4});
    drawKnob(s.f, "strips/knob", {place, area.lo.y}, grip);
    if (!grip.moved) return;
    s.f.changes.push_back(Change::param("play", false));
    s.f.changes.push_back(Change::param("at", std::clamp(grip.value, 0.0, kFull)));
}

void Strips::drawTip() const {
    const Pointer pointer = s.f.handles.freePointer();
    if (!pointer.inside || !rect.contains(pointer.at)) return;
    const auto sample = std::min(s.result.samples.size() - 1, static_cast<Size>((pointer.at.y - rect.lo.y) / row));
    const double at = plot.toData(pointer.at).x;
    const auto flips = flipsOf(sample);
    const auto passed = std::upper_bound(flips.begin(), flips.end(), at) - flips.begin();
    const bool positive = startsPositive(sample) != (passed % 2 == 1);
    tooltip(s.f, pointer.at,
            {"sample " + std::to_string(sample + 1) + " at " + numberText(at, 4) + "°: label " + (positive ? "+1" : "−1"),
             counted(static_cast<double>(flips.size()), "flip") + " in the whole turn"});
}

std::string titleOf(const Strips& strips, double width) {
    const std::string depth = "*r* = " + numberText(static_cast<double>(strips.depth)),
                      layers = strips.depth == 1 ? " layer after" : " layers after",
                      all = numberText(strips.metAt(kFull), 6) + " dichotomies";
    if (width < 420) return depth + layers + ": " + all;
    const char* what = strips.s.asked.sweep == Turning::Inputs ? " the first" : " the one that turns";
    return "*k* = " + numberText(strips.s.result.curveWidth[shownCurve(strips.s)]) + ", " + depth + layers + what + ": " + all;
}

/// Strips of all samples above the running count of label vectors, with one playhead through both.
void drawStrips(const Seen& s, Rect rect) {
    const double title = 26, below = std::clamp(rect.height() * 0.36, 78.0, 190.0);
    const Vector& distinct = s.result.distinct;
    const auto end = static_cast<Size>(s.result.changesOffsets[shownDepth(s) + 1]);
    const double all = end > s.result.changesOffsets[shownDepth(s)] ? distinct[end - 1] : 1;
    Plot plot(s.f.painter, s.f.theme, "running", {{rect.lo.x, rect.hi.y - below}, {rect.hi.x - 16, rect.hi.y}},
              {.label = "angle *t* (degrees)", .lo = 0, .hi = kFull, .whole = true},
              {.label = below > 160   ? "label vectors met"
                        : below > 100 ? "vectors"
                                      : "",
               .lo = 0,
               .hi = all * 1.18 + 1,
               .whole = true});
    const Rect inner = plot.inner();
    const Rect area{{inner.lo.x, rect.lo.y + title + 6}, {inner.hi.x, inner.lo.y - 16}};
    const Strips strips(s, plot, area);
    s.f.painter.text("strips/title", {rect.lo.x + 6, rect.lo.y + 6}, titleOf(strips, rect.width()),
                     {.color = s.f.theme.text, .size = rect.width() < 420 ? s.f.theme.smallSize : s.f.theme.textSize});
    for (Size sample = 0; sample < s.result.samples.size(); ++sample) strips.drawRow(sample);
    strips.drawNew(area.hi.y + 3);
    const double now = std::clamp(strips.x(angle(s)), area.lo.x, area.hi.x);
    s.f.painter.rect("strips/future", {{now, area.lo.y}, {area.hi.x, area.hi.y + 8}}, s.f.theme.ground.withAlpha(0.55f));
    s.f.painter.text("strips/axis", {area.lo.x - 8, area.centre().y}, "samples",
                     {.color = s.f.theme.muted, .size = s.f.theme.smallSize, .h = AlignH::Centre, .v = AlignV::Bottom, .upright = false});
    strips.drawRunning(plot);
    plot.finish(s.f.handles.freePointer());
    strips.offerAngle({area.lo, inner.hi});
    strips.drawTip();
}

Layout layout(const Seen& s) {
    if (reached(s) == 0) return s.panel(0, {}, [&s](Rect) { emptyPicture(s.f, "The weights are being turned."); });
    return Layout::columns(
        {s.panel(0, {260, 240}, [&s](Rect rect) { drawStrips(s, rect); }).share(1.63),
         Layout::rows({s.panel(1, {230, 170}, growth(s)), s.panel(2, {230, 130}, [&s](Rect rect) { drawReadings(s, rect); }).share(0.3)})});
}

}  // namespace
}  // namespace dichotomies

PictureEntry dichotomies_picture() { return tablePicture<dichotomies::kScene, dichotomies::layout>(); }

}  // namespace kappaflow
