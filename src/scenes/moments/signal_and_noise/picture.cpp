// Signal and noise (P3 Fig 1): a scalar map beside the constant rescaling of equal output variance, and what noise makes of it.
#include <algorithm>
#include <cmath>

#include "scenes/moments/signal_and_noise/picture_view.h"

namespace kappaflow {

namespace signal_and_noise {

double View::valueAt(const std::vector<double>& values, double input) const {
    const auto& inputs = x();
    const double place = (input - inputs.front()) / (inputs[1] - inputs[0]), top = static_cast<double>(inputs.size() - 1);
    const Between b = between(std::clamp(place, 0.0, top), inputs.size() - 1);
    return values[b.below] + b.fraction * (values[b.above] - values[b.below]);
}

double View::slopeAt(double input) const { return valueAt(firstOrder, input) / sigma; }

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {{&view.curves, "layerCurve"},
                                                            {&view.rescalings, "layerRescaling"},
                                                            {&view.firstOrders, "layerFirstOrder"},
                                                            {&view.noises, "layerNoise"},
                                                            {&view.outputs, "outputs"},
                                                            {&view.densities, "densityOut"},
                                                            {&view.flat, "flat"},
                                                            {&view.chi, "layerChi"},
                                                            {&view.chiFromJacobian, "layerChiFromJacobian"},
                                                            {&view.chiActual, "layerChiActual"},
                                                            {&view.densityIn, "densityIn"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    view.chiByGain = r.array("chiByGain");
    view.deep = r.params.is("net", "batch-norm");
    view.last = static_cast<double>(view.chi->values.size() - 1);
    view.at = std::clamp(f.state.params.number("at"), 0.0, view.last);
    view.curve = rowAt(*view.curves, view.at);
    view.firstOrder = rowAt(*view.firstOrders, view.at);
    view.noise = rowAt(*view.noises, view.at);
    view.bins = rowAt(*view.outputs, view.at);
    view.density = rowAt(*view.densities, view.at);
    view.rescaling = rowAt(*view.rescalings, view.at)[0];
    view.separation = r.params.number("separation");
    view.spread = r.params.number("spread");
    view.sigma = r.params.number("noise");
    view.probe = f.state.params.number("probe");
    view.gain = f.state.params.number("gain");
    return true;
}

namespace {

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 330) return drawMap(f, view, a);
    const double split = a.lo.y + a.height() * 0.62;
    drawMap(f, view, {a.lo, {a.hi.x, split - 4}});
    drawChi(f, view, {{a.lo.x, split + 4}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const double right = a.hi.x - std::clamp(a.width() * 0.36, 220.0, 430.0);
    drawMap(f, view, {{a.lo.x, a.lo.y + 4}, {right - 14, a.hi.y}});
    if (a.height() < 360) return drawChi(f, view, {{right, a.lo.y + 4}, a.hi});
    const double words = a.height() > 470 ? 96 : 0, middle = a.lo.y + (a.height() - words) / 2;
    drawChi(f, view, {{right, a.lo.y + 4}, {a.hi.x, middle - 4}});
    drawNoise(f, view, {{right, middle + 4}, {a.hi.x, a.hi.y - words}});
    if (words > 0) drawReadings(f, view, {{right + 12, a.hi.y - words + 6}, a.hi});
}

class SignalAndNoisePicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The noise is being pushed through.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace signal_and_noise

PictureEntry signal_and_noise_picture() {
    return {"signal-and-noise", [] { return std::unique_ptr<Picture>(std::make_unique<signal_and_noise::SignalAndNoisePicture>()); }};
}

}  // namespace kappaflow
