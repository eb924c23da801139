#include "core/expressivity/arc_sampler.h"

#include <cassert>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

#include "core/base/errors.h"
#include "core/expressivity/trajectory_sweep.h"

namespace kappaflow {
namespace {

/// Windows stay far wider than what counts as one place.
constexpr int kMostHalvings = 24;
constexpr double kQuarter = std::numbers::pi / 2;

/// W x0, W x1 and b of the first layer, whose pre-activations on the arc are p cos t + q sin t + r: [p, q, r][unit].
std::vector<double> firstArc(const CurveLayer& layer, const std::vector<double>& x0, const std::vector<double>& x1) {
    assert(x0.size() == layer.in && x1.size() == layer.in);
    std::vector<double> arc(3 * layer.out);
    for (std::size_t i = 0; i < layer.in; ++i)
        for (std::size_t o = 0; o < layer.out; ++o) {
            arc[o] += x0[i] * layer.weights[i * layer.out + o];
            arc[layer.out + o] += x1[i] * layer.weights[i * layer.out + o];
        }
    for (std::size_t o = 0; o < layer.out; ++o) arc[2 * layer.out + o] = layer.bias[o];
    return arc;
}

}  // namespace

ArcLayers arcLayers(const Network& network) {
    std::vector<CurveLayer> all = curveLayers(network);
    if (all.size() < 2) throw InputError("A network without hidden layers has no images of an arc to measure.");
    all.pop_back();
    ArcLayers layers{std::move(all.front()), {}};
    layers.rest.assign(std::make_move_iterator(all.begin() + 1), std::make_move_iterator(all.end()));
    return layers;
}

ArcSampler::ArcSampler(const ArcLayers& layers, std::vector<double> x0, std::vector<double> x1, ArcSampling sampling, Rng rng)
    : layers_(layers), sampling_(sampling), rng_(rng), preactivations_(firstArc(layers.first, x0, x1)) {
    assert(sampling.strata > 0 && sampling.pieces >= 2);
    images_.length.assign(layers.rest.size() + 2, 0.0);
    images_.transitions = images_.length;
    images_.length[0] = curveLength(arcCurve(x0, x1, 0, kQuarter));
}

bool ArcSampler::follow(double from, double to, double weight) {
    CurvePieces before{CurveForm::Arc, layers_.first.out, {from, to}, preactivations_, {}};
    CurveImage image = throughActivation(before, layers_.first.activation);
    const CurvePassage first = passageOf(image);
    const bool last = weight >= std::ldexp(1.0, kMostHalvings);
    if (static_cast<double>(image.curve.pieces()) > sampling_.pieces && !last) return false;
    TrajectorySweep sweep(layers_.rest, std::move(image.curve), {last ? 1e5 : sampling_.pieces, 1e9, 1e15});
    while (sweep.advance(1e9)) continue;
    if (sweep.stopped() && !last) return false;
    images_.length[1] += weight * first.length;
    images_.transitions[1] += weight * first.transitions;
    for (std::size_t l = 1; l < sweep.passages().size(); ++l) {
        images_.length[l + 1] += weight * sweep.passages()[l].length;
        images_.transitions[l + 1] += weight * sweep.passages()[l].transitions;
    }
    return true;
}

bool ArcSampler::advance() {
    if (stratum_ == sampling_.strata) return false;
    const double u = rng_.uniform(), width = kQuarter / static_cast<double>(sampling_.strata);
    const double begin = width * static_cast<double>(stratum_);
    const int first = halvings_;
    // The window of h halvings is the one of 2^h equal parts that u lies in: where it comes to lie hangs on nothing but u.
    for (;; ++halvings_) {
        const double parts = std::ldexp(1.0, halvings_), part = std::floor(u * parts), at = begin + width * part / parts;
        if (follow(at, begin + width * (part + 1) / parts, parts)) break;
    }
    // One halving less is tried again now and then: the next stratum may be calmer.
    if (halvings_ == first && halvings_ > 0 && stratum_ % 4 == 3) --halvings_;
    return ++stratum_ < sampling_.strata;
}

}  // namespace kappaflow
