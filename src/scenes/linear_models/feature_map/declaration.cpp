#include "scene/declare.h"
#include "scenes/linear_models/declaration_linear.h"

namespace kappaflow {
namespace {

constexpr const char *kEquations = "P2 Eqs 22–28", *kSection = "P2 6.2";

Beside mostDegrees(const Values& v) { return v.is("functions", "fourier") ? Beside{2, 4} : Beside{3, 8}; }

std::vector<Param> params() {
    Param degree =
        wholeParam("degree", "", "degree", 3, 1, 8,
                   "Polynomials up to this degree, or sine and cosine of frequencies up to it (2 unless given, at most 4).", kEquations);
    degree.beside = mostDegrees;
    std::vector<Param> all{
        choiceParam("functions", "functions", {{"hermite", "Hermite polynomials"}, {"fourier", "sines and cosines"}},
                    "The functions φ^j through which the linear model sees every input.", kEquations),
        std::move(degree), wholeParam("channels", "c", "channels", 2, 1, 8, "Channels of every hidden layer.", kSection),
        wholeParam("layers", "L", "layers", 5, 2, 6, "Layers of two taps, dilations 1, 2, 4, …, which see 2^L inputs.", kSection)};
    for (auto& p : linear::taskParams()) all.push_back(std::move(p));
    return wide::withStackParams(std::move(all), 8, "m", "functions", "Up to which degree the functions are drawn.", kEquations);
}

std::vector<Field> fields() {
    return {
        {"capacity", "κ_i", {"input"}, "Capacity of every input, the sum over its functions, by lag (P2 Eq 28)."},
        {"capacityByFunction", "κ_i^j", {"input", "function"}, "Capacity of every function of every input."},
        {"capacityByDegree", "κ_i^j", {"degree", "input", "function"}, "The same of models with fewer functions, up to each degree."},
        {"totals", "κ", {"degree"}, "Total capacity with the functions up to each degree, exact."},
        {"dimensions", "nm", {"degree"}, "Dimensions of the feature space, which no total exceeds."},
        {"parameters", "p", {"degree"}, "Weights of each model."},
        {"numericalRank", "", {"degree"}, "What the capacities sum to."},
        {"meanLag", "τ̄", {"degree"}, "Mean lag of the capacity."},
        {"optimality", "", {"degree"}, "‖KᵀX‖/‖X‖ at the weights found: 0 at an optimum."},
        {"loss", "L", {"degree"}, "Loss at the weights found (P2 Eq 24), without v*."},
        {"function", "φ^j", {"function", "y"}, "The functions, of mean 0 and variance 1 for a normal input."},
        {"density", "", {"y"}, "Density of an input."},
        {"total", "κ", {}, "Total capacity, exact."},
        {"dimension", "nm", {}, "Dimensions of the feature space."},
        {"lowerBound", "v*", {}, "Error of the best prediction that is linear in the features, over the variance of what is predicted."}};
}

}  // namespace

Declaration feature_map_declaration() {
    Declaration d;
    d.id = "feature-map";
    d.title = "Capacity behind a feature map";
    d.claim = "Through fixed functions of its inputs a linear model becomes non-linear, and each input holds one unit for every function.";
    d.group = "Linear models";
    d.source = "P2 Eqs 22–28; 6.2";
    d.lookAt = "Every function that is added raises the ceiling of each input by one, while the model's capacity hardly grows.";
    d.tryThis = "Drag the degree along the totals, then give the model more channels.";
    d.params = params();
    d.fields = fields();
    d.presets = {{"Hermite polynomials up to degree 3", {}},
                 {"More channels", {{"channels", "4"}}},
                 {"Up to degree 8", {{"degree", "8"}}},
                 {"Sines and cosines", {{"functions", "fourier"}, {"degree", "2"}}},
                 {"Long memory", {{"alpha", "0.1"}, {"channels", "3"}}}};
    d.timeline = {"at", "degree", "degree", false, 1.4};
    return d;
}

}  // namespace kappaflow
