#include "core/expressivity/curve_layer.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

#include "core/base/portable_math.h"
#include "core/expressivity/curve_cut.h"
#include "core/linalg/linalg.h"

namespace kappaflow {
namespace {

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
    CurveCut cut(activation, states, image);
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
    CurveCut cut(layer_->activation, work_->states, image_);
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

std::vector<CurveLayer> curveLayers(const Network& network) {
    validate(network);
    std::vector<CurveLayer> layers;
    bool open = false;
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        const Layer& layer = network.layers[i];
        if (layer.kind == LayerKind::Dense) {
            layers.push_back(curveLayer(layer.weights, layer.bias, layer.in.units(), Activation::Identity));
            open = true;
        } else if (layer.kind == LayerKind::Activation && open && layer.slopes.empty()) {
            layers.back().kind = layer.activation;
            layers.back().slope = layer.slope;
            if (isPiecewiseLinear(layer.activation)) layers.back().activation = piecewiseLinear(layer.activation, layer.slope);
            open = false;
        } else if (layer.kind != LayerKind::Flatten) {
            throw InputError(
                "Layer " + std::to_string(i + 1) +
                " of the network is neither dense nor an activation behind a dense layer: trajectories go through those alone.");
        }
    }
    return layers;
}

ActivatedUnit activated(const CurveLayer& layer, double h) {
    if (layer.kind != Activation::Tanh) return {activate(layer.kind, h, layer.slope), activationDerivative(layer.kind, h, layer.slope)};
    const double t = portableTanh(h);
    return {t, 1 - t * t};
}

bool isPiecewiseLinear(const std::vector<CurveLayer>& layers) {
    return std::all_of(layers.begin(), layers.end(), [](const CurveLayer& layer) { return isPiecewiseLinear(layer.kind); });
}

}  // namespace kappaflow
