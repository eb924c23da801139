#include "core/expressivity/curve_layer.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "core/base/portable_math.h"
#include "core/linalg/matrix.h"
#include "core/net/layer_tangents.h"

namespace kappaflow {
namespace {

/// Every unit's state where the last piece ended; empty before the first.
struct CurveStates {
    std::vector<std::int8_t> linear, sign;
};

/// Cuts pre-activations at the thresholds of an activation, piece after piece, carrying every unit's state over the borders.
class CurveCut {
public:
    /// The image grows no further once it has more than `most` pieces.
    CurveCut(const LinearPieces& activation, CurveStates& states, CurveImage& image, double most)
        : activation_(activation), states_(states), image_(image), most_(most) {}

    /// Appends the image of piece i of `h`; `crossed` says whether its left border is a unit's change of state in an earlier layer.
    void append(const CurvePieces& h, std::size_t i, bool crossed);

private:
    void measure(const CurvePieces& h, std::size_t i);
    void scan(const CurvePieces& h, std::size_t i, const std::vector<double>& thresholds, std::vector<std::int8_t>& last);
    void scanUnit(const CurvePieces& h, std::size_t i, std::size_t unit, const std::vector<double>& thresholds);
    void snapTogether();
    void appendPieces(const CurvePieces& h, std::size_t i, bool crossed);
    void openPiece(double end, bool crossed, bool copyLast);
    void fill(double* piece, const double* h, std::size_t unit, std::size_t units, int state) const;

    const LinearPieces& activation_;
    CurveStates& states_;
    CurveImage& image_;
    double most_;
    std::vector<double> atStart_, atEnd_, sag_;  ///< of each unit: h at both ends, how far h may leave the straight line between them
    std::vector<std::int8_t> first_, last_;      ///< states where the piece begins and ends
    std::vector<CurveTransition> inside_;        ///< found in the piece, t ascending after the scan
};

/// h(t) − τ of one unit on one piece.
struct UnitCurve {
    CurveForm form;
    double p, q, r;

