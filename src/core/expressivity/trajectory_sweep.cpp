#include "core/expressivity/trajectory_sweep.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string>
#include <utility>

#include "core/base/errors.h"
#include "core/linalg/matrix.h"
#include "core/net/layer_tangents.h"

namespace kappaflow {
namespace {

double steps(const std::vector<CurveTransition>& transitions) {
    double sum = 0;
    for (const CurveTransition& crossing : transitions) sum += std::abs(crossing.to - crossing.from);
    return sum;
}

/// Throws what tells a reader why, where an activation is smooth.
void requirePiecewiseLinear(const std::vector<CurveLayer>& layers) {
    for (const CurveLayer& layer : layers)
        if (!isPiecewiseLinear(layer.kind)) piecewiseLinear(layer.kind);
}

CurvePassage passageOf(const CurveImage& image) {
    return {image.curve.patterns(), steps(image.crossings.states), steps(image.crossings.signs), curveLength(image.curve)};
}

}  // namespace

TrajectorySweep::TrajectorySweep(const std::vector<CurveLayer>& layers, CurvePieces start, SweepLimits limits)
    : layers_(layers), limits_(limits), image_(std::move(start)) {
    requireFit(layers_, image_.units);
    requirePiecewiseLinear(layers_);
    passages_.push_back(passageOf({image_, {}}));
}

bool TrajectorySweep::done() const { return stopped_ || exactLayers() == layers_.size(); }

/// Opens the next layer, unless it would take more than what is left of the operations.
bool TrajectorySweep::begin() {
    const CurveLayer& layer = layers_[exactLayers()];
    const double product = static_cast<double>(image_.coefficients.size()) * static_cast<double>(layer.out);
    const double each = static_cast<double>(coefficientsOf(image_.form)) * static_cast<double>(layer.out);
    limits_.operations -= product;
    stopped_ = limits_.operations < 0;
    if (!stopped_) step_ = std::make_unique<CurveLayerStep>(layer, image_, std::min(limits_.pieces, limits_.coefficients / each));
    return !stopped_;
}

bool TrajectorySweep::advance(double operations) {
    if (done() || (!step_ && !begin())) return false;
    if (step_->advance(operations)) return true;
    stopped_ = step_->overLimit();
    if (!stopped_) finishLayer();
    step_.reset();
    return !done();
}

void TrajectorySweep::finishLayer() {
    CurveImage& image = step_->image();
    passages_.push_back(passageOf(image));
    crossings_.push_back(std::move(image.crossings));
    image_ = std::move(image.curve);
}

double TrajectorySweep::progress() const {
    if (done()) return 1;
    return (static_cast<double>(exactLayers()) + (step_ ? step_->progress() : 0)) / static_cast<double>(layers_.size());
}

std::vector<CurvePassage> sweepTrajectory(const std::vector<CurveLayer>& layers, CurvePieces start, SweepLimits limits) {
    TrajectorySweep sweep(layers, std::move(start), limits);
    while (sweep.advance()) {
    }
    return sweep.passages();
}

std::vector<double> valuesAndTangents(const CurvePieces& curve, const std::vector<double>& at) {
    const std::size_t units = curve.units, count = at.size();
    std::vector<double> rows(2 * count * units);
    for (std::size_t i = 0; i < count; ++i) {
        const auto inner = std::lower_bound(curve.ends.begin() + 1, curve.ends.end() - 1, at[i]);
        const double* c = curve.piece(static_cast<std::size_t>(inner - curve.ends.begin()) - 1);
        double basis[3], slope[3];
        basisAt(curve.form, at[i], basis);
        basisSlopeAt(curve.form, at[i], slope);
        double *value = rows.data() + i * units, *tangent = value + count * units;
        for (std::size_t b = 0; b < coefficientsOf(curve.form); ++b, c += units)
            for (std::size_t u = 0; u < units; ++u) {
                value[u] += basis[b] * c[u];
                tangent[u] += slope[b] * c[u];
            }
    }
    return rows;
}

namespace {

/// [row][unit] from `first` on as [unit][row], and back.
Batch columnsOf(const double* first, std::size_t rows, std::size_t units) {
    Batch batch(units, rows);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t u = 0; u < units; ++u) batch(u, i) = first[i * units + u];
    return batch;
}

void putRows(const Batch& batch, double* first) {
    for (std::size_t i = 0; i < batch.columns; ++i)
        for (std::size_t u = 0; u < batch.rows; ++u) first[i * batch.rows + u] = batch(u, i);
}

}  // namespace

