#include "scenes/capacity_flow/nu_continuum/model_report.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scene/filled_report.h"

namespace kappaflow::continuum {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

Vector counted(Size n, double first) {
    Vector values(n);
    for (Size i = 0; i < n; ++i) values[i] = first + static_cast<double>(i);
    return values;
}

double varianceOf(const Vector& capacity, double first) {
    double sum = 0, mean = 0, square = 0;
    for (Size i = 0; i < capacity.size(); ++i) {
        const double x = first + static_cast<double>(i);
        sum += capacity[i];
        mean += x * capacity[i];
        square += x * x * capacity[i];
    }
    return square / sum - (mean / sum) * (mean / sum);
}

/// Share of the coherent part, g/(g + h) of a layer of m units.
double coherence(double nu, double m) {
    const double g = m * nu * nu + 2 * nu * (1 - nu), h = (1 - nu) * (1 - nu);
    return g / (g + h);
}

class Builder {
public:
    Builder(const Sweep& sweep, const Values& values) : sweep_(sweep), v_(values) {
        report.status = sweep.finished() ? Status::Ok : Status::Partial;
        report.message = sweep.finished() ? "" : "Finer steps of ν are still being computed.";
        if (dense() && v_.number("free") > v_.number("features"))
            report.warnings.push_back("free was lowered to " + inWords(v_.number("features"), 2) + ", the units of a layer.");
    }

    void addRows() {
        const Size n = inputs();
        Vector capacity, total;
        for (Size i = 0; i < sweep_.nu().size(); ++i) {
            const Row& row = sweep_.row(i);
            for (Size k = 0; k < n; ++k) capacity.push_back(sweep_.known(i) ? row.capacity[k] : kUnknown);
            total.push_back(sweep_.known(i) ? row.total : kUnknown);
        }
        add("capacity", {nuAxis(), inputAxis()}, std::move(capacity));
        add("total", {nuAxis()}, std::move(total));
        if (ring()) addVariance();
    }
    void addTheory() {
        const Vector diffused = sweep_.family().diffused(), linear = sweep_.family().linear();
        if (!diffused.empty()) add("diffused", {inputAxis()}, diffused);
        if (!linear.empty()) add("linear", {inputAxis()}, linear);
        if (ring()) {
            add("varianceDiffused", varianceOf(diffused, sweep_.family().firstInput()));
            add("varianceLinear", varianceOf(linear, sweep_.family().firstInput()));
        }
        const Matrix amplitudes = sweep_.family().amplitudes();
        if (amplitudes.rows > 0) add("amplitude", {inputAxis(), {"feature", counted(amplitudes.columns, 0), {}}}, amplitudes.values);
        if (!dense()) return;
        Vector coherent;
        for (const double nu : sweep_.nu()) coherent.push_back(coherence(nu, v_.number("features")));
        add("coherence", {nuAxis()}, std::move(coherent));
        add("predictedCrossover", 1 / std::sqrt(v_.number("features")));
        if (!v_.is("covariance", "identity") && sweep_.known(0)) add("equation25Gap", gap(diffused, sweep_.row(0).capacity));
    }
    void addChange() {
        if (!sweep_.rowsComplete() || std::isnan(sweep_.share(0))) return;
        Vector share;
        for (Size i = 0; i < sweep_.nu().size(); ++i) share.push_back(sweep_.share(i));
        add("share", {nuAxis()}, std::move(share));
        if (!std::isnan(sweep_.crossover().nu)) add("crossover", sweep_.crossover().nu);
    }
    /// [ν, layer, unit], narrower layers padded.
    void addLayers() {
        Size layers = 0, widest = 0;
        for (Size i = 0; i < sweep_.nu().size(); ++i) {
            layers = std::max(layers, sweep_.row(i).layers.size());
            for (const auto& layer : sweep_.row(i).layers) widest = std::max(widest, layer.size());
        }
        if (layers == 0) return;
        Vector values(sweep_.nu().size() * layers * widest, kUnknown);
        for (Size i = 0; i < sweep_.nu().size(); ++i)
            for (Size l = 0; l < sweep_.row(i).layers.size(); ++l) {
                const auto& layer = sweep_.row(i).layers[l];
                std::copy(layer.begin(), layer.end(), values.begin() + static_cast<std::ptrdiff_t>((i * layers + l) * widest));
            }
        add("layerCapacity", {nuAxis(), {"layer", counted(layers, 0), {}}, {"unit", counted(widest, sweep_.family().firstInput()), {}}},
            std::move(values));
    }
    void addSummary() {
        if (sweep_.finished()) report.summary = what() + totals() + half() + misprint();
    }

