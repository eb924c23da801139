// Trajectory length (survey Fig 2): the image of a curve in each layer's principal plane, its length, and how fast it grows.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/expressivity/trajectory_length/picture_view.h"

namespace kappaflow {

namespace trajectory_length {

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> all[] = {{&view.image, "image"},
                                                         {&view.length, "length"},
                                                         {&view.meanField, "meanField"},
                                                         {&view.upperBound, "upperBound"},
                                                         {&view.planeShare, "planeShare"},
                                                         {&view.theoremBase, "theoremBase"},
                                                         {&view.exactLength, "exactLength"},
                                                         {&view.pieces, "pieces"},
                                                         {&view.growth, "growth"},
                                                         {&view.sweep, "sweepGrowth"},
                                                         {&view.sweepMeanField, "sweepMeanField"},
                                                         {&view.sweepUpperBound, "sweepUpperBound"},
                                                         {&view.sweepTheoremBase, "sweepTheoremBase"},
                                                         {&view.sweepExact, "sweepExact"}};
    for (const auto& [array, name] : all) *array = r.array(name);
    if (!view.image || !view.length || !view.planeShare) return false;
    view.layers = view.image->axes[0].size() - 1;
    view.at = std::clamp(f.state.params.number("at"), 0.0, static_cast<double>(view.layers));
    return true;
}

namespace {

/// The first of these sentences that fits.
void drawFitting(PictureFrame& f, std::string_view id, Vec2 at, double width, const TextStyle& style,
                 std::initializer_list<std::string> texts) {
    for (const std::string& text : texts)
        if (f.painter.measure(text, style).x <= width) return f.painter.text(id, at, text, style);
}

std::string timesText(const View& view) {
    const double first = view.length->values[0], here = view.length->values[view.layer()];
    return first > 0 ? numberText(here / first, 3) + " times" : "0 times";
}

/// Height that it took.
double drawHeadline(PictureFrame& f, const View& view, Rect area) {
    const std::string layer = view.layer() == 0 ? "Input" : "Layer " + std::to_string(view.layer());
    const std::string times = timesText(view);
    const TextStyle style{.color = f.theme.text, .size = f.theme.textSize, .bold = true};
    std::string pieces;
    if (view.pieces && view.layer() > 0 && std::isfinite(view.pieces->values[view.layer()]))
        pieces = ", in " + numberText(view.pieces->values[view.layer()], 5) + " linear pieces";
    drawFitting(
        f, "headline", area.lo + Vec2{4, 2}, area.width() - 8, style,
        {layer + ": " + times + " the input's length" + pieces, layer + ": " + times + " the input's length", layer + ": " + times, layer});
    const TextStyle small{.color = f.theme.muted, .size = f.theme.smallSize};
    const std::string share = numberText(100 * view.planeShare->values[view.layer()], 2) + " %";
    if (area.height() < 200) return 22;
    drawFitting(f, "share", area.lo + Vec2{4, 23}, area.width() - 8, small,
                {"seen in its principal plane, which holds " + share + " of its spread; to scale within a layer",
                 "its principal plane holds " + share + " of its spread", "plane: " + share + " of its spread", ""});
    return 42;
}

/// The image under its headline, the input plane in its lower left corner.
void drawMain(PictureFrame& f, const View& view, Rect area) {
    const double top = drawHeadline(f, view, area);
    const Rect below{area.lo + Vec2{0, top}, area.hi};
    const double side = std::clamp(std::min(below.width() * 0.26, below.height() * 0.34), 0.0, 170.0);
    const bool inset = side >= 64;
    // The image keeps clear of it on the side where there is more room.
    const bool high = below.height() > below.width();
    const Rect clear = high ? Rect{below.lo, below.hi - Vec2{0, side * 0.6}} : Rect{below.lo + Vec2{side * 0.8, 0}, below.hi};
    drawImage(f, view, inset && below.width() > 420 ? clear : below);
    if (inset) drawInput(f, {{below.lo.x, below.hi.y - side}, {below.lo.x + side, below.hi.y}});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const double right = a.hi.x - std::clamp(a.width() * 0.38, 220.0, 460.0);
    drawMain(f, view, {a.lo, {right - 14, a.hi.y}});
    if (!view.sweep || a.height() < 460) return drawLengths(f, view, {{right, a.lo.y}, a.hi});
    const double first = a.lo.y + a.height() * 0.4, second = a.lo.y + a.height() * 0.7;
    drawLengths(f, view, {{right, a.lo.y}, {a.hi.x, first - 6}});
    drawGrowthByWidth(f, view, {{right, first + 2}, {a.hi.x, second - 4}});
    drawGrowthByVariance(f, view, {{right, second + 2}, a.hi});
}

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return drawMain(f, view, a);
    const double split = a.lo.y + a.height() * 0.6;
    drawMain(f, view, {a.lo, {a.hi.x, split - 4}});
    drawLengths(f, view, {{a.lo.x, split + 4}, a.hi});
}

class TrajectoryPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The trajectory is being followed.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace trajectory_length

PictureEntry trajectory_length_picture() {
    return {"trajectory-length", [] { return std::unique_ptr<Picture>(std::make_unique<trajectory_length::TrajectoryPicture>()); }};
}

}  // namespace kappaflow
