#include <algorithm>
#include <cmath>

#include "scenes/expressivity/activation_regions/picture_view.h"
#include "scenes/expressivity/picture_learning.h"

namespace kappaflow {
namespace regions {
namespace {

/// What stands beside the window, from the top: counts, growth or training, the plane, the network.
void drawPanels(PictureFrame& f, const View& view, Rect panel, std::optional<std::size_t> region) {
    const double rows = static_cast<double>(std::min<std::size_t>(view.layers + 1, 7)), counts = 18 * (rows + 3) + 4;
    drawCounts(f, view, {panel.lo, {panel.hi.x, panel.lo.y + counts}});
    Rect rest{{panel.lo.x, panel.lo.y + counts + 8}, panel.hi};
    const double share = hasNetwork(view) && rest.height() > 220 ? std::clamp(rest.height() * 0.5, 110.0, 260.0) : 0;
    if (share > 0) drawNetwork(f, view, {{rest.lo.x, rest.hi.y - share + 8}, rest.hi}, region);
    rest.hi.y -= share;
    if (rest.height() < 110) return;
    if (hasPlane(f)) {
        const double side = std::min(130.0, rest.width() * 0.42);
        drawPlane(f, {{rest.hi.x - side, rest.lo.y}, {rest.hi.x, rest.lo.y + std::min(side + 20, rest.height())}});
        rest.hi.x -= side + 6;
    }
    if (!learning_curve::drawTraining(f, rest)) drawGrowth(f, view, rest);
}

std::optional<std::size_t> drawSquare(PictureFrame& f, const View& view, MeshCache& cache, Vec2 corner, double side) {
    const Stage stage = stageOf(f, {corner, corner + Vec2{side, side}});
    const auto region = drawWindow(f, view, cache, stage);
    f.painter.pushClip(stage.square);
    region_mesh::drawSamples(f, stage);
    f.painter.popClip();
    return region;
}

void drawWide(PictureFrame& f, const View& view, MeshCache& cache) {
    const Rect a = f.area;
    const double side = std::max(60.0, std::min(a.height() - 8, a.width() - std::clamp(a.width() * 0.34, 230.0, 430.0) - 16));
    const double top = a.lo.y + 0.5 * (a.height() - side);
    const auto region = drawSquare(f, view, cache, {a.lo.x + 2, std::round(top)}, std::floor(side));
    drawPanels(f, view, {{a.lo.x + side + 20, a.lo.y + 4}, {a.hi.x - 4, a.hi.y - 4}}, region);
}

/// How the plane lies, and the network.
void drawInside(PictureFrame& f, const View& view, Rect rest, std::optional<std::size_t> region) {
    if (hasPlane(f)) {
        const double side = std::min(150.0, rest.height() - 20);
        drawPlane(f, {{rest.hi.x - side, rest.lo.y}, {rest.hi.x, rest.lo.y + side + 20}});
        rest.hi.x -= side + 6;
    }
    drawNetwork(f, view, rest, region);
}

/// Beside the counts: a tap shows the network and the plane below the window, or hides them; `name`: what it brings.
void offerBelow(PictureFrame& f, Rect button, bool shown, const char* name) {
    const double value = shown;
    const auto grip = f.handles.offer({"below", "network and plane below the regions", shown ? "shown" : "hidden", value, 0, 1, 1, button},
                                      [&](Vec2) { return value; });
    const bool tapped = grip.held && f.handles.pointer().pressed;
    if (tapped || grip.moved) f.changes.push_back(Change::param("below", tapped ? !shown : grip.value > 0.5));
    f.painter.text("below", button.hi - Vec2{6, button.height() / 2}, name,
                   {.color = f.theme.accent, .size = f.theme.smallSize, .h = AlignH::Right, .v = AlignV::Middle});
}

/// Height of the line of counts, of what is drawn below it, and of the smallest window that makes room for that.
constexpr double kCountLine = 26, kBelow = 118, kLeastSide = 160;

/// Narrow: the window first; below it a line of counts, and the network where there is room.
void drawNarrow(PictureFrame& f, const View& view, MeshCache& cache) {
    const Rect a = f.area;
    if (a.width() > 1.5 * a.height()) {
        const double side = std::floor(a.height() - 4);
        const auto region = drawSquare(f, view, cache, a.lo + Vec2{2, 2}, side);
        const Rect panel{{a.lo.x + side + 14, a.lo.y + 4}, {a.hi.x - 4, a.hi.y - 4}};
        panel.width() > 210 && panel.height() > 110 ? drawPanels(f, view, panel, region)
                                                    : drawCountLine(f, view, {panel.lo, {panel.hi.x, panel.lo.y + 20}});
        return;
    }
    const bool more = hasPlane(f) || hasNetwork(view), trained = f.report.array("loss");
    const double whole = std::min(a.width() - 4, a.height() - kCountLine), shared = std::min(whole, a.height() - kCountLine - kBelow - 4);
    // Where the window leaves no room, a reader chooses; how training goes is shown unasked.
    const bool asked = f.state.params.flag("below") && more, asks = a.height() - kCountLine - whole < kBelow && shared > kLeastSide;
    const double side = std::floor(std::max(60.0, asks && (asked || trained) ? shared : whole));
    const auto region = drawSquare(f, view, cache, {a.centre().x - side / 2, a.lo.y + 2}, side);
    const double below = a.lo.y + side + 4, button = asks && more && !f.kept ? 64 : 0;
    drawCountLine(f, view, {{a.lo.x, below}, {a.hi.x - button, below + 20}});
    const char* next = asked ? (trained ? "loss" : "hide") : hasNetwork(view) ? "network" : "plane";
    if (button > 0) offerBelow(f, {{a.hi.x - button, below - 2}, {a.hi.x, below + 22}}, asked, next);
    const Rect rest{{a.lo.x + 6, below + 26}, {a.hi.x - 6, a.hi.y - 2}};
    if (rest.height() < kBelow - 8) return;
    if (!trained || (asks && asked)) return drawInside(f, view, rest, region);
    learning_curve::drawTraining(f, rest);
}

class RegionsPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The window is being cut.");
        fillCache(cache_, f, view);
        f.compact || f.area.width() < 600 ? drawNarrow(f, view, cache_) : drawWide(f, view, cache_);
    }

private:
    MeshCache cache_;
};

}  // namespace
}  // namespace regions

PictureEntry activation_regions_picture() {
    return {"activation-regions", [] { return std::unique_ptr<Picture>(std::make_unique<regions::RegionsPicture>()); }};
}

}  // namespace kappaflow
