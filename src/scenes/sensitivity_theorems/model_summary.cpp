#include <cmath>

#include "scenes/random_nets/declaration_nets.h"
#include "scenes/sensitivity_theorems/model_report.h"

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

}  // namespace

std::string summaryOf(const Setup& s, const Progress& p, const Report& report) {
    const MomentNet& net = s.nets.net;
    const std::string died = p.collapse.empty() ? "" : " A network ended early: " + p.collapse;
    if (p.draws.empty()) return "The first network is being drawn.";
    const Scalar *ratio = report.scalar("meanRatio"), *deviation = report.scalar("deviation");
    if (!ratio && net.activation != Activation::Relu)
        return subject(s, p) + ": the theorem's value is about the ReLU, so that there is none for tanh." + died;
    if (!ratio) return subject(s, p) + ": no layer's increment could be compared." + died;
    std::string text = subject(s, p) + ": measured increments are on average " + percent(ratio->value) + " " +
                       (ratio->value < 1 ? "below " : "above ") + theoremOf(net);
    if (deviation) text += ", " + inWords(deviation->value, 2) + " standard errors";
    text += ".";
    if (net.kind == MomentKind::ResnetPlain)
        text += " Theorem 4's power law does not apply: without batch norm the variance of branches grows exponentially.";
    return text + died;
}

}  // namespace kappaflow::sensitivity_theorems
