// A network whose every weight is learned, the scales of its units, and its capacity counted in two ways.
#include <algorithm>

#include "scenes/capacity_flow/lower_layers/picture_view.h"

namespace kappaflow {
namespace {

using namespace lower;

/// Empty where there is no room.
struct Panels {
    Rect network, verdict, output, ranks, singular, growth;
};

Panels arrangeNarrow(Rect a) {
    Panels p;
    const double verdict = a.height() < 260 ? 18 : 36, left = a.height() - verdict;
    const double output = left > 330 ? 0.25 * left : 0, network = (left - output) * 0.47;
    p.network = {a.lo, {a.hi.x, a.lo.y + network}};
    p.verdict = {{a.lo.x, p.network.hi.y}, {a.hi.x, p.network.hi.y + verdict}};
    p.output = {{a.lo.x, p.verdict.hi.y}, {a.hi.x, p.verdict.hi.y + output}};
    p.ranks = {{a.lo.x, p.output.hi.y}, a.hi};
    return p;
}

Panels arrangeWide(Rect a) {
    Panels p;
    const double right = std::clamp(a.width() * 0.38, 230.0, 420.0),
                 output = a.height() < 380 ? 0 : std::clamp(0.3 * a.height(), 120.0, 220.0);
    const Rect main{a.lo, {a.hi.x - right - 14, a.hi.y}};
    p.output = {{main.lo.x, main.hi.y - output}, main.hi};
    p.verdict = {{main.lo.x, p.output.lo.y - 40}, {main.hi.x, p.output.lo.y}};
    p.network = {main.lo, {main.hi.x, p.verdict.lo.y - 2}};
    const Rect side{{main.hi.x + 14, a.lo.y + 4}, a.hi};
    const int plots = a.height() < 400 ? 0 : a.height() < 540 ? 1 : 2;
    const double ranks = plots == 0 ? side.height() : plots == 1 ? 0.55 * side.height() : 0.4 * side.height();
    const double plot = plots == 0 ? 0 : (side.height() - ranks) / plots;
    p.ranks = {side.lo, {side.hi.x, side.lo.y + ranks - 6}};
    if (plots > 0) p.singular = {{side.lo.x, side.lo.y + ranks}, {side.hi.x, side.lo.y + ranks + plot - 4}};
    if (plots > 1) p.growth = {{side.lo.x, p.singular.hi.y + 4}, side.hi};
    return p;
}

class LowerLayersPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view{};
        if (!readView(f, view)) return emptyPicture(f, "The paths are being counted.");
        const Panels p = f.compact && f.area.width() < 600 ? arrangeNarrow(f.area) : arrangeWide(f.area);
        drawNetwork(f, view, p.network);
        drawVerdict(f, view, p.verdict);
        if (p.output.height() > 0) drawOutput(f, view, p.output);
        drawRanks(f, view, p.ranks);
        if (p.singular.height() > 0) drawSingularValues(f, view, p.singular);
        if (p.growth.height() > 0) drawGrowth(f, view, p.growth);
    }
};

}  // namespace

PictureEntry lower_layers_picture() {
    return {"lower-layers", [] { return std::unique_ptr<Picture>(std::make_unique<LowerLayersPicture>()); }};
}

}  // namespace kappaflow