void valuesThrough(const CurveLayer& layer, std::vector<double>& rows) {
    const std::size_t count = rows.size() / layer.in;
    std::vector<double> image(count * layer.out);
    if (layer.whole.empty()) {
        smallProduct(rows, layer.weights, layer.in, image);
        for (std::size_t i = 0; i < image.size(); ++i) image[i] = activated(layer, image[i] + layer.bias[i % layer.out]).value;
    } else {
        BatchStates states{{columnsOf(rows.data(), count, layer.in)}};
        applyChain(layer.whole, states);
        putRows(states.at.back(), image.data());
    }
    rows.swap(image);
}

void valuesAndTangentsThrough(const CurveLayer& layer, std::vector<double>& rows) {
    const std::size_t count = rows.size() / (2 * layer.in);
    if (!layer.whole.empty()) {
        ValuesAndTangents both{columnsOf(rows.data(), count, layer.in), columnsOf(rows.data() + count * layer.in, count, layer.in)};
        for (const Layer& part : layer.whole) both = withTangents(part, both);
        rows.resize(2 * count * layer.out);
        putRows(both.values, rows.data());
        putRows(both.tangents, rows.data() + count * layer.out);
        return;
    }
    std::vector<double> image(2 * count * layer.out);
    smallProduct(rows, layer.weights, layer.in, image);
    for (std::size_t i = 0; i < count; ++i) {
        double *value = image.data() + i * layer.out, *tangent = value + count * layer.out;
        for (std::size_t u = 0; u < layer.out; ++u) {
            const ActivatedUnit z = activated(layer, value[u] + layer.bias[u]);
            tangent[u] *= z.slope;
            value[u] = z.value;
        }
    }
    rows.swap(image);
}

MeasuredPlaces::MeasuredPlaces(const CurveMeasure& measure, double from, double to) : measure_(measure) {
    for (const double mass : measure.mass) until_.push_back((until_.empty() ? 0 : until_.back()) + mass);
    // A place rounded up to the whole measure falls into the last part.
    while (until_.size() > 1 && until_.back() == until_[until_.size() - 2]) until_.pop_back();
    if (!until_.empty() && until_.back() > 0) return;
    measure_ = {{from, to}, {to - from}};
    until_ = {to - from};
}

MeasuredPlaces::Place MeasuredPlaces::at(double measure) const {
    const auto part = static_cast<std::size_t>(std::upper_bound(until_.begin(), until_.end() - 1, measure) - until_.begin());
    // By the part's own mass: a difference of sums would lose a small part's digits.
    const double slope = (measure_.ends[part + 1] - measure_.ends[part]) / measure_.mass[part];
    return {measure_.ends[part] + slope * (measure - (part > 0 ? until_[part - 1] : 0)), slope};
}

TangentSampler::TangentSampler(const std::vector<CurveLayer>& layers, CurvePieces start, Rng rng, SamplingPlan plan,
                               const CurveMeasure& measure)
    : layers_(layers), start_(std::move(start)), rng_(rng), plan_(plan), places_(measure, start_.ends.front(), start_.ends.back()) {
    requireFit(layers_, start_.units);
    piloting_ = plan_.target > 0;
    begin(std::max<std::size_t>(piloting_ ? plan_.pilot : plan_.most, 1));
}

void TangentSampler::begin(std::size_t strata) {
    strata_ = strata;
    sampled_ = 0;
    sum_.assign(layers_.size() + 1, 0);
    difference_.assign(layers_.size() + 1, 0);
    bins_.assign((layers_.size() + 1) * kBins, 0);
    binPoints_.assign(kBins, 0);
}

bool TangentSampler::advance(double operations) {
    if (finished()) return false;
    double each = 1;
    for (const CurveLayer& layer : layers_) each += 4 * static_cast<double>(layer.in) * static_cast<double>(layer.out);
    sample(static_cast<std::size_t>(std::clamp(operations / each, 1.0, static_cast<double>(strata_ - sampled_))));
    if (sampled_ == strata_ && piloting_) plan();
    return !finished();
}

void TangentSampler::plan() {
    const SampledLength last = lengths().back();
    const double error = last.value > 0 ? last.standardError / last.value / plan_.target : 0;
    const double wanted = static_cast<double>(strata_) * error * error;
    piloting_ = false;
    begin(static_cast<std::size_t>(
        std::clamp(wanted, static_cast<double>(std::min(plan_.pilot, plan_.most)), static_cast<double>(plan_.most))));
}

void TangentSampler::sample(std::size_t count) {
    const double from = start_.ends.front(), width = places_.whole() / static_cast<double>(strata_);
    at_.clear();
    weight_.clear();
    for (std::size_t s = 0; s < count; ++s)
        for (int twice = 0; twice < 2; ++twice) {
            const auto place = places_.at(width * (static_cast<double>(sampled_ + s) + rng_.uniform()));
            at_.push_back(place.t);
            weight_.push_back(place.slope);
            const double share = (at_.back() - from) / (start_.ends.back() - from);
            ++binPoints_[std::min(static_cast<std::size_t>(share * kBins), kBins - 1)];
        }
    std::vector<double> rows = valuesAndTangents(start_, at_);
    record(0, rows.data() + rows.size() / 2, 2 * count);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        valuesAndTangentsThrough(layers_[l], rows);
        record(l + 1, rows.data() + rows.size() / 2, 2 * count);
    }
    sampled_ += count;
}

