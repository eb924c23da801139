#include <algorithm>
#include <cmath>

#include "core/moments/moment_fits.h"
#include "core/moments/moment_theory.h"
#include "scenes/moments/declaration_nets.h"
#include "scenes/moments/model_nets.h"
#include "scenes/moments/sensitivity_theorems/model.h"

namespace kappaflow::sensitivity_theorems {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// Values of the draws that reach a layer and know it.
template <class Of>
Vector valuesAt(const Progress& p, Size layer, Of&& of) {
    Vector values;
    for (const auto& draw : p.draws)
        if (layer < draw.size())
            if (const double value = of(draw[layer]); std::isfinite(value)) values.push_back(value);
    return values;
}

template <class Measured, class Theorem>
MeanRatio ratioOver(const Progress& p, Size layers, Measured&& measured, Theorem&& theorem) {
    MeanRatio result;
    Vector influence(p.draws.size());
    double sum = 0, counted = 0;
    for (Size l = 1; l <= layers; ++l) {
        const double a = meanOf(valuesAt(p, l, measured)), b = meanOf(valuesAt(p, l, theorem));
        if (!(b > 0) || !std::isfinite(a)) continue;
        sum += a / b;
        ++counted;
        for (Size d = 0; d < p.draws.size(); ++d)
            if (l < p.draws[d].size())
                if (const double i = (measured(p.draws[d][l]) - a / b * theorem(p.draws[d][l])) / b; std::isfinite(i)) influence[d] += i;
    }
    if (counted == 0) return result;
    for (double& value : influence) value /= counted;
    return {sum / counted, influence.size() > 1 ? drawBand(influence).standardError : 0, p.draws.size()};
}

class Builder : public random_nets::LayeredReport {
public:
    Builder(const Setup& setup, const Progress& progress)
        : LayeredReport("sensitivity-theorems", setup.nets.net.layers), p(progress), net(setup.nets.net) {}

    Vector mean(Part part) const {
        return byLayer([&](Size l) { return meanOf(valuesAt(p, l, [&](const LayerRecord& m) { return m.*part; })); });
    }
    /// Of layer 0 as well where it is known, as the zeroth branch is.
    void addMean(const char* name, Part part) {
        Array& array = add(name, mean(part));
        const Vector input = valuesAt(p, 0, [&](const LayerRecord& m) { return part == &LayerRecord::branch ? m.*part : kUndefined; });
        if (!input.empty()) array.values[0] = meanOf(input);
        if (array.role != Role::Measurement) return;
        array.standardError = byLayer([&](Size l) {
            const Vector values = valuesAt(p, l, [&](const LayerRecord& m) { return m.*part; });
            return values.size() > 1 ? drawBand(values).standardError : values.empty() ? kUndefined : 0;
        });
    }
    /// exp of the mean over draws of a logarithm, 1 at layer 0.
    Vector geometric(Part part) const {
        Vector values = byLayer([&](Size l) { return std::exp(meanOf(valuesAt(p, l, [&](const LayerRecord& m) { return m.*part; }))); });
        values[0] = 1;
        for (double& value : values)
            if (!std::isfinite(value)) value = kUndefined;
        return values;
    }
    void addRatio(const char* name, const MeanRatio& ratio) {
        if (std::isfinite(ratio.value)) addMonteCarlo(name, ratio.value, ratio.standardError, ratio.draws);
    }

