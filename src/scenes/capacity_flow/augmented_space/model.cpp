#include <algorithm>
#include <cmath>
#include <limits>

#include "core/capacity/augmented_space.h"
#include "core/linalg/decompositions.h"
#include "scene/filled_report.h"
#include "scenes/capacity_flow/model_decoupling.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

struct Layer {
    Activation activation;
    double slope, nu = 1;
    Matrix sigma, features, free, sigmaTilde;  ///< Σ, P, U, Σ̃
    std::vector<double> sample;                ///< Y
    std::vector<std::string> warnings;
};

// P as given where the list has its size, else drawn.
Matrix featuresOf(const Values& v, Size n, Size m, std::vector<std::string>& warnings) {
    const auto& given = v.list("weights");
    const bool unit = v.flag("normalised");
    if (given.size() != n * m) {
        if (!given.empty())
            warnings.push_back("weights has " + std::to_string(given.size()) + " numbers where " + std::to_string(n * m) +
                               " are needed; they are drawn instead.");
        return randomFeatures(n, m, unit, v.seed());
    }
    const Matrix features = transposed(Matrix(m, n, given));
    return unit ? unitFeatures(features, identityMatrix(m)).features : features;
}

// Y ~ N(0, Σ), scaled to mean square 1 so that its colours can be told apart.
std::vector<double> sampleOf(const Values& v, const Matrix& sigma) {
    Rng rng(v.seed(), Purpose::Inputs);
    const Matrix factor = choleskyFactor(sigma);
    std::vector<double> normal(sigma.rows), y(sigma.rows);
    for (double& value : normal) value = rng.gaussian();
    double square = 0;
    for (Size i = 0; i < y.size(); ++i) {
        for (Size k = 0; k <= i; ++k) y[i] += factor(i, k) * normal[k];
        square += y[i] * y[i];
    }
    const auto& given = v.list("sample");
    for (Size i = 0; i < y.size(); ++i) y[i] = i < given.size() ? given[i] : y[i] * std::sqrt(static_cast<double>(y.size()) / square);
    return y;
}

// Σ̃ and its ν: exact blocks for two slopes, else P1 Eq 14. Beyond two slopes with ν = corr(z, f)², the one definition that is finite
// for every activation and free of f's mean.
void chooseBlocks(Layer& layer, bool exact) {
    const auto scale = decoupling::scaleOf(layer.activation, layer.slope, 1);
    const auto slopes = twoSlopes(layer.activation, layer.slope);
    layer.nu = slopes ? scale.nuEnergy : scale.nuCorrelation;
    layer.sigmaTilde = slopes && exact ? exactSigmaTilde(*slopes, layer.features, layer.sigma)
                                       : approximateSigmaTilde(layer.nu, layer.features.columns, layer.sigma);
}

Layer readLayer(const Values& v) {
    const auto n = static_cast<Size>(v.integer("inputs")), m = static_cast<Size>(v.integer("features"));
    Layer layer{activationFromKey(v.text("activation")),
                v.number("slope"),
                1,
                covarianceMatrix(decoupling::covarianceNamed(v.text("covariance")), n, v.seed()),
                {},
                randomFreeDirections(m, std::min(static_cast<Size>(v.integer("free")), m), v.seed()),
                {},
                {},
                {}};
    layer.features = featuresOf(v, n, m, layer.warnings);
    chooseBlocks(layer, v.is("form", "exact"));
    layer.sample = sampleOf(v, layer.sigma);
    return layer;
}

