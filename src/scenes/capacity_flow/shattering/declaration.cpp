#include "scene/declare.h"

namespace kappaflow {
namespace {

bool residual(const Values& v) { return !v.is("kind", "uniform"); }

Param whole(Text key, Text symbol, Text label, double standard, double min, double max, Text help, Text serves) {
    return inRange(param(Kind::Integer, key, symbol, label, standard, help, serves), min, max);
}

std::vector<Param> params() {
    std::vector<Param> all{
        choiceParam("kind", "layers compared", {{"both", "both"}, {"residual", "residual"}, {"uniform", "uniform"}},
                    "Residual layers I + εΔ, plain layers with equal weights, or both side by side.", "P1 4.2"),
        logarithmic(whole("layers", "L", "layers", 50, 1, 1000, "How many layers a path passes from the output to the input.", "P1 Eq 36")),
        oddOnly(whole("taps", "r", "taps", 3, 3, 15,
                      "How many units of the layer below one unit reads; odd, so that one of them is the centre.", "P1 4.2 (ii)")),
        visibleWhen(residual, named(param(Kind::Number, "epsilon", "ε", "step size", -1.0,
                                          "Share of its capacity that a residual unit hands to its neighbours in one layer; 1/L is the "
                                          "scaling with a limit.",
                                          "P1 Eqs 29, 36"),
                                    "1/L", -1)),
        visibleWhen(residual, choiceParam("profile", "Δ along the depth", {{"constant", "constant"}, {"varying", "varying"}},
                                          "Whether every residual layer moves the same share, or a share that grows linearly from 0 at the "
                                          "input to 2ε at the output.",
                                          "P1 Eq 36")),
        underMore(oddOnly(whole("extent", "n", "width of the ring", 65, 17, 2001,
                                "Number of positions of the ring on which the capacity profiles are computed; odd.", "P1 Eq 35"))),
        underMore(whole("strands", "", "strands", 120, 10, 1000,
                        "How many paths are drawn: the heaviest one, and others met at random in proportion to their weight.", "P1 Eq 35")),
        seedParam("Start of the random numbers that choose the strands; no number of the analysis depends on it.", "P1 Eq 35")};
    const auto timeline = timelineParams(1000, "The layer down to which the paths are followed.", "P1 Eq 35");
    all.insert(all.end(), timeline.begin(), timeline.end());
    return all;
}

std::vector<Field> fields() {
    return {{"maxPathWeight",
             "w_max",
             {"kind", "layer"},
             "Largest product of D's entries along one path from the output unit down to the layer."},
            {"log10MaxPathWeight", "log₁₀ w_max", {"kind", "layer"}, "Its decimal logarithm, which does not underflow."},
            {"pathEntropy", "H", {"kind", "layer"}, "Entropy −Σ w log w over all paths, in nats: e^H paths matter."},
            {"capacity", "κ^l", {"kind", "layer", "position"}, "Capacity of every position, counted from the output unit; the total is 1."},
            {"total", "Σκ^l", {"kind", "layer"}, "Total capacity of each layer."},
            theoryField("maxPathWeightPredicted", "", {"kind", "layer"},
                        "Residual: e^∫Δ (P1 Eq 36), the limit of the straight path; uniform: r^−(L − l)."),
            theoryField("log10MaxPathWeightPredicted", "", {"kind", "layer"}, "Decimal logarithm of the predicted weight."),
            theoryField(
                "pathEntropyPredicted", "", {"kind", "layer"},
                "Residual: Σ ε_l (1 + log((r − 1)/ε_l)), the limit of small ε (in all about log L + 1 + log 2 for r = 3); uniform: (L − l) "
                "log r."),
            theoryField("log10PathCount", "", {"layer"}, "Decimal logarithm of the number of paths, r^(L − l)."),
            {"epsilonByLayer", "ε_l", {"weightLayer"}, "Share a residual unit hands on in each layer."},
            {"strandPosition",
             "",
             {"kind", "strand", "layer"},
             "Position of each strand at each layer, counted from the output unit and unwrapped; strand 0 is the heaviest path."},
            {"strandWeight", "w", {"kind", "strand", "layer"}, "Weight of each strand from the output down to each layer."},
            {"strandLog10Weight", "log₁₀ w", {"kind", "strand"}, "Decimal logarithm of the whole strand's weight."},
            theoryField("limit", "e^∫Δ", {},
                        "Weight of the straight path through infinitely many residual layers with the same total step, e^∫Δ.")};
}

}  // namespace

Declaration shattering_declaration() {
    Declaration d;
    d.id = "shattering";
    d.title = "Why residual networks do not shatter";
    d.claim = "In a plain deep network every path's share vanishes; residual connections keep one straight path at e⁻¹ whatever the depth.";
    d.group = "Capacity flow";
    d.source = "P1 4.2; Eqs 35–36 (later version Eqs 39–40)";
    d.lookAt = "Compare the heaviest strands: the residual one keeps a third of all capacity, the plain one 10⁻²⁴ of it at 50 layers.";
    d.tryThis = "Double the layers: the plain path's weight is squared, the residual one hardly moves as long as ε = 1/L.";
    d.params = params();
    d.fields = fields();
    d.presets = {{"Fifty layers", {}},
                 {"Two hundred layers", {{"layers", "200"}}},
                 {"Step varying with the layer", {{"profile", "varying"}}},
                 {"Fixed ε: the path decays after all", {{"layers", "200"}, {"epsilon", "0.05"}}},
                 {"Wide windows", {{"taps", "9"}, {"extent", "201"}}}};
    d.timeline = {"at", "layer", "layer", true, 0.12};
    return d;
}

}  // namespace kappaflow
