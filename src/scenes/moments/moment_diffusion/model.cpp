#include <algorithm>
#include <cmath>
#include <limits>

#include "core/moments/moment_diffusion.h"
#include "scenes/stepwise.h"
#include "scenes/moments/model_nets.h"

namespace kappaflow {
namespace moment_diffusion {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// What a request asks and what follows from its width and layers alone.
struct Setup {
    WalkPlan plan;
    std::size_t draws = 1;
    OneDimensionalLaw law;
    std::vector<double> bins;         ///< middles of the histogram's, fixed by the law so that no draw moves them
    std::vector<double> tailsTheory;  ///< [layer 1 … L][threshold]
};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// Share to which a kurtosis must be measurable to be shown.
constexpr double kKurtosisError = 0.35;

class Builder : public random_nets::LayeredReport {
public:
    Builder(const Setup& setup, const MomentDiffusion& networks)
        : LayeredReport("moment-diffusion", setup.plan.layers), s(setup), n(networks), width(static_cast<double>(setup.plan.width)) {
        for (Size l = 0; l <= layers; ++l) {
            signal.push_back(spreadOf(n.logsAt(l, false)));
            noise.push_back(spreadOf(n.logsAt(l, true)));
        }
    }

    /// Of what is 0 at the input.
    void addMean(const char* name, const DrawMean& (*of)(const DiffusionLayer&)) {
        const auto mean = [&](Size l) { return of(n.layers()[l - 1]).count > 0 ? of(n.layers()[l - 1]).mean() : kNone; };
        const auto error = [&](Size l) { return of(n.layers()[l - 1]).standardError(); };
        Vector values = byLayer(mean, 0), errors = byLayer(error, 0);
        Array& array = add(name, std::move(values));
        if (array.role == Role::Measurement) array.standardError = std::move(errors);
    }

