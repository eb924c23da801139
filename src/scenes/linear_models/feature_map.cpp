#include "scenes/linear_models/feature_map.h"

#include <cmath>
#include <numbers>

#include "scenes/linear_models/wide_stacks_model.h"

namespace kappaflow {
namespace feature_map {
namespace {

using namespace table;
using linear::kNone;
using Size = std::size_t;

constexpr const char *kEquations = "P2 Eqs 22–28", *kSection = "P2 6.2";

Beside mostDegrees(const Params& p) { return p.functions == Functions::Fourier ? Beside{2, 4} : Beside{3, 8}; }

constexpr OptionRow kFunctions[] = {{"hermite", "Hermite polynomials"}, {"fourier", "sines and cosines"}};

constexpr ParamRow kModels[] = {
    choice<&Params::functions>("functions", "functions", kFunctions, "The functions φ^j through which the linear model sees every input.",
                               kEquations),
    whole<&Params::degree>("degree", "", "degree, up to", {1, 8},
                           "Polynomials up to this degree, or sine and cosine of frequencies up to it (2 unless given, at most 4).",
                           kEquations) |
        dependsOn<mostDegrees> | costly,
    whole<&Params::channels>("channels", "c", "channels", {1, 8}, "Channels of every hidden layer.", kSection) | costly,
    whole<&Params::layers>("layers", "L", "layers", {2, 6}, "Layers of two taps, dilations 1, 2, 4, …, which see 2^L inputs.", kSection) |
        costly};
constexpr ParamRow kTimeline[] = {
    number<&Params::at>("at", "m", "functions", {1, 8}, "Up to which degree the functions are drawn.", kEquations) | hidden | ofView,
    plays<&Params::play>("Whether the picture moves by itself.", kEquations)};
constexpr auto kParams = joined(kModels, linear::kTaskParams, linear::kSearchParams<Params>, kTimeline, linear::kPartParam<Params>);

constexpr AxisRow kDegree = axis<&Result::degrees>("degree"), kInput = axis<&Result::inputs>("input"),
                  kFunction = axis<&Result::functions>("function"), kY = axis<&Result::ys>("y");

constexpr FieldRow kCapacities[] = {
    measured<&Result::capacity>("capacity", "κ_i", {kInput}, "Capacity of every input, the sum over its functions, by lag (P2 Eq 28).") |
        gaps,
    measured<&Result::capacityByFunction>("capacityByFunction", "κ_i^j", {kInput, kFunction},
                                          "Capacity of every function of every input.") |
        gaps,
    measured<&Result::capacityByDegree>("capacityByDegree", "κ_i^j", {kDegree, kInput, kFunction},
                                        "The same of models with fewer functions, up to each degree.") |
        gaps,
    measured<&Result::totals>("totals", "κ", {kDegree}, "Total capacity with the functions up to each degree, exact."),
    measured<&Result::dimensions>("dimensions", "nm", {kDegree}, "Dimensions of the feature space, which no total exceeds.")};
constexpr FieldRow kRest[] = {
    measured<&Result::function>("function", "φ^j", {kFunction, kY}, "The functions, of mean 0 and variance 1 for a normal input."),
    measured<&Result::density>("density", "", {kY}, "Density of an input."),
    measured<&Result::total>("total", "κ", {}, "Total capacity, exact."),
    measured<&Result::dimension>("dimension", "nm", {}, "Dimensions of the feature space."),
    measured<&Result::lowerBound>("lowerBound", "v*", {},
                                  "Error of the best prediction that is linear in the features, over the variance of what is predicted.")};

constexpr auto kFields = joined(kCapacities, linear::kGrowingFields<kDegree>, kRest);

constexpr PresetRow kPresets[] = {
    {"Hermite polynomials up to degree 3"},
    preset<[](Params& p) { p.channels = 4; }>(
        "More channels",
        "Four channels hold 56 of 96 units of capacity: the newest inputs are full, each with one unit for every polynomial."),
    preset<[](Params& p) { p.degree = 8; }>(
        "Up to degree 8",
        "Eight polynomials raise the ceiling of an input to 8, but the model of two channels holds only 44 of 256 units."),
    preset<[](Params& p) { p.functions = Functions::Fourier, p.degree = 2; }>(
        "Sines and cosines",
        "Sines and cosines in place of polynomials: four functions, and the newest input holds 3.98 of at most 4 units."),
    preset<[](Params& p) { p.alpha = 0.1, p.channels = 3; }>(
        "Long memory", "A long memory and three channels: besides the newest inputs the oldest fill up too, with 39 of 96 units in all.")};

/// Where functions are drawn: a normal input is seldom beyond.
constexpr double kReach = 3;
constexpr int kPoints = 121;

FeatureFamily familyOf(const Params& p) { return p.functions == Functions::Fourier ? FeatureFamily::Fourier : FeatureFamily::Hermite; }

/// A model for every degree up to the one asked for: its features are the components of its input.
std::vector<linear::Stack> modelsOf(const Params& p) {
    std::vector<linear::Stack> models;
    for (int k = 1; k <= p.degree; ++k) {
        const Size features = featureCount(familyOf(p), k);
        const double all = static_cast<double>(features);
        // Half of the Fourier functions' pairs depend on each other: sines on sines, cosines on cosines.
        models.push_back(
            {dilatedTree(p.layers, 2, p.channels, static_cast<int>(features)), p.functions == Functions::Fourier ? 0.5 * all * all : all});
    }
    return models;
}

/// All that is known in closed form; NaN in the arrays of what is yet to be found.
Result closedForms(const Params& p, const std::vector<linear::Stack>& models) {
    Result r;
    r.degrees = countUp(models.size(), 1);
    r.inputs = countUp(Size{1} << p.layers);
    r.functions = featureNames(familyOf(p), p.degree);
    for (int i = 0; i < kPoints; ++i) r.ys.push_back(kReach * (2.0 * i / (kPoints - 1) - 1));
    for (const auto& model : models) {
        r.totals.push_back(static_cast<double>(tensorTrainDimension(model.shape)));
        r.dimensions.push_back(static_cast<double>(r.inputs.size()) * model.shape.channels.front());
        r.parameters.push_back(parameterCount(model.shape));
    }
    r.total = r.totals.back();
    r.dimension = r.dimensions.back();
    for (Size j = 0; j < r.functions.size(); ++j)
        for (const double y : r.ys) r.function.push_back(featureValue(familyOf(p), j, y));
    for (const double y : r.ys) r.density.push_back(std::exp(-0.5 * y * y) / std::sqrt(2 * std::numbers::pi));
    r.found = linear::searchedNone(models.size());
    r.capacity.assign(r.inputs.size(), kNone);
    r.capacityByFunction.assign(r.inputs.size() * r.functions.size(), kNone);
    r.capacityByDegree.assign(models.size() * r.capacityByFunction.size(), kNone);
    return r;
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Params& p = opened.params;
    const auto models = modelsOf(p);
    Result r = closedForms(p, models);
    // Σ^φ and the best prediction of the functions' sum at the next sample.
    const auto covariance = autocovariance(linear::processOf(p), r.inputs.size());
    const auto task = [&](Size k) { return predictionTask(featureCovariance(familyOf(p), static_cast<int>(k) + 1, covariance)); };
    const auto tick = [&](double done) {
        progress.tick(done);
        progress.partial([&] { return r; });
    };
    linear::findCapacities(models, task, linear::searchOf(p), tick, [&](Size k, const linear::StackCapacity& found) {
        const Size n = r.inputs.size(), m = r.functions.size();
        const bool last = k + 1 == models.size();
        for (Size lag = 0; lag < n; ++lag) {
            for (Size j = 0; j < found.components; ++j) {
                r.capacityByDegree[(k * n + lag) * m + j] = found.at(lag, j);
                if (last) r.capacityByFunction[lag * m + j] = found.at(lag, j);
            }
            if (last) r.capacity[lag] = found.ofLag(lag);
        }
        found.fill(r.found, k);
        if (last) r.lowerBound = found.lowerBound, r.printedWeights = found.layers;
    });
    return r;
}

std::string summary(const Params& p, const Result& r) {
    if (!r.lowerBound) return "Weights are being looked for.";
    const double m = static_cast<double>(r.functions.size());
    return "Behind " + inWords(m, 3) + (m == 1 ? " function" : " functions") + " of every input the model holds " + inWords(r.total, 6) +
           " of " + inWords(r.dimension, 6) + " units of capacity; the newest input has " + inWords(r.capacity[0]) + " of at most " +
           inWords(m, 3) + ", and the mean lag is " + inWords(r.found.meanLag.back(), 4) + "." +
           linear::aboutWeights(r.found.rank.back(), r.total, r.found.optimality.back(), linear::searchOf(p));
}

Cost cost(const Opened<Params>& opened) {
    const auto models = modelsOf(opened.params);
    Cost cost = linear::costOf(models, linear::searchOf(opened.params));
    if (linear::isEasy(opened.params)) cost.operations *= 0.3;
    if (opened.params.functions == Functions::Hermite) return cost;
    // Dependent components: the task's covariance is decomposed as a whole.
    for (const auto& model : models) {
        const double inputs = receptiveField(model.shape) * model.shape.channels.front();
        cost.operations += inputs * inputs * inputs / 3;
        cost.bytes += 16 * inputs * inputs;
    }
    return cost;
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "feature-map",
     .title = "Capacity behind a feature map",
     .claim = "Through fixed functions of its inputs a linear model becomes non-linear, and each input holds one unit for every function.",
     .group = "Linear models",
     .icon = "000888 0880 086580",
     .source = "P2 Eqs 22–28; 6.2",
     .lookAt = "Every function that is added raises the ceiling of each input by one, while the model's capacity hardly grows.",
     .tryThis = "Press a function in the column to stand it on the axis, then give the model more channels.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "degree", "degree", false, 1.4}});

}  // namespace feature_map

Declaration feature_map_declaration() { return declare(feature_map::kScene); }
Model feature_map_model() { return sceneModel<feature_map::kScene, feature_map::run, feature_map::cost, feature_map::summary>(); }

}  // namespace kappaflow
