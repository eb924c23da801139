#include "core/expressivity/dichotomies.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>
#include <string>
#include <utility>

#include "core/base/errors.h"
#include "core/expressivity/curve_pieces.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

void refuseInfinite(std::span<const double> values, const char* what) {
    for (const double value : values)
        if (!std::isfinite(value)) throw InputError(std::string(what) + " must be finite numbers.");
}

/// target += Wᵀz for W kept [in][out].
void addProduct(std::span<const double> weights, std::span<const double> z, double* target, Size out) {
    for (Size i = 0; i < z.size(); ++i)
        for (Size j = 0; j < out; ++j) target[j] += weights[i * out + j] * z[i];
}

struct Flip {
    double t;
    Size sample;
};

std::vector<Flip> mergedFlips(std::span<const LabelTrack> samples) {
    std::vector<Flip> all;
    for (Size i = 0; i < samples.size(); ++i)
        for (const double t : samples[i].flips) all.push_back({t, i});
    std::stable_sort(all.begin(), all.end(), [](const Flip& a, const Flip& b) { return a.t < b.t; });
    return all;
}

}  // namespace

CurvePieces weightCircle(const CurveLayer& layer, std::span<const double> second, std::span<const double> z) {
    if (z.size() != layer.in || second.size() != layer.weights.size())
        throw InputError("A layer's weights turn towards others of the same shape, on an input of as many numbers as the layer reads.");
    refuseInfinite(second, "The weights that a layer turns towards");
    refuseInfinite(z, "Samples");
    CurvePieces curve;
    curve.units = layer.out;
    curve.ends = {0, 2 * std::numbers::pi};
    curve.coefficients.assign(3 * layer.out, 0);
    addProduct(layer.weights, z, curve.piece(0), layer.out);
    addProduct(second, z, curve.piece(0) + layer.out, layer.out);
    std::copy(layer.bias.begin(), layer.bias.end(), curve.piece(0) + 2 * layer.out);
    return curve;
}

LabelTrack labelsAlong(const CurvePieces& curve, std::span<const double> readout) {
    if (readout.size() != curve.units) throw InputError("A readout takes one weight for every unit that it reads.");
    const CurvePieces value = throughAffine(curveLayer(readout, {}, curve.units, Activation::Identity), curve);
    LabelTrack track;
    for (const auto& change : signChanges(value)) {
        if (track.flips.empty()) track.positive = change.from > 0;
        track.flips.push_back(change.t);
    }
    if (track.flips.empty()) track.positive = curveAt(value, 0.5 * (value.ends.front() + value.ends.back()))[0] > 0;
    return track;
}

SweptLabels sweepLabels(const SweptLayers& layers, const CurvePieces& preactivations, SweepLimits limits,
                        const std::function<void(double)>& tick) {
    constexpr double kSlice = 4e6;  // multiply-adds between two ticks
    TrajectorySweep sweep(layers.remaining, throughActivation(preactivations, layers.activation).curve, limits);
    if (layers.readouts.size() != layers.remaining.size() + 1)
        throw InputError("A sweep takes one readout for the swept layer and one for every layer after it.");
    SweptLabels labels;
    for (bool more = true; more; tick(sweep.progress())) {
        if (sweep.exactLayers() == labels.tracks.size()) {
            const auto& readout = layers.readouts[labels.tracks.size()];
            labels.tracks.push_back(readout.empty() ? LabelTrack{} : labelsAlong(sweep.image(), readout));
            labels.meanFlips.push_back(readout.empty() ? 0 : meanCrossings(sweep.image(), 1, 0, 0));
            labels.patterns.push_back(static_cast<double>(sweep.passages().back().pieces));
        }
        more = sweep.advance(kSlice) || sweep.exactLayers() == labels.tracks.size();
    }
    labels.stopped = sweep.stopped();
    return labels;
}

DichotomyCount countDichotomies(std::span<const LabelTrack> samples) {
    if (samples.size() > 64) throw InputError("Dichotomies are counted of at most 64 samples.");
    std::uint64_t labels = 0;
    for (Size i = 0; i < samples.size(); ++i) labels |= static_cast<std::uint64_t>(samples[i].positive) << i;
    std::set<std::uint64_t> seen{labels};
    DichotomyCount count;
    const auto flips = mergedFlips(samples);
    for (Size i = 0; i < flips.size();) {
        const double t = flips[i].t;
        const std::uint64_t before = labels;
        for (; i < flips.size() && flips[i].t - t <= kSimultaneous; ++i) labels ^= std::uint64_t{1} << flips[i].sample;
        if (labels == before) continue;
        seen.insert(labels);
        count.changes.push_back(t);
        count.distinct.push_back(static_cast<double>(seen.size()));
    }
    count.flips = static_cast<double>(flips.size());
    count.dichotomies = static_cast<double>(seen.size());
    return count;
}

std::vector<double> meanFieldFlips(const GrowthSetting& s, double inputSquare, std::size_t remaining) {
    double speed = s.weightVariance * inputSquare, q = speed + s.biasVariance;
    std::vector<double> flips;
    for (Size r = 0; r <= remaining; ++r) {
        const GaussianMoments moments = gaussianMoments(s.activation, s.slope, q);
        speed *= s.weightVariance * moments.slopeSquare;
        q = s.weightVariance * moments.square;
        flips.push_back(q > 0 ? 2 * std::sqrt(speed / q) : 0);
        q += s.biasVariance;
    }
    return flips;
}

std::vector<double> meanFieldCrossings(const GrowthSetting& s, double inputSquare, std::size_t layers) {
    const LinearPieces activation = piecewiseLinear(s.activation, s.slope);
    double speed = s.weightVariance * inputSquare, q = speed + s.biasVariance;
    std::vector<double> crossings(layers);
    for (double& sum : crossings) {
        for (const double threshold : activation.thresholds) sum += 2 * std::sqrt(speed / q) * std::exp(-threshold * threshold / (2 * q));
        const GaussianMoments moments = gaussianMoments(s.activation, s.slope, q);
        speed *= s.weightVariance * moments.slopeSquare;
        q = std::max(s.weightVariance * moments.square + s.biasVariance, 1e-300);
    }
    return crossings;
}

}  // namespace kappaflow
