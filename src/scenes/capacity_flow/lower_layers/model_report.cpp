#include "scenes/capacity_flow/lower_layers/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "scene/filled_report.h"

namespace kappaflow::lower {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Axis axisFrom(std::string name, std::size_t n, double first) {
    Axis axis = countedAxis(std::move(name), n);
    for (double& value : axis.values) value += first;
    return axis;
}

Axis activationsOf(const Findings& found) {
    Axis axis{"activation", {}, {}};
    for (const auto& run : found.runs) axis.keys.emplace_back(activationKey(run->activation));
    return axis;
}

/// One number a network.
template <class Part>
Array& addByActivation(FilledReport& b, const Findings& found, std::string_view name, Part part) {
    std::vector<double> values;
    for (const auto& run : found.runs) values.push_back(part(*run));
    return b.add(name, {activationsOf(found)}, std::move(values));
}

std::size_t pathRankOf(const Findings& found, Activation activation) {
    return found.setup.isLinear(activation) ? found.paths.linear : found.paths.generic;
}

void addRanks(FilledReport& b, const Findings& found) {
    const Setup& setup = found.setup;
    b.add("parameters", setup.parameters());
    b.add("hiddenUnits", setup.hiddenUnits());
    b.add("predicted", setup.parameters() - setup.hiddenUnits());
    b.add("paths", found.paths.paths);
    b.add("pathRankAtWeights", static_cast<double>(found.paths.atWeights));
    b.add("threshold", kRankThreshold);
    addByActivation(b, found, "rank", [&](const SampledNetwork& run) { return static_cast<double>(pathRankOf(found, run.activation)); });
    addByActivation(b, found, "functionRank", [](const SampledNetwork& run) { return static_cast<double>(run.rankAt.back()); });
    addByActivation(b, found, "predictedRank", [&](const SampledNetwork& run) { return predictedRank(setup, run.activation); });
    addByActivation(b, found, "sectors", [](const SampledNetwork& run) { return run.sectors; }).mayBeUndefined = true;
    addByActivation(b, found, "onePieceUnits", [](const SampledNetwork& run) { return run.onePiece; }).mayBeUndefined = true;
}

void addSingularValues(FilledReport& b, const Findings& found) {
    const auto p = static_cast<std::size_t>(found.setup.parameters());
    const auto padded = [&](std::vector<double> values) {
        values.resize(p, kNone);
        return values;
    };
    std::vector<double> all;
    for (const auto& run : found.runs) {
        const auto values = padded(run->singularValues);
        all.insert(all.end(), values.begin(), values.end());
    }
    const Axis index = axisFrom("index", p, 1);
    b.add("singularValues", {activationsOf(found), index}, std::move(all)).mayBeUndefined = true;
    b.add("pathSingularValues", {index}, padded(found.paths.singularValues)).mayBeUndefined = true;
}

void addGrowth(FilledReport& b, const Findings& found) {
    Axis inputs{"inputs", {}, {}};
    for (std::size_t s = 0; s < found.rounds; ++s)
        if (found.stops[s].look) inputs.values.push_back(static_cast<double>(found.stops[s].inputs));
    std::vector<double> ranks;
    for (const auto& run : found.runs)
        for (std::size_t s = 0; s < inputs.size(); ++s) ranks.push_back(static_cast<double>(run->rankAt[s]));
    b.add("rankByInputs", {activationsOf(found), inputs}, std::move(ranks));
}

/// Every weight with the units it joins, in the order of allWeights: [out][in][tap], layer after layer.
void addWeights(FilledReport& b, const Findings& found) {
    const Setup& setup = found.setup;
    const auto weights = allWeights(found.runs.front()->network);
    std::vector<double> layer, from, to, tap;
    const int taps = setup.convolution ? setup.taps : 1;
    for (std::size_t l = 1; l < setup.widths.size(); ++l)
        for (int out = 0; out < setup.widths[l]; ++out)
            for (int in = 0; in < setup.widths[l - 1]; ++in)
                for (int k = 0; k < taps; ++k) {
                    layer.push_back(static_cast<double>(l));
                    from.push_back(in);
                    to.push_back(out);
                    tap.push_back(k);
                }
    const Axis axis = countedAxis("weight", weights.size());
    b.add("widths", {countedAxis("layer", setup.widths.size())}, {setup.widths.begin(), setup.widths.end()});
    b.add("weights", {axis}, weights);
    b.add("weightLayer", {axis}, std::move(layer));
    b.add("weightFrom", {axis}, std::move(from));
    b.add("weightTo", {axis}, std::move(to));
    b.add("weightTap", {axis}, std::move(tap));
}

void addScales(FilledReport& b, const Findings& found) {
    b.add("scaleFactor", {countedAxis("step", 5)}, {1, 4, 1, 0.25, 1});
    const auto hidden = static_cast<std::size_t>(found.setup.hiddenUnits());
    if (hidden == 0) return;
    std::vector<double> output, change;
    for (const auto& run : found.runs)
        for (const ScaledUnit& unit : run->units) {
            output.insert(output.end(), unit.output.begin(), unit.output.end());
            change.push_back(unit.change);
        }
    const Axis units = countedAxis("unit", hidden), factors{"factor", scaleFactors(), {}};
    Axis places{"place", {}, {}};
    for (std::size_t t = 0; t < kPlaces; ++t) places.values.push_back(6.0 * static_cast<double>(t) / (kPlaces - 1) - 3);
    b.add("outputAlongScale", {activationsOf(found), units, factors, places}, std::move(output));
    b.add("outputChange", {activationsOf(found), units}, std::move(change));
}

std::string labelOf(Activation activation) {
    const auto& options = findDeclaration("lower-layers")->param("shown")->options;
    return std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.key == activationKey(activation); })->label;
}

