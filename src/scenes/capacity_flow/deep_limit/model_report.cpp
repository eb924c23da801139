#include "scenes/capacity_flow/deep_limit/model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kappaflow::deep_limit {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// What lies below is not worth a position in the report.
constexpr double kVisible = 1e-12;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
const Vector kExponents{0, 0.5, 1};

class Builder {
public:
    Builder(const Setup& setup, const Progress& progress) : setup(setup), progress(progress) {}

    Array& add(const std::string& name, std::vector<Axis> axes, Vector values) {
        const Field& field = fieldNamed(name);
        report.arrays.push_back({name, std::move(axes), std::move(values), field.symbol, field.about, field.role, {}, false});
        return report.arrays.back();
    }
    Scalar& add(const std::string& name, double value) {
        const Field& field = fieldNamed(name);
        report.scalars.push_back({name, value, field.symbol, field.about, {}, 0});
        return report.scalars.back();
    }
    /// A number of every depth.
    template <class Of>
    Array& addByDepth(const std::string& name, Of&& of) {
        Vector values;
        for (Size d = 0; d < setup.depths.size(); ++d) values.push_back(of(d));
        return add(name, {depths()}, std::move(values));
    }
    Axis depths() const { return {"depth", Vector(setup.depths.begin(), setup.depths.end()), {}}; }
    static Axis positions(int from, int to) {
        Axis axis{"position", {}, {}};
        for (int x = from; x <= to; ++x) axis.values.push_back(x);
        return axis;
    }

    const Setup& setup;
    const Progress& progress;
    Report report;

private:
    static const Field& fieldNamed(const std::string& name) {
        const auto& fields = findDeclaration("deep-limit")->fields;
        return *std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
    }
};

struct Window {
    int from = 0, to = 0;
    void include(const LatticeDistribution& p) {
        for (Size i = 0; i < p.mass.size(); ++i)
            if (p.mass[i] > kVisible) {
                from = std::min(from, p.first + static_cast<int>(i));
                to = std::max(to, p.first + static_cast<int>(i));
            }
    }
    void append(Vector& values, const LatticeDistribution& p) const {
        for (int x = from; x <= to; ++x) values.push_back(p.at(x));
    }
};

void addProfiles(Builder& b) {
    const Progress& p = b.progress;
    Window window;
    window.include(p.flow);
    window.include(p.gaussian);
    for (const auto& chain : p.chains) window.include(chain);
    Vector chains, flow, gaussian;
    for (const auto& chain : p.chains) window.append(chains, chain);
    window.append(flow, p.flow);
    window.append(gaussian, p.gaussian);
    const Axis x = Builder::positions(window.from, window.to);
    b.add("chain", {b.depths(), x}, std::move(chains));
    b.add("flow", {x}, std::move(flow));
    b.add("gaussian", {x}, std::move(gaussian));
}

void addDistances(Builder& b) {
    const Progress& p = b.progress;
    b.addByDepth("totalVariation", [&](Size d) { return totalVariation(p.chains[d], p.gaussian); });
    b.addByDepth("totalVariationToFlow", [&](Size d) { return totalVariation(p.chains[d], p.flow); });
    b.add("gaussianGap", totalVariation(p.flow, p.gaussian));
    if (!b.setup.isCritical()) return;
    const double slope = totalVariationSlope(b.setup.kernel, b.setup.squaredNorm);
    b.addByDepth("totalVariationToFlowPredicted", [&](Size d) { return slope / b.setup.depths[d]; });
    b.add("slope", slope);
}

void addMoments(Builder& b) {
    const Setup& s = b.setup;
    b.addByDepth("meanChain", [&](Size d) { return b.progress.chains[d].mean(); });
    b.addByDepth("varianceChain", [&](Size d) { return b.progress.chains[d].variance(); });
    b.addByDepth("meanPredicted", [&](Size d) { return s.meanAt(s.depths[d]); });
    b.addByDepth("variancePredicted", [&](Size d) { return s.varianceAt(s.depths[d], s.exponent); });
    b.addByDepth("step", [&](Size d) { return s.step(s.depths[d]); });
    Vector spreads;
    for (double exponent : kExponents)
        for (int layers : s.depths) spreads.push_back(std::sqrt(s.varianceAt(layers, exponent)));
    b.add("spreadByExponent", {{"exponent", kExponents, {}}, b.depths()}, std::move(spreads));
}