    UnitCurve(const CurvePieces& h, std::size_t i, std::size_t unit) : form(h.form) {
        const double* c = h.piece(i) + unit;
        p = c[0];
        q = form == CurveForm::Arc ? c[h.units] : 0;
        r = c[(coefficientsOf(form) - 1) * h.units];
    }
    /// r − τ; rounding alone counts as 0, so that a unit that lies at a threshold is not above it.
    double offset(double threshold) const {
        const double difference = r - threshold;
        return std::abs(difference) <= kRoundings * (std::abs(r) + std::abs(threshold)) ? 0 : difference;
    }
    double swing(double t) const {
        double basis[3];
        basisAt(form, t, basis);
        return form == CurveForm::Arc ? p * basis[0] + q * basis[1] : p * basis[0];
    }
    /// State between two neighbouring places, read at the one of two points that lies further from the threshold: at the other the
    /// curve may touch it.
    int stateBetween(double from, double to, const std::vector<double>& thresholds) const {
        const double first = swing(from + 0.38 * (to - from)), second = swing(from + 0.62 * (to - from));
        int state = 0;
        for (const double threshold : thresholds) {
            const double a = first + offset(threshold), b = second + offset(threshold);
            state += (std::abs(a) > std::abs(b) ? a : b) > 0;
        }
        return state;
    }
    /// Adds the places in (from, to) where h passes the threshold. A touch (cosine within roundings of 1) is none.
    void crossings(double threshold, double from, double to, std::vector<double>& places) const {
        const auto add = [&](double t) {
            if (t > from && t < to) places.push_back(t);
        };
        if (form == CurveForm::Segment) {
            if (p != 0) add(-offset(threshold) / p);
            return;
        }
        const auto [radius, top] = portablePolar(p, q);
        const double cosine = -offset(threshold) / radius;
        if (radius == 0 || std::abs(cosine) >= 1 - kRoundings) return;
        const double away = portablePolar(cosine, std::sqrt((1 - cosine) * (1 + cosine))).angle;
        for (const double t : {top - away, top + away})
            for (double turn = std::floor((from - t) / (2 * std::numbers::pi)); t + turn * (2 * std::numbers::pi) < to; ++turn)
                add(t + turn * (2 * std::numbers::pi));
    }
};

bool earlier(const CurveTransition& a, const CurveTransition& b) { return a.t != b.t ? a.t < b.t : a.unit < b.unit; }

void CurveCut::measure(const CurvePieces& h, std::size_t i) {
    double start[3], end[3];
    basisAt(h.form, h.ends[i], start);
    basisAt(h.form, h.ends[i + 1], end);
    const std::size_t units = h.units, constant = (coefficientsOf(h.form) - 1) * units;
    const double *p = h.piece(i), *r = p + constant, length = h.ends[i + 1] - h.ends[i];
    atStart_.resize(units);
    atEnd_.resize(units);
    sag_.resize(units);
    for (std::size_t u = 0; u < units; ++u) {
        // |h″| <= √(p² + q²) on an arc.
        const double q = h.form == CurveForm::Arc ? p[units + u] : 0;
        atStart_[u] = p[u] * start[0] + (h.form == CurveForm::Arc ? q * start[1] : 0) + r[u];
        atEnd_[u] = p[u] * end[0] + (h.form == CurveForm::Arc ? q * end[1] : 0) + r[u];
        sag_[u] = h.form == CurveForm::Arc ? (std::abs(p[u]) + std::abs(q)) * length * length / 8 : 0;
    }
}

void CurveCut::scanUnit(const CurvePieces& h, std::size_t i, std::size_t unit, const std::vector<double>& thresholds) {
    const UnitCurve curve(h, i, unit);
    const double from = h.ends[i], to = h.ends[i + 1];
    std::vector<double> places;
    for (const double threshold : thresholds) curve.crossings(threshold, from + kSnap, to - kSnap, places);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end(), [](double a, double b) { return b - a <= kSnap; }), places.end());
    places.push_back(to);
    double begin = from;
    int state = curve.stateBetween(from, places.front(), thresholds);
    first_[unit] = static_cast<std::int8_t>(state);
    for (const double place : places) {
        const int next = curve.stateBetween(begin, place, thresholds);
        if (next != state) {
            inside_.push_back({begin, static_cast<std::uint32_t>(unit), static_cast<std::int16_t>(state), static_cast<std::int16_t>(next)});
            state = next;
        }
        begin = place;
    }
    last_[unit] = static_cast<std::int8_t>(state);
}

void CurveCut::scan(const CurvePieces& h, std::size_t i, const std::vector<double>& thresholds, std::vector<std::int8_t>& last) {
    inside_.clear();
    first_.resize(h.units);
    last_.resize(h.units);
    for (std::size_t u = 0; u < h.units; ++u) {
        const double low = std::min(atStart_[u], atEnd_[u]) - sag_[u], high = std::max(atStart_[u], atEnd_[u]) + sag_[u];
        const double slack = kRoundings * (std::abs(low) + std::abs(high));
        int state = 0;
        bool passes = false;
        for (const double threshold : thresholds) {
            const bool above = low > threshold + slack;
            passes = passes || (!above && high >= threshold - slack);
            state += above;
        }
        if (passes)
            scanUnit(h, i, u, thresholds);
        else
            first_[u] = last_[u] = static_cast<std::int8_t>(state);
    }
    std::sort(inside_.begin(), inside_.end(), earlier);
    last.swap(last_);
}

void CurveCut::snapTogether() {
    double place = -1e300;
    for (CurveTransition& crossing : inside_) {
        if (crossing.t - place > kSnap) place = crossing.t;
        crossing.t = place;
    }
}

/// Changes at a border, from where one piece ended to where the next begins; true when there are some.
bool atBorder(double t, const std::vector<std::int8_t>& before, const std::vector<std::int8_t>& after,
              std::vector<CurveTransition>& found) {
    const std::size_t known = found.size();
    for (std::size_t u = 0; u < before.size(); ++u)
        if (before[u] != after[u]) found.push_back({t, static_cast<std::uint32_t>(u), before[u], after[u]});
    return found.size() > known;
}

bool onlyZero(const std::vector<double>& thresholds) { return thresholds.size() == 1 && thresholds[0] == 0; }