    FilledReport filled{"nu-continuum"};
    Report& report = filled.report;

private:
    bool ring() const { return v_.is("kernel", "ring3"); }
    bool tree() const { return v_.is("kernel", "tree"); }
    bool dense() const { return v_.is("kernel", "dense"); }
    Size inputs() const { return sweep_.row(0).capacity.size(); }
    Axis nuAxis() const { return {"nu", sweep_.nu(), {}}; }
    Axis inputAxis() const { return {"input", counted(inputs(), sweep_.family().firstInput()), {}}; }

    void add(const std::string& name, std::vector<Axis> axes, Vector values) {
        filled.add(name, std::move(axes), std::move(values)).mayBeUndefined = report.status == Status::Partial || name == "layerCapacity";
    }
    void add(const std::string& name, double value) { filled.add(name, value); }
    void addVariance() {
        Vector variance;
        for (Size i = 0; i < sweep_.nu().size(); ++i) variance.push_back(sweep_.known(i) ? sweep_.row(i).variance : kUnknown);
        add("variance", {nuAxis()}, std::move(variance));
    }
    static double gap(const Vector& a, const Vector& b) {
        double largest = 0;
        for (Size i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
        return largest;
    }

    std::string what() const {
        const std::string layers = inWords(v_.number("layers"), 2) + (v_.number("layers") == 1 ? " layer" : " layers");
        if (tree())
            return "A dilated tree of " + layers + " with " + inWords(v_.number("channels"), 1) +
                   (v_.number("channels") == 1 ? " channel" : " channels") + ", all of them learned. ";
        if (dense())
            return "From ν = 1 down to 0 the capacity of " + inWords(v_.number("inputs"), 2) + " inputs under " + layers + " of " +
                   inWords(v_.number("features"), 2) + " units turns from interference into diffusion. ";
        Size least = 0;
        for (Size i = 0; i < sweep_.nu().size(); ++i)
            if (sweep_.row(i).variance < sweep_.row(least).variance) least = i;
        const Row &first = sweep_.row(0), &last = sweep_.row(sweep_.nu().size() - 1);
        std::string text = "Through " + layers + " of a ring one unit's capacity spreads to a variance of " + inWords(first.variance, 4) +
                           " at ν = 0 (diffusion) and " + inWords(last.variance, 4) + " at ν = 1 (interference)";
        if (least != 0 && least + 1 != sweep_.nu().size())
            text += "; it is least, " + inWords(sweep_.row(least).variance, 4) + ", at ν = " + inWords(sweep_.nu()[least], 3);
        return text + ". ";
    }
    std::string totals() const {
        const double below = sweep_.row(0).total, at = sweep_.row(sweep_.nu().size() - 1).total;
        if (below == at) return "The total is " + inWords(below, 4) + " for every ν.";
        return "The total is " + inWords(below, 4) + " for every ν below 1 and falls to " + inWords(at, 4) + " at ν = 1.";
    }
    std::string half() const {
        const double nu = sweep_.crossover().nu;
        if (std::isnan(nu)) return "";
        return " Half of the change is made at ν = " + inWords(nu, 3) +
               (dense() ? "; 1/√m is " + inWords(1 / std::sqrt(v_.number("features")), 3) + "." : ".");
    }
    std::string misprint() const {
        const Scalar* gap = report.scalar("equation25Gap");
        if (!gap) return "";
        return " With correlated inputs Eq 25, κ = Dκ^φ, misses the capacity at ν = 0 by up to " + inWords(gap->value, 3) + ".";
    }

    const Sweep& sweep_;
    const Values& v_;
};

}  // namespace

Report reportOf(const Sweep& sweep, const Values& values) {
    Builder builder(sweep, values);
    if (!sweep.known(0)) return builder.report;
    builder.addRows();
    builder.addTheory();
    builder.addChange();
    builder.addLayers();
    builder.addSummary();
    return builder.report;
}

}  // namespace kappaflow::continuum
