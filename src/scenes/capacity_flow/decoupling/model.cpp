#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "scene/filled_report.h"
#include "scenes/capacity_flow/declaration_activations.h"
#include "scenes/capacity_flow/model_decoupling.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace {

using namespace decoupling;

/// Operations of one slice: a few milliseconds.
constexpr double kSliceWork = 4e6;
/// Abscissae of the curves; odd, so that 0 is one of them.
constexpr int kCurvePoints = 241;

double drawWork(const Values& v) {
    const double size = v.number("inputs") * v.number("features");
    return 2.5 * size * size + 40 * size;
}

/// What was measured after so many draws.
struct Checkpoint {
    double draws, noise, standardError;
    Matrix mean;
};

double norm(const Matrix& a) {
    double sum = 0;
    for (const double value : a.values) sum += value * value;
    return std::sqrt(sum);
}

class DecouplingComputation final : public Computation {
public:
    explicit DecouplingComputation(const Request& request)
        : setup_(readSetup(request.params)), sliceDraws_(kSliceWork / drawWork(request.params)) {
        approximate_ = approximateSigmaTilde(setup_.scale.nuIndependent, setup_.features.columns, setup_.covariance);
        if (setup_.slopes) exact_ = exactSigmaTilde(*setup_.slopes, setup_.features, setup_.covariance);
        if (setup_.measurable()) measurement_.emplace(setup_.features, setup_.covariance, setup_.activation, setup_.slope, setup_.seed);
    }

    bool step() override {
        if (!measurement_ || finished_) return !(finished_ = true);
        // Slices end where the next result is kept, so that it does not depend on how the work was cut.
        const double before = measurement_->draws(), until = std::min(nextKept_, setup_.draws);
        measurement_->add(static_cast<std::size_t>(std::min(until - before, std::max(1.0, std::floor(sliceDraws_)))));
        const double made = measurement_->draws();
        finished_ = made >= setup_.draws || (made >= kLeastDraws && measurement_->largestStandardError() <= setup_.stopAt);
        if (finished_ || made >= until) keep();
        return !finished_;
    }
    double progress() const override { return finished_ ? 1 : measurement_ ? measurement_->draws() / setup_.draws : 0; }
    Report report() const override {
        FilledReport filled("decoupling");
        filled.report.status = finished_ ? Status::Ok : Status::Partial;
        filled.report.message = finished_ ? "" : "More draws are on their way.";
        addScale(filled);
        addCurves(filled);
        if (measurement_ && measurement_->draws() > 1) addBlocks(filled);
        filled.report.summary = summary(filled.report);
        return std::move(filled.report);
    }

private:
    /// A standard error from fewer draws is itself too uncertain to stop at.
    static constexpr double kLeastDraws = 100;

    // 10, 20, 50, 100, …
    void keep() {
        kept_.push_back(checkpoint());
        if (measurement_->draws() < nextKept_) return;
        const double lead = nextKept_ / std::pow(10, std::floor(std::log10(nextKept_) + 1e-9));
        nextKept_ *= lead > 1.5 && lead < 3 ? 2.5 : 2;
    }
    Checkpoint checkpoint() const {
        Checkpoint c{measurement_->draws(), 0, measurement_->largestStandardError(), measurement_->mean()};
        c.noise = norm(measurement_->standardError()) / norm(c.mean);
        return c;
    }