void CurveCut::append(const CurvePieces& h, std::size_t i, bool crossed) {
    measure(h, i);
    CurveCrossings& crossings = image_.crossings;
    std::vector<std::int8_t> ended = states_.linear;
    scan(h, i, activation_.thresholds, states_.linear);
    snapTogether();
    const std::size_t known = crossings.states.size();
    crossed = atBorder(h.ends[i], ended, first_, crossings.states) || crossed;
    crossings.states.insert(crossings.states.end(), inside_.begin(), inside_.end());
    appendPieces(h, i, crossed);
    if (onlyZero(activation_.thresholds)) {
        crossings.signs.insert(crossings.signs.end(), crossings.states.begin() + static_cast<std::ptrdiff_t>(known),
                               crossings.states.end());
        return;
    }
    ended = states_.sign;
    scan(h, i, {0}, states_.sign);
    atBorder(h.ends[i], ended, first_, crossings.signs);
    crossings.signs.insert(crossings.signs.end(), inside_.begin(), inside_.end());
}

void CurveCut::fill(double* piece, const double* h, std::size_t unit, std::size_t units, int state) const {
    const auto s = static_cast<std::size_t>(state);
    const std::size_t constant = (coefficientsOf(image_.curve.form) - 1) * units;
    for (std::size_t c = 0; c <= constant; c += units) piece[c + unit] = activation_.slopes[s] * h[c + unit];
    piece[constant + unit] += activation_.offsets[s];
}

void CurveCut::openPiece(double end, bool crossed, bool copyLast) {
    CurvePieces& curve = image_.curve;
    const std::size_t stride = curve.stride(), size = curve.coefficients.size();
    if (curve.pieces() > 0) curve.crossed.push_back(crossed);
    curve.ends.push_back(end);
    curve.coefficients.resize(size + stride);
    if (!copyLast) return;
    const auto last = curve.coefficients.begin() + static_cast<std::ptrdiff_t>(size);
    std::copy(last - static_cast<std::ptrdiff_t>(stride), last, last);
}

void CurveCut::appendPieces(const CurvePieces& h, std::size_t i, bool crossed) {
    CurvePieces& curve = image_.curve;
    if (curve.ends.empty()) curve.ends.push_back(h.ends[i]);
    const double *coefficients = h.piece(i), end = h.ends[i + 1];
    openPiece(end, crossed, false);
    for (std::size_t u = 0; u < h.units; ++u) fill(curve.piece(curve.pieces() - 1), coefficients, u, h.units, first_[u]);
    for (std::size_t c = 0; c < inside_.size() && static_cast<double>(curve.pieces()) <= most_;) {
        const double place = inside_[c].t;
        curve.ends.back() = place;
        openPiece(end, true, true);
        double* piece = curve.piece(curve.pieces() - 1);
        for (; c < inside_.size() && inside_[c].t == place; ++c) fill(piece, coefficients, inside_[c].unit, h.units, inside_[c].to);
    }
}

double norm(const double* v, std::size_t n, std::size_t stride = 1) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += v[i * stride] * v[i * stride];
    return std::sqrt(sum);
}

/// Coefficients within kRoundings of |w|·|z| are rounding and become 0 (Cauchy and Schwarz: no sum of the terms is larger).
void dropRoundings(const CurveLayer& layer, const std::vector<double>& norms, const CurvePieces& from, std::size_t first, CurvePieces& h) {
    const std::size_t rows = h.pieces() * coefficientsOf(h.form);
    const double* z = from.piece(first);
    double* row = h.coefficients.data();
    for (std::size_t r = 0; r < rows; ++r, z += layer.in, row += layer.out) {
        const double size = kRoundings * norm(z, layer.in);
        for (std::size_t u = 0; u < layer.out; ++u)
            if (std::abs(row[u]) <= size * norms[u]) row[u] = 0;
    }
}

std::vector<double> weightNorms(const CurveLayer& layer) {
    std::vector<double> norms(layer.out);
    for (std::size_t u = 0; u < layer.out; ++u) norms[u] = norm(layer.weights.data() + u, layer.in, layer.out);
    return norms;
}

