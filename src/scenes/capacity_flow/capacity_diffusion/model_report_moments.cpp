#include <algorithm>
#include <cmath>
#include <limits>

#include "core/capacity/diffusion_theory.h"
#include "scenes/capacity_flow/capacity_diffusion/model.h"

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

namespace {

/// Moments of one draw, [layer] or, in a plane, [layer, axis].
struct DrawMoments {
    Vector first, second, product;  ///< product: [layer], of a plane
};

DrawMoments flatten(const std::vector<LayerMoments>& layers, bool plane) {
    DrawMoments flat;
    for (const auto& m : layers) {
        if (plane) {
            flat.first.push_back(m.firstY);
            flat.second.push_back(m.secondY);
            flat.product.push_back(m.product);
        }
        flat.first.push_back(m.first);
        flat.second.push_back(m.second);
    }
    return flat;
}

/// Of the average profile: mean M and variance S − M², with the error of both from the draws.
struct Ensemble {
    EnsembleMean first, second, within, influence;
    EnsembleMean product, productInfluence;
    std::vector<DrawMoments> draws;
};

Ensemble gather(const Builder& b) {
    Ensemble e;
    for (const auto& draw : b.totals.moments) {
        e.draws.push_back(flatten(draw, b.plane()));
        const auto& own = e.draws.back();
        e.first.add(own.first);
        e.second.add(own.second);
        if (b.plane()) e.product.add(own.product);
        Vector within(own.first.size());
        for (std::size_t i = 0; i < within.size(); ++i) within[i] = std::max(0.0, own.second[i] - own.first[i] * own.first[i]);
        e.within.add(within);
    }
    const auto& M = e.first.mean();
    for (const auto& own : e.draws) {
        Vector part(M.size()), mixed(own.product.size());
        for (std::size_t i = 0; i < part.size(); ++i) part[i] = own.second[i] - 2 * M[i] * own.first[i];
        for (std::size_t l = 0; l < mixed.size(); ++l)
            mixed[l] = own.product[l] - M[2 * l] * own.first[2 * l + 1] - M[2 * l + 1] * own.first[2 * l];
        e.influence.add(part);
        if (b.plane()) e.productInfluence.add(mixed);
    }
    return e;
}

/// Standard deviation over networks of their means, and its error from that of the variance: [layer] or [layer, axis].
struct Wander {
    Vector deviation, error;
};

Wander wanderOf(const Ensemble& e) {
    const auto& M = e.first.mean();
    EnsembleMean squares;
    for (const auto& own : e.draws) {
        Vector square(M.size());
        for (std::size_t i = 0; i < M.size(); ++i) square[i] = (own.first[i] - M[i]) * (own.first[i] - M[i]);
        squares.add(square);
    }
    const double n = squares.count(), unbiased = n / (n - 1);
    const auto errors = squares.standardError();
    Wander wander;
    for (std::size_t i = 0; i < M.size(); ++i) {
        wander.deviation.push_back(std::sqrt(unbiased * squares.mean()[i]));
        wander.error.push_back(wander.deviation[i] > 0 ? unbiased * errors[i] / (2 * wander.deviation[i]) : 0);
    }
    return wander;
}

void addWander(Builder& b, const Wander& wander, const char* name, std::size_t at) {
    auto& scalar = b.add(name, wander.deviation[at]);
    scalar.draws = b.draws();
    scalar.standardError = wander.error[at];
}

/// Centres that a picture can show apart.
constexpr std::size_t kMaxCentres = 60;

/// Along one axis of places: the centre of each network, how far they wander and how wide one network is, [layer].
void addCentres(Builder& b, const Ensemble& e, const Wander& wander) {
    const std::size_t networks = std::min(e.draws.size(), kMaxCentres);
    Vector centres, width, error = e.within.standardError();
    for (std::size_t n = 0; n < networks; ++n) centres.insert(centres.end(), e.draws[n].first.begin(), e.draws[n].first.end());
    for (std::size_t l = 0; l < error.size(); ++l) {
        width.push_back(std::sqrt(e.within.mean()[l]));
        error[l] = width[l] > 0 ? error[l] / (2 * width[l]) : 0;
    }
    b.add("centres", {{"network", counted(networks), {}}, b.layers()}, std::move(centres));
    b.add("centreWanderByLayer", {b.layers()}, wander.deviation).standardError = wander.error;
    b.add("deviationWithin", {b.layers()}, std::move(width)).standardError = std::move(error);
}

void addSpread(Builder& b, const char* name, double value, double error, bool ensemble) {
    auto& spread = b.add(name, value);
    if (!ensemble) return;
    spread.standardError = error;
    spread.draws = b.draws();
}

void addCovariance(Builder& b, const Ensemble& e, bool ensemble) {
    const auto& M = e.first.mean();
    Vector covariance = e.product.mean();
    for (std::size_t l = 0; l < covariance.size(); ++l) covariance[l] -= M[2 * l] * M[2 * l + 1];
    auto& array = b.add("covariance", {b.layers()}, std::move(covariance));
    if (ensemble) array.standardError = e.productInfluence.standardError();
}

}  // namespace

