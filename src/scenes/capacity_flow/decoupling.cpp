#include "scenes/capacity_flow/decoupling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/capacity/augmented_space.h"
#include "core/capacity/decoupling.h"
#include "scene/typed_model.h"

namespace kappaflow {
namespace decoupling {
namespace {

using namespace table;
using Size = std::size_t;

/// What P1 Fig 3 draws, from fully coupled to fully decoupled.
constexpr ScaleActivation kFour[] = {ScaleActivation::Identity, ScaleActivation::LeakyRelu, ScaleActivation::Relu,
                                     ScaleActivation::PseudoRandom};
constexpr OptionRow kCompared[] = {{"one", "this activation alone"}, {"four", "the four of Fig 3"}};

constexpr ParamRow kParams[] = {
    activationRow<Params>("Which non-linearity f is placed on the decoupling scale.", "P1 Fig 3; Eqs 12–15"),
    slopeRow<Params>(),
    choice<&Params::compare>("compare", "compare", kCompared,
                             "One activation with all its measures, or identity, leaky ReLU, ReLU and pseudo-random side by side.",
                             "P1 Fig 3") |
        when<[](const Params& p) { return p.activation != ScaleActivation::Sigmoid; }>,
    number<&Params::sigma>("sigma", "σ", "width of z", {0.1, 10},
                           "Standard deviation of every unit's argument z; two slopes do not care, bounded activations do.", "P1 Eq 13") |
        logarithmic,
    whole<&Params::draws>("draws", "", "draws", {100, 1e7},
                          "How many Gaussian inputs the blocks are averaged over, unless drawing stops before.", "P1 Eqs 8, 14") |
        logarithmic | costly,
    number<&Params::stopAt>("stopAt", "", "stop at standard error", {1e-4, 0.1},
                            "Drawing ends early when no entry of the blocks has a larger standard error.", "P1 Eq 14") |
        logarithmic | more,
    whole<&Params::inputs>("inputs", "n", "inputs", {1, 8}, "Number of inputs Y of the layer.", "P1 Eq 6"),
    whole<&Params::features>("features", "m", "features", {1, 8}, "Number of units of the layer, hence of copies of the inputs.",
                             "P1 Eq 6"),
    covarianceRow<Params>() | more,
    seed<&Params::seed>("Start of the random numbers behind features and draws.", "P1 Eq 8"),
    shownAt<&Params::at>("", "draws", 1e7, "After how many draws the measured blocks are shown.", "P1 Eq 14"),
    plays<&Params::play>("Whether the draws pass by themselves.", "P1 Eq 14")};

constexpr AxisRow kActivation = axis<&Result::activations>("activation"), kZ = axis<&Result::z>("z"), kRow = axis<&Result::rows>("row"),
                  kColumn = axis<&Result::columns>("col"), kDraws = axis<&Result::draws>("draws"), kOf = axis<&Result::four>("activation");

constexpr FieldRow kFields[] = {
    measured<&Result::energy>("scale", "ν", {kActivation},
                              "Place on the decoupling scale (P1 Eq 15): (E z f)²/(E z² E f²), which for two slopes is the paper's ν."),
    measured<&Result::independent>("scaleIndependent", "ν", {kActivation},
                                   "(E η)²/E η², as if η and the inputs were independent (P1 Eq 13); 0 where E η² diverges."),
    measured<&Result::correlation>("scaleCorrelation", "ν_c", {kActivation}, "corr(f(z), z)²: the mean of f removed, as a free bias does."),
    measured<&Result::curve>("activationCurve", "f", {kZ}, "The activation."),
    measured<&Result::eta>("eta", "η", {kZ}, "The decoupling factor f(z)/z (P1 Eq 4).") | gaps,
    measured<&Result::density>("density", "", {kZ}, "Density of z ~ N(0, σ²)."),
    measured<&Result::measured>("sigmaTildeMeasured", "Σ̃", {kRow, kColumn},
                                "E[Ỹ Ỹᵀ] by Monte Carlo, η scaled to E η² = 1; row j·n + i is copy j of input i."),
    theory<&Result::approximate>("sigmaTildeApproximate", "Σ̃", {kRow, kColumn}, "P1 Eq 14: Σ on the diagonal, νΣ elsewhere."),
    theory<&Result::exact>("sigmaTildeExact", "Σ̃", {kRow, kColumn},
                           "The exact form for two slopes and Gaussian inputs, by the arcsine law."),
    measured<&Result::measuredByDraws>("measuredByDraws", "Σ̃", {kDraws, kRow, kColumn}, "The measured Σ̃ after so many draws."),
    measured<&Result::fromApproximate>("distanceFromApproximate", "", {kDraws}, "‖measured − Eq 14‖/‖measured‖ (Frobenius)."),
    measured<&Result::fromExact>("distanceFromExact", "", {kDraws}, "‖measured − exact‖/‖measured‖, two slopes."),
    theory<&Result::noise>("noise", "", {kDraws}, "‖standard error‖/‖measured‖: how far apart chance alone leaves them."),
    measured<&Result::largestError>("largestError", "", {kDraws}, "Largest standard error of an entry after so many draws."),
    measured<&Result::nuIndependent>(
        "nuIndependent", "ν", {}, "(E η)²/E η² of the chosen activation; 0 where E η² diverges, which then is a name and no measurement."),
    measured<&Result::nuEnergy>("nuEnergy", "ν", {}, "(E z f)²/(E z² E f²) of the chosen activation, by quadrature or closed form."),
    measured<&Result::nuCorrelation>("nuCorrelation", "ν_c", {}, "corr(f(z), z)² of the chosen activation."),
    measured<&Result::meanEta>("meanEta", "E η", {}, "Mean of η scaled to E η² = 1: what Fig 3 prints as ν. Left out where E η² diverges."),
    measured<&Result::relativeError>("relativeError", "", {}, "How far Eq 14 is from the measured Σ̃, relative to it (Frobenius)."),
    measured<&Result::relativeErrorExact>("relativeErrorExact", "", {}, "How far Eq 14 is from the exact Σ̃, relative to it; two slopes."),
    measured<&Result::standardError>("standardError", "", {}, "Largest standard error of an entry of the measured Σ̃."),
    measured<&Result::drawsMade>("drawsMade", "", {}, "How many draws were made."),
    theory<&Result::fourNu>("fourNu", "ν", {kOf}, "Fig 3's activations: (E η)²/E η²."),
    measured<&Result::fourCurve>("fourCurve", "f", {kOf, kZ}, "Fig 3's activations."),
    measured<&Result::fourEta>("fourEta", "η", {kOf, kZ}, "Their decoupling factors f(z)/z."),
    measured<&Result::fourByDraws>("fourByDraws", "Σ̃", {kDraws, kOf, kRow, kColumn}, "Their measured Σ̃ after so many draws."),
    measured<&Result::fourFromApproximate>("fourDistance", "", {kDraws, kOf}, "‖measured − Eq 14‖/‖measured‖ of each.")};

constexpr PresetRow kPresets[] = {
    {"Leaky ReLU"},
    preset<[](Params& p) { p.activation = ScaleActivation::Relu; }>(
        "ReLU: E[η] is not ν",
        "ReLUs have ν = 0.5, the square of E[η] = 0.707: the measured blocks settle on the exact form, 28 % off Eq 14."),
    preset<[](Params& p) { p.activation = ScaleActivation::Abs; }>(
        "Absolute value: 0 on average only",
        "For |z| the blocks off the diagonal average to 0 but do not vanish: positive and negative ones stay, and Eq 14 is 60 % off."),
    preset<[](Params& p) { p.activation = ScaleActivation::Tanh, p.sigma = 2; }>(
        "Tanh: three values of ν",
        "Tanh has no two slopes: ν is 0.87 if η is independent and 0.84 by energy, and the measured blocks stay 41 % off Eq 14."),
    preset<[](Params& p) { p.activation = ScaleActivation::Sigmoid; }>(
        "Sigmoid: no ν by the first definition",
        "A sigmoid is not 0 at 0, so E[η²] is infinite: the first definition gives no ν, energy gives 0.15 and correlation 0.98."),
    preset<[](Params& p) { p.activation = ScaleActivation::PseudoRandom; }>(
        "Pseudo-random: Eq 11 holds",
        "Signs drawn anew for every z: all blocks off the diagonal fade to 0 as draws add up, and Eq 11 holds."),
    preset<[](Params& p) { p.activation = ScaleActivation::Identity; }>(
        "Identity: fully coupled",
        "The identity has η = 1 everywhere: every block settles on the inputs' covariance, and all three definitions give ν = 1."),
    preset<[](Params& p) { p.stopAt = 0.01, p.draws = 1000000; }>(
        "Stop at a standard error of 0.01",
        "A million draws are allowed; they stop at 48125, once the standard error of every entry is at most 0.01."),
    preset<[](Params& p) { p.compare = Compare::Four; }>(
        "The four activations of Fig 3",
        "From the identity to pseudo-random signs the blocks off the diagonal fade, as ν falls from 1 over 0.69 and 0.5 to 0.")};

/// Abscissae of the curves; odd, so that 0 is one of them.
constexpr int kCurvePoints = 241;
/// A standard error from fewer draws is itself too uncertain to stop at.
constexpr double kLeastDraws = 100;

Activation activationOf(const OptionRow& option) { return activationFromKey(option.key); }
const OptionRow& optionOf(const Params& p) { return kScaleActivations[static_cast<Size>(p.activation)]; }

bool comparesFour(const Params& p) { return p.compare == Compare::Four && p.activation != ScaleActivation::Sigmoid; }

/// Operations of one draw.
double drawWork(const Params& p) {
    const double size = p.inputs * p.features;
    return (2.5 * size * size + 40 * size) * (comparesFour(p) ? 5 : 1);
}

double norm(const Matrix& a) {
    double sum = 0;
    for (const double value : a.values) sum += value * value;
    return std::sqrt(sum);
}

/// P, scaled so that every z_j has standard deviation σ.
Matrix featuresOf(const Params& p, const Matrix& covariance) {
    Matrix features = randomFeatures(covariance.rows, static_cast<Size>(p.features), true, p.seed);
    const Matrix variances = congruence(features, covariance);
    for (Size j = 0; j < features.columns; ++j)
        for (Size i = 0; i < features.rows; ++i) features(i, j) *= p.sigma / std::sqrt(variances(j, j));
    return features;
}

void addScale(const Params& p, Result& r) {
    for (const OptionRow& option : kScaleActivations) {
        const auto scale = exactDecouplingScale(activationOf(option), p.slope, p.sigma);
        r.activations.push_back(option.key);
        r.energy.push_back(scale.nuEnergy);
        r.independent.push_back(scale.nuIndependent);
        r.correlation.push_back(scale.nuCorrelation);
        if (&option != &optionOf(p)) continue;
        r.nuIndependent = scale.nuIndependent, r.nuEnergy = scale.nuEnergy, r.nuCorrelation = scale.nuCorrelation;
        if (!scale.etaSquareDiverges) r.meanEta = scale.meanEta / std::sqrt(scale.etaSquare);
    }
}

void addCurves(const Params& p, Result& r) {
    const double reach = std::max(4.0, 3 * p.sigma);
    const Activation activation = activationOf(optionOf(p));
    for (int i = 0; i < kCurvePoints; ++i) {
        const double z = reach * (2.0 * i / (kCurvePoints - 1) - 1), t = z / p.sigma;
        const double eta = decouplingFactor(activation, z, p.slope, p.seed);
        r.z.push_back(z);
        r.curve.push_back(activate(activation, z, p.slope, p.seed));
        r.eta.push_back(std::isfinite(eta) ? eta : std::numeric_limits<double>::quiet_NaN());
        r.density.push_back(std::exp(-t * t / 2) / (p.sigma * std::sqrt(2 * std::numbers::pi)));
    }
}

/// One of Fig 3's activations, measured draw by draw beside the chosen one.
struct Compared {
    Matrix approximate;
    SigmaTildeMeasurement measurement;
};

std::vector<Compared> comparedOf(const Params& p, const Matrix& features, const Matrix& covariance, Result& r) {
    std::vector<Compared> all;
    for (const ScaleActivation one : kFour) {
        const OptionRow& option = kScaleActivations[static_cast<Size>(one)];
        const Activation activation = activationOf(option);
        r.four.push_back(option.key);
        r.fourNu.push_back(exactDecouplingScale(activation, p.slope, p.sigma).nuIndependent);
        for (const double z : r.z) {
            r.fourCurve.push_back(activate(activation, z, p.slope, p.seed));
            r.fourEta.push_back(decouplingFactor(activation, z, p.slope, p.seed));
        }
        all.push_back({approximateSigmaTilde(r.fourNu.back(), features.columns, covariance),
                       SigmaTildeMeasurement(features, covariance, activation, p.slope, p.seed)});
    }
    return all;
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Params& p = opened.params;
    Result r;
    addScale(p, r);
    addCurves(p, r);
    if (!r.meanEta) return r;

    const Activation activation = activationOf(optionOf(p));
    const Matrix covariance = covarianceMatrix(static_cast<Covariance>(p.covariance), static_cast<Size>(p.inputs), p.seed);
    const Matrix features = featuresOf(p, covariance);
    const Matrix approximate = approximateSigmaTilde(r.nuIndependent, features.columns, covariance);
    r.rows = r.columns = countUp(approximate.rows);
    r.approximate = approximate.values;
    Matrix exact;
    if (const auto slopes = twoSlopes(activation, p.slope)) {
        exact = exactSigmaTilde(*slopes, features, covariance);
        r.exact = exact.values;
        r.relativeErrorExact = relativeDifference(approximate, exact);
    }

    SigmaTildeMeasurement measurement(features, covariance, activation, p.slope, p.seed);
    std::vector<Compared> compared;
    if (comparesFour(p)) compared = comparedOf(p, features, covariance, r);
    const auto keep = [&](Result& kept) {
        const Matrix mean = measurement.mean();
        kept.draws.push_back(measurement.draws());
        kept.measuredByDraws.insert(kept.measuredByDraws.end(), mean.values.begin(), mean.values.end());
        kept.fromApproximate.push_back(relativeDifference(approximate, mean));
        if (!r.exact.empty()) kept.fromExact.push_back(relativeDifference(exact, mean));
        kept.noise.push_back(norm(measurement.standardError()) / norm(mean));
        kept.largestError.push_back(measurement.largestStandardError());
        for (const Compared& one : compared) {
            const Matrix blocks = one.measurement.mean();
            kept.fourByDraws.insert(kept.fourByDraws.end(), blocks.values.begin(), blocks.values.end());
            kept.fourFromApproximate.push_back(relativeDifference(one.approximate, blocks));
        }
    };
    const auto complete = [&](Result sofar) {
        if (sofar.draws.empty() || sofar.draws.back() < measurement.draws()) keep(sofar);
        sofar.measured = {measurement.mean().values, measurement.standardError().values};
        sofar.relativeError = sofar.fromApproximate.back();
        sofar.standardError = measurement.largestStandardError();
        sofar.drawsMade = measurement.draws();
        return sofar;
    };
    // Some milliseconds of draws at a time, cut where a mean is kept: after 10, 20, 50, 100, … draws.
    const double slice = std::max(1.0, std::floor(4e6 / drawWork(p)));
    double nextKept = 10;
    for (bool finished = false; !finished;) {
        const double until = std::min<double>(nextKept, p.draws);
        const auto more = static_cast<Size>(std::min(until - measurement.draws(), slice));
        measurement.add(more);
        for (Compared& one : compared) one.measurement.add(more);
        const double made = measurement.draws();
        finished = made >= p.draws || (made >= kLeastDraws && measurement.largestStandardError() <= p.stopAt);
        if (finished || made >= until) keep(r);
        if (made >= nextKept) {
            const double lead = nextKept / std::pow(10, std::floor(std::log10(nextKept) + 1e-9));
            nextKept *= lead > 1.5 && lead < 3 ? 2.5 : 2;
        }
        progress.tick(made / p.draws);
        progress.partial([&] { return complete(r); });
    }
    return complete(std::move(r));
}

Cost cost(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const double size = p.inputs * p.features, kept = 3 * std::log10(p.draws) + 2;
    // Sums and squares, kept means, and three copies of them on their way to the reader; quadratures and curves besides.
    const double measured = comparesFour(p) ? 5 : 1;
    // Standard errors are some 1.5 to 2.3 over the root of the draws, looked at every so often.
    const double draws = std::min(1.0 * p.draws, 5 / (p.stopAt * p.stopAt) + 500);
    return {0.6 * drawWork(p) * draws + 2e6, size * size * 8 * (12 + 4 * kept) * measured + 5e5};
}

std::string summary(const Params& p, const Result& r) {
    std::string text = std::string("For ") + optionOf(p).label + " ν is " +
                       (r.meanEta ? inWords(r.nuIndependent) + " if η is independent of the inputs, "
                                  : "without value by the first definition, since E η² diverges, ") +
                       inWords(r.nuEnergy) + " by energy and " + inWords(r.nuCorrelation) + " by correlation.";
    if (!r.meanEta) return text + " No mean of η² can be measured, so there are no blocks to compare.";
    text += " After " + inWords(*r.drawsMade, 8) + " draws, with a standard error of at most " + inWords(*r.standardError, 2) +
            " an entry, Eq 14 is " + inWords(100 * *r.relativeError, 2) + " % off the measured blocks" +
            (r.exact.empty() ? "." : ", the exact form " + inWords(100 * r.fromExact.back(), 2) + " %.");
    if (!r.fourNu.empty())
        return text + " Of Fig 3's four activations ν is " + inWords(r.fourNu[0]) + ", " + inWords(r.fourNu[1]) + ", " +
               inWords(r.fourNu[2]) + " and " + inWords(r.fourNu[3]) + ", from the identity to pseudo-random signs.";
    if (std::abs(*r.meanEta - r.nuIndependent) < 5e-4) return text;
    return text + " Fig 3 prints ν = E[η], which at the paper's scaling E[η²] = 1 is " + inWords(*r.meanEta) + ": its square is ν.";
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "decoupling",
     .title = "The decoupling scale",
     .claim = "How far an activation decouples its units: from 1, linear, over ReLUs at ½, to 0, pseudo-random.",
     .group = "Capacity flow",
     .icon = "0040440400 4484884844",
     .source = "P1 Fig 3; Eqs 10–15",
     .lookAt = "Watch chance fade as draws add up: less the exact form nothing is left of the measured blocks, less Eq 14 a pattern stays.",
     .tryThis = "Pull the left leg of f from slope 1 down to −1, and see the blocks off the diagonal fade as ν falls from 1 to 0.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "draws", "draws", false, 0.35}});

}  // namespace decoupling

Declaration decoupling_declaration() { return declare(decoupling::kScene); }
Model decoupling_model() { return sceneModel<decoupling::kScene, decoupling::run, decoupling::cost, decoupling::summary>(); }

}  // namespace kappaflow