void addKernel(Builder& b) {
    const LimitKernel& kernel = b.setup.kernel;
    Axis offsets{"offset", {}, {}};
    for (int k = -kernel.reach(); k <= kernel.reach(); ++k) offsets.values.push_back(k);
    Vector rates = kernel.rates;
    rates[static_cast<Size>(kernel.reach())] = -kernel.total();
    b.add("kernel", {offsets}, std::move(rates));
    b.add("v", kernel.drift());
    b.add("diffusion", kernel.diffusion());
}

bool hasDraws(const ForwardRun& run) { return run.squares().count() > 0; }

/// [depth, position, draw] and [depth, position]; undefined where nothing is simulated.
void addForwardProfiles(Builder& b) {
    const auto& runs = b.progress.forward;
    const int reach = b.setup.forwardReach();
    const Size n = 2 * static_cast<Size>(reach) + 1;
    Vector kept, squares, errors, predicted;
    for (Size d = 0; d < runs.size(); ++d) {
        const ForwardRun& run = *runs[d];
        const bool drawn = hasDraws(run), simulated = b.setup.isSimulated(b.setup.depths[d]);
        const Vector error = run.squares().standardError();
        const double growth = std::exp(b.setup.logGrowth(b.setup.depths[d]));
        for (Size x = 0; x < n; ++x) {
            for (const auto& draw : run.kept) kept.push_back(drawn ? draw[x] : kNone);
            squares.push_back(drawn ? run.squares().mean()[x] : kNone);
            errors.push_back(drawn ? error[x] : kNone);
            predicted.push_back(simulated ? growth * b.progress.chains[d].at(reach - static_cast<int>(x)) : kNone);
        }
    }
    const Axis x = Builder::positions(-reach, reach);
    Axis draws{"draw", {}, {}};
    for (Size k = 0; k < ForwardRun::kKept; ++k) draws.values.push_back(static_cast<double>(k));
    b.add("forward", {b.depths(), x, draws}, std::move(kept)).mayBeUndefined = true;
    auto& mean = b.add("forwardMeanSquare", {b.depths(), x}, std::move(squares));
    mean.standardError = std::move(errors);
    mean.mayBeUndefined = true;
    b.add("forwardMeanSquarePredicted", {b.depths(), x}, std::move(predicted)).mayBeUndefined = true;
}

void addForward(Builder& b) {
    addForwardProfiles(b);
    const auto& runs = b.progress.forward;
    Vector errors;
    for (const auto& run : runs) errors.push_back(hasDraws(*run) ? run->squares().standardError().back() : kNone);
    auto& growth = b.addByDepth("forwardGrowth", [&](Size d) { return hasDraws(*runs[d]) ? runs[d]->squares().mean().back() : kNone; });
    growth.standardError = std::move(errors);
    growth.mayBeUndefined = true;
    b.addByDepth("forwardGrowthPredicted", [&](Size d) {
         const int layers = b.setup.depths[d];
         return b.setup.isSimulated(layers) ? std::exp(b.setup.logGrowth(layers)) : kNone;
     }).mayBeUndefined = true;
    b.addByDepth("forwardDraws", [&](Size d) { return runs[d]->squares().count(); });
    b.addByDepth("forwardEffectiveDraws", [&](Size d) { return hasDraws(*runs[d]) ? runs[d]->effectiveDraws() : 0; });
    double coefficient = 0;
    const auto& p = b.setup.weights;
    for (Size k = 0; k < p.size(); ++k) coefficient += (static_cast<double>(k) - b.setup.kernel.reach()) * p[k];
    b.add("sdeCoefficient", coefficient);
}