    const Progress& p;
    const MomentNet& net;
};

void addIncrements(Builder& b) {
    b.addMean("deltaChi", &LayerRecord::deltaChi);
    const auto band = [&](bool high) {
        return b.byLayer([&](Size l) {
            const Vector values = valuesAt(b.p, l, [](const LayerRecord& m) { return m.deltaChi; });
            const DrawBand found = values.empty() ? DrawBand{} : drawBand(values);
            return values.empty() ? kUndefined : high ? found.high : found.low;
        });
    };
    b.add("deltaChiLow", band(false));
    b.add("deltaChiHigh", band(true));
    b.addMean("deltaChiTheorem", &LayerRecord::theorem);
    Vector ratio = b.mean(&LayerRecord::deltaChi);
    const Vector theorem = b.mean(&LayerRecord::theorem);
    for (Size l = 0; l < ratio.size(); ++l) ratio[l] /= theorem[l];
    b.add("ratio", std::move(ratio));
    b.add("chi", b.geometric(&LayerRecord::logChi));
    b.add("chiTheorem", b.geometric(&LayerRecord::logTheorem));
    if (!b.net.normalised()) return;
    b.addMean("deltaBatchNorm", &LayerRecord::batchNorm);
    b.addMean("deltaActivation", &LayerRecord::activation);
    b.addMean("deltaBatchNormTheorem", &LayerRecord::batchNormTheorem);
    b.addMean("deltaActivationTheorem", &LayerRecord::activationTheorem);
}

/// Theorem 4's bounds from the extremes of the mean inner increments and branch variances, the zeroth branch y⁰ among them: its
/// suppositions, not its conclusion.
void addPowerLaw(Builder& b) {
    double low = 1e300, high = 0, least = 1e300, most = 0;
    for (Size l = 0; l <= b.layers; ++l) {
        const auto at = [&](Part part) { return meanOf(valuesAt(b.p, l, [&](const LayerRecord& m) { return m.*part; })); };
        const double branch = at(&LayerRecord::branch);
        if (!std::isfinite(branch)) continue;
        least = std::min(least, branch), most = std::max(most, branch);
        if (l == 0) continue;
        low = std::min(low, at(&LayerRecord::innerLow)), high = std::max(high, at(&LayerRecord::innerHigh));
    }
    if (!(most > 0) || !(least > 0) || !(low <= high)) return;
    const PowerLawBounds bounds = powerLawBounds(low, high, b.net.inner, least, most);
    b.add("boundLow", b.byLayer([&](Size l) { return bounds.incrementLow(l); }));
    b.add("boundHigh", b.byLayer([&](Size l) { return bounds.incrementHigh(l); }));
    b.r.add("exponentLow", bounds.tauLow());
    b.r.add("exponentHigh", bounds.tauHigh());
}

void addBounds(Builder& b) {
    if (b.net.residual()) {
        b.addMean("undiluted", &LayerRecord::inner);
        b.addMean("branchVariance", &LayerRecord::branch);
        if (b.net.kind == MomentKind::Resnet && b.net.skipScale == 1) addPowerLaw(b);
        return;
    }
    if (b.net.activation != Activation::Relu) return;
    b.add("boundLow", b.byLayer([](Size) { return kLeastIncrement; }));
    b.add("boundHigh", b.byLayer([](Size) { return kMostIncrement; }));
}

void addSwitching(Builder& b) {
    if (b.net.activation != Activation::Relu) return;
    const Size units = b.p.switching.empty() ? b.net.width : b.p.switching.front().size();
    Axis layers{"layer", {}, {}};
    Vector values;
    for (Size l = 1; l <= b.layers; ++l) {
        layers.values.push_back(static_cast<double>(l));
        const bool known = l <= b.p.switching.size();
        for (Size c = 0; c < units; ++c) values.push_back(known ? b.p.switching[l - 1][c] : kUndefined);
    }
    b.r.add("switching", {layers, countedAxis("unit", units)}, std::move(values)).mayBeUndefined = true;
    const Part part = b.net.normalised() ? &LayerRecord::activationTheorem : &LayerRecord::theorem;
    if (b.net.residual()) return;
    Vector means = b.mean(part);
    for (double& value : means) value = 1 - 1 / (value * value);
    b.add("switchingMean", std::move(means));
}

void addRatios(Builder& b) {
    const MeanRatio ratio = meanRatio(b.p, b.layers, &LayerRecord::deltaChi, &LayerRecord::theorem);
    b.addRatio("meanRatio", ratio);
    const bool known = ratio.draws >= kDrawsForError && ratio.standardError > kLeastError;
    if (std::isfinite(ratio.value) && known && std::abs(ratio.value - 1) >= kEqualRatios)
        b.r.add("deviation", std::abs(ratio.value - 1) / ratio.standardError);
    if (b.net.normalised()) {
        b.addRatio("meanRatioBatchNorm", meanRatio(b.p, b.layers, &LayerRecord::batchNorm, &LayerRecord::batchNormTheorem));
        b.addRatio("meanRatioActivation", meanRatio(b.p, b.layers, &LayerRecord::activation, &LayerRecord::activationTheorem));
    }
    if (!b.net.residual() && b.net.boundary == Padding::Periodic)
        b.addRatio("varianceIdentity",
                   varianceRatio(b.p, b.layers, b.net.normalised() ? &LayerRecord::activationTheorem : &LayerRecord::theorem));
    if (std::isfinite(b.p.firstStep)) b.r.add("firstStep", b.p.firstStep);
    const Vector first = valuesAt(b.p, 1, [](const LayerRecord& m) { return m.deltaChi; });
    if (!first.empty() && !b.net.residual())
        b.addRatio("firstStepMeasured", {meanOf(first), first.size() > 1 ? drawBand(first).standardError : 0, first.size()});
    double died = 0;
    for (const auto& draw : b.p.draws) died += draw.size() <= b.layers;
    b.r.add("collapsedDraws", died);
}

}  // namespace