    const Setup& s;
    const MomentDiffusion& n;
    double width;
    std::vector<Spread> signal, noise;  ///< of every layer
};

void addSpread(Builder& b, const char* mean, const char* variance, const std::vector<Spread>& spreads) {
    const auto known = [&](Size l) { return spreads[l].count >= 2; };
    const auto pick = [&](double Spread::*part) {
        const auto at = [&](Size l) { return known(l) ? spreads[l].*part : kNone; };
        return b.byLayer(at, at(0));
    };
    b.add(mean, pick(&Spread::mean)).standardError = pick(&Spread::meanError);
    b.add(variance, pick(&Spread::variance)).standardError = pick(&Spread::varianceError);
}

void addHistogram(Builder& b, const char* name, bool noise) {
    const auto& bins = b.s.bins;
    const double spacing = bins[1] - bins[0];
    Vector density;
    Axis depths{"depth", {}, {}};
    for (Size l = 1; l <= b.layers; ++l) {
        depths.values.push_back(static_cast<double>(l));
        Vector row(bins.size());
        const Vector logs = b.n.logsAt(l, noise);
        for (const double log : logs) {
            const double bin = std::round((log - bins[0]) / spacing);
            if (bin >= 0 && bin < static_cast<double>(bins.size()))
                row[static_cast<Size>(bin)] += 1 / (static_cast<double>(logs.size()) * spacing);
        }
        density.insert(density.end(), row.begin(), row.end());
    }
    b.r.add(name, {depths, Axis{"bin", bins, {}}}, std::move(density));
}

void addLaw(Builder& b) {
    const auto times = [&](double perLayer) { return b.byLayer([&](Size l) { return static_cast<double>(l) * perLayer; }, 0); };
    const auto constant = [&](double value) { return b.byLayer([&](Size) { return value; }); };
    b.add("meanLogTheory", times(b.s.law.drift));
    b.add("varLogTheory", times(b.s.law.variance));
    b.add("meanLogFirstOrder", times(-2.5 / b.width));
    b.add("varLogFirstOrder", times(5 / b.width));
    b.add("driftTheory", constant(b.s.law.drift));
    b.add("diffusionTheory", constant(b.s.law.variance));
    b.add("incrementVarianceLow", constant(2 / (b.width * b.width)));
    b.add("incrementVarianceHigh", constant(5 / b.width));
}

/// Signal and noise in turn.
struct Names {
    const char *logMean, *drift, *diffusion, *variance, *predicted;
    IncrementMeans DiffusionLayer::*part;
};

void addTerms(Builder& b, const Names& names) {
    const auto part = [&](Size l) -> const IncrementMeans& { return b.n.layers()[l - 1].*names.part; };
    const auto column = [&](auto&& of) {
        return b.byLayer([&](Size l) { return part(l).increment.count >= 2 && part(l).increment.sum > 0 ? of(part(l)) : kNone; });
    };
    b.add(names.logMean, column([](const IncrementMeans& m) { return std::log(m.increment.mean()); })).standardError =
        column([](const IncrementMeans& m) { return m.increment.standardError() / m.increment.mean(); });
    b.add(names.drift, column([](const IncrementMeans& m) { return m.drift.mean(); })).standardError =
        column([](const IncrementMeans& m) { return m.drift.standardError(); });
    const auto twins = [&](auto&& of) { return column([&](const IncrementMeans& m) { return m.diffusion.count > 0 ? of(m) : kNone; }); };
    b.add(names.diffusion, twins([](const IncrementMeans& m) { return m.diffusion.mean(); })).standardError =
        twins([](const IncrementMeans& m) { return m.diffusion.standardError(); });
    b.add(names.variance, column([](const IncrementMeans& m) { return m.increment.variance(); }));
    b.add(names.predicted, column([](const IncrementMeans& m) { return m.predicted.mean(); }));
}

void addCollapse(Builder& b) {
    const auto exact = b.byLayer([&](Size l) { return collapseBy(b.s.law, static_cast<double>(l)); }, 0);
    b.addMean("collapsed", [](const DiffusionLayer& l) -> const DrawMean& { return l.collapsed; });
    b.addMean("deadInputs", [](const DiffusionLayer& l) -> const DrawMean& { return l.dead; });
    b.add("collapsedBound", exact);
    b.add("deadInputsTheory", exact);
}

/// How many draws there are is not what came out of them: what can be shown does not depend on the numbers drawn.
Size kurtosisKnownTo(const Builder& b) {
    const double draws = static_cast<double>(b.s.draws);
    Size last = 0;
    while (last < b.layers && relativeKurtosisError(b.s.law, b.s.plan.width, static_cast<double>(last + 1), draws) < kKurtosisError) ++last;
    return last;
}

void addTails(Builder& b) {
    const Size last = kurtosisKnownTo(b);
    const auto known = [&](Size l) { return l <= last && b.n.layers()[l - 1].square.sum > 0; };
    b.add("preactivationKurtosis", b.byLayer([&](Size l) { return known(l) ? b.n.kurtosis(l).value : kNone; })).standardError =
        b.byLayer([&](Size l) { return known(l) ? b.n.kurtosis(l).standardError : kNone; });
    b.add("preactivationKurtosisTheory", b.byLayer([&](Size l) { return preactivationKurtosis(b.s.law, static_cast<double>(l)); }));
    Axis thresholds{"threshold", {}, {}}, layers{"layer", {}, {}};
    Vector shares, gaussian;
    for (int j = MomentDiffusion::kLeastTail; j <= MomentDiffusion::kMostTail; ++j) {
        thresholds.values.push_back(std::exp2(0.5 * j));
        gaussian.push_back(std::erfc(thresholds.values.back() / std::sqrt(2.0)));
    }
    for (Size l = 1; l <= b.layers; ++l) {
        layers.values.push_back(static_cast<double>(l));
        const DiffusionLayer& layer = b.n.layers()[l - 1];
        for (const double count : layer.tailsOver)
            shares.push_back(layer.square.count > 0 ? count / (layer.square.count * b.width) : kNone);
    }
    b.r.add("tails", {layers, thresholds}, std::move(shares)).mayBeUndefined = true;
    b.r.add("tailsTheory", {layers, thresholds}, b.s.tailsTheory);
    b.r.add("tailsGaussian", {thresholds}, std::move(gaussian));
    b.r.add("kurtosisKnownTo", static_cast<double>(last));
}

void addFits(Builder& b) {
    const Spread &last = b.signal.back(), &lastNoise = b.noise.back(), &half = b.signal[b.layers / 2];
    const DrawMean& collapsed = b.n.layers().back().collapsed;
    if (collapsed.count > 0) b.addMonteCarlo("collapsedShare", collapsed.mean(), collapsed.standardError(), b.n.draws());
    b.r.add("driftPredicted", b.s.law.drift);
    b.r.add("diffusionPredicted", b.s.law.variance);
    if (last.count < 4) return;
    const double draws = static_cast<double>(last.count), gained = static_cast<double>(b.layers - b.layers / 2);
    b.addMonteCarlo("meanSignal", last.mean, last.meanError, last.count);
    b.addMonteCarlo("deviationSignal", std::sqrt(last.variance), last.varianceError / (2 * std::sqrt(last.variance)), last.count);
    b.addMonteCarlo("skewness", last.skewness, std::sqrt(6 / draws), last.count);
    b.addMonteCarlo("excessKurtosis", last.excess, std::sqrt(24 / draws), last.count);
    b.addMonteCarlo("meanNoise", lastNoise.mean, lastNoise.meanError, last.count);
    b.addMonteCarlo("deviationNoise", std::sqrt(lastNoise.variance), lastNoise.varianceError / (2 * std::sqrt(lastNoise.variance)),
                    last.count);
    b.addMonteCarlo("driftPerLayer", (last.mean - half.mean) / gained,
                    std::sqrt(std::max(0.0, last.variance - half.variance) / draws) / gained, last.count);
    b.addMonteCarlo("diffusionPerLayer", (last.variance - half.variance) / gained,
                    std::hypot(last.varianceError, half.varianceError) / gained, last.count);
}

std::string summaryOf(const Builder& b) {
    const Report& r = b.r.report;
    const std::string networks =
        inWords(static_cast<double>(b.n.draws())) + (b.n.draws() == 1 ? " network" : " networks") + " of width " + inWords(b.width) + ": ";
    const Scalar *mean = r.scalar("meanSignal"), *collapsed = r.scalar("collapsedShare");
    const double depth = static_cast<double>(b.layers);
    const std::string dead = collapsed && collapsed->value > 0 ? " By then " + inWords(100 * collapsed->value) +
                                                                     " % of the networks have collapsed to zero; the bound is " +
                                                                     inWords(100 * collapseBy(b.s.law, depth)) + " %."
                                                               : "";
    if (!mean) return networks + "too few of them are alive at layer " + inWords(depth) + " for a histogram." + dead;
    return networks + "at layer " + inWords(depth) + " log ν₂(x) has mean " + inWords(mean->value) + " and standard deviation " +
           inWords(r.scalar("deviationSignal")->value) + "; inputs on one line would have " + inWords(depth * b.s.law.drift) + " and " +
           inWords(std::sqrt(depth * b.s.law.variance)) + "." + dead;
}

Report makeReport(const Setup& setup, const MomentDiffusion& networks, bool finished) {
    Builder b(setup, networks);
    addHistogram(b, "histogramSignal", false);
    addHistogram(b, "histogramNoise", true);
    addSpread(b, "meanLog", "varLog", b.signal);
    addSpread(b, "meanLogNoise", "varLogNoise", b.noise);
    addLaw(b);
    addTerms(b, {"logMeanIncrement", "drift", "diffusionTerm", "incrementVariance", "incrementVariancePredicted", &DiffusionLayer::signal});
    addTerms(b, {"logMeanIncrementNoise", "driftNoise", "diffusionTermNoise", "incrementVarianceNoise", "incrementVarianceNoisePredicted",
                 &DiffusionLayer::noise});
    addCollapse(b);
    addTails(b);
    addFits(b);
    b.r.report.status = finished ? Status::Ok : Status::Partial;
    b.r.report.message = finished ? "" : "More networks are being drawn.";
    b.r.report.summary = summaryOf(b);
    return std::move(b.r.report);
}

constexpr int kBins = 72;

/// Four standard deviations on either side, of every layer.
std::vector<double> binsOf(const OneDimensionalLaw& law, std::size_t layers) {
    double lo = 0, hi = 0;
    for (std::size_t l = 1; l <= layers; ++l) {
        const double depth = static_cast<double>(l), mean = depth * law.drift, reach = 4 * std::sqrt(depth * law.variance);
        lo = std::min(lo, mean - reach);
        hi = std::max(hi, mean + reach);
    }
    std::vector<double> bins(kBins);
    for (int i = 0; i < kBins; ++i) bins[static_cast<std::size_t>(i)] = lo + (hi - lo) * (i + 0.5) / kBins;
    return bins;
}

WalkPlan planOf(const Values& v) {
    return {static_cast<std::size_t>(v.integer("width")), static_cast<std::size_t>(v.integer("layers")),
            static_cast<std::size_t>(v.integer("samples")), momentDataFromKey(v.text("data")), v.seed()};
}

Setup readSetup(const Values& v) {
    Setup s;
    s.plan = planOf(v);
    s.draws = static_cast<std::size_t>(v.integer("draws"));
    s.law = oneDimensionalLaw(s.plan.width);
    s.bins = binsOf(s.law, s.plan.layers);
    for (std::size_t l = 1; l <= s.plan.layers; ++l)
        for (int j = MomentDiffusion::kLeastTail; j <= MomentDiffusion::kMostTail; ++j)
            s.tailsTheory.push_back(preactivationTail(s.law, static_cast<double>(l), std::exp2(0.5 * j)));
    return s;
}

constexpr double kSlice = 6e6;                  ///< operations between two looks at the clock
constexpr double kOperationsPerSecond = 1.6e9;  ///< measured: small products and gaussians

class DiffusionComputation final : public Computation {
public:
    explicit DiffusionComputation(const Request& request) : setup_(readSetup(request.params)), networks_(setup_.plan, setup_.draws) {}

