#include "scenes/capacity_flow/capacity_diffusion/model_summary.h"

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

/// "±4 positions", in a plane "±4 rows and ±4.1 columns".
std::string plusMinus(bool plane, double y, double x) {
    if (!plane) return "±" + inWords(x);
    return "±" + inWords(y) + " rows and ±" + inWords(x) + " columns";
}

/// Values at the input, [axis] in a plane.
struct AtInput {
    double y, x;
};
AtInput atInput(const Report& report, const char* name, bool plane) {
    const auto& values = report.array(name)->values;
    return plane ? AtInput{values[0], values[1]} : AtInput{0, values[0]};
}

/// Is the mean of the centres 0, as v = 0 says? In standard errors.
std::string meanCentreSentence(const Report& report) {
    const Array& mean = *report.array("mean");
    const double error = mean.standardError[0], centre = mean.values[0];
    if (!(error > 0)) return "";
    return " On average the centre is at " + inWords(centre, 2) + " ± " + inWords(error, 2) +
           (std::abs(centre) < 3 * error ? ": v = 0 holds on average, for no single network." : ", further from 0 than chance allows.");
}

std::string wanderSentence(const Setup& setup, const Report& report, bool plane) {
    const auto *x = report.scalar("centreWander"), *y = report.scalar("centreWanderY");
    if (!setup.random() || !x) return "";
    const std::string start = " This is the average of " + countOf(setup.draws, "network");
    const Array* width = report.array("deviationWithin");
    if (plane || !width) return start + ", whose centres wander by " + plusMinus(plane, y ? y->value : 0, x->value) + ".";
    return start + ": each is ±" + inWords(width->values[0]) + " wide about its own centre, and the centres wander by ±" +
           inWords(x->value) + "." + meanCentreSentence(report);
}

std::string spreadSentences(const Setup& setup, const Report& report) {
    const bool plane = setup.plane();
    const AtInput predicted = atInput(report, "standardDeviationPredicted", plane), mean = atInput(report, "mean", plane);
    const double spreadY = plane ? report.scalar("spreadY")->value : 0;
    std::string text = subject(setup) + " spreads over about " + plusMinus(plane, spreadY, report.scalar("spread")->value) +
                       (plane ? " (standard deviations)" : " positions (standard deviation)") + " on its way through " +
                       countOf(setup.drawn.layers, "layer") + "; the diffusion equation predicts " +
                       plusMinus(plane, predicted.y, predicted.x);
    const auto* distance = report.scalar("totalVariation");
    if (distance && distance->value < 1e-9) text += ", and the profile is its Gaussian";
    if (distance && distance->value >= 1e-9 && distance->value <= 1)
        text += ", and " + percent(distance->value) + " of the capacity lies elsewhere than its Gaussian says";
    text += ".";
    if (setup.draws == 1 && std::max(std::abs(mean.y), std::abs(mean.x)) > 0.05)
        text += plane ? " Its centre drifts by " + inWords(mean.y) + " rows and " + inWords(mean.x) + " columns."
                      : " Its centre drifts by " + inWords(mean.x) + " positions.";
    return text + wanderSentence(setup, report, plane);
}

/// How many inputs hold the capacity, as if it were shared equally: e to the entropy.
double effectiveInputs(const std::vector<double>& capacity, double total) {
    double entropy = 0;
    for (const double c : capacity)
        if (c > 0) entropy -= c / total * std::log(c / total);
    return std::exp(entropy);
}

/// What the inputs are called, and one of them by name.
std::string inputsInWords(const ChainShape& shape) {
    if (!shape.plane) return countOf(shape.widths[0], "input");
    return std::to_string(shape.heights[0]) + " × " + std::to_string(shape.widths[0]) + " positions of the input";
}
std::string inputInWords(const ChainShape& shape, std::size_t input) {
    if (!shape.plane) return "input " + std::to_string(input);
    const auto width = static_cast<std::size_t>(shape.widths[0]);
    return "row " + std::to_string(input / width) + ", column " + std::to_string(input % width);
}

std::string sharingSentences(const Setup& setup, const Chain& chain, const Totals& totals, const Report& report) {
    const auto& shape = chain.shape();
    const auto capacity = totals.rowOf(report.array("capacity")->values, 0);
    const double total = report.array("total")->values[0];
    if (!(total > 0)) return subject(setup) + " reaches no input: every way down ends at units without weights.";
    const auto most = std::max_element(capacity.begin(), capacity.end());
    std::string text = subject(setup) + " reaches the " + inputsInWords(shape) + " through " + countOf(shape.layers(), "layer") +
                       " and is spread there as if " + inWords(effectiveInputs(capacity, total)) + " of them shared it equally; " +
                       inputInWords(shape, static_cast<std::size_t>(most - capacity.begin())) + " gets most, " + percent(*most / total) +
                       ".";
    if (shape.plane)
        text += " About its mean it extends over " + plusMinus(true, report.scalar("spreadY")->value, report.scalar("spread")->value) +
                " (standard deviations).";
    return text;
}

}  // namespace

std::string summaryOf(const Setup& setup, const Chain& chain, const Totals& totals, const Report& report) {
    std::string text = setup.local() ? spreadSentences(setup, report) : sharingSentences(setup, chain, totals, report);
    if (const auto* distance = report.scalar("gradientTotalVariation"))
        return text + " The mean squared gradient lies at the input where the capacity does, up to " + percent(distance->value) + " of it.";
    const double lost = report.array("unattributed")->values[0];
    return text + (lost > 1e-12 ? " Units without weights keep " + percent(lost) + " of it." : " Its total stays 1 in every layer.");
}

}  // namespace kappaflow::diffusion