MeanRatio meanRatio(const Progress& p, std::size_t layers, Part measured, Part theorem) {
    return ratioOver(
        p, layers, [&](const LayerRecord& m) { return m.*measured; }, [&](const LayerRecord& m) { return m.*theorem; });
}

MeanRatio varianceRatio(const Progress& p, std::size_t layers, Part theorem) {
    return ratioOver(
        p, layers, [](const LayerRecord& m) { return m.variance; }, [&](const LayerRecord& m) { return 1 / (m.*theorem * (m.*theorem)); });
}

Report makeReport(const Setup& setup, const Progress& progress) {
    Builder b(setup, progress);
    addIncrements(b);
    addBounds(b);
    addSwitching(b);
    addRatios(b);
    b.r.report.status = progress.finished ? Status::Ok : Status::Partial;
    b.r.report.message = progress.finished ? "" : "More networks are being drawn.";
    b.r.report.summary = summaryOf(setup, progress, b.r.report);
    return std::move(b.r.report);
}

namespace {

std::string subject(const Setup& s, const Progress& p) {
    const double draws = static_cast<double>(p.draws.size());
    const bool one = draws == 1;
    if (s.nets.net.kind == MomentKind::ResnetPlain) return inWords(draws) + (one ? " ResNet" : " ResNets") + " without batch norm";
    return inWords(draws) + " " + random_nets::nameOfNet(random_nets::keyOf(s.nets.net.kind)) + (one ? "" : "s");
}

std::string theoremOf(const MomentNet& net) {
    if (net.kind == MomentKind::Vanilla) return "Theorem 2";
    return net.kind == MomentKind::BatchNorm ? "Theorem 3" : "the dilution law of Theorem 4";
}

std::string percent(double ratio) { return inWords(100 * std::abs(ratio - 1), 2) + " %"; }

/// Where the theorem's average over weights comes from.
std::string averageOf(const Setup& s) {
    switch (s.expectation) {
        case Expectation::Fresh:
            return "fresh weights";
        case Expectation::Channels:
            return "the drawn channels";
        case Expectation::Exact:
            return "all weights";
    }
    return "";
}

/// With the core's sentence about the first of them in brackets.
std::string endedEarly(const Progress& p, const Report& report) {
    const Scalar* collapsed = report.scalar("collapsedDraws");
    if (p.collapse.empty() || !collapsed) return "";
    const double draws = static_cast<double>(p.draws.size());
    std::string why = p.collapse;
    while (!why.empty() && why.back() == '.') why.pop_back();
    return " " + inWords(collapsed->value) + " of " + inWords(draws) + (draws == 1 ? " network" : " networks") + " ended early (" + why +
           ").";
}

std::string compared(const Setup& s, const Scalar& ratio) {
    const std::string theorem = theoremOf(s.nets.net) + ", averaged over " + averageOf(s);
    if (std::abs(ratio.value - 1) < kEqualRatios) return "measured increments are on average equal to " + theorem;
    return "measured increments are on average " + percent(ratio.value) + (ratio.value < 1 ? " below " : " above ") + theorem;
}

}  // namespace

std::string summaryOf(const Setup& s, const Progress& p, const Report& report) {
    const MomentNet& net = s.nets.net;
    const std::string died = endedEarly(p, report);
    if (p.draws.empty()) return "The first network is being drawn.";
    const Scalar *ratio = report.scalar("meanRatio"), *deviation = report.scalar("deviation");
    if (!ratio && net.activation != Activation::Relu)
        return subject(s, p) + ": the theorem's value is about the ReLU, so that there is none for tanh." + died;
    if (!ratio) return subject(s, p) + ": no layer's increment could be compared." + died;
    std::string text = subject(s, p) + ": " + compared(s, *ratio);
    if (deviation) text += ", " + inWords(deviation->value, 2) + " standard errors";
    text += ".";
    if (net.kind == MomentKind::ResnetPlain && net.skipScale == 0)
        text += " Theorem 4's power law does not apply: without a skip there is nothing to dilute.";
    else if (net.kind == MomentKind::ResnetPlain)
        text += " Theorem 4's power law does not apply: without batch norm the variance of branches grows exponentially.";
    return text + died;
}

}  // namespace kappaflow::sensitivity_theorems