    bool step() override { return networks_.advance(kSlice); }
    double progress() const override { return networks_.progress(); }
    Report report() const override { return makeReport(setup_, networks_, networks_.draws() == setup_.draws); }

private:
    Setup setup_;
    MomentDiffusion networks_;
};

Cost costOf(const Request& request) {
    const WalkPlan plan = planOf(request.params);
    const auto count = static_cast<std::size_t>(request.params.integer("draws"));
    const double draws = static_cast<double>(count), L = static_cast<double>(plan.layers), N = static_cast<double>(plan.width);
    const double theory = 2e5 * L, report = 100 * draws * L;
    // A stem reads images of 32 × 32 × 3 colours into every unit, signal and noise.
    const double stem = plan.data == MomentData::Images ? draws * N * 3072 * (20 + 4 * static_cast<double>(plan.samples)) : 0;
    const double networks = (MomentDiffusion::operations(plan, count) + stem) * 1e9 / kOperationsPerSecond;
    return {networks + theory + report + 1e6, MomentDiffusion::bytes(plan, count) + 8 * draws + 3000 * L + 4e6};
}

std::string costliestOf(const Request& request) { return random_nets::costliestParam(request, costOf); }

std::unique_ptr<Computation> startDiffusion(const Request& request) { return std::make_unique<DiffusionComputation>(request); }

}  // namespace
}  // namespace moment_diffusion

Model moment_diffusion_model() {
    return stepwise<moment_diffusion::costOf, moment_diffusion::costliestOf, moment_diffusion::startDiffusion>("moment-diffusion");
}

}  // namespace kappaflow
