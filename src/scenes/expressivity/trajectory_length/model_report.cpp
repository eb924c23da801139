#include "scenes/expressivity/trajectory_length/model_report.h"

#include <cmath>
#include <limits>

#include "scene/filled_report.h"
#include "scenes/expressivity/trajectory_length/model_theory.h"

namespace kappaflow::trajectory_length {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Axis layerAxis(const Setup& s) { return countedAxis("layer", s.layers + 1); }

/// Images as far as they are made; rows that are still missing repeat the last one, so that the timeline can run.
void addImages(FilledReport& r, const Setup& s, const DrawnRun& run) {
    const auto& images = run.images();
    const Size points = run.places().size();
    if (images.empty()) return;
    Vector at, shares;
    for (Size l = 0; l <= s.layers; ++l) {
        const PlaneImage& image = images[std::min(l, images.size() - 1)];
        for (const auto& point : image.at) at.insert(at.end(), {point[0], point[1]});
        shares.push_back(image.share);
    }
    r.add("image", {layerAxis(s), countedAxis("point", points), {"coordinate", {}, {"x", "y"}}}, std::move(at));
    r.add("place", {countedAxis("point", points)}, run.places());
    r.add("planeShare", {layerAxis(s)}, std::move(shares));
}

void addLengths(FilledReport& r, const Setup& s, const LengthMeans& means) {
    Vector lengths, errors, growths{kNone}, growthErrors{kNone};
    for (Size l = 0; l <= s.layers; ++l) {
        const SampledLength length = means.mean(l);
        lengths.push_back(length.value);
        errors.push_back(length.standardError);
        if (l == 0) continue;
        const SampledLength growth = means.growth(l);
        growths.push_back(growth.value);
        growthErrors.push_back(growth.standardError);
    }
    const double first = lengths.front(), last = lengths.back();
    r.add("length", {layerAxis(s)}, std::move(lengths)).standardError = std::move(errors);
    Array& growth = r.add("growth", {layerAxis(s)}, std::move(growths));
    growth.standardError = std::move(growthErrors);
    growth.mayBeUndefined = true;
    const double ratio = first > 0 ? last / first : 0;
    r.add("lengthRatio", ratio).draws = means.draws();
    r.add("growthPerLayer", std::pow(ratio, 1 / static_cast<double>(s.layers)));
}

void addPieces(FilledReport& r, const Setup& s, const DrawnRun& run) {
    r.add("exactLayers", static_cast<double>(run.exactLayers()));
    r.add("points", run.sampledPoints());
    if (!s.isExact()) return;
    Vector pieces(s.layers + 1, kNone), transitions(s.layers + 1, kNone);
    for (Size l = 0; l < run.passages().size(); ++l) {
        pieces[l] = static_cast<double>(run.passages()[l].pieces);
        transitions[l] = run.passages()[l].transitions;
    }
    r.add("pieces", {layerAxis(s)}, std::move(pieces)).mayBeUndefined = true;
    r.add("transitions", {layerAxis(s)}, std::move(transitions)).mayBeUndefined = true;
}

void addTheory(FilledReport& r, const Setup& s, double first) {
    Vector meanField = meanFieldLengths(s);
    for (double& length : meanField) length *= first;
    r.add("meanField", {layerAxis(s)}, std::move(meanField));
    r.add("meanFieldGrowth", std::sqrt(meanFieldFixedPoint(s.setting).chi));
    r.add("upperBound", {layerAxis(s)}, powers(first, growthUpperBound(s.setting), s.layers));
    if (const double base = theoremBase(s.setting); base > 0) {
        r.add("theoremBase", {layerAxis(s)}, powers(first, base, s.layers));
        r.add("base", base);
    }
    if (const double growth = exactGrowth(s.setting); growth > 0) {
        r.add("exactLength", {layerAxis(s)}, powers(first, growth, s.layers));
        r.add("exactGrowth", growth);
    }
    if (s.setting.activation == Activation::Relu) r.add("heGrowth", reluGrowth(s.setting.width, 2));
}

void addSweep(FilledReport& r, const Setup& s, const GrowthSweep& sweep) {
    if (s.sweepDraws == 0) return;
    const auto settings = s.sweepPlan().settings;
    const Axis widths{"width", s.widths, {}}, variances{"weightVariance", s.variances, {}};
    Vector growths, errors, drawn, bases, exact, meanField, upper;
    for (Size i = 0; i < settings.size(); ++i) {
        const SampledLength growth = sweep.growth(i);
        const bool known = sweep.draws(i) > 1;
        growths.push_back(known ? growth.value : kNone);
        errors.push_back(known ? growth.standardError : kNone);
        drawn.push_back(sweep.draws(i));
        bases.push_back(theoremBase(settings[i]));
        exact.push_back(exactGrowth(settings[i]));
        if (i >= s.variances.size()) continue;
        meanField.push_back(std::sqrt(meanFieldFixedPoint(settings[i]).chi));
        upper.push_back(growthUpperBound(settings[i]));
    }
    Array& growth = r.add("sweepGrowth", {widths, variances}, std::move(growths));
    growth.standardError = std::move(errors);
    growth.mayBeUndefined = true;
    r.add("sweepDrawn", {widths, variances}, std::move(drawn));
    r.add("sweepMeanField", {variances}, std::move(meanField));
    r.add("sweepUpperBound", {variances}, std::move(upper));
    if (theoremBase(s.setting) > 0) r.add("sweepTheoremBase", {widths, variances}, std::move(bases));
    if (exactGrowth(s.setting) > 0) r.add("sweepExact", {widths, variances}, std::move(exact));
}

std::string lengthSentence(const Setup& s, const Progress& p) {
    const LengthMeans means = p.means();
    const double first = means.mean(0).value, last = means.mean(s.layers).value;
    const std::string layers = std::to_string(s.layers) + (s.layers == 1 ? " layer" : " layers");
    if (!(last > 0)) return "After " + layers + " nothing is left of the trajectory: every unit is constant along it.";
    std::string text = "After " + layers + " the trajectory is " + inWords(last / first) + " times as long as in the input";
    if (s.draws > 1) text += " on average over " + std::to_string(s.draws) + (s.isDrawn() ? " networks" : " trajectories");
    const Size exact = p.drawn.exactLayers();
    if (exact > 0)
        text += ", in " + std::to_string(p.drawn.passages().back().pieces) + " linear pieces" +
                (exact < s.layers ? " at layer " + std::to_string(exact) + ", the last that is exact" : "");
    return text + ".";
}

std::string growthSentence(const Setup& s, const Report& report) {
    const auto value = [&](const char* name) { return inWords(report.scalar(name)->value, 4); };
    std::string text = " That is " + value("growthPerLayer") + " a layer";
    if (!s.isDrawn()) return text + "; Theorem 1 and mean field are about random weights and say nothing of this network.";
    text += "; mean field says " + value("meanFieldGrowth");
    if (report.scalar("exactGrowth")) text += ", the exact mean at width " + inWords(s.setting.width, 4) + " is " + value("exactGrowth");
    if (s.setting.activation == Activation::HardTanh) text += ", Theorem 1 has " + value("base") + " up to a constant in each layer";
    text += ".";
    if (report.scalar("heGrowth")) text += " With He's σ_w² = 2 a ReLU network of this width does not grow: g = " + value("heGrowth") + ".";
    return text;
}

}  // namespace

Report reportOf(const Setup& s, const Progress& p, bool finished) {
    FilledReport r("trajectory-length");
    r.report.status = finished ? Status::Ok : Status::Partial;
    r.report.message = finished ? "" : "The trajectory is being followed.";
    r.report.warnings = s.warnings;
    const LengthMeans means = p.means();
    if (means.draws() == 0) return std::move(r.report);
    addImages(r, s, p.drawn);
    addLengths(r, s, means);
    addPieces(r, s, p.drawn);
    if (s.isDrawn()) addTheory(r, s, means.mean(0).value);
    addSweep(r, s, p.sweep);
    r.report.summary = lengthSentence(s, p) + growthSentence(s, r.report);
    return std::move(r.report);
}

}  // namespace kappaflow::trajectory_length