void addCheck(Builder& b) {
    const CheckRun& check = *b.progress.check;
    if (!check.hasResult()) return;
    const Axis units{"unit", {0, 1, 2}, {}}, layers{"checkLayer", {1, 2}, {}};
    const auto measured = check.simulation().capacities();
    b.add("checkCapacity", {units}, measured.capacity).standardError = measured.standardError;
    b.add("checkPredicted", {units}, check.predicted());
    const auto first = check.simulation().outputVariance(1), second = check.simulation().outputVariance(2);
    b.add("checkVariance", {layers}, {first.value, second.value}).standardError = {first.standardError, second.standardError};
    const double growth = 1 + b.setup.checkStep;
    b.add("checkVariancePredicted", {layers}, {growth, growth * growth});
    b.add("checkCovarianceGap", check.covarianceGap()).draws = check.simulation().draws();
}

std::string layersInWords(int layers) { return std::to_string(layers) + (layers == 1 ? " layer" : " layers"); }

std::string limitSentence(const Setup& s, const Report& report) {
    const double gap = report.scalar("gaussianGap")->value;
    std::string text = "At " + layersInWords(s.depths.back()) + " the chain lies " +
                       inWords(report.array("totalVariationToFlow")->values.back()) + " from the Kolmogorov flow in total variation";
    const double slope = report.scalar("slope")->value;
    if (slope > 0) text += ", a distance that falls as " + inWords(slope) + "/L";
    return text + "; its distance from the Gaussian of v = " + inWords(s.kernel.drift()) + " and 𝒟 = " + inWords(s.kernel.diffusion()) +
           " tends to " + inWords(gap) + ", not to 0, since positions are whole numbers.";
}

std::string scalingSentence(const Setup& s, const Report& report) {
    const auto& variance = report.array("varianceChain")->values;
    const bool grows = s.exponent < 0.5;
    return "With weights that shrink as L^−" + inWords(s.exponent) + " the width goes from " + inWords(std::sqrt(variance.front())) +
           " at " + layersInWords(s.depths.front()) + " to " + inWords(std::sqrt(variance.back())) + " at " +
           layersInWords(s.depths.back()) + ": " + (grows ? "capacity scatters without end" : "in the limit nothing moves") +
           "; only the exponent 1/2 has a limit between.";
}

std::string checkSentence(const Report& report) {
    const Array* measured = report.array("checkCapacity");
    if (!measured) return "";
    const auto& predicted = report.array("checkPredicted")->values;
    double gap = 0, error = 0;
    for (Size i = 0; i < predicted.size(); ++i) {
        gap = std::max(gap, std::abs(measured->values[i] - predicted[i]));
        error = std::max(error, measured->standardError[i]);
    }
    return " Two simulated pseudo-random layers have the capacities of D = (I + ε P∘P)/(1 + ε) up to " + inWords(gap, 2) +
           ", with a standard error of " + inWords(error, 2) + ".";
}

/// What was done other than asked.
std::string exceptionSentences(const Setup& s) {
    std::string text;
    if (s.raised) text += " Depths below " + layersInWords(s.depths.front()) + " would move more than a unit has and were raised to it.";
    if (s.isSaturated()) text += " Where a layer would move more than a unit has, it moves all of it.";
    const bool all = std::all_of(s.depths.begin(), s.depths.end(), [&](int layers) { return s.isSimulated(layers); });
    if (s.differential && !all)
        text += " The forward equation is not simulated where its mean square grows beyond e¹⁰: draws too rare to be met carry it.";
    return text;
}

std::string summaryOf(const Setup& s, const Report& report) {
    const std::string more = exceptionSentences(s) + (s.differential ? checkSentence(report) : "");
    if (!s.moves()) return "This kernel moves nothing: all capacity stays where it starts." + more;
    return (s.isCritical() ? limitSentence(s, report) : scalingSentence(s, report)) + more;
}

}  // namespace

Report makeReport(const Setup& setup, const Progress& progress, bool finished) {
    Builder b(setup, progress);
    b.report.warnings = setup.warnings;
    b.report.status = finished ? Status::Ok : Status::Partial;
    b.report.message = finished ? "" : "The chains are still on their way.";
    if (progress.chains.size() < setup.depths.size()) return std::move(b.report);
    addProfiles(b);
    addDistances(b);
    addMoments(b);
    addKernel(b);
    if (setup.differential) {
        addForward(b);
        addCheck(b);
    }
    if (!finished) b.report.message = "The simulations are still being refined.";
    b.report.summary = summaryOf(setup, b.report);
    return std::move(b.report);
}

}  // namespace kappaflow::deep_limit
