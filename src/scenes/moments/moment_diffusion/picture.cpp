// Log-moments of many random networks (P3 Fig 2, Theorem 1): histograms that spread with depth, and what makes them spread.
#include <algorithm>
#include <cmath>

#include "scenes/moments/moment_diffusion/picture_view.h"

namespace kappaflow {

namespace moment_diffusion {

bool readView(const PictureFrame& f, View& view) {
    const std::pair<const Array**, const char*> needed[] = {{&view.histogramSignal, "histogramSignal"},
                                                            {&view.histogramNoise, "histogramNoise"},
                                                            {&view.meanLog, "meanLog"},
                                                            {&view.varLog, "varLog"},
                                                            {&view.meanLogNoise, "meanLogNoise"},
                                                            {&view.varLogNoise, "varLogNoise"},
                                                            {&view.meanTheory, "meanLogTheory"},
                                                            {&view.varTheory, "varLogTheory"}};
    for (const auto& [array, name] : needed)
        if (!(*array = f.report.array(name))) return false;
    view.layers = view.meanLog->axes[0].values.back();
    view.at = std::clamp(f.state.params.number("at"), 1.0, view.layers);
    view.width = f.report.params.number("width");
    return true;
}

namespace {

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return drawHistogram(f, view, a, false);
    const double split = a.lo.y + a.height() * 0.52;
    drawHistogram(f, view, {a.lo, {a.hi.x, split - 4}}, false);
    drawBeside(f, view, {{a.lo.x, split + 4}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const double right = a.hi.x - std::clamp(a.width() * 0.42, 250.0, 520.0), middle = a.lo.y + a.height() / 2;
    const bool tall = a.height() > 420;
    drawHistogram(f, view, {{a.lo.x, a.lo.y + 4}, {right - 12, tall ? middle - 6 : a.hi.y}}, false);
    if (tall) drawHistogram(f, view, {{a.lo.x, middle + 6}, {right - 12, a.hi.y}}, true);
    drawBeside(f, view, {{right, a.lo.y + 4}, a.hi});
}

class DiffusionPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "Networks are being drawn.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace moment_diffusion

PictureEntry moment_diffusion_picture() {
    return {"moment-diffusion", [] { return std::unique_ptr<Picture>(std::make_unique<moment_diffusion::DiffusionPicture>()); }};
}

}  // namespace kappaflow