void TangentSampler::record(std::size_t layer, const double* tangents, std::size_t count) {
    const std::size_t units = layer == 0 ? start_.units : layers_[layer - 1].out;
    const double from = start_.ends.front(), whole = start_.ends.back() - from;
    double other = 0;
    for (std::size_t i = 0; i < count; ++i, tangents += units) {
        double square = 0;
        for (std::size_t u = 0; u < units; ++u) square += tangents[u] * tangents[u];
        const double speed = weight_[i] * std::sqrt(square);
        sum_[layer] += speed;
        if (i % 2 == 1) difference_[layer] += (speed - other) * (speed - other);
        other = speed;
        bins_[layer * kBins + std::min(static_cast<std::size_t>((at_[i] - from) / whole * kBins), kBins - 1)] += speed;
    }
}

std::vector<SampledLength> TangentSampler::lengths() const {
    const double whole = places_.whole(), strata = static_cast<double>(strata_);
    std::vector<SampledLength> lengths;
    for (std::size_t l = 0; l < sum_.size(); ++l)
        lengths.push_back({whole * sum_[l] / (2 * strata), whole * std::sqrt(difference_[l]) / (2 * strata)});
    return lengths;
}

std::vector<double> TangentSampler::lengthByBin() const {
    std::vector<double> lengths = bins_;
    const double width = (start_.ends.back() - start_.ends.front()) / kBins;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const double points = binPoints_[i % kBins];
        lengths[i] = points > 0 ? lengths[i] / points * width : 0;
    }
    return lengths;
}

double TangentSampler::progress() const {
    const double share = static_cast<double>(sampled_) / static_cast<double>(strata_);
    if (plan_.target <= 0) return share;
    return piloting_ ? 0.1 * share : 0.1 + 0.9 * share;
}

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

namespace {

/// The part of the arc from `from` to `to`, which counts `weight` times; false where an image has more than `pieces` pieces, unless
/// `anyway`.
bool addWindow(const ArcLayers& layers, const std::vector<double>& preactivations, double from, double to, double weight, double pieces,
               bool anyway, ArcImages& images) {
    CurveImage image = throughActivation({CurveForm::Arc, layers.first.out, {from, to}, preactivations, {}}, layers.first.activation);
    const CurvePassage first = passageOf(image);
    if (static_cast<double>(image.curve.pieces()) > pieces && !anyway) return false;
    TrajectorySweep sweep(layers.rest, std::move(image.curve), {anyway ? 1e5 : pieces, 1e9, 1e15});
    while (sweep.advance(1e9)) continue;
    if (sweep.stopped() && !anyway) return false;
    for (std::size_t l = 0; l < sweep.passages().size(); ++l) {
        const CurvePassage& passage = l == 0 ? first : sweep.passages()[l];
        images.length[l + 1] += weight * passage.length;
        images.transitions[l + 1] += weight * passage.transitions;
    }
    return true;
}

}  // namespace

ArcImages sampleArc(const ArcLayers& layers, const std::vector<double>& x0, const std::vector<double>& x1, ArcSampling sampling, Rng rng,
                    const std::function<void()>& tick) {
    assert(sampling.strata > 0 && sampling.pieces >= 2);
    const std::vector<double> preactivations = firstArc(layers.first, x0, x1);
    const std::vector<double> none(layers.rest.size() + 2);
    ArcImages images{none, none};
    images.length[0] = curveLength(arcCurve(x0, x1, 0, kQuarter));
    int halvings = 0;  // where a stratum begins
    for (std::size_t stratum = 0; stratum < sampling.strata; ++stratum, tick()) {
        const double u = rng.uniform(), width = kQuarter / static_cast<double>(sampling.strata);
        const double begin = width * static_cast<double>(stratum);
        const int first = halvings;
        // The window of h halvings is the one of 2^h equal parts that u lies in: where it comes to lie hangs on nothing but u.
        for (;; ++halvings) {
            const double parts = std::ldexp(1.0, halvings), part = std::floor(u * parts), at = begin + width * part / parts;
            if (addWindow(layers, preactivations, at, begin + width * (part + 1) / parts, parts, sampling.pieces, halvings >= kMostHalvings,
                          images))
                break;
        }
        // One halving less is tried again now and then: the next stratum may be calmer.
        if (halvings == first && halvings > 0 && stratum % 4 == 3) --halvings;
    }
    return images;
}

}  // namespace kappaflow