/// h on `count` pieces from `first` on; the borders' `crossed` is left out.
CurvePieces affineBlock(const CurveLayer& layer, const std::vector<double>& norms, const CurvePieces& from, std::size_t first,
                        std::size_t count) {
    assert(from.units == layer.in);
    CurvePieces h{from.form, layer.out, {}, {}, {}};
    const auto begin = from.ends.begin() + static_cast<std::ptrdiff_t>(first);
    h.ends.assign(begin, begin + static_cast<std::ptrdiff_t>(count) + 1);
    h.coefficients.resize(count * h.stride());
    smallProduct({from.piece(first), count * from.stride()}, layer.weights, layer.in, h.coefficients);
    dropRoundings(layer, norms, from, first, h);
    for (std::size_t i = 0; i < count; ++i) {
        double* constant = h.piece(i) + (coefficientsOf(h.form) - 1) * layer.out;
        for (std::size_t u = 0; u < layer.out; ++u) {
            const double sum = constant[u] + layer.bias[u];
            constant[u] = std::abs(sum) <= kRoundings * (std::abs(constant[u]) + std::abs(layer.bias[u])) ? 0 : sum;
        }
    }
    return h;
}

}  // namespace

void requireFit(const std::vector<CurveLayer>& layers, std::size_t units) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
        if (layers[l].in != units)
            throw InputError("Layer " + std::to_string(l + 1) + " takes " + std::to_string(layers[l].in) +
                             " values, but the trajectory has " + std::to_string(units) + " there.");
        units = layers[l].out;
    }
}

CurvePieces throughAffine(const CurveLayer& layer, const CurvePieces& from) {
    CurvePieces h = affineBlock(layer, weightNorms(layer), from, 0, from.pieces());
    h.crossed = from.crossed;
    return h;
}

CurveImage throughActivation(const CurvePieces& h, const LinearPieces& activation) {
    CurveImage image;
    image.curve.form = h.form;
    image.curve.units = h.units;
    CurveStates states;
    CurveCut cut(activation, states, image, std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < h.pieces(); ++i) cut.append(h, i, i > 0 && h.crossed[i - 1] != 0);
    return image;
}

std::vector<CurveTransition> signChanges(const CurvePieces& curve) {
    return std::move(throughActivation(curve, LinearPieces{}).crossings.signs);
}

struct CurveLayerStep::Work {
    std::vector<double> norms;
    CurveStates states;
};

CurveLayerStep::CurveLayerStep(const CurveLayer& layer, const CurvePieces& from, double maxPieces)
    : layer_(&layer), from_(&from), maxPieces_(maxPieces), work_(std::make_unique<Work>()) {
    work_->norms = weightNorms(layer);
    image_.curve.form = from.form;
    image_.curve.units = layer.out;
}

CurveLayerStep::~CurveLayerStep() = default;

bool CurveLayerStep::advance(double operations) {
    const double each = static_cast<double>(coefficientsOf(from_->form) * layer_->in) * static_cast<double>(layer_->out);
    const auto count =
        static_cast<std::size_t>(std::clamp(operations / each, 1.0, std::max(1.0, static_cast<double>(from_->pieces() - next_))));
    if (next_ >= from_->pieces() || overLimit()) return false;
    const CurvePieces h = affineBlock(*layer_, work_->norms, *from_, next_, count);
    CurveCut cut(layer_->activation, work_->states, image_, maxPieces_);
    for (std::size_t i = 0; i < count && !overLimit(); ++i) cut.append(h, i, next_ + i > 0 && from_->crossed[next_ + i - 1] != 0);
    next_ += count;
    return next_ < from_->pieces() && !overLimit();
}

CurveLayer curveLayer(std::span<const double> weights, std::span<const double> bias, std::size_t in, Activation kind, double slope) {
    if (in == 0 || weights.empty() || weights.size() % in != 0)
        throw InputError("The weights of a layer of " + std::to_string(in) +
                         " inputs come as one row a unit: " + std::to_string(weights.size()) + " numbers do not.");
    CurveLayer layer{in, weights.size() / in, std::vector<double>(weights.size()), {}, kind, slope, {}};
    if (!bias.empty() && bias.size() != layer.out)
        throw InputError("A layer of " + std::to_string(layer.out) + " units needs as many biases or none, not " +
                         std::to_string(bias.size()) + ".");
    const auto finite = [](double x) { return std::isfinite(x); };
    if (!std::all_of(weights.begin(), weights.end(), finite) || !std::all_of(bias.begin(), bias.end(), finite))
        throw InputError("A layer's weights and biases must be finite numbers.");
    for (std::size_t u = 0; u < layer.out; ++u)
        for (std::size_t j = 0; j < in; ++j) layer.weights[j * layer.out + u] = weights[u * in + j];
    layer.bias.assign(bias.begin(), bias.end());
    layer.bias.resize(layer.out);
    if (isPiecewiseLinear(kind)) layer.activation = piecewiseLinear(kind, slope);
    return layer;
}

