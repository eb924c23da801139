// The deep limit (P1 Eqs 29–37): chain, Kolmogorov flow and Gaussian on one axis, and what depth and the scaling of the weights do.
#include <algorithm>
#include <cmath>

#include "scenes/capacity_flow/deep_limit/picture_view.h"

namespace kappaflow {

namespace deep_limit {
namespace {

double scalarOr0(const Report& report, const char* name) {
    const Scalar* found = report.scalar(name);
    return found ? found->value : 0;
}

}  // namespace

double View::depth() const {
    const Between b = between(index, last());
    return depths[b.below] + (depths[b.above] - depths[b.below]) * b.fraction;
}

std::string View::depthName() const { return inWords(depths[static_cast<std::size_t>(std::lround(index))], 4); }

double View::now(const Array& byDepth) const {
    const Between b = between(index, last());
    return byDepth.values[b.below] + (byDepth.values[b.above] - byDepth.values[b.below]) * b.fraction;
}

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {{&view.chain, "chain"},
                                                            {&view.flow, "flow"},
                                                            {&view.gaussian, "gaussian"},
                                                            {&view.toFlow, "totalVariationToFlow"},
                                                            {&view.variance, "varianceChain"},
                                                            {&view.toGaussian, "totalVariation"},
                                                            {&view.mean, "meanChain"},
                                                            {&view.spreads, "spreadByExponent"},
                                                            {&view.kernel, "kernel"},
                                                            {&view.step, "step"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    const std::pair<const Array**, const char*> more[] = {{&view.toFlowPredicted, "totalVariationToFlowPredicted"},
                                                          {&view.forward, "forward"},
                                                          {&view.forwardSquares, "forwardMeanSquare"},
                                                          {&view.forwardPredicted, "forwardMeanSquarePredicted"},
                                                          {&view.forwardGrowth, "forwardGrowth"},
                                                          {&view.forwardGrowthPredicted, "forwardGrowthPredicted"},
                                                          {&view.forwardDraws, "forwardDraws"},
                                                          {&view.check, "checkCapacity"},
                                                          {&view.checkPredicted, "checkPredicted"},
                                                          {&view.checkVariance, "checkVariance"},
                                                          {&view.checkVariancePredicted, "checkVariancePredicted"}};
    for (const auto& [array, name] : more) *array = r.array(name);
    view.depths = view.chain->axes[0].values;
    view.index = indexAlong(view.depths, f.state.params.number("at"));
    view.v = scalarOr0(r, "v");
    view.diffusion = scalarOr0(r, "diffusion");
    view.gaussianGap = scalarOr0(r, "gaussianGap");
    view.slope = scalarOr0(r, "slope");
    view.critical = view.toFlowPredicted;
    view.differential = view.forward;
    return !view.depths.empty();
}

namespace {

/// Narrow pictures: the profiles, and the distances below them where there is room.
void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return drawProfiles(f, view, a);
    const double split = a.lo.y + a.height() * 0.56;
    drawProfiles(f, view, {a.lo, {a.hi.x, split - 4}});
    drawDistances(f, view, {{a.lo.x, split + 4}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const double right = a.hi.x - std::clamp(a.width() * 0.38, 230.0, 430.0), middle = a.lo.y + a.height() / 2;
    const bool tall = a.height() > 420, below = view.differential && a.height() > 500;
    const double top = tall ? a.lo.y + std::clamp(a.height() * 0.25, 120.0, 190.0) : a.lo.y;
    const double bottom = below ? a.hi.y - std::clamp(a.height() * 0.34, 170.0, 280.0) : a.hi.y;
    if (tall) {
        const double split = a.lo.x + std::min((right - a.lo.x) * 0.46, 330.0);
        drawKernel(f, view, {{a.lo.x, a.lo.y + 4}, {split, top - 6}});
        drawReadings(f, view, {{split + 12, a.lo.y + 4}, {right - 12, top - 6}});
    }
    drawProfiles(f, view, {{a.lo.x, top + 4}, {right - 12, bottom - 4}});
    if (below) {
        const double split = a.lo.x + (right - a.lo.x) * 0.58;
        drawForward(f, view, {{a.lo.x, bottom + 4}, {split - 6, a.hi.y}});
        drawCheck(f, view, {{split + 6, bottom + 4}, {right - 12, a.hi.y}});
    }
    drawDistances(f, view, {{right, a.lo.y + 4}, {a.hi.x, tall ? middle - 6 : a.hi.y}});
    if (tall) drawScaling(f, view, {{right, middle + 6}, a.hi});
}

class DeepLimitPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The chains are being followed.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace deep_limit

PictureEntry deep_limit_picture() {
    return {"deep-limit", [] { return std::unique_ptr<Picture>(std::make_unique<deep_limit::DeepLimitPicture>()); }};
}

}  // namespace kappaflow
