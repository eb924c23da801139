#include "scenes/capacity_diffusion/model_summary.h"

#include <algorithm>
#include <cmath>

namespace kappaflow::diffusion {
namespace {

std::string countOf(int n, const std::string& what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

std::string percent(double share) { return inWords(100 * share, 2) + " %"; }

/// "The capacity of one output unit".
std::string subject(const Setup& setup) {
    const auto& profile = setup.start.profile;
    const auto units = std::count_if(profile.begin(), profile.end(), [](double p) { return p > 0; });
    if (units == 1)
        return setup.local() && setup.drawn.channels > 1 ? "The capacity of one output position" : "The capacity of one output unit";
    return "The capacity of " + std::to_string(units) + " output " + (setup.local() ? "positions" : "units");
}

std::string spreadSentences(const Setup& setup, const Report& report) {
    const int layers = setup.drawn.layers;
    std::string text = subject(setup) + " spreads over about ±" + inWords(report.scalar("spread")->value) +
                       " positions (standard deviation) on its way through " + countOf(layers, "layer") +
                       "; the diffusion equation predicts ±" + inWords(report.array("standardDeviationPredicted")->values[0]);
    const auto* distance = report.scalar("totalVariation");
    if (distance && distance->value < 1e-9) text += ", and the profile is its Gaussian";
    if (distance && distance->value >= 1e-9 && distance->value <= 1)
        text += ", and " + percent(distance->value) + " of the capacity lies elsewhere than its Gaussian says";
    text += ".";
    const double mean = report.array("mean")->values[0];
    if (setup.draws == 1 && std::abs(mean) > 0.05) text += " Its centre drifts by " + inWords(mean) + " positions.";
    if (const auto* wander = setup.random() ? report.scalar("centreWander") : nullptr)
        text += " This is the average of " + countOf(setup.draws, "network") + ", whose centres wander by ±" + inWords(wander->value) + ".";
    return text;
}

/// How many inputs hold the capacity, as if it were shared equally: e to the entropy.
double effectiveInputs(const std::vector<double>& capacity, double total) {
    double entropy = 0;
    for (const double c : capacity)
        if (c > 0) entropy -= c / total * std::log(c / total);
    return std::exp(entropy);
}

std::string sharingSentences(const Setup& setup, const Chain& chain, const Report& report) {
    const auto inputs = static_cast<std::size_t>(chain.shape().widths[0]);
    const double* first = report.array("capacity")->row(0);
    const std::vector<double> capacity(first, first + inputs);
    const double total = report.array("total")->values[0];
    if (!(total > 0)) return subject(setup) + " reaches no input: every way down ends at units without weights.";
    const auto most = std::max_element(capacity.begin(), capacity.end());
    return subject(setup) + " reaches the " + countOf(static_cast<int>(inputs), "input") + " through " +
           countOf(chain.shape().layers(), "layer") + " and is spread there as if " + inWords(effectiveInputs(capacity, total)) +
           " of them shared it equally; input " + std::to_string(most - capacity.begin()) + " gets most, " + percent(*most / total) + ".";
}

}  // namespace

std::string summaryOf(const Setup& setup, const Chain& chain, const Report& report) {
    std::string text = setup.local() ? spreadSentences(setup, report) : sharingSentences(setup, chain, report);
    if (const auto* distance = report.scalar("gradientTotalVariation"))
        return text + " The mean squared gradient lies at the input where the capacity does, up to " + percent(distance->value) + " of it.";
    const double lost = report.array("unattributed")->values[0];
    return text + (lost > 1e-12 ? " Units without weights keep " + percent(lost) + " of it." : " Its total stays 1 in every layer.");
}

}  // namespace kappaflow::diffusion
