// Capacity of the inputs while ν goes from a linear layer to complete decoupling (P1 2.4–2.5).
#include <algorithm>

#include "scenes/capacity_flow/nu_continuum/picture_view.h"

namespace kappaflow {
namespace {

using namespace continuum;

constexpr double kGap = 8;

void drawHeadline(PictureFrame& f, const View& v, Rect rect) {
    const TextStyle style{.color = f.theme.text, .size = f.compact ? f.theme.smallSize : f.theme.textSize, .v = AlignV::Middle};
    for (const auto& sentence : headlines(v)) {
        if (f.painter.measure(sentence, style).x > rect.width()) continue;
        f.painter.text("headline", {rect.lo.x, rect.centre().y}, sentence, style);
        return;
    }
}

// What is above the bars and shares their inputs: layers, or the amplitudes that add up.
bool hasUpper(const View& v) { return (v.layers && v.layers->axes[1].size() > 2) || v.amplitude; }

void drawUpper(PictureFrame& f, const View& v, Rect rect) {
    if (v.layers && v.layers->axes[1].size() > 2)
        drawLayers(f, v, rect);
    else
        drawAmplitudes(f, v, rect);
}

void drawColumns(PictureFrame& f, const View& v, Rect area) {
    const double middle = area.lo.x + area.width() * 0.46;
    const Rect left{area.lo, {middle - kGap, area.hi.y}}, right{{middle + kGap, area.lo.y}, area.hi};
    const bool tall = area.height() > 380;
    const double split = tall && hasUpper(v) ? left.lo.y + left.height() * 0.42 : left.lo.y;
    if (split > left.lo.y) drawUpper(f, v, {left.lo, {left.hi.x, split - kGap / 2}});
    drawBars(f, v, {{left.lo.x, split}, left.hi});
    const bool change = tall && (v.ring || v.share), total = tall && v.jumps;
    const double panels = 1 + (change ? 0.62 : 0) + (total ? 0.5 : 0), unit = right.height() / panels;
    const double first = right.lo.y + unit, second = change ? first + 0.62 * unit : first;
    drawCurves(f, v, {right.lo, {right.hi.x, first - kGap / 2}});
    if (change) drawChange(f, v, {{right.lo.x, first}, {right.hi.x, second - kGap / 2}});
    if (total) drawTotal(f, v, {{right.lo.x, second}, right.hi});
}

void drawStacked(PictureFrame& f, const View& v, Rect area) {
    if (area.height() < 190) return drawCurves(f, v, area);
    const double split = area.lo.y + area.height() * 0.54;
    drawCurves(f, v, {area.lo, {area.hi.x, split - kGap / 2}});
    drawBars(f, v, {{area.lo.x, split}, area.hi});
}

class NuContinuumPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The capacity is being computed.");
        f.compact = f.compact && f.area.width() < 600;
        const double headline = f.compact ? 20 : 26;
        drawHeadline(f, view, {f.area.lo + Vec2{4, 0}, {f.area.hi.x - 4, f.area.lo.y + headline}});
        const Rect area{{f.area.lo.x, f.area.lo.y + headline + 2}, f.area.hi};
        if (f.compact)
            drawStacked(f, view, area);
        else
            drawColumns(f, view, area);
    }
};

}  // namespace

PictureEntry nu_continuum_picture() {
    return {"nu-continuum", [] { return std::unique_ptr<Picture>(std::make_unique<NuContinuumPicture>()); }};
}

}  // namespace kappaflow