void addMoments(Builder& b) {
    const auto e = gather(b);
    const bool ensemble = e.draws.size() > 1;
    const auto& M = e.first.mean();
    const auto varianceError = e.influence.standardError();
    Vector variance(M.size()), deviation(M.size()), deviationError(M.size());
    for (std::size_t i = 0; i < M.size(); ++i) {
        variance[i] = std::max(0.0, e.second.mean()[i] - M[i] * M[i]);
        deviation[i] = std::sqrt(variance[i]);
        deviationError[i] = deviation[i] > 0 ? varianceError[i] / (2 * deviation[i]) : 0;
    }
    // At the input the axes stand first: y, x in a plane.
    const std::size_t x = b.plane() ? 1 : 0;
    auto& mean = b.add("mean", b.byAxis(b.layers()), M);
    if (ensemble) mean.standardError = e.first.standardError();
    addSpread(b, "spread", deviation[x], deviationError[x], ensemble);
    if (b.plane()) addSpread(b, "spreadY", deviation[0], deviationError[0], ensemble);
    if (ensemble) {
        const Wander wander = wanderOf(e);
        addWander(b, wander, "centreWander", x);
        if (b.plane())
            addWander(b, wander, "centreWanderY", 0);
        else
            addCentres(b, e, wander);
        b.add("varianceWithin", b.byAxis(b.layers()), e.within.mean()).standardError = e.within.standardError();
    }
    auto& varianceArray = b.add("variance", b.byAxis(b.layers()), std::move(variance));
    if (ensemble) varianceArray.standardError = varianceError;
    auto& deviationArray = b.add("standardDeviation", b.byAxis(b.layers()), std::move(deviation));
    if (ensemble) deviationArray.standardError = std::move(deviationError);
    if (b.plane()) addCovariance(b, e, ensemble);
}

void addFit(Builder& b) {
    const auto& shape = b.chain.shape();
    std::vector<std::size_t> places;  // from the uppermost state in a plane down
    for (std::size_t l = shape.heights.size(); l > 0; --l)
        if (shape.inputScale[l - 1] > 0 && shape.heights[l - 1] > 1) places.push_back(l - 1);
    if (places.size() < 3) return;
    const auto moments = flatten(b.totals.moments.front(), true);
    const double n = static_cast<double>(places.size()), crossed = (n - 1) / 2;
    Vector fitted(2 * b.totals.rows(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const auto inInput = [&](std::size_t i) {
            const std::size_t at = 2 * places[i] + axis;
            const double variance = std::max(0.0, moments.second[at] - moments.first[at] * moments.first[at]);
            return variance * shape.inputScale[places[i]] * shape.inputScale[places[i]];
        };
        double mean = 0, rise = 0, run = 0;
        for (std::size_t i = 0; i < places.size(); ++i) mean += inInput(i) / n;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const double d = static_cast<double>(i) - crossed;
            rise += d * (inInput(i) - mean);
            run += d * d;
        }
        b.add(axis == 0 ? "fittedGrowthY" : "fittedGrowth", rise / run);
        for (std::size_t i = 0; i < places.size(); ++i) {
            const double variance = mean + rise / run * (static_cast<double>(i) - crossed);
            fitted[2 * places[i] + axis] = std::sqrt(std::max(0.0, variance)) / shape.inputScale[places[i]];
        }
    }
    b.add("standardDeviationFitted", b.byAxis(b.layers()), std::move(fitted)).mayBeUndefined = true;
}

}  // namespace kappaflow::diffusion