    void addScale(FilledReport& r) const {
        Axis axis{"activation", {}, {}};
        std::vector<double> energy, independent, correlation;
        for (const Option& option : decouplingActivations()) {
            const auto scale = scaleOf(activationFromKey(option.key), setup_.slope, setup_.sigma);
            axis.keys.push_back(option.key);
            energy.push_back(scale.nuEnergy);
            independent.push_back(scale.nuIndependent);
            correlation.push_back(scale.nuCorrelation);
        }
        r.add("scale", {axis}, std::move(energy));
        r.add("scaleIndependent", {axis}, std::move(independent));
        r.add("scaleCorrelation", {axis}, std::move(correlation));
        r.add("nuIndependent", setup_.scale.nuIndependent);
        r.add("nuEnergy", setup_.scale.nuEnergy);
        r.add("nuCorrelation", setup_.scale.nuCorrelation);
        if (setup_.measurable()) r.add("meanEta", setup_.scale.meanEta / std::sqrt(setup_.scale.etaSquare));
    }
    void addCurves(FilledReport& r) const {
        const double reach = std::max(4.0, 3 * setup_.sigma);
        Axis z{"z", {}, {}};
        std::vector<double> curve, eta, density;
        for (int i = 0; i < kCurvePoints; ++i) {
            const double at = reach * (2.0 * i / (kCurvePoints - 1) - 1), t = at / setup_.sigma;
            const double factor = decouplingFactor(setup_.activation, at, setup_.slope, setup_.seed);
            z.values.push_back(at);
            curve.push_back(activate(setup_.activation, at, setup_.slope, setup_.seed));
            eta.push_back(std::isfinite(factor) ? factor : std::numeric_limits<double>::quiet_NaN());
            density.push_back(std::exp(-t * t / 2) / (setup_.sigma * std::sqrt(2 * std::numbers::pi)));
        }
        r.add("activationCurve", {z}, std::move(curve));
        r.add("eta", {z}, std::move(eta)).mayBeUndefined = true;
        r.add("density", {z}, std::move(density));
    }
    void addBlocks(FilledReport& r) const {
        std::vector<Checkpoint> all = kept_;
        if (all.empty() || all.back().draws < measurement_->draws()) all.push_back(checkpoint());
        const Matrix& measured = all.back().mean;
        const std::vector<Axis> blocks{countedAxis("row", measured.rows), countedAxis("col", measured.columns)};
        r.add("sigmaTildeMeasured", blocks, measured.values).standardError = measurement_->standardError().values;
        r.add("sigmaTildeApproximate", blocks, approximate_.values);
        if (setup_.slopes) r.add("sigmaTildeExact", blocks, exact_.values);
        Axis draws{"draws", {}, {}};
        std::vector<double> stacked, toApproximate, toExact, noise, errors;
        for (const Checkpoint& c : all) {
            draws.values.push_back(c.draws);
            stacked.insert(stacked.end(), c.mean.values.begin(), c.mean.values.end());
            toApproximate.push_back(relativeDifference(approximate_, c.mean));
            if (setup_.slopes) toExact.push_back(relativeDifference(exact_, c.mean));
            noise.push_back(c.noise);
            errors.push_back(c.standardError);
        }
        r.add("relativeError", toApproximate.back());
        r.add("measuredByDraws", {draws, blocks[0], blocks[1]}, std::move(stacked));
        r.add("distanceFromApproximate", {draws}, std::move(toApproximate));
        if (setup_.slopes) r.add("distanceFromExact", {draws}, std::move(toExact));
        r.add("noise", {draws}, std::move(noise));
        r.add("largestError", {draws}, std::move(errors));
        if (setup_.slopes) r.add("relativeErrorExact", relativeDifference(approximate_, exact_));
        r.add("standardError", measurement_->largestStandardError());
        r.add("drawsMade", measurement_->draws());
    }
    std::string summary(const Report& r) const {
        std::string name;
        for (const Option& option : decouplingActivations())
            if (activationFromKey(option.key) == setup_.activation) name = option.label;
        const auto& scale = setup_.scale;
        std::string text = "For " + name + " ν is " +
                           (setup_.measurable() ? inWords(scale.nuIndependent) + " if η is independent of the inputs, "
                                                : "without value by the first definition, since E η² diverges, ") +
                           inWords(scale.nuEnergy) + " by energy and " + inWords(scale.nuCorrelation) + " by correlation.";
        if (!setup_.measurable()) return text + " No mean of η² can be measured, so there are no blocks to compare.";
        const Scalar* error = r.scalar("relativeError");
        if (!error) return text;
        text += " After " + inWords(measurement_->draws(), 8) + " draws, with a standard error of at most " +
                inWords(measurement_->largestStandardError(), 2) + " an entry, Eq 14 is " + inWords(100 * error->value, 2) +
                " % off the measured blocks";
        const Array* exact = r.array("distanceFromExact");
        return text + (exact ? ", the exact form " + inWords(100 * exact->values.back(), 2) + " %." : ".") + misprint(r);
    }

    /// What P1's Fig 3 prints as ν, where it is something else.
    static std::string misprint(const Report& r) {
        const double mean = r.scalar("meanEta")->value, nu = r.scalar("nuIndependent")->value;
        if (std::abs(mean - nu) < 5e-4) return "";
        return " Fig 3 prints ν = E[η], which at the paper's scaling E[η²] = 1 is " + inWords(mean) + ": its square is ν.";
    }

    Setup setup_;
    double sliceDraws_, nextKept_ = 10;
    Matrix approximate_, exact_;
    std::optional<SigmaTildeMeasurement> measurement_;
    std::vector<Checkpoint> kept_;
    bool finished_ = false;
};

Cost costOf(const Request& request) {
    const Values& v = request.params;
    const double size = v.number("inputs") * v.number("features"), kept = 3 * std::log10(v.number("draws")) + 2;
    // Sums and squares, kept means, and three copies of them on their way to the reader; quadratures and curves besides.
    return {drawWork(v) * v.number("draws") + 2e6, size * size * 8 * (12 + 4 * kept) + 5e5};
}

std::string costliestOf(const Request&) { return "draws"; }

std::unique_ptr<Computation> startDecoupling(const Request& request) { return std::make_unique<DecouplingComputation>(request); }

}  // namespace

Model decoupling_model() { return stepwise<costOf, costliestOf, startDecoupling>("decoupling"); }

}  // namespace kappaflow
