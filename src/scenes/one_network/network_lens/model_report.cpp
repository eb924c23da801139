#include "scenes/one_network/network_lens/model_report.h"

#include <algorithm>
#include <cmath>

namespace kappaflow::lens {
namespace {

/// Inputs of a sample that a report has room for.
constexpr std::size_t kMostInputsShown = 20000;

void addSamples(FilledReport& r, const Setup& s) {
    const Axis role = keyedAxis("role", {"A", "B", "C"}), xy = xyAxis();
    std::vector<double> numbers, inputs, places;
    for (const std::size_t sample : s.chosen) {
        const auto x = s.samples.at(sample);
        numbers.push_back(static_cast<double>(sample));
        inputs.insert(inputs.end(), x.begin(), x.end());
        if (!s.slice) continue;
        const Vec2 at = footOn(*s.slice, x);
        places.insert(places.end(), {at.x, at.y});
    }
    r.add("chosen", {role}, std::move(numbers));
    const Axis input = countedAxis("input", inputs.size() / 3);
    if (input.size() <= kMostInputsShown) r.add("chosenInputs", {role, input}, std::move(inputs));
    if (!s.slice) return;
    r.add("chosenPoints", {role, xy}, std::move(places));
    const std::size_t shown = s.places.size();
    r.add("sampleCount", static_cast<double>(s.samples.count()));
    std::vector<double> points, classes;
    for (std::size_t i = 0; i < shown; ++i) {
        points.insert(points.end(), {s.places[i].x, s.places[i].y});
        classes.push_back(s.samples.labels.empty() ? -1 : s.samples.labels[i]);
    }
    r.add("samplePoints", {countedAxis("sample", shown), xy}, std::move(points));
    r.add("sampleClass", {countedAxis("sample", shown)}, std::move(classes));
}

double last(const Report& report, const char* name) { return report.array(name)->values.back(); }

std::string numbered(double count, const char* one, const char* many) { return inWords(count, 6) + " " + (count == 1 ? one : many); }

std::string capacitySentence(const Report& r, std::size_t unit) {
    const Array* holders = r.array("holders");
    if (!holders || std::isnan(holders->values.front())) return "";
    const double inputs = r.array("units")->values.front();
    std::string text = " The capacity of output " + std::to_string(unit) + " rests on " + inWords(holders->values.front()) + " of " +
                       numbered(inputs, "input", "inputs");
    if (const Scalar* moved = r.scalar("moved")) text += ", and the edit moves " + inWords(100 * moved->value) + " % of it";
    return text;
}

/// Of the layers that were cut; "" where none of several was.
std::string regionsWords(const Report& r) {
    const Scalar* regions = r.scalar("regions");
    if (!regions) return "";
    const std::string count = numbered(regions->value, "region", "regions");
    const double exact = r.scalar("exactThrough")->value, all = r.scalar("bendingLayers")->value;
    if (exact == all) return "the window falls into " + count;
    return exact > 0 ? "by the first " + (exact > 1 ? inWords(exact) + " of " : "of ") + inWords(all) +
                           " bending layers the window falls into " + count
                     : "";
}

std::string otherSentences(const Report& r) {
    std::vector<std::string> parts;
    if (const std::string regions = regionsWords(r); !regions.empty()) parts.push_back(regions);
    if (const Scalar* ratio = r.scalar("lengthRatio"))
        parts.push_back("the curve from A to B ends " + inWords(ratio->value) + " times as long as it began");
    if (const Array* chi = r.array("chi"); chi && std::isfinite(chi->values.back()))
        parts.push_back("noise grows " + inWords(last(r, "chi")) + " times as much as the signal");
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : i + 1 == parts.size() ? ", and " : ", ") + parts[i];
    return text;
}

std::string summaryOf(const Report& r, std::size_t unit, const training_runs::Run* run) {
    std::string text = run ? run->when() + ", " + inWords(100 * run->seen().accuracy) + " % of the samples are in their class." : "";
    if (const std::string capacity = capacitySentence(r, unit); !capacity.empty())
        text += (text.empty() ? capacity.substr(1) : capacity) + ".";
    if (std::string others = otherSentences(r); !others.empty()) {
        others[0] = static_cast<char>(others[0] - 'a' + 'A');
        text += " " + others + ".";
    }
    return text.empty() ? "The network has no layer that any lens can look at." : text;
}

void addLayers(std::vector<ReportLayer>& printed, const std::vector<Layer>& layers) {
    for (const Layer& layer : layers) {
        if (layer.kind == LayerKind::Dense) printed.push_back({"dense", {layer.out.units(), layer.in.units()}, layer.weights, layer.bias});
        if (layer.kind == LayerKind::Conv) printed.push_back({"conv", {layer.out.units(), layer.in.units()}, layer.weights, layer.bias});
        addLayers(printed, layer.branch);
        addLayers(printed, layer.skip);
    }
}

}  // namespace

Report makeReport(const Setup& setup, const Look& look, const training_runs::Run* run) {
    FilledReport r("network-lens");
    r.report.warnings = setup.warnings;
    look.addTo(r);
    addSamples(r, setup);
    if (run) run->addTo(r);
    if (!setup.noTraining.empty()) r.report.notes.push_back({"training", setup.noTraining});
    r.report.summary = summaryOf(r.report, setup.unit, run);
    if (setup.withNetwork) addLayers(r.report.network, look.shown().layers);
    return std::move(r.report);
}

}  // namespace kappaflow::lens
