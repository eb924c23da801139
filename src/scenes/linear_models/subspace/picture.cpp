#include "scenes/linear_models/subspace/picture_view.h"

#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"

namespace kappaflow {

namespace subspace {
namespace {

std::vector<std::string> headlinesOf(const View& v) {
    const std::string residual = "‖*K*^{T}*X*‖/‖*X*‖ = " + numberText(v.now(*v.residual), 2);
    const auto step = std::to_string(std::lround(v.at));
    if (v.K.size() == v.dimension() && v.atRest())
        return {"Full capacity: as many constraints as inputs, no error is left", "Full capacity: no error is left"};
    if (v.atRest()) return {"At rest: the error lies in 𝒦^{⊥}, " + residual, "At rest: *X* lies in 𝒦^{⊥}", "*X* lies in 𝒦^{⊥}"};
    return {"Step " + step + ": the constraint still sees the error, " + residual, "Step " + step + ": " + residual, "Step " + step};
}

void drawHeadline(PictureFrame& f, const View& v, Rect rect) {
    const TextStyle style{.color = f.theme.text, .size = f.theme.textSize, .v = AlignV::Middle, .bold = false};
    const auto lines = headlinesOf(v);
    for (const auto& line : lines)
        if (&line == &lines.back() || f.painter.measure(line, style).x <= rect.width() - 6)
            return f.painter.text("headline", {rect.lo.x + 3, rect.centre().y}, elide(f.painter, line, style, rect.width() - 6), style);
}

/// Readings from the top down, as many as there is room for; what is left makes the first two taller.
void drawReadings(PictureFrame& f, const View& v, Rect rect) {
    constexpr double kGap = 14, kLedger = 7 * 19, kPlot = 130;
    const bool plot = v.directions && v.atRest();
    const double spare = rect.height() - capacityBarsHeight(v) - setsHeight(v) - kLedger - 2 * kGap - (v.directions ? 220 + kGap : 0);
    const double taller = std::clamp(spare / 2, 0.0, 70.0);
    double y = rect.lo.y;
    const auto take = [&](double height, auto draw) {
        if (y + height > rect.hi.y + 0.5) return;
        draw(f, v, Rect{{rect.lo.x, y}, {rect.hi.x, y + height}});
        y += height + kGap;
    };
    take(capacityBarsHeight(v) + 0.6 * taller, drawCapacityBars);
    if (rect.width() >= 250) take(setsHeight(v) + 0.4 * taller, drawSets);
    take(std::min(kLedger, std::max(19.0, rect.hi.y - y)), drawLedger);
    if (plot && rect.hi.y - y > kPlot) take(std::min(rect.hi.y - y, 220.0), drawDirections);
}

void drawWide(PictureFrame& f, const View& v, Rect a) {
    const double right = a.hi.x - std::clamp(a.width() * 0.4, 190.0, 420.0);
    drawHeadline(f, v, {a.lo, {right - 14, a.lo.y + 26}});
    drawSpace(f, v, {{a.lo.x, a.lo.y + 28}, {right - 14, a.hi.y}});
    drawReadings(f, v, {{right, a.lo.y + 4}, a.hi});
}

void drawTall(PictureFrame& f, const View& v, Rect a) {
    drawHeadline(f, v, {a.lo, {a.hi.x, a.lo.y + 24}});
    const double bars = capacityBarsHeight(v), rest = a.height() - 26 - bars - 8;
    const bool room = rest >= 150;
    drawSpace(f, v, {{a.lo.x, a.lo.y + 26}, {a.hi.x, room ? a.lo.y + 26 + rest : a.hi.y}});
    if (room) drawCapacityBars(f, v, {{a.lo.x, a.hi.y - bars}, a.hi});
}

class SubspacePicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View v{};
        if (!readView(f, v)) return emptyPicture(f, "The descent is being computed.");
        const bool wide = f.area.width() >= 460 && f.area.width() > f.area.height() * 1.1;
        wide ? drawWide(f, v, f.area) : drawTall(f, v, f.area);
    }
};

}  // namespace
}  // namespace subspace

PictureEntry subspace_picture() {
    return {"subspace", [] { return std::unique_ptr<Picture>(std::make_unique<subspace::SubspacePicture>()); }};
}

}  // namespace kappaflow
