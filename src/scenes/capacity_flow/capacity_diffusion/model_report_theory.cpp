#include <algorithm>
#include <cmath>

#include "core/capacity/diffusion_theory.h"
#include "scenes/capacity_flow/capacity_diffusion/model_builder.h"

namespace kappaflow::diffusion {
namespace {

using Vector = std::vector<double>;

/// y before x in a plane, x alone elsewhere.
void append(Vector& values, bool plane, double y, double x) {
    if (plane) values.push_back(y);
    values.push_back(x);
}

/// The shares of a filter's taps in the square around it, row by row; those of a row as they are.
Vector inSquare(const Vector& shares, const DrawnNetwork& n) {
    if (n.space != Space::Grid) return shares;
    const auto taps = n.tapsOf();
    const auto side = static_cast<std::size_t>(n.taps);
    const int reach = (n.taps - 1) / 2;
    Vector square(side * side);
    for (std::size_t k = 0; k < taps.size(); ++k)
        square[static_cast<std::size_t>(taps[k].y + reach) * side + static_cast<std::size_t>(taps[k].x + reach)] = shares[k];
    return square;
}

void addKernels(Builder& b, const Theory& theory) {
    Vector drift, diffusion, shares;
    for (std::size_t l = 0; l < theory.layers.size(); ++l) {
        const auto& step = theory.layers[l];
        append(drift, b.plane(), step.time * step.driftY, step.time * step.drift);
        append(diffusion, b.plane(), step.time * step.diffusionY, step.time * step.diffusion);
        auto kernel = b.totals.kernelShares[l];
        for (double& share : kernel) share /= b.draws();
        kernel = inSquare(sharesWithIdentity(b.setup, theory, std::move(kernel), l), b.setup.drawn);
        shares.insert(shares.end(), kernel.begin(), kernel.end());
    }
    b.add("driftByLayer", b.byAxis(b.weightLayers()), std::move(drift));
    b.add("diffusionByLayer", b.byAxis(b.weightLayers()), std::move(diffusion));
    const auto taps = static_cast<std::size_t>(b.setup.drawn.taps);
    const Vector offsets = counted(taps, -static_cast<double>(taps / 2));
    if (b.plane())
        b.add("kernelShares", {b.weightLayers(), {"tapY", offsets, {}}, {"tapX", offsets, {}}}, std::move(shares));
    else
        b.add("kernelShares", {b.weightLayers(), {"tap", offsets, {}}}, std::move(shares));
}

/// Mean and variance of the start along one axis; those of a plane's axes are independent.
struct Spread {
    double mean = 0, variance = 0;
};
Spread startAlong(const Start& start, bool rows) {
    const auto width = start.offset.size();
    Spread s;
    double second = 0;
    for (std::size_t i = 0; i < start.profile.size(); ++i) {
        const double u = rows ? start.offsetY[i / width] : start.offset[i % width];
        s.mean += start.profile[i] * u;
        second += start.profile[i] * u * u;
    }
    s.variance = std::max(0.0, second - s.mean * s.mean);
    return s;
}

void addPrediction(Builder& b, const Theory& theory) {
    const Spread x = startAlong(b.setup.start, false), y = startAlong(b.setup.start, true);
    Vector mean, variance, deviation, covariance;
    for (std::size_t l = 0; l < b.totals.rows(); ++l) {
        const double scale = theory.scale[l];
        const auto& normal = theory.normal[l];
        append(mean, b.plane(), scale * y.mean + normal.meanY, scale * x.mean + normal.meanX);
        append(variance, b.plane(), scale * scale * y.variance + normal.varianceY, scale * scale * x.variance + normal.varianceX);
        covariance.push_back(normal.covariance);
    }
    for (const double v : variance) deviation.push_back(std::sqrt(v));
    b.add("meanPredicted", b.byAxis(b.layers()), std::move(mean));
    b.add("variancePredicted", b.byAxis(b.layers()), std::move(variance));
    b.add("standardDeviationPredicted", b.byAxis(b.layers()), std::move(deviation));
    if (b.plane()) b.add("covariancePredicted", {b.layers()}, std::move(covariance));
}

}  // namespace

void addTheory(Builder& b, const std::vector<double>& gaussian) {
    const auto theory = makeTheory(b.setup, b.totals);
    b.add("drift", theory.drift);
    b.add("diffusion", theory.diffusion);
    if (b.plane()) {
        b.add("driftY", theory.driftY);
        b.add("diffusionY", theory.diffusionY);
    }
    addKernels(b, theory);
    addPrediction(b, theory);
    if (gaussian.empty()) return;
    b.add("gaussian", b.everywhere(), gaussian).mayBeUndefined = true;
    b.add("totalVariation", totalVariation(b.totals.rowOf(b.totals.capacity.mean(), 0), b.totals.rowOf(gaussian, 0)));
}

}  // namespace kappaflow::diffusion
