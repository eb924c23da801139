#include <cmath>

#include "scenes/moments/declaration_nets.h"
#include "scenes/moments/sensitivity_theorems/model_report.h"

namespace kappaflow::sensitivity_theorems {
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
