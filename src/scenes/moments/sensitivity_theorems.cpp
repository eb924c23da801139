#include "scenes/moments/sensitivity_theorems.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/moments/moment_fits.h"
#include "core/moments/moment_theory.h"
#include "scene/typed_model.h"
#include "scenes/moments/random_nets_model.h"

namespace kappaflow {
namespace sensitivity_theorems {
namespace {

using namespace table;
using random_nets::NetSetup;
using Size = std::size_t;
using Vector = std::vector<double>;

constexpr const char* kTheorems = "P3 Theorem 2; P3 Theorem 3; P3 Theorem 4";

constexpr OptionRow kExpectations[] = {{"fresh", "fresh weights"}, {"channels", "the drawn channels"}, {"exact", "all weights, exactly"}};

constexpr const char* kDrawsHelp = "Networks, each with fresh weights, inputs and noise, behind means and bands.";

constexpr ParamRow kFirstParams[] = {
    random_nets::kNetRow,
    choice<&Params::expectation>(
        "expectation", "theorem's expectation", kExpectations,
        "Where the theorem averages over a layer's weights: other weights on the same input, the network's own channels, or an integral in "
        "closed form, which dense vanilla networks have; others then take fresh weights.",
        kTheorems)};
bool isRelu(const Params& p) { return p.activation == random_nets::Phi::Relu; }
Beside unitsPictured(const Params& p) { return {1, static_cast<double>(std::min(p.width, kMostUnits))}; }

constexpr ParamRow kLastParams[] = {
    whole<&Params::unit>("unit", "c", "unit", {1, kMostUnits}, "The unit drawn large, counted from 1.", kTheorems) | hidden | ofView |
        dependsOn<unitsPictured> | when<isRelu>,
    number<&Params::kink>("kink", "", "kink", {-3, 3},
                          "Where the drawn unit's ReLU starts, in root mean squares of its layer: what "
                          "its share would be, were its bias another.",
                          kTheorems) |
        hidden | ofView | when<isRelu>,
    shownAt<&Params::at>("l", "layer", 500, "The layer whose units are drawn.", kTheorems),
    plays<&Params::play>("Whether the layers pass by themselves.", kTheorems)};
constexpr auto kParams = joined(kFirstParams, random_nets::kNetRows<64, 30, 30, kTheorems, kDrawsHelp>, kLastParams);

constexpr AxisRow kLayer = axis<&Result::layers>("layer"), kFromFirst = axis<&Result::fromFirst>("layer"),
                  kUnit = axis<&Result::units>("unit"), kPictured = axis<&Result::pictured>("pictured"),
                  kPicturedInput = axis<&Result::picturedInputs>("input");

constexpr FieldRow kFields[] = {
    measured<&Result::deltaChi>("deltaChi", "δχ^l", {kLayer}, "Increment of the normalised sensitivity, mean over networks.") | gaps,
    measured<&Result::deltaChiLow>("deltaChiLow", "", {kLayer}, "Its 16th percentile.") | gaps,
    measured<&Result::deltaChiHigh>("deltaChiHigh", "", {kLayer}, "Its 84th percentile.") | gaps,
    theory<&Result::deltaChiTheorem>("deltaChiTheorem", "exp m̄[χ^l]", {kLayer},
                                     "What Theorem 2, 3 or the dilution law of Theorem 4 say of it, mean over networks.") |
        gaps,
    measured<&Result::ratio>("ratio", "", {kLayer}, "Mean increment over the mean of the theorem's.") | gaps,
    measured<&Result::deltaBatchNorm>("deltaBatchNorm", "δ_BN χ^l", {kLayer},
                                      "Batch norm's part of the increment; of a ResNet that of a unit's first inner layer.") |
        gaps,
    measured<&Result::deltaActivation>("deltaActivation", "δ_φ χ^l", {kLayer}, "The activation's part; of a ResNet with the convolution.") |
        gaps,
    theory<&Result::batchNormTheorem>("deltaBatchNormTheorem", "exp m̄_BN", {kLayer}, "Theorem 3's term for batch norm.") | gaps,
    theory<&Result::activationTheorem>("deltaActivationTheorem", "exp m̄_φ", {kLayer}, "Theorem 3's term for the ReLU.") | gaps,
    limiting<&Result::boundLow>("boundLow", "", {kLayer}, "Least increment of the activation: 1; of a ResNet's unit by Eq 14.") | gaps,
    limiting<&Result::boundHigh>("boundHigh", "", {kLayer}, "Greatest increment of the activation: √2; of a ResNet's unit by Eq 14.") |
        gaps,
    theory<&Result::undiluted>("undiluted", "δ^H", {kLayer},
                               "ResNet: product of a unit's inner increments, which it would have without its skip.") |
        gaps,
    measured<&Result::branchVariance>(
        "branchVariance", "μ₂(y^{l,H})", {kLayer},
        "ResNet: variance of a unit's branch, mean over networks; at layer 0 of the input, the zeroth branch.") |
        gaps,
    measured<&Result::branchShare>("branchShare", "", {kLayer},
                                   "ResNet: share of a unit's branch in the variance behind it, mean over networks.") |
        gaps,
    measured<&Result::chi>("chi", "χ^l", {kLayer}, "Normalised sensitivity, geometric mean over networks.") | gaps,
    theory<&Result::chiTheorem>("chiTheorem", "", {kLayer}, "Product of the theorem's increments, geometric mean over networks.") | gaps,
    measured<&Result::switching>("switching", "", {kFromFirst, kUnit},
                                 "First network: each unit's share of the theorem's average; 0 is always on or always off.") |
        gaps,
    measured<&Result::preactivations>("preactivations", "u", {kFromFirst, kPictured, kPicturedInput},
                                      "First network: what the ReLUs of some units read, over the root mean square of their layer.") |
        gaps,
    theory<&Result::preactivationVariance>("preactivationVariance", "v", {kFromFirst},
                                           "First network: a unit's share is 2·E[u⁺]·E[u⁻] over this expected variance of u.") |
        gaps,
    theory<&Result::switchingMean>("switchingMean", "1 − δ^−2", {kLayer},
                                   "Mean share that the theorem's increment of the activation stands for.") |
        gaps,
    measured<&Result::meanRatio>("meanRatio", "", {}, "Measured over theorem's increment, mean over layers."),
    measured<&Result::meanRatioBatchNorm>("meanRatioBatchNorm", "", {},
                                          "Measured over theorem's batch norm part of the increment, mean over layers."),
    measured<&Result::meanRatioActivation>("meanRatioActivation", "", {},
                                           "Measured over theorem's activation part of the increment, mean over layers."),
    measured<&Result::deviation>("deviation", "", {}, "Standard errors between the mean ratio and 1."),
    measured<&Result::varianceIdentity>("varianceIdentity", "", {},
                                        "Mean of the signal's variance over its expectation given the layer below: 1 at any width."),
    theory<&Result::firstStep>("firstStep", "", {},
                               "Increment of the first layer in closed form: Theorem 2 exactly, or App. E.2 and a Gaussian."),
    measured<&Result::firstStepMeasured>("firstStepMeasured", "", {}, "Increment of the first layer, measured."),
    limiting<&Result::exponentLow>("exponentLow", "τ_min", {}, "Theorem 4: least exponent of χ^l ∼ l^τ (Eq 15)."),
    limiting<&Result::exponentHigh>("exponentHigh", "τ_max", {}, "Theorem 4: greatest exponent of χ^l ∼ l^τ (Eq 15)."),
    measured<&Result::collapsedDraws>("collapsedDraws", "", {}, "Networks that died before the last layer.")};

using random_nets::Net;
constexpr PresetRow kPresets[] = {
    {"Theorem 2: vanilla networks"},
    preset<[](Params& p) { p.expectation = Expectation::Exact, p.width = 128, p.layers = 20, p.draws = 12; }>(
        "Theorem 2 with its expectation in closed form",
        "With its expectation in closed form Theorem 2 and the measured increments differ by far less than a standard error."),
    preset<[](Params& p) { p.net = Net::BatchNorm; }>(
        "Theorem 3: batch norm, an exploding sensitivity",
        "With batch norm increments do not fall to 1: every layer multiplies the sensitivity by more than 1.2, as Theorem 3 says."),
    preset<[](Params& p) { p.net = Net::Resnet, p.layers = 24, p.draws = 10; }>(
        "Theorem 4: a ResNet dilutes every branch",
        "In a ResNet a unit's increments fall towards 1 while those of its branch stay: the sum with the skip dilutes them."),
    preset<[](Params& p) { p.net = Net::Resnet, p.layers = 16, p.skipScale = 0, p.draws = 10; }>(
        "The skip taken away: δχ = δ^H",
        "Without the skip nothing is diluted: the increments of all units stay near 1.5, and the sensitivity grows exponentially."),
    preset<[](Params& p) { p.net = Net::ResnetPlain, p.layers = 24, p.draws = 10; }>(
        "No batch norm: Theorem 4 does not apply",
        "Without batch norm the variance of the branch grows without bound: the dilution law holds, Theorem 4's power law does not."),
    preset<[](Params& p) { p.net = Net::BatchNorm, p.data = "low-rank", p.layers = 20; }>(
        "Low-rank data: batch norm's first step (App. E.2)",
        "On inputs of low rank batch norm's first increment is 1.6, above √2; within a few layers increments fall to about 1.23.")};

/// What is compared in a layer or residual unit of one network.
struct LayerRecord {
    double deltaChi = kUndefined, theorem = kUndefined;
    double batchNorm = kUndefined, batchNormTheorem = kUndefined;
    double activation = kUndefined, activationTheorem = kUndefined;
    double logChi = 0, logTheorem = 0;  ///< of the product of increments
    double variance = kUndefined;       ///< of x^l over that of y^l's or z^l's, doubled: δ_φ^{−2} in expectation
    double inner = kUndefined;          ///< product of a unit's inner increments
    double innerLow = kUndefined, innerHigh = kUndefined;
    double branch = kUndefined;  ///< μ₂(y^{l,H}); of layer 0 μ₂(y⁰)
    double branchShare = kUndefined;
};
using Draw = std::vector<LayerRecord>;  ///< [0] is the input
using Part = double LayerRecord::*;

constexpr MomentPropagation::Wanted kWanted{false, true};

/// The expectation that is taken: Exact only where there is a closed form.
Expectation expectationOf(const Params& p, const MomentNet& net) {
    return p.expectation == Expectation::Exact && !hasExactIncrement(net) ? Expectation::Fresh : p.expectation;
}
/// Fresh sets of weights a layer.
Size freshSets(const MomentNet& net) { return net.residual() ? 2 : 1; }

Cost cost(const Opened<Params>& opened) {
    const NetSetup s = random_nets::setupOf(opened.params);
    const Expectation expectation = expectationOf(opened.params, s.net);
    const Cost one = random_nets::costOfDraw(s, kWanted);
    const double draws = static_cast<double>(s.draws), layers = static_cast<double>(s.net.layers + 1), P = s.points();
    const double N = static_cast<double>(s.net.width), field = std::min(256.0, N * std::pow(s.net.taps, s.net.dimensions));
    double expected = 0;
    if (expectation == Expectation::Fresh) expected = 1.1 * static_cast<double>(freshSets(s.net)) * one.operations;
    if (expectation == Expectation::Exact) expected = layers * P * P * (N + 40);
    // The first network's units, and the closed first step from eigenvalues.
    const double first = one.operations + 20 * field * field * field + 2 * P * field * field;
    const double report = layers * draws * (draws + 400);
    const double pictured = 8 * std::min<double>(N, kMostUnits) * std::min<double>(P, kMostInputs);
    const double pairs = expectation == Expectation::Exact || s.net.kind == MomentKind::Vanilla ? 8 * P * P : 0;
    return {draws * (one.operations + expected) + first + report + 1e6,
            2 * one.bytes + 8 * P * field * 2 + pairs + layers * (draws * sizeof(LayerRecord) + 8 * N + 4 * pictured + 2000) + 4e6};
}

/// μ₂(x^l) over the half of what the activation reads: its expectation is what Theorems 2 and 3 take to the power −1/2.
double varianceLeft(const MomentNet& net, const LayerMoments& m, double before) {
    if (net.residual() || net.activation != Activation::Relu) return kUndefined;
    return net.normalised() ? 2 * m.mu2 / m.mu2Normalised : m.mu2 / (before * net.weightScale * net.weightScale);
}

LayerRecord recordOf(const MomentNet& net, const LayerMoments& m, double varianceBefore, bool channels, const FreshTheorems& expected,
                     double logTheoremBefore) {
    LayerRecord record;
    record.deltaChi = m.deltaChi;
    record.theorem = channels ? m.theorem : expected.increment.value;
    if (net.normalised()) {
        record.batchNorm = m.deltaBatchNorm;
        record.activation = m.deltaActivation;
        // Fresh units of a resnet give its increment as a whole: the terms of its first inner layer are the drawn channels'.
        const bool own = channels || net.residual();
        record.batchNormTheorem = own ? m.batchNormTheorem : expected.batchNorm.value;
        record.activationTheorem = own ? m.activationTheorem : expected.activation.value;
    }
    record.logChi = m.logChi;
    record.logTheorem = logTheoremBefore + std::log(record.theorem);
    record.variance = varianceLeft(net, m, varianceBefore);
    if (m.inner.empty()) return record;
    record.inner = 1;
    record.innerLow = record.innerHigh = m.inner[0].deltaChi;
    for (const InnerMoments& inner : m.inner) {
        record.inner *= inner.deltaChi;
        record.innerLow = std::min(record.innerLow, inner.deltaChi);
        record.innerHigh = std::max(record.innerHigh, inner.deltaChi);
    }
    record.branch = m.mu2Branch;
    record.branchShare = m.mu2Branch / m.mu2;
    return record;
}

/// The first layer's increment, Theorem 2's exactly for the inputs drawn; batch norm's by the eigenvalues of the inputs' covariance with a
/// Gaussian for the activation.
std::optional<double> closedFirstStep(const MomentNet& net, const PointValues& inputs) {
    constexpr double kMostField = 256;  // receptive fields of more numbers are not worth their eigenvalues
    if (hasExactIncrement(net)) return exactIncrement(inputs);
    const double field = std::pow(static_cast<double>(net.taps), net.dimensions) * static_cast<double>(net.inputs);
    if (net.kind != MomentKind::BatchNorm || net.activation != Activation::Relu || field > kMostField) return {};
    return firstBatchNormStep(receptiveFieldEigenvalues(net, inputs)) * kGaussianIncrement;
}

/// All networks drawn, and what only the first one shows.
struct Drawn {
    std::vector<Draw> draws;               ///< whole ones
    std::vector<UnitSwitching> switching;  ///< [layer 1 …], of the units and inputs pictured: see `pictured`
    std::optional<double> firstStep;
    std::string collapse;
};

/// The first units' pre-activations at inputs at even distances, [unit][input], over the root mean square of all.
UnitSwitching pictured(UnitSwitching s) {
    const Matrix& all = s.preactivations;
    double square = 0;
    for (const double u : all.values) square += u * u / static_cast<double>(all.values.size());
    const double size = square > 0 ? std::sqrt(square) : 1;
    Matrix shown(std::min<Size>(all.columns, kMostUnits), std::min<Size>(all.rows, kMostInputs));
    for (Size c = 0; c < shown.rows; ++c)
        for (Size i = 0; i < shown.columns; ++i) shown(c, i) = all(i * all.rows / shown.columns, c) / size;
    return {std::move(s.shares), std::move(shown), s.variance / (size * size)};
}

/// One network, with the theorem's value taken before each layer is drawn.
void addDraw(const NetSetup& s, Expectation expectation, const std::function<void(double)>& tick, Drawn& drawn) {
    const MomentNet& net = s.net;
    const Size number = drawn.draws.size(), sets = freshSets(net);
    MomentPropagation network = random_nets::propagationOf(s, number, kWanted);
    Draw draw(1);
    // The skip starts from the input, which Eq 13 counts as the zeroth branch.
    if (net.residual()) draw[0].branch = network.layers().front().mu2;
    if (number == 0) {
        drawn.firstStep = closedFirstStep(net, network.state().signal);
        if (drawn.firstStep && !std::isfinite(*drawn.firstStep)) drawn.firstStep.reset();
    }
    for (bool more = true; more && draw.size() <= net.layers;) {
        const Size layer = draw.size();
        FreshTheorems expected;
        if (expectation == Expectation::Fresh) expected = freshTheorems(net, network.state(), layer, sets, s.seed, number * sets);
        if (expectation == Expectation::Exact) expected.increment.value = exactIncrement(network.state().signal);
        if (number == 0 && net.activation == Activation::Relu)
            drawn.switching.push_back(
                pictured(unitSwitching(net, network.state(), drawMomentWeights(net, (layer - 1) * net.innerLayers(), s.seed, number))));
        do {
            const auto through = [&] {
                tick(static_cast<double>(network.linearLayersDone()) / static_cast<double>(net.linearLayers() + 1));
            };
            more = network.advance(through);
            through();
        } while (more && network.layers().size() == layer);
        if (network.layers().size() > layer)
            draw.push_back(recordOf(net, network.layers()[layer], network.layers()[layer - 1].mu2, expectation == Expectation::Channels,
                                    expected, draw.back().logTheorem));
    }
    if (drawn.collapse.empty()) drawn.collapse = network.collapsed();
    drawn.draws.push_back(std::move(draw));
}

/// Values of the draws that reach a layer and know it.
template <class Of>
Vector valuesAt(const std::vector<Draw>& draws, Size layer, Of of) {
    Vector values;
    for (const Draw& draw : draws)
        if (layer < draw.size())
            if (const double value = std::invoke(of, draw[layer]); std::isfinite(value)) values.push_back(value);
    return values;
}

/// One value a layer from 1 on, undefined at the input.
template <class Of>
Vector byLayer(Size layers, Of of) {
    Vector values{kUndefined};
    for (Size l = 1; l <= layers; ++l) values.push_back(of(l));
    return values;
}

double errorOf(const Vector& values) { return values.size() == 1 ? 0 : errorOfMean(values); }

Vector means(const std::vector<Draw>& draws, Size layers, Part part) {
    return byLayer(layers, [&](Size l) { return meanOf(valuesAt(draws, l, part)); });
}
Estimates estimates(const std::vector<Draw>& draws, Size layers, Part part) {
    return {means(draws, layers, part), byLayer(layers, [&](Size l) { return errorOf(valuesAt(draws, l, part)); })};
}
/// exp of the mean over draws of a logarithm, 1 at the input.
Vector geometric(const std::vector<Draw>& draws, Size layers, Part part) {
    Vector values = means(draws, layers, part);
    values[0] = 0;
    for (double& value : values) value = std::isfinite(std::exp(value)) ? std::exp(value) : kUndefined;
    return values;
}

/// Mean over layers of (mean over draws of `measured`)/(mean over draws of `theorem`), with the standard error of its spread over draws to
/// first order; nothing without a layer where both are known. Layers that a draw does not reach are left out of that draw.
template <class Measured, class Theorem>
std::optional<Estimate> ratioOver(const std::vector<Draw>& draws, Size layers, Measured measured, Theorem theorem) {
    Vector influence(draws.size());
    double sum = 0, counted = 0;
    for (Size l = 1; l <= layers; ++l) {
        const double a = meanOf(valuesAt(draws, l, measured)), b = meanOf(valuesAt(draws, l, theorem));
        if (!(b > 0) || !std::isfinite(a)) continue;
        sum += a / b;
        ++counted;
        for (Size d = 0; d < draws.size(); ++d)
            if (l < draws[d].size())
                if (const double i = (std::invoke(measured, draws[d][l]) - a / b * std::invoke(theorem, draws[d][l])) / b; std::isfinite(i))
                    influence[d] += i;
    }
    if (counted == 0 || !std::isfinite(sum)) return {};
    for (double& value : influence) value /= counted;
    return Estimate{sum / counted, errorOf(influence), static_cast<double>(draws.size())};
}

/// Theorem 4's bounds from the extremes of the mean inner increments and branch variances, the zeroth branch y⁰ among them: its
/// suppositions, not its conclusion.
void addPowerLaw(const std::vector<Draw>& draws, Size inner, Size layers, Result& r) {
    double low = 1e300, high = 0, least = 1e300, most = 0;
    for (Size l = 0; l <= layers; ++l) {
        const auto at = [&](Part part) { return meanOf(valuesAt(draws, l, part)); };
        const double branch = at(&LayerRecord::branch);
        if (!std::isfinite(branch)) continue;
        least = std::min(least, branch), most = std::max(most, branch);
        if (l == 0) continue;
        low = std::min(low, at(&LayerRecord::innerLow)), high = std::max(high, at(&LayerRecord::innerHigh));
    }
    if (!(most > 0) || !(least > 0) || !(low <= high)) return;
    const PowerLawBounds bounds = powerLawBounds(low, high, inner, least, most);
    r.boundLow = byLayer(layers, [&](Size l) { return bounds.incrementLow(l); });
    r.boundHigh = byLayer(layers, [&](Size l) { return bounds.incrementHigh(l); });
    r.exponentLow = bounds.tauLow();
    r.exponentHigh = bounds.tauHigh();
}

void addBounds(const std::vector<Draw>& draws, const MomentNet& net, Result& r) {
    if (net.residual()) {
        r.undiluted = means(draws, net.layers, &LayerRecord::inner);
        r.branchVariance = estimates(draws, net.layers, &LayerRecord::branch);
        r.branchShare = estimates(draws, net.layers, &LayerRecord::branchShare);
        if (const Vector input = valuesAt(draws, 0, &LayerRecord::branch); !input.empty()) r.branchVariance.values[0] = meanOf(input);
        if (net.kind == MomentKind::Resnet && net.skipScale == 1) addPowerLaw(draws, net.inner, net.layers, r);
    } else if (net.activation == Activation::Relu) {
        r.boundLow = byLayer(net.layers, [](Size) { return kLeastIncrement; });
        r.boundHigh = byLayer(net.layers, [](Size) { return kMostIncrement; });
    }
}

/// What the first network says of its units, unknown where it died before.
void addSwitching(const Drawn& drawn, const MomentNet& net, Result& r) {
    if (net.activation != Activation::Relu) return;
    const auto append = [](Vector& all, const Vector& more) { all.insert(all.end(), more.begin(), more.end()); };
    if (!drawn.switching.empty()) {
        const UnitSwitching& first = drawn.switching.front();
        const UnitSwitching unknown{
            Vector(first.shares.size(), kUndefined),
            {first.preactivations.rows, first.preactivations.columns, Vector(first.preactivations.values.size(), kUndefined)},
            kUndefined};
        r.units = countUp(first.shares.size());
        r.pictured = countUp(first.preactivations.rows);
        r.picturedInputs = countUp(first.preactivations.columns);
        for (Size l = 0; l < net.layers; ++l) {
            const UnitSwitching& layer = l < drawn.switching.size() ? drawn.switching[l] : unknown;
            append(r.switching, layer.shares);
            append(r.preactivations, layer.preactivations.values);
            r.preactivationVariance.push_back(layer.variance);
        }
    }
    if (net.residual()) return;
    r.switchingMean = net.normalised() ? r.activationTheorem : r.deltaChiTheorem;
    for (double& value : r.switchingMean) value = 1 - 1 / (value * value);
}

/// Ratios nearer to 1 are equal to rounding, and a standard error that small says nothing; nor does one of fewer draws.
constexpr double kEqualRatios = 1e-6, kLeastError = 1e-6, kDrawsForError = 3;

void addRatios(const std::vector<Draw>& draws, const MomentNet& net, Result& r) {
    const auto ratio = [&](Part measured, Part theorem) { return ratioOver(draws, net.layers, measured, theorem); };
    r.meanRatio = ratio(&LayerRecord::deltaChi, &LayerRecord::theorem);
    if (r.meanRatio && r.meanRatio->draws >= kDrawsForError && r.meanRatio->standardError > kLeastError &&
        std::abs(r.meanRatio->value - 1) >= kEqualRatios)
        r.deviation = std::abs(r.meanRatio->value - 1) / r.meanRatio->standardError;
    if (net.normalised()) {
        r.meanRatioBatchNorm = ratio(&LayerRecord::batchNorm, &LayerRecord::batchNormTheorem);
        r.meanRatioActivation = ratio(&LayerRecord::activation, &LayerRecord::activationTheorem);
    }
    // The signal's variance against the theorem's increment to the power −2.
    const Part increment = net.normalised() ? &LayerRecord::activationTheorem : &LayerRecord::theorem;
    if (!net.residual() && net.boundary == Padding::Periodic)
        r.varianceIdentity =
            ratioOver(draws, net.layers, &LayerRecord::variance, [=](const LayerRecord& m) { return 1 / (m.*increment * (m.*increment)); });
    const Vector first = valuesAt(draws, 1, &LayerRecord::deltaChi);
    if (!first.empty() && !net.residual()) r.firstStepMeasured = {meanOf(first), errorOf(first), static_cast<double>(first.size())};
}

Result resultOf(const NetSetup& s, const Drawn& drawn) {
    const auto& draws = drawn.draws;
    const MomentNet& net = s.net;
    const Size layers = net.layers;
    Result r;
    r.layers = countUp(layers + 1), r.fromFirst = countUp(layers, 1);
    r.drawn = static_cast<double>(draws.size());
    r.collapse = drawn.collapse;
    r.firstStep = drawn.firstStep;
    for (const Draw& draw : draws) r.collapsedDraws += draw.size() <= layers;
    r.deltaChi = estimates(draws, layers, &LayerRecord::deltaChi);
    r.deltaChiLow = r.deltaChiHigh = {kUndefined};
    for (Size l = 1; l <= layers; ++l) {
        const DrawBand band = drawBand(valuesAt(draws, l, &LayerRecord::deltaChi));
        r.deltaChiLow.push_back(band.low), r.deltaChiHigh.push_back(band.high);
    }
    r.deltaChiTheorem = means(draws, layers, &LayerRecord::theorem);
    for (Size l = 0; l <= layers; ++l) r.ratio.push_back(r.deltaChi.values[l] / r.deltaChiTheorem[l]);
    r.chi = geometric(draws, layers, &LayerRecord::logChi);
    r.chiTheorem = geometric(draws, layers, &LayerRecord::logTheorem);
    if (net.normalised()) {
        r.deltaBatchNorm = estimates(draws, layers, &LayerRecord::batchNorm);
        r.deltaActivation = estimates(draws, layers, &LayerRecord::activation);
        r.batchNormTheorem = means(draws, layers, &LayerRecord::batchNormTheorem);
        r.activationTheorem = means(draws, layers, &LayerRecord::activationTheorem);
    }
    addBounds(draws, net, r);
    addSwitching(drawn, net, r);
    addRatios(draws, net, r);
    return r;
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const NetSetup s = random_nets::setupOf(opened.params, opened.data);
    const Expectation expectation = expectationOf(opened.params, s.net);
    Drawn drawn;
    while (drawn.draws.size() < s.draws)
        addDraw(
            s, expectation,
            [&](double inside) {
                progress.tick((static_cast<double>(drawn.draws.size()) + inside) / static_cast<double>(s.draws));
                progress.partial([&] { return resultOf(s, drawn); });
            },
            drawn);
    return resultOf(s, drawn);
}

std::string theoremOf(Net net) {
    return net == Net::Vanilla ? "Theorem 2" : net == Net::BatchNorm ? "Theorem 3" : "the dilution law of Theorem 4";
}

std::string subject(Net net, double networks) {
    const bool one = networks == 1;
    if (net == Net::ResnetPlain) return inWords(networks) + (one ? " ResNet" : " ResNets") + " without batch norm";
    return inWords(networks) + " " + random_nets::nameOf(net) + (one ? "" : "s");
}

/// With the core's sentence about the first of them in brackets.
std::string endedEarly(const Result& r) {
    if (r.collapse.empty()) return "";
    std::string why = r.collapse;
    while (!why.empty() && why.back() == '.') why.pop_back();
    return " " + inWords(r.collapsedDraws) + " of " + inWords(r.drawn) + (r.drawn == 1 ? " network" : " networks") + " ended early (" +
           why + ").";
}

std::string compared(const Params& p, double ratio) {
    constexpr const char* kAverages[] = {"fresh weights", "the drawn channels", "all weights"};
    const Expectation expectation = expectationOf(p, random_nets::setupOf(p).net);
    const std::string theorem = theoremOf(p.net) + ", averaged over " + kAverages[static_cast<Size>(expectation)];
    if (std::abs(ratio - 1) < kEqualRatios) return "measured increments are on average equal to " + theorem;
    return "measured increments are on average " + inWords(100 * std::abs(ratio - 1), 2) + " %" + (ratio < 1 ? " below " : " above ") +
           theorem;
}

std::string summary(const Params& p, const Result& r) {
    if (r.drawn == 0) return "The first network is being drawn.";
    const std::string start = subject(p.net, r.drawn) + ": ", died = endedEarly(r);
    if (!r.meanRatio && p.activation != random_nets::Phi::Relu)
        return start + "the theorem's value is about the ReLU, so that there is none for tanh." + died;
    if (!r.meanRatio) return start + "no layer's increment could be compared." + died;
    std::string text = start + compared(p, r.meanRatio->value);
    if (r.deviation) text += ", " + inWords(*r.deviation, 2) + " standard errors";
    text += ".";
    if (p.net == Net::ResnetPlain)
        text += std::string(" Theorem 4's power law does not apply: ") +
                (p.skipScale == 0 ? "without a skip there is nothing to dilute."
                                  : "without batch norm the variance of branches grows exponentially.");
    return text + died;
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "sensitivity-theorems",
     .title = "Theorems of sensitivity",
     .claim = "How much each layer adds to the sensitivity follows from how often its units switch, to within a percent.",
     .group = "Moments",
     .icon = "054581 28 48 68",
     .source = "P3 Theorems 2–4; Eqs 8, 14–15, App. E.2",
     .lookAt = "Dots are inputs: a unit counts only while they lie on both sides of its kink, and layer by layer they leave it.",
     .tryThis = "Drag the kink through the inputs: the unit's share is largest in their middle, and 0 beyond them.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "layer", "layer", false, 0.4}});

}  // namespace sensitivity_theorems

Declaration sensitivity_theorems_declaration() { return declare(sensitivity_theorems::kScene); }
Model sensitivity_theorems_model() {
    return sceneModel<sensitivity_theorems::kScene, sensitivity_theorems::run, sensitivity_theorems::cost, sensitivity_theorems::summary>();
}

}  // namespace kappaflow
