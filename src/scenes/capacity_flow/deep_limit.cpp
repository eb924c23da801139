#include "scenes/capacity_flow/deep_limit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/capacity/augmented_space.h"
#include "core/capacity/deep_limit.h"
#include "core/capacity/differential_layers.h"
#include "core/capacity/ensemble_mean.h"
#include "scene/typed_model.h"

namespace kappaflow {
namespace deep_limit {
namespace {

using namespace table;
using Size = std::size_t;
using Vector = std::vector<double>;

bool residual(const Params& p) { return p.layer == LayerType::Residual; }
bool differential(const Params& p) { return p.layer == LayerType::Differential; }

constexpr OptionRow kLayers[] = {{"residual"}, {"differential"}};

constexpr ParamRow kParams[] = {
    choice<&Params::layer>("layer", "layer type", kLayers,
                           "Residual: D = I + εΔ; differential: the activation acts on the change alone, D = (I + ε P∘P)/(1 + ε |p|²).",
                           "P1 Eq 29 (later version 3.3, App. B)"),
    number<&Params::up>("up", "Δ_{+1}", "rate upwards", {0, 30},
                        "Rate Δ_{i+1,i} at which capacity moves to the next position; a depth below the sum of both rates is raised to it.",
                        "P1 Eqs 29–31") |
        when<residual>,
    number<&Params::down>("down", "Δ_{−1}", "rate downwards", {0, 30}, "Rate Δ_{i−1,i} at which capacity moves to the position before.",
                          "P1 Eqs 29–31") |
        when<residual>,
    list<&Params::weights>("weights", "p_k", "weights", {-3, 3}, 9,
                           "Weights of the layer at offsets …, −1, 0, 1, …, an odd number of them; Δ_k = p_k².",
                           "P1 (later version Eq 34, App. B)") |
        when<differential>,
    number<&Params::exponent>("exponent", "a", "exponent", {0, 1},
                              "The weights of L layers are p_k L^{−a}, so ε = L^{−2a}; only a = 1/2 has a limit that is not trivial.",
                              "P1 Eq 29"),
    list<&Params::depths>("depths", "L", "depths", {1, 2000}, 12, "Numbers of layers that are compared, up to 2000.", "P1 Eqs 29–32") |
        costly,
    whole<&Params::draws>("draws", "", "draws", {100, 20000},
                          "Most solutions of the forward equation at each depth, and a twentieth of the most inputs sent through the "
                          "two-layer check; both stop earlier at the precision.",
                          "P1 (later version Eqs 34–36)") |
        logarithmic | costly | more | when<differential>,
    number<&Params::precision>("precision", "", "precision", {0.005, 0.2}, "Relative standard error at which the simulations stop.",
                               "P1 (later version Eqs 34–36)") |
        logarithmic | more | when<differential>,
    number<&Params::checkStep>("checkStep", "ε", "step of the check", {0, 1},
                               "Step ε of the two pseudo-random layers that are simulated on three inputs.", "P1 (later version App. B)") |
        more | when<differential>,
    seed<&Params::seed>("Start of the random numbers of both simulations.", "P1 (later version App. B)") | when<differential>,
    shownAt<&Params::at>("L", "depth", 2000, "The depth that is looked at; fractions lie between two of the depths.", "P1 Eq 29"),
    plays<&Params::play>("Whether the depths pass by themselves.", "P1 Eq 29")};

constexpr AxisRow kDepth = axis<&Result::depths>("depth"), kPosition = axis<&Result::positions>("position"),
                  kExponent = axis<&Result::exponents>("exponent"), kOffset = axis<&Result::offsets>("offset"),
                  kOutput = axis<&Result::outputs>("position"), kKept = axis<&Result::kept>("draw"), kUnit = axis<&Result::units>("unit"),
                  kCheckLayer = axis<&Result::checkLayers>("checkLayer");

constexpr FieldRow kFields[] = {
    measured<&Result::chain>("chain", "κ⁰", {kDepth, kPosition},
                             "Capacity D^L of a Dirac at 0: what arrives at every input of the network with L layers."),
    theory<&Result::flow>("flow", "π(1)", {kPosition}, "Kolmogorov flow e^Δ of the Dirac: the limit of infinitely many layers (P1 Eq 30)."),
    theory<&Result::gaussian>("gaussian", "", {kPosition},
                              "Normal density of mean v and variance 2𝒟 (P1 Eq 32), integrated over the unit cell of each position."),
    measured<&Result::toGaussian>("totalVariation", "", {kDepth}, "Distance of the chain from the Gaussian, ½ Σ |κ⁰ − g|."),
    measured<&Result::toFlow>("totalVariationToFlow", "", {kDepth}, "Distance of the chain from the Kolmogorov flow, ½ Σ |κ⁰ − π(1)|."),
    theory<&Result::toFlowPredicted>("totalVariationToFlowPredicted", "", {kDepth},
                                     "Exponent 1/2: what the second order leaves of it, ½ ‖(sΔ + Δ²/2) e^Δ δ‖₁/L with s = |p|² "
                                     "(residual: 0)."),
    measured<&Result::mean>("meanChain", "", {kDepth}, "Mean of the chain."),
    measured<&Result::variance>("varianceChain", "σ²", {kDepth}, "Variance of the chain."),
    theory<&Result::meanPredicted>("meanPredicted", "", {kDepth}, "L ε v, with ε the share of Δ that one layer moves."),
    theory<&Result::variancePredicted>("variancePredicted", "", {kDepth}, "L (2 ε 𝒟 − ε² v²)."),
    theory<&Result::spreads>("spreadByExponent", "σ", {kExponent, kDepth}, "√(L (2 ε 𝒟 − ε² v²)) for weights ∝ L^{−a}, a = 0, 1/2 and 1."),
    measured<&Result::step>("step", "ε", {kDepth}, "Share of Δ that one layer moves."),
    theory<&Result::kernel>("kernel", "Δ_k", {kOffset}, "Rates Δ_k of the generator; the one at 0 is −Σ of the others."),
    theory<&Result::drift>("v", "v", {}, "Drift read off the kernel, Σ k Δ_k."),
    theory<&Result::diffusion>("diffusion", "𝒟", {}, "Diffusion coefficient read off the kernel, ½ Σ k² Δ_k."),
    theory<&Result::slope>("slope", "", {}, "Limit of L times the distance to the flow (exponent 1/2)."),
    theory<&Result::gaussianGap>("gaussianGap", "", {}, "Distance of the flow from the Gaussian: what stays however deep the network."),
    measured<&Result::forward>("forward", "Y_x", {kDepth, kOutput, kKept},
                               "Differential layers: a few outputs of the forward network for the input δ, in which only position 0 is "
                               "1.") |
        gaps,
    measured<&Result::forwardSquares>("forwardMeanSquare", "E Y_x²", {kDepth, kOutput}, "Mean square of the outputs over all draws.") |
        gaps,
    theory<&Result::forwardSquaresPredicted>("forwardMeanSquarePredicted", "", {kDepth, kOutput},
                                             "(1 + ε |p|²)^L times the capacity that output x has at input 0 by the backward chain.") |
        gaps,
    measured<&Result::forwardGrowth>("forwardGrowth", "Σ E Y_x²", {kDepth},
                                     "Mean square of all outputs together; the simulation stops by its standard error.") |
        gaps,
    theory<&Result::forwardGrowthPredicted>("forwardGrowthPredicted", "", {kDepth}, "(1 + ε |p|²)^L.") | gaps,
    measured<&Result::forwardDraws>("forwardDraws", "", {kDepth}, "Solutions drawn."),
    measured<&Result::forwardEffectiveDraws>("forwardEffectiveDraws", "", {kDepth},
                                             "As many equal draws would carry the mean square: (Σ q)²/Σ q² of the draws' squares."),
    theory<&Result::sdeCoefficient>("sdeCoefficient", "Σ k p_k", {}, "Coefficient of ∂Y/∂x in the forward equation."),
    measured<&Result::checkCapacity>("checkCapacity", "κ⁰", {kUnit},
                                     "Capacities of the inputs of two simulated pseudo-random differential layers.") |
        chaotic,
    theory<&Result::checkPredicted>("checkPredicted", "", {kUnit}, "D₁ D₂ κ² with D = (I + ε P∘P)/(1 + ε)."),
    measured<&Result::checkVariance>("checkVariance", "", {kCheckLayer},
                                     "Mean square of a unit after the first and the second simulated layer.") |
        chaotic,
    theory<&Result::checkVariancePredicted>("checkVariancePredicted", "", {kCheckLayer}, "(1 + ε)^l."),
    measured<&Result::checkGap>("checkCovarianceGap", "", {}, "Largest entry of the measured path covariance minus I.") | chaotic};

constexpr PresetRow kPresets[] = {
    {"Chain, flow and Gaussian (Eqs 29–32)"},
    preset<[](Params& p) { p.up = 8, p.down = 4; }>(
        "A drift: up 8, down 4",
        "More capacity steps up than down: the profile drifts by v = 4, and the bars settle on a flow that has drifted too."),
    preset<[](Params& p) { p.up = p.down = 0.5, p.depths = {1, 2, 4, 8, 16, 32, 64, 128}; }>(
        "Too narrow for a Gaussian",
        "So narrow a profile fits no Gaussian: the chain closes in on the flow, and the Gaussian stays 0.09 away."),
    preset<[](Params& p) { p.up = 12, p.down = 0; }>(
        "One way only", "All capacity steps one way: the chain closes in on a skewed flow, and the symmetric Gaussian stays 0.036 away."),
    preset<[](Params& p) { p.exponent = 0.25; }>(
        "Weights that shrink too slowly",
        "Weights that shrink as the fourth root of L are too large: from 20 to 640 layers the width grows fivefold, without a limit."),
    preset<[](Params& p) { p.exponent = 1; }>(
        "Weights that shrink too fast",
        "Weights that shrink as 1/L are too small: the deeper the chain, the less capacity moves, and in the limit none does."),
    preset<[](Params& p) { p.layer = LayerType::Differential, p.depths = {2, 4, 8, 16, 32, 64, 128}; }>(
        "Differential layers (later version, 3.3 and App. B)",
        "Differential layers have a limit too: twice the depth halves their distance from the flow, about 0.4/L."),
    preset<[](Params& p) {
        p.layer = LayerType::Differential, p.weights = {0, -1, 1}, p.depths = {2, 4, 8, 16, 32, 64, 128};
    }>("Differential layers that drift",
       "Weights that lean to one side make the chain drift by v = 1: it closes in on the flow, and the Gaussian stays 0.14 away.")};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// What lies below is not worth a position in the report.
constexpr double kVisible = 1e-12;
/// The mean square of the forward equation grows as (1 + ε |p|²)^L and is carried by ever rarer draws: beyond e^kMaxGrowth no simulation
/// meets them.
constexpr double kMaxGrowth = 10;
constexpr Size kKeptDraws = 5, kCheckUnits = 3;
/// The check takes at most this many times as many draws as the forward equation.
constexpr double kCheckDraws = 20;
constexpr double kFewestDraws = 100, kFewestChecks = 1000;

/// What the params say of the layers.
struct Setup {
    explicit Setup(const Params&);
    /// Share of Δ that one of L layers moves. Residual layers with an exponent below 1/2 would move more than there is: they move all.
    double step(int layers, double exponent) const;
    double meanAt(int layers) const { return layers * step(layers, p.exponent) * kernel.drift(); }
    double varianceAt(int layers, double exponent) const;
    double logGrowth(int layers) const { return layers * std::log1p(residualStep(layers, p.exponent) * squaredNorm); }
    bool isSimulated(int layers) const { return differential(p) && logGrowth(layers) <= kMaxGrowth; }
    /// Positions on either side of the forward network's ring: eight standard deviations of the widest simulated depth.
    int forwardReach() const;

