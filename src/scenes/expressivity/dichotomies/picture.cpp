// Dichotomies (survey 2.1): labels along a great circle of weights as strips, and how many label vectors appear against the depth after.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/expressivity/dichotomies/picture_view.h"

namespace kappaflow {

namespace dichotomies {

std::span<const double> View::flipsOf(std::size_t sample) const {
    const double* from = offsets->values.data() + shown * samples + sample;
    return {labelFlips->values.data() + static_cast<std::size_t>(from[0]), static_cast<std::size_t>(from[1] - from[0])};
}

std::span<const double> View::changesIn(const Array& array) const {
    const double* from = changesOffsets->values.data() + shown;
    return {array.values.data() + static_cast<std::size_t>(from[0]), static_cast<std::size_t>(from[1] - from[0])};
}

double View::metAt(double at) const {
    const auto angles = changeAngles();
    const auto passed = std::upper_bound(angles.begin(), angles.end(), at) - angles.begin();
    return passed ? metAfter()[static_cast<std::size_t>(passed) - 1] : 1;
}

std::string View::curveName(std::size_t curve) const {
    return everyLayer ? "*n* = " + numberText(depths->values[curve]) : "*k* = " + numberText(widths->values[curve]);
}

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {
        {&view.dichotomies, "dichotomies"}, {&view.flips, "flips"},           {&view.flipsPredicted, "flipsPredicted"},
        {&view.widths, "curveWidth"},       {&view.depths, "curveDepth"},     {&view.flipsMeanField, "flipsMeanField"},
        {&view.start, "labelStart"},        {&view.labelFlips, "labelFlips"}, {&view.offsets, "labelFlipsOffsets"},
        {&view.changes, "changes"},         {&view.distinct, "distinct"},     {&view.changesOffsets, "changesOffsets"},
        {&view.running, "running"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    view.curves = view.widths->values.size();
    view.samples = view.start->axes[1].size();
    view.deepest = view.start->axes[0].size();
    while (view.deepest > 0 && std::isnan(view.start->row(view.deepest - 1)[0])) --view.deepest;
    if (view.deepest-- == 0) return false;
    view.shown = std::min(view.deepest, static_cast<std::size_t>(f.state.params.number("shown")));
    view.angle = std::clamp(f.state.params.number("at"), 0.0, 360.0);
    view.cap = r.scalar("cap")->value;
    view.everyLayer = r.params.is("sweep", "weights") && r.params.is("swept", "every");
    view.shownCurve = view.curves - 1;
    for (std::size_t c = 0; c < view.curves && !view.everyLayer; ++c)
        if (view.widths->values[c] == r.params.number("width")) view.shownCurve = c;
    return true;
}

namespace {

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return drawStrips(f, view, a);
    const double split = a.lo.y + a.height() * 0.57;
    drawStrips(f, view, {a.lo, {a.hi.x, split - 4}});
    drawGrowth(f, view, {{a.lo.x, split + 4}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const double right = a.hi.x - std::clamp(a.width() * 0.38, 230.0, 440.0);
    const bool tall = a.height() > 420;
    drawStrips(f, view, {a.lo, {right - 14, a.hi.y}});
    drawGrowth(f, view, {{right, a.lo.y + 4}, {a.hi.x, tall ? a.hi.y - 150 : a.hi.y}});
    if (tall) drawReadings(f, view, {{right + 12, a.hi.y - 138}, {a.hi.x, a.hi.y - 6}});
}

class DichotomiesPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The weights are being turned.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace dichotomies

PictureEntry dichotomies_picture() {
    return {"dichotomies", [] { return std::unique_ptr<Picture>(std::make_unique<dichotomies::DichotomiesPicture>()); }};
}

}  // namespace kappaflow