double largestDifference(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0;
    for (Size i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

/// P1 Eq 16 by projectors, which do not depend on the choice of bases: K̃ K̃ᵀ against that of K repeated m times, over √m.
double repetitionOf(const Matrix& augmented, const Matrix& direct, Size copies) {
    const Matrix a = product(augmented, transposed(augmented)), d = product(direct, transposed(direct));
    double largest = 0;
    for (Size r = 0; r < a.rows; ++r)
        for (Size c = 0; c < a.columns; ++c)
            largest = std::max(largest, std::abs(a(r, c) - d(r % d.rows, c % d.rows) / static_cast<double>(copies)));
    return largest;
}

class AugmentedComputation final : public Computation {
public:
    explicit AugmentedComputation(const Request& request) : layer_(readLayer(request.params)) {}

    bool step() override { return !(finished_ = true); }
    double progress() const override { return finished_ ? 1 : 0; }
    Report report() const override {
        FilledReport filled("augmented-space");
        filled.report.status = finished_ ? Status::Ok : Status::Partial;
        filled.report.message = finished_ ? "" : "The layer is being redrawn.";
        if (!finished_) return std::move(filled.report);
        const auto augmented = augmentedCapacity(layer_.sigmaTilde, layer_.features, layer_.free);
        const auto direct = directCapacity(layer_.sigma, layer_.features, layer_.free);
        filled.report.warnings = layer_.warnings;
        addCapacities(filled, augmented, direct);
        addLayer(filled);
        addSample(filled);
        filled.report.summary = summary(filled.report);
        return std::move(filled.report);
    }

private:
    Size inputs() const { return layer_.features.rows; }
    Size copies() const { return layer_.features.columns; }

    void addCapacities(FilledReport& r, const AugmentedCapacity& augmented, const DirectCapacity& direct) const {
        const Axis input = countedAxis("input", inputs()), feature = countedAxis("feature", copies());
        const Size size = inputs() * copies();
        r.add("sigmaTilde", {countedAxis("row", size), countedAxis("col", size)}, layer_.sigmaTilde.values);
        r.add("capacity", {input}, augmented.capacity);
        r.add("capacityDirect", {input}, direct.capacity);
        r.add("copies", {feature, input}, augmented.copies.values);
        r.add("difference", largestDifference(augmented.capacity, direct.capacity));
        if (layer_.activation == Activation::Identity)
            r.add("repetition", repetitionOf(augmented.constraints, direct.constraints, copies()));
        r.add("total", static_cast<double>(augmented.total));
        r.add("totalDirect", static_cast<double>(direct.total));
        r.add("nu", layer_.nu);
    }
    void addLayer(FilledReport& r) const {
        const Axis input = countedAxis("input", inputs()), feature = countedAxis("feature", copies());
        const auto unit = unitFeatures(layer_.features, layer_.free);
        std::vector<double> capacity(copies());
        for (Size j = 0; j < copies(); ++j)
            for (Size k = 0; k < unit.free.columns; ++k) capacity[j] += unit.free(j, k) * unit.free(j, k);
        r.add("featureCapacity", {feature}, std::move(capacity));
        r.add("weights", {feature, input}, transposed(layer_.features).values);
        r.add("norms", {feature}, unit.norms);
        const auto n = static_cast<double>(inputs()), all = n * static_cast<double>(copies());
        r.add("width", {countedAxis("stage", 4)}, {n, all, all, n});
    }
    void addSample(FilledReport& r) const {
        std::vector<double> eta, output;
        double difference = 0;
        for (Size j = 0; j < copies(); ++j) {
            double z = 0, sum = 0;
            for (Size i = 0; i < inputs(); ++i) z += layer_.features(i, j) * layer_.sample[i];
            const double factor = decouplingFactor(layer_.activation, z, layer_.slope, j);
            for (Size i = 0; i < inputs(); ++i) sum += layer_.features(i, j) * (factor * layer_.sample[i]);
            output.push_back(activate(layer_.activation, z, layer_.slope, j));
            eta.push_back(std::isfinite(factor) ? factor : std::numeric_limits<double>::quiet_NaN());
            if (std::isfinite(factor)) difference = std::max(difference, std::abs(sum - output.back()));
        }
        r.add("sample", {countedAxis("input", inputs())}, layer_.sample);
        r.add("eta", {countedAxis("feature", copies())}, std::move(eta)).mayBeUndefined = true;
        r.add("output", {countedAxis("feature", copies())}, std::move(output));
        r.add("outputDifference", difference);
    }
    std::string summary(const Report& r) const {
        const double difference = r.scalar("difference")->value, total = r.scalar("total")->value, direct = r.scalar("totalDirect")->value;
        std::string text = "Each of " + inWords(static_cast<double>(inputs())) + " inputs is repeated " +
                           inWords(static_cast<double>(copies())) + " times, once for every unit.";
        if (layer_.activation == Activation::Identity)
            return text + " The layer is linear: capacities by the augmented route and by the direct one differ by " +
                   (difference > 0 ? inWords(difference, 2) : "0") + ", with a total of " + inWords(total) + " by both.";
        text += " With ν = " + inWords(layer_.nu) + " an input's capacity differs by up to " + inWords(difference) +
                " from that of the linear layer";
        return text + (total == direct ? "; the total is " + inWords(total) + " for both."
                                       : "; the total is " + inWords(total) + " instead of " + inWords(direct) + ".");
    }

    Layer layer_;
    bool finished_ = false;
};

Cost costOf(const Request& request) {
    const Values& v = request.params;
    const double m = v.number("features"), size = v.number("inputs") * m;
    return {20 * size * size * m + 50 * m * m * m + 5e5, 16 * size * size * 8 + 1e5};
}

std::string costliestOf(const Request&) { return "features"; }

std::unique_ptr<Computation> startAugmented(const Request& request) { return std::make_unique<AugmentedComputation>(request); }

}  // namespace

Model augmented_space_model() { return stepwise<costOf, costliestOf, startAugmented>("augmented-space"); }

}  // namespace kappaflow