    const Params& p;
    Vector weights;          ///< p_k of differential layers, an odd number
    bool completed = false;  ///< by a zero
    LimitKernel kernel;
    double squaredNorm = 0;   ///< |p|² of differential layers
    std::vector<int> depths;  ///< rising; residual: none below Σ Δ_k
    bool raised = false;      ///< some were
};

Setup::Setup(const Params& params) : p(params), kernel(threePointKernel(p.up, p.down)) {
    if (differential(p)) {
        weights = p.weights;
        completed = weights.size() % 2 == 0;
        if (completed) weights.push_back(0);
        for (const double w : weights) squaredNorm += w * w;
        kernel = kernelOfWeights(weights);
    }
    // A step of 1/L moves more than a unit has when L is below the sum of the rates.
    const int least = differential(p) ? 1 : std::max(1, static_cast<int>(std::ceil(kernel.total())));
    for (const int layers : p.depths) {
        raised = raised || layers < least;
        depths.push_back(std::max(layers, least));
    }
    std::sort(depths.begin(), depths.end());
    depths.erase(std::unique(depths.begin(), depths.end()), depths.end());
}

double Setup::step(int layers, double exponent) const {
    if (differential(p)) return differentialStep(layers, exponent, squaredNorm);
    const double step = residualStep(layers, exponent);
    return kernel.total() > 0 ? std::min(step, 1 / kernel.total()) : step;
}

double Setup::varianceAt(int layers, double exponent) const {
    const double e = step(layers, exponent), v = kernel.drift();
    return std::max(0.0, layers * (2 * e * kernel.diffusion() - e * e * v * v));
}

int Setup::forwardReach() const {
    double reach = 0;
    for (const int layers : depths)
        if (isSimulated(layers))
            reach = std::max(reach, std::min(std::abs(meanAt(layers)) + 8 * std::sqrt(varianceAt(layers, p.exponent)) + 4 * kernel.reach(),
                                             1.0 * layers * kernel.reach()));
    return static_cast<int>(std::ceil(reach)) + 1;
}

Cost cost(const Opened<Params>& opened) {
    const Setup s(opened.params);
    const double taps = static_cast<double>(s.kernel.rates.size()), ring = 2.0 * s.forwardReach() + 1;
    double operations = 1e6, widest = 200, states = 0;
    // Squares that grow by e^g have a relative variance of (1.5 … 4.5) g^1.5, within a factor of five, and the more the middle weight
    // takes.
    const double middle = differential(s.p) ? s.weights[s.weights.size() / 2] : 0;
    const double variance = (1.5 + 6 * middle * middle / std::max(s.squaredNorm, 1e-9)) / (s.p.precision * s.p.precision);
    for (const int layers : s.depths) {
        // Positions with mass above rounding.
        const double spread = 28 * std::sqrt(std::max(s.varianceAt(layers, s.p.exponent), 2 * s.kernel.diffusion()));
        const double positions = std::min(2.0 * layers * s.kernel.reach(), spread + 100 * s.kernel.reach()) + 1;
        operations += layers * positions * (taps + 4);
        widest = std::max(widest, positions + std::abs(s.meanAt(layers)));
        if (!s.isSimulated(layers)) continue;
        operations +=
            std::clamp(variance * std::pow(s.logGrowth(layers), 1.5), kFewestDraws, 1.0 * s.p.draws) * layers * ring * (5 * taps + 8);
        states = std::max(states, layers * ring);
    }
    const double units = kCheckUnits, paths = units * (1 + units) * (1 + units);
    const double checks = std::min(kCheckDraws * s.p.draws, std::max(75 / (s.p.precision * s.p.precision), kFewestChecks));
    if (differential(s.p)) operations += checks * (paths * paths + 40 * paths);
    // Chains, their rows in the report and once more to be sent; all layers of one forward draw.
    return {operations, 8 * (4 * static_cast<double>(s.depths.size() + 2) * widest * 2 + states + 1e5)};
}

/// Chains, flow and Gaussian on the positions where any of them is visible; distances, moments.
std::vector<LatticeDistribution> addChains(const Setup& s, Progress& progress, double parts, Result& r) {
    const auto flow = kolmogorovFlow(s.kernel, 1), gaussian = limitGaussian(s.kernel, 1);
    std::vector<LatticeDistribution> chains;
    for (const int layers : s.depths) {
        chains.push_back(latticeChain(s.kernel, s.step(layers, s.p.exponent), layers));
        progress.tick(static_cast<double>(chains.size()) / parts);
    }
    int from = 0, to = 0;
    const auto include = [&](const LatticeDistribution& p) {
        for (Size i = 0; i < p.mass.size(); ++i)
            if (p.mass[i] > kVisible)
                from = std::min(from, p.first + static_cast<int>(i)), to = std::max(to, p.first + static_cast<int>(i));
    };
    include(flow), include(gaussian);
    for (const auto& chain : chains) include(chain);
    r.positions = countUp(static_cast<Size>(to - from) + 1, from);
    const auto append = [&](Vector& values, const LatticeDistribution& p) {
        for (int x = from; x <= to; ++x) values.push_back(p.at(x));
    };
    append(r.flow, flow), append(r.gaussian, gaussian);
    r.gaussianGap = totalVariation(flow, gaussian);
    if (s.p.exponent == 0.5) r.slope = totalVariationSlope(s.kernel, s.squaredNorm);
    for (Size d = 0; d < chains.size(); ++d) {
        const int layers = s.depths[d];
        append(r.chain, chains[d]);
        r.toGaussian.push_back(totalVariation(chains[d], gaussian));
        r.toFlow.push_back(totalVariation(chains[d], flow));
        if (r.slope) r.toFlowPredicted.push_back(*r.slope / layers);
        r.mean.push_back(chains[d].mean());
        r.variance.push_back(chains[d].variance());
        r.meanPredicted.push_back(s.meanAt(layers));
        r.variancePredicted.push_back(s.varianceAt(layers, s.p.exponent));
        r.step.push_back(s.step(layers, s.p.exponent));
    }
    r.exponents = {0, 0.5, 1};
    for (const double exponent : r.exponents)
        for (const int layers : s.depths) r.spreads.push_back(std::sqrt(s.varianceAt(layers, exponent)));
    return chains;
}

/// The forward network of one depth for the input δ, draw after draw.
struct ForwardRun {
    int layers;
    bool finished;
    EnsembleMean squares{};      ///< of the outputs, −reach … reach, and of all together behind them
    std::vector<Vector> kept{};  ///< the first solutions
};

/// Some milliseconds of draws.
void drawSome(const Setup& s, Size depth, const Vector& start, ForwardRun& run) {
    constexpr double kMultiplyAdds = 2e6;
    const double work = (run.layers + 1.0) * static_cast<double>(start.size() * (2 * s.weights.size() + 8));
    for (double done = 0; done < kMultiplyAdds && !run.finished; done += work) {
        const auto draw = static_cast<Size>(run.squares.count());
        auto outputs = forwardDraw({s.weights, residualStep(run.layers, s.p.exponent), run.layers}, start, s.p.seed,
                                   (std::uint64_t{depth} << 32) + draw)
                           .back();
        if (draw < kKeptDraws) run.kept.push_back(outputs);
        double total = 0;
        for (double& y : outputs) total += y *= y;
        outputs.push_back(total);
        run.squares.add(outputs);
        run.finished =
            run.squares.count() >= s.p.draws ||
            (run.squares.count() >= kFewestDraws && run.squares.standardError().back() <= s.p.precision * run.squares.mean().back());
    }
}

void addForward(const Setup& s, const std::vector<LatticeDistribution>& chains, const std::vector<ForwardRun>& runs, Result& r) {
    const int reach = s.forwardReach();
    r.outputs = countUp(2 * static_cast<Size>(reach) + 1, -reach);
    r.kept = countUp(kKeptDraws);
    for (Size d = 0; d < runs.size(); ++d) {
        const auto& [layers, finished, squares, kept] = runs[d];
        const bool drawn = squares.count() > 0, simulated = s.isSimulated(layers);
        const double growth = simulated ? std::exp(s.logGrowth(layers)) : kNone;
        const Vector error = squares.standardError();
        for (Size x = 0; x < r.outputs.size(); ++x) {
            for (Size k = 0; k < kKeptDraws; ++k) r.forward.push_back(!drawn ? kNone : k < kept.size() ? kept[k][x] : 0);
            r.forwardSquares.values.push_back(drawn ? squares.mean()[x] : kNone);
            r.forwardSquares.standardErrors.push_back(drawn ? error[x] : kNone);
            r.forwardSquaresPredicted.push_back(growth * chains[d].at(reach - static_cast<int>(x)));
        }
        const double mean = drawn ? squares.mean().back() : kNone, deviation = drawn ? error.back() : kNone, n = squares.count();
        r.forwardGrowth.values.push_back(mean);
        r.forwardGrowth.standardErrors.push_back(deviation);
        r.forwardGrowthPredicted.push_back(growth);
        r.forwardDraws.push_back(n);
        r.forwardEffectiveDraws.push_back(drawn ? n / (1 + deviation * deviation * (n - 1) / (mean * mean)) : 0);
    }
    r.sdeCoefficient = 0;
    for (Size k = 0; k < s.weights.size(); ++k) *r.sdeCoefficient += (static_cast<double>(k) - s.kernel.reach()) * s.weights[k];
}

/// Two pseudo-random differential layers on three inputs.
DifferentialNetwork checkNetwork(const Params& p) {
    DifferentialNetwork network{{}, p.checkStep, randomFreeDirections(kCheckUnits, 2, p.seed)};
    for (const std::uint64_t layer : {1, 2}) network.features.push_back(randomFeatures(kCheckUnits, kCheckUnits, true, p.seed, layer));
    return network;
}

bool isPrecise(const DifferentialSimulation& check, const Params& p) {
    const auto measured = check.capacities();
    double worst = 0;
    for (Size i = 0; i < kCheckUnits; ++i) worst = std::max(worst, measured.standardError[i] / std::max(measured.capacity[i], 0.1));
    return check.draws() >= kCheckDraws * p.draws || worst <= p.precision / 5;
}

void addCheck(const Setup& s, const DifferentialSimulation& check, Result& r) {
    if (check.draws() < kFewestChecks) return;
    r.units = countUp(kCheckUnits);
    r.checkLayers = {1, 2};
    const auto measured = check.capacities();
    r.checkCapacity = {measured.capacity, measured.standardError};
    const auto first = check.outputVariance(1), second = check.outputVariance(2);
    r.checkVariance = {{first.value, second.value}, {first.standardError, second.standardError}};
    const double growth = 1 + s.p.checkStep;
    r.checkVariancePredicted = {growth, growth * growth};
    // D₁ D₂ κ².
    const DifferentialNetwork network = checkNetwork(s.p);
    r.checkPredicted = squaredRows(network.free);
    for (Size l = network.features.size(); l-- > 0;) {
        const Matrix D = differentialMatrix(network.features[l], network.epsilon);
        Vector below(kCheckUnits);
        for (Size i = 0; i < kCheckUnits; ++i)
            for (Size j = 0; j < kCheckUnits; ++j) below[i] += D(i, j) * r.checkPredicted[j];
        r.checkPredicted = std::move(below);
    }
    const Matrix covariance = check.pathCovariance();
    r.checkGap = 0;
    for (Size i = 0; i < covariance.rows; ++i)
        for (Size j = 0; j < covariance.columns; ++j) r.checkGap = std::max(*r.checkGap, std::abs(covariance(i, j) - (i == j ? 1 : 0)));
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Setup s(opened.params);
    Result r;
    if (s.completed) r.warnings.push_back("weights takes an odd number of entries, the middle one at offset 0; a 0 was added at the end.");
    r.depths.assign(s.depths.begin(), s.depths.end());
    const auto depths = static_cast<double>(s.depths.size()), parts = differential(s.p) ? 2 * depths + 1 : depths;
    const auto chains = addChains(s, progress, parts, r);
    r.offsets = countUp(s.kernel.rates.size(), -s.kernel.reach());
    r.kernel = s.kernel.rates;
    r.kernel[static_cast<Size>(s.kernel.reach())] = -s.kernel.total();
    r.drift = s.kernel.drift();
    r.diffusion = s.kernel.diffusion();
    if (residual(s.p)) return r;

    std::vector<ForwardRun> runs;
    for (const int layers : s.depths) runs.push_back({layers, !s.isSimulated(layers)});
    DifferentialSimulation check(checkNetwork(s.p), s.p.seed);
    bool checked = false;
    const auto complete = [&](Result more) {
        addForward(s, chains, runs, more);
        addCheck(s, check, more);
        return more;
    };
    Vector start(2 * static_cast<Size>(s.forwardReach()) + 1);
    start[start.size() / 2] = 1;
    const auto tell = [&] {
        double done = depths + (checked ? 1 : check.draws() / (kCheckDraws * s.p.draws));
        for (const auto& run : runs) done += run.finished ? 1 : run.squares.count() / s.p.draws;
        progress.tick(done / parts);
        progress.partial([&] { return complete(r); });
    };
    // All are refined together, so that a reader sees all of them early.
    for (bool more = true; more;) {
        more = false;
        for (Size d = 0; d < runs.size(); ++d) {
            if (runs[d].finished) continue;
            drawSome(s, d, start, runs[d]);
            more = true;
            tell();
        }
        if (checked) continue;
        check.add(1000);
        checked = isPrecise(check, s.p);
        more = true;
        tell();
    }
    return complete(std::move(r));
}

std::string layersInWords(int layers) { return std::to_string(layers) + (layers == 1 ? " layer" : " layers"); }

std::string limitSentence(const Setup& s, const Result& r) {
    std::string text = "At " + layersInWords(s.depths.back()) + " the chain lies " + inWords(r.toFlow.back()) +
                       " from the Kolmogorov flow in total variation";
    if (*r.slope > 0) text += ", a distance that falls as " + inWords(*r.slope) + "/L";
    return text + "; its distance from the Gaussian of v = " + inWords(r.drift) + " and 𝒟 = " + inWords(r.diffusion) + " tends to " +
           inWords(r.gaussianGap) + ", not to 0, since positions are whole numbers.";
}

std::string scalingSentence(const Setup& s, const Result& r) {
    return "With weights that shrink as L^−" + inWords(s.p.exponent) + " the width goes from " + inWords(std::sqrt(r.variance.front())) +
           " at " + layersInWords(s.depths.front()) + " to " + inWords(std::sqrt(r.variance.back())) + " at " +
           layersInWords(s.depths.back()) + ": " + (s.p.exponent < 0.5 ? "capacity scatters without end" : "in the limit nothing moves") +
           "; only the exponent 1/2 has a limit between.";
}

std::string checkSentence(const Result& r) {
    if (r.checkPredicted.empty()) return "";
    double gap = 0, error = 0;
    for (Size i = 0; i < kCheckUnits; ++i) {
        gap = std::max(gap, std::abs(r.checkCapacity.values[i] - r.checkPredicted[i]));
        error = std::max(error, r.checkCapacity.standardErrors[i]);
    }
    return " Two simulated pseudo-random layers have the capacities of D = (I + ε P∘P)/(1 + ε) up to " + inWords(gap, 2) +
           ", with a standard error of " + inWords(error, 2) + ".";
}

std::string summary(const Params& p, const Result& r) {
    const Setup s(p);
    std::string text = !(s.kernel.total() > 0) ? "This kernel moves nothing: all capacity stays where it starts."
                       : p.exponent == 0.5     ? limitSentence(s, r)
                                               : scalingSentence(s, r);
    // What was done other than asked.
    if (s.raised) text += " Depths below " + layersInWords(s.depths.front()) + " would move more than a unit has and were raised to it.";
    const bool saturated = residual(p) && residualStep(s.depths.front(), p.exponent) * s.kernel.total() > 1 + 1e-12;
    if (saturated) text += " Where a layer would move more than a unit has, it moves all of it.";
    const bool all = std::all_of(s.depths.begin(), s.depths.end(), [&](int layers) { return s.isSimulated(layers); });
    if (differential(p) && !all)
        text += " The forward equation is not simulated where its mean square grows beyond e¹⁰: draws too rare to be met carry it.";
    return text + checkSentence(r);
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "deep-limit",
     .title = "The deep limit",
     .claim = "As layers multiply and weights shrink as 1/√L, the chain of layers becomes a flow; no other scaling has a limit.",
     .group = "Capacity flow",
     .icon = "0008 3038 5058 7078 8088",
     .source = "P1 Eqs 29–33 (later version Eqs 29–37; 3.3; App. B)",
     .lookAt = "Watch the steps of 20 layers melt into a flow as layers multiply: from 40 on, twice the depth, half the distance.",
     .tryThis = "Pull the exponent away from 1/2: the profile spreads without end, or stands still.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "depth", "depth", false, 1.1}});

}  // namespace deep_limit

Declaration deep_limit_declaration() { return declare(deep_limit::kScene); }
Model deep_limit_model() { return sceneModel<deep_limit::kScene, deep_limit::run, deep_limit::cost, deep_limit::summary>(); }

}  // namespace kappaflow