namespace {

/// The first layer that is neither dense, a flattening, nor an activation behind a dense layer, by its index; none: how many there are.
std::size_t firstOther(const Network& network) {
    bool open = false;
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        const Layer& layer = network.layers[i];
        const auto* f = layer.getIf<Pointwise>();
        const bool bends = f && open && f->slopes.empty();
        if (!layer.is<Dense, Flatten>() && !bends) return i;
        if (!layer.is<Flatten>()) open = layer.is<Dense>();
    }
    return network.layers.size();
}

}  // namespace

std::vector<CurveLayer> curveLayers(const Network& network) {
    validate(network);
    if (const std::size_t i = firstOther(network); i < network.layers.size())
        throw InputError("Layer " + std::to_string(i + 1) +
                         (network.layers[i].name.empty() ? "" : " (\"" + network.layers[i].name + "\")") +
                         " of the network is neither dense nor an activation behind a dense layer: trajectories go through those alone.");
    std::vector<CurveLayer> layers;
    for (const Layer& layer : network.layers) {
        if (const auto* dense = layer.getIf<Dense>())
            layers.push_back(curveLayer(dense->weights, dense->bias, layer.in.units(), Activation::Identity));
        const auto* f = layer.getIf<Pointwise>();
        if (!f) continue;
        layers.back().kind = f->activation;
        layers.back().slope = f->slope;
        if (f->activation == Activation::HardSigmoid)
            layers.back().activation = piecewiseLinear(layer, 0);  // with the layer's own line
        else if (isPiecewiseLinear(f->activation))
            layers.back().activation = piecewiseLinear(f->activation, f->slope);
    }
    return layers;
}

std::vector<CurveLayer> anyCurveLayers(const Network& network, const std::vector<std::size_t>& states) {
    if (firstOther(network) == network.layers.size()) return curveLayers(network);
    validate(network);
    std::vector<CurveLayer> layers;
    for (std::size_t l = 0; l < network.layers.size(); ++l) {
        const Layer& layer = network.layers[l];
        const std::span<const Layer> one(&layer, 1);
        eachLayer(one, [&](const Layer& inner) {
            if (const auto* f = inner.getIf<Pointwise>(); f && f->activation == Activation::PseudoRandom)
                throw InputError("The pseudo-random sign jumps everywhere, so that the image of a curve is no curve.");
            if (weightCount(inner) > 0 && weightsOf(inner).weights.empty()) throw InputError("The network has no weights.");
        });
        const bool begins = !states.empty() ? std::find(states.begin(), states.end(), l) != states.end()
                                            : layer.is<Dense, Conv, Block, Pooling, GlobalAveragePool>();
        if (begins || layers.empty()) layers.emplace_back().in = layer.in.units();
        layers.back().whole.push_back(layer);
        layers.back().out = layer.out.units();
    }
    return layers;
}

double usesOf(const CurveLayer& layer) {
    if (layer.whole.empty()) return static_cast<double>(layer.in) * static_cast<double>(layer.out);
    double uses = 0;
    for (const Layer& part : layer.whole) uses += costOfTangents(part).uses;
    return uses;
}

ActivatedUnit activated(const CurveLayer& layer, double h) {
    if (layer.kind == Activation::HardSigmoid)
        return {layer.activation.valueOf(h), layer.activation.slopes[static_cast<std::size_t>(layer.activation.stateOf(h))]};
    if (layer.kind != Activation::Tanh) return {activate(layer.kind, h, layer.slope), activationDerivative(layer.kind, h, layer.slope)};
    const double t = portableTanh(h);
    return {t, 1 - t * t};
}

bool isPiecewiseLinear(const std::vector<CurveLayer>& layers) {
    return std::all_of(layers.begin(), layers.end(),
                       [](const CurveLayer& layer) { return layer.whole.empty() && isPiecewiseLinear(layer.kind); });
}

}  // namespace kappaflow
