// Effect of training (survey Figs 4–5): lengths or transitions layer by layer, one line a training step, between samples and between random
// points; accuracy beside them.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/training_tradeoff/picture_view.h"

namespace kappaflow {
namespace training_tradeoff {

bool readView(const PictureFrame& f, View& view) {
    view.transitions = f.state.params.is("show", "transitions");
    const std::pair<const Array**, const char*> needed[] = {{&view.samples, view.transitions ? "transitions" : "length"},
                                                            {&view.random, view.transitions ? "transitionsRandom" : "lengthRandom"},
                                                            {&view.learnt, "accuracy"},
                                                            {&view.held, "testAccuracy"}};
    for (const auto& [array, name] : needed)
        if (!(*array = f.report.array(name))) return false;
    view.looks = view.samples->axes[0].size();
    view.layers = view.samples->axes[1].size() - 1;
    view.last = std::max(f.report.params.number("steps"), view.step(view.looks - 1));
    const double at = f.state.params.number("at");
    for (std::size_t i = 0; i < view.looks; ++i)
        if (std::abs(view.step(i) - at) <= std::abs(view.stepNow() - at)) view.now = i;
    return true;
}

Color stepColor(const Theme& theme, double step, double last) {
    const double share = std::log1p(step / 10) / std::log1p(std::max(last, 1.0) / 10);
    // Hues from red through orange to purple the short way round would pass nothing between: through green and blue they are told apart.
    const double hue = 30 + 280 * share;
    return theme.dark ? fromLch(68, 62, hue) : fromLch(54 - 8 * share, 66, hue);
}

namespace {

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return drawLayerCurves(f, view, *view.samples, "samples", "between samples", a);
    const double split = a.lo.y + a.height() * 0.58;
    drawLayerCurves(f, view, *view.samples, "samples", "between samples", {a.lo, {a.hi.x, split - 4}});
    drawAccuracy(f, view, {{a.lo.x, split + 4}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const bool tall = a.height() > 420;
    const double middle = a.lo.x + a.width() / 2, split = tall ? a.lo.y + a.height() * 0.62 : a.hi.y;
    drawLayerCurves(f, view, *view.samples, "samples", "between two samples", {{a.lo.x, a.lo.y + 4}, {middle - 6, split - 4}});
    drawLayerCurves(f, view, *view.random, "random", "between two random points", {{middle + 6, a.lo.y + 4}, {a.hi.x, split - 4}});
    if (tall) drawAccuracy(f, view, {{a.lo.x, split + 4}, a.hi});
}

class TradeoffPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The network is about to be trained.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace training_tradeoff

PictureEntry training_tradeoff_picture() {
    return {"training-tradeoff", [] { return std::unique_ptr<Picture>(std::make_unique<training_tradeoff::TradeoffPicture>()); }};
}

}  // namespace kappaflow
