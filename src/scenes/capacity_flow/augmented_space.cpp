#include "scenes/capacity_flow/augmented_space.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/capacity/augmented_space.h"
#include "core/capacity/decoupling.h"
#include "core/linalg/decompositions.h"
#include "scene/typed_model.h"

namespace kappaflow {
namespace augmented_space {
namespace {

using namespace table;
using Size = std::size_t;
using Vector = std::vector<double>;

constexpr OptionRow kForms[] = {{"exact", "exact where known"}, {"eq14", "Eq 14"}};

constexpr ParamRow kParams[] = {
    activationRow<Params>("The layer's non-linearity f, of which η is the quotient f(z)/z.", "P1 Fig 2; Eqs 4, 10–12"),
    slopeRow<Params>(),
    whole<&Params::inputs>("inputs", "n", "inputs", {1, 8}, "Number of inputs of the layer.", "P1 Eq 6") | costly,
    whole<&Params::features>("features", "m", "features", {1, 8}, "Number of units of the layer: so often are the inputs repeated.",
                             "P1 Fig 1; Eq 6") |
        costly,
    covarianceRow<Params>(),
    flag<&Params::normalised>("normalised", "", "unit columns of P",
                              "Whether the columns of P have norm 1; if not, their norms are moved into the learned directions first.",
                              "P1 Eq 24"),
    whole<&Params::free>("free", "", "learned directions", {1, 8}, "Dimension of the space in which the last map A is learned: of U.",
                         "P1 Eq 9") |
        dependsOn<[](const Params& p) {
            return Beside{std::min(2.0, 1.0 * p.features), 1.0 * p.features};
        }>,
    choice<&Params::form>("form", "covariance of copies", kForms,
                          "For two slopes the exact blocks or those of Eq 14; other activations have Eq 14 only, with ν = corr(z, f)².",
                          "P1 Eq 14") |
        more,
    list<&Params::sample>(
        "sample", "Y", "one input", {-3, 3}, 8,
        "The input whose η are written on the copies; left empty it is drawn, of mean square 1, as are the numbers that a "
        "short list lacks.",
        "P1 Eq 6") |
        more,
    list<&Params::weights>("weights", "P", "weights", {-3, 3}, 64,
                           "The columns of P one after the other, n·m numbers in all; left empty they are drawn.", "P1 Eqs 2, 6") |
        more,
    seed<&Params::seed>("Start of the random numbers behind P, U, Σ and the input.", "P1 Eq 6"),
    shownAt<&Params::at>("", "step", 3,
                         "How far the layer is redrawn: 0 as it is, 1 inputs repeated, 2 copies carrying their η, 3 capacities gathered.",
                         "P1 Figs 1–2"),
    plays<&Params::play>("Whether the layer redraws itself.", "P1 Figs 1–2")};

constexpr AxisRow kRow = axis<&Result::rows>("row"), kColumn = axis<&Result::columns>("col"), kInput = axis<&Result::inputs>("input"),
                  kFeature = axis<&Result::features>("feature"), kStage = axis<&Result::stages>("stage");

constexpr FieldRow kFields[] = {
    measured<&Result::sigmaTilde>("sigmaTilde", "Σ̃", {kRow, kColumn},
                                  "Covariance of the augmented inputs; row j·n + i is copy j of input i."),
    measured<&Result::capacity>("capacity", "κ", {kInput},
                                "Capacity by the augmented route: squared row norms of orth(Σ̃ P̃ U), summed over the copies (P1 Eqs 9, "
                                "17)."),
    theory<&Result::capacityDirect>("capacityDirect", "κ", {kInput},
                                    "Capacity of the linear layer by the direct route: squared row norms of orth(Σ P U)."),
    measured<&Result::copies>("copies", "κ̃", {kFeature, kInput}, "Capacity of every copy."),
    measured<&Result::featureCapacity>("featureCapacity", "κ^φ", {kFeature}, "Capacity of every unit's output in the feature space."),
    measured<&Result::weights>("weights", "P", {kFeature, kInput},
                               "Columns of P as the layer has them, one row a unit: of norm 1 where they are normalised."),
    measured<&Result::norms>("norms", "|p|", {kFeature}, "Their norms: 1 where they are normalised."),
    measured<&Result::sample>("sample", "Y", {kInput}, "The input written on the picture."),
    measured<&Result::eta>("eta", "η", {kFeature}, "η of each unit at that input; undefined where z is 0 and f is not.") | gaps,
    measured<&Result::output>("output", "f(z)", {kFeature}, "Output of each unit at that input."),
    measured<&Result::width>("width", "", {kStage},
                             "How many inputs the linear map above sees at each step of the redrawing: n, then n·m copies, then n sums."),
    measured<&Result::difference>("difference", "", {},
                                  "Largest difference between the two routes' capacities; for a linear layer rounding alone.") |
        chaotic,
    measured<&Result::repetition>("repetition", "", {},
                                  "Linear layers: largest entry of K̃K̃ᵀ minus that of K repeated over √m (P1 Eq 16); rounding alone.") |
        chaotic,
    measured<&Result::outputDifference>("outputDifference", "", {},
                                        "Largest difference between f(Pᵀ Y) and P̃ᵀ Ỹ at the input shown (P1 Eq 5); rounding alone.") |
        chaotic,
    measured<&Result::total>("total", "κ", {}, "Total capacity by the augmented route, a rank."),
    measured<&Result::totalDirect>("totalDirect", "κ", {}, "Total capacity of the linear layer, a rank."),
    measured<&Result::nu>("nu", "ν", {}, "Decoupling coefficient of the blocks; of the exact ones: of their average.")};

constexpr PresetRow kPresets[] = {
    {"Linear: nothing decouples"},
    preset<[](Params& p) { p.normalised = false, p.covariance = InputCovariance::Random; }>(
        "Columns of any norm",
        "Weights of any norm, correlated inputs: for a linear layer the augmented route and the direct one still agree."),
    preset<[](Params& p) { p.activation = ScaleActivation::Relu; }>(
        "ReLU: copies switch off",
        "A ReLU switches copies of inputs off: ν falls to 0.5 and capacity moves between inputs, while the total stays 2."),
    preset<[](Params& p) { p.activation = ScaleActivation::PseudoRandom; }>(
        "Pseudo-random: independent blocks",
        "Random signs decouple the copies: blocks off the diagonal vanish, and an input's capacity changes by up to 0.5."),
    preset<[](Params& p) { p.activation = ScaleActivation::LeakyRelu, p.covariance = InputCovariance::Ar1; }>(
        "Correlated inputs, leaky ReLU",
        "A leaky ReLU decouples the copies in part, ν = 0.69: an input's capacity differs by less than 0.05 from the linear layer's."),
    preset<[](Params& p) { p.activation = ScaleActivation::Relu, p.free = 4; }>(
        "More units than inputs: a linear layer loses some",
        "Four free units on three inputs: the linear layer can hold only 3 units of capacity, the layer of ReLUs holds all 4.")};

/// P as given where the list has its size, else drawn.
Matrix featuresOf(const Params& p, std::vector<std::string>& warnings) {
    const auto n = static_cast<Size>(p.inputs), m = static_cast<Size>(p.features);
    if (p.weights.size() != n * m) {
        if (!p.weights.empty())
            warnings.push_back("weights has " + std::to_string(p.weights.size()) + " numbers where " + std::to_string(n * m) +
                               " are needed; they are drawn instead.");
        return randomFeatures(n, m, p.normalised, p.seed);
    }
    const Matrix features = transposed(Matrix(m, n, p.weights));
    return p.normalised ? unitFeatures(features, identityMatrix(m)).features : features;
}

/// Y ~ N(0, Σ), scaled to mean square 1 so that its colours can be told apart; its first numbers as given.
Vector sampleOf(const Params& p, const Matrix& sigma) {
    Rng rng(p.seed, Purpose::Inputs);
    const Matrix factor = choleskyFactor(sigma);
    Vector normal(sigma.rows), y(sigma.rows);
    for (double& value : normal) value = rng.gaussian();
    double square = 0;
    for (Size i = 0; i < y.size(); ++i) {
        for (Size k = 0; k <= i; ++k) y[i] += factor(i, k) * normal[k];
        square += y[i] * y[i];
    }
    for (double& value : y) value *= std::sqrt(static_cast<double>(y.size()) / square);
    std::copy_n(p.sample.begin(), std::min(p.sample.size(), y.size()), y.begin());
    return y;
}

/// P1 Eq 16 by projectors, which do not depend on the choice of bases: K̃ K̃ᵀ against that of K repeated m times, over √m.
double repetitionOf(const Matrix& augmented, const Matrix& direct, double copies) {
    const Matrix a = product(augmented, transposed(augmented)), d = product(direct, transposed(direct));
    double largest = 0;
    for (Size r = 0; r < a.rows; ++r)
        for (Size c = 0; c < a.columns; ++c) largest = std::max(largest, std::abs(a(r, c) - d(r % d.rows, c % d.rows) / copies));
    return largest;
}

Result run(const Opened<Params>& opened, Progress&) {
    const Params& p = opened.params;
    const auto n = static_cast<Size>(p.inputs), m = static_cast<Size>(p.features);
    const Activation activation = activationFromKey(kScaleActivations[static_cast<Size>(p.activation)].key);
    Result r;
    r.rows = r.columns = countUp(n * m);
    r.inputs = countUp(n), r.features = countUp(m), r.stages = countUp(4);
    const Matrix sigma = covarianceMatrix(static_cast<Covariance>(p.covariance), n, p.seed), features = featuresOf(p, r.warnings),
                 free = randomFreeDirections(m, std::min(static_cast<Size>(p.free), m), p.seed);

    // Exact blocks for two slopes, else P1 Eq 14 with ν = corr(z, f)², the one definition that is finite for every activation and free
    // of f's mean.
    const auto slopes = twoSlopes(activation, p.slope);
    const auto scale = exactDecouplingScale(activation, p.slope, 1);
    r.nu = slopes ? scale.nuEnergy : scale.nuCorrelation;
    const Matrix sigmaTilde =
        slopes && p.form == Form::Exact ? exactSigmaTilde(*slopes, features, sigma) : approximateSigmaTilde(r.nu, m, sigma);
    r.sigmaTilde = sigmaTilde.values;

    const auto augmented = augmentedCapacity(sigmaTilde, features, free);
    const auto direct = directCapacity(sigma, features, free);
    r.capacity = augmented.capacity, r.capacityDirect = direct.capacity, r.copies = augmented.copies.values;
    for (Size i = 0; i < n; ++i) r.difference = std::max(r.difference, std::abs(r.capacity[i] - r.capacityDirect[i]));
    if (activation == Activation::Identity) r.repetition = repetitionOf(augmented.constraints, direct.constraints, p.features);
    r.total = static_cast<double>(augmented.total), r.totalDirect = static_cast<double>(direct.total);

    const auto unit = unitFeatures(features, free);
    r.weights = transposed(features).values, r.norms = unit.norms;
    r.featureCapacity = squaredRows(unit.free);
    const double copies = static_cast<double>(n * m);
    r.width = {r.inputs.back() + 1, copies, copies, r.inputs.back() + 1};

    r.sample = sampleOf(p, sigma);
    for (Size j = 0; j < m; ++j) {
        double z = 0, sum = 0;
        for (Size i = 0; i < n; ++i) z += features(i, j) * r.sample[i];
        const double eta = decouplingFactor(activation, z, p.slope, j);
        for (Size i = 0; i < n; ++i) sum += features(i, j) * (eta * r.sample[i]);
        r.output.push_back(activate(activation, z, p.slope, j));
        r.eta.push_back(std::isfinite(eta) ? eta : std::numeric_limits<double>::quiet_NaN());
        if (std::isfinite(eta)) r.outputDifference = std::max(r.outputDifference, std::abs(sum - r.output.back()));
    }
    return r;
}

Cost cost(const Opened<Params>& opened) {
    const double m = opened.params.features, size = opened.params.inputs * m;
    return {20 * size * size * m + 50 * m * m * m + 5e5, 16 * size * size * 8 + 1e5};
}

std::string summary(const Params& p, const Result& r) {
    std::string text = "Each of " + inWords(p.inputs) + " inputs is repeated " + inWords(p.features) + " times, once for every unit.";
    if (r.repetition)
        return text + " The layer is linear: capacities by the augmented route and by the direct one differ by " +
               (r.difference > 0 ? inWords(r.difference, 2) : "0") + ", with a total of " + inWords(r.total) + " by both.";
    text +=
        " With ν = " + inWords(r.nu) + " an input's capacity differs by up to " + inWords(r.difference) + " from that of the linear layer";
    return text + (r.total == r.totalDirect ? "; the total is " + inWords(r.total) + " for both."
                                            : "; the total is " + inWords(r.total) + " instead of " + inWords(r.totalDirect) + ".");
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "augmented-space",
     .title = "A layer as a linear one, in more inputs",
     .claim = "Repeat the inputs once for every unit, give each copy its η, and a non-linear layer is linear.",
     .group = "Capacity flow",
     .icon = "0240824402 064886",
     .source = "P1 Figs 1–2; Eqs 4–9, 16–18",
     .lookAt = "Watch the edges: none is added or lost when the inputs are repeated, and for a linear layer no capacity changes either.",
     .tryThis =
         "Choose ReLU and drag an input through 0: copies switch off and on, and the blocks off the diagonal tell how often that happens.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "stage", "step", false, 1.6},
     .opening = "ReLU: copies switch off"});

}  // namespace augmented_space

Declaration augmented_space_declaration() { return declare(augmented_space::kScene); }
Model augmented_space_model() {
    return sceneModel<augmented_space::kScene, augmented_space::run, augmented_space::cost, augmented_space::summary>();
}

}  // namespace kappaflow