std::string plural(double count, const char* noun) { return inWords(count, 6) + " " + noun + (count == 1 ? "" : "s"); }

/// "12 with ReLU, |z|; 16 with tanh".
std::string ranksInWords(const Findings& found) {
    std::map<std::size_t, std::string> names;
    for (const auto& run : found.runs) {
        auto& text = names[run->rankAt.back()];
        text += (text.empty() ? "" : ", ") + labelOf(run->activation);
    }
    std::string text;
    for (const auto& [rank, who] : names) text += (text.empty() ? "" : "; ") + std::to_string(rank) + " with " + who;
    return text;
}

/// Two-slope networks whose function has a smaller rank than its paths.
std::string shortfallInWords(const Findings& found) {
    std::string text;
    for (const auto& run : found.runs) {
        const std::size_t rank = run->rankAt.back(), paths = pathRankOf(found, run->activation);
        if (!derivativeIsEta(run->activation) || rank >= paths) continue;
        text += (text.empty() ? "" : "; ") + labelOf(run->activation) + " is " + std::to_string(paths - rank) +
                " short of its paths, which the " + plural(run->sectors, "sector") + " that its inputs meet cannot all tell apart";
    }
    return text;
}

std::string summaryOf(const Findings& found) {
    const Setup& setup = found.setup;
    std::string text =
        plural(setup.parameters(), "weight") + ", " + plural(setup.hiddenUnits(), "hidden unit") + ": the path Jacobian has rank " +
        std::to_string(found.paths.generic) + " (modulo 2³¹ − 1), the network's own Jacobian over " +
        plural(static_cast<double>(found.stops[found.rounds - 1].inputs), "input") + " has rank " + ranksInWords(found) + ".";
    const std::string shortfall = shortfallInWords(found);
    return shortfall.empty() ? text : text + " " + shortfall + ".";
}

void addNetwork(Report& report, const Findings& found) {
    for (const Layer& layer : found.runs.front()->network.layers) {
        if (layer.kind == LayerKind::Activation) continue;
        const auto out = static_cast<std::size_t>(found.setup.convolution ? layer.out.channels : layer.out.width);
        const auto in = static_cast<std::size_t>(found.setup.convolution ? layer.in.channels : layer.in.width);
        if (found.setup.convolution)
            report.network.push_back({"convolution", {out, in, static_cast<std::size_t>(found.setup.taps)}, layer.weights, {}});
        else
            report.network.push_back({"dense", {out, in}, layer.weights, {}});
    }
}

}  // namespace

PathRanks pathRanks(const Setup& setup) {
    const Network network = networkOf(setup, Activation::LeakyRelu);
    const NetworkPaths paths = networkPaths(network);
    PathRanks ranks{static_cast<double>(paths.count()), genericPathRank(paths, setup.seed), genericLinearRank(paths, setup.seed), 0, {}};
    ranks.singularValues = singularSpace(triangularFactor(pathJacobian(paths, allWeights(network)))).values;
    ranks.atWeights = numericalRank(ranks.singularValues).rank;
    const double largest = ranks.singularValues.empty() ? 0 : ranks.singularValues.front();
    for (double& value : ranks.singularValues) value = largest > 0 ? value / largest : 0;
    return ranks;
}

Report reportOf(const Findings& found) {
    FilledReport b("lower-layers");
    Report& report = b.report;
    addRanks(b, found);
    addSingularValues(b, found);
    addGrowth(b, found);
    addWeights(b, found);
    addScales(b, found);
    report.warnings = found.setup.warnings;
    if (static_cast<double>(found.setup.inputs) * found.setup.widths.back() < found.setup.parameters())
        report.warnings.emplace_back("Fewer rows than weights were sampled, so no rank can reach its end: try more inputs.");
    report.summary = summaryOf(found);
    if (found.withNetwork) addNetwork(report, found);
    return std::move(report);
}

}  // namespace kappaflow::lower
