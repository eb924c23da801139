// Transitions (survey Fig 3): the curve of every layer crossing a unit of the next one, and transitions in proportion to length.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/transitions/picture_view.h"

namespace kappaflow {

namespace transitions {

std::span<const double> View::crossings() const {
    const double* from = offsets->values.data() + nearest() * turnTransitions->axes[1].size() + turn;
    return {turnCrossings->values.data() + static_cast<std::size_t>(from[0]), static_cast<std::size_t>(from[1] - from[0])};
}

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {{&view.image, "image"},
                                                            {&view.pair, "pair"},
                                                            {&view.turnTransitions, "turnTransitions"},
                                                            {&view.turnCrossings, "turnCrossings"},
                                                            {&view.offsets, "turnCrossingsOffsets"},
                                                            {&view.length, "length"},
                                                            {&view.transitions, "transitions"},
                                                            {&view.predicted, "predicted"},
                                                            {&view.saturations, "saturations"},
                                                            {&view.saturationsPredicted, "saturationsPredicted"},
                                                            {&view.pieces, "pieces"},
                                                            {&view.piecesPredicted, "piecesPredicted"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    view.widths = r.array("curveWidth");
    view.variances = r.array("curveWeightVariance");
    view.hardTanh = r.params.is("network", "") && r.params.is("activation", "hard-tanh");
    view.curves = view.length->axes[0].size();
    view.layers = view.length->axes[1].size() - 1;
    view.last = static_cast<double>(view.image->axes[0].size() - 1);
    view.at = std::clamp(f.state.params.number("at"), 0.0, view.last);
    view.turn = std::min(view.turnTransitions->axes[1].size() - 1, static_cast<std::size_t>(f.state.params.number("turn")));
    return true;
}

namespace {

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return drawCurve(f, view, a);
    const double split = a.lo.y + a.height() * 0.55;
    drawCurve(f, view, {a.lo, {a.hi.x, split - 4}});
    drawProportion(f, view, {{a.lo.x, split + 4}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const double right = a.hi.x - std::clamp(a.width() * 0.42, 250.0, 480.0), middle = a.lo.y + a.height() / 2;
    const bool tall = a.height() > 420;
    const double below = tall ? std::clamp(a.height() * 0.27, 120.0, 190.0) : 0;
    drawCurve(f, view, {{a.lo.x, a.lo.y + 4}, {right - 12, a.hi.y - below}});
    if (tall) drawTurns(f, view, {{a.lo.x, a.hi.y - below + 4}, {right - 12, a.hi.y}});
    drawProportion(f, view, {{right, a.lo.y + 4}, {a.hi.x, tall ? middle - 6 : a.hi.y}});
    if (tall) drawLayers(f, view, {{right, middle + 6}, a.hi});
}

class TransitionsPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The trajectory is being followed.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace transitions

PictureEntry transitions_picture() {
    return {"transitions", [] { return std::unique_ptr<Picture>(std::make_unique<transitions::TransitionsPicture>()); }};
}

}  // namespace kappaflow
