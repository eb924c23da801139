// Capacity of the inputs over a grid of ν (P1 2.4–2.5 and between), rows from coarse to fine.
#include "scenes/capacity_flow/nu_continuum/model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scene/filled_report.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace continuum {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

std::vector<double> distribution(std::vector<double> capacity) {
    double sum = 0;
    for (const double value : capacity) sum += value;
    for (double& value : capacity) value = sum > 0 ? value / sum : 0;
    return capacity;
}

}  // namespace

bool ZeroBetween::answer(double value) {
    constexpr int kMostAsked = 40;
    const double x = guess();
    const bool upper = (value > 0) == (fb_ > 0);
    if (upper) {
        b_ = x, fb_ = value;
        if (side_ > 0) fa_ /= 2;
    } else {
        a_ = x, fa_ = value;
        if (side_ < 0) fb_ /= 2;
    }
    side_ = upper ? 1 : -1;
    if (std::abs(value) > 1e-13 && std::abs(b_ - a_) > 1e-15 && ++asked_ < kMostAsked) return true;
    // From now on the place where the value is the zero's.
    a_ = b_ = x, fa_ = fb_ = value;
    return false;
}

Sweep::Sweep(std::unique_ptr<Family> family, Size points)
    : family_(std::move(family)), nu_(nuGrid(points)), order_(coarseToFine(points)), rows_(points), known_(points) {
    crossover_.nu = std::numeric_limits<double>::quiet_NaN();
    beginRow();
}

bool Sweep::step() {
    if (stage_ == Stage::Half) {
        stepHalf();
    } else if (stage_ == Stage::Layers) {
        stepLayers();
    } else if (stage_ == Stage::Rows && !family_->step(rows_[order_[next_]])) {
        known_[order_[next_]] = true;
        if (++next_ < order_.size())
            beginRow();
        else
            beginHalf();
    }
    return stage_ != Stage::Finished;
}

double Sweep::progress() const {
    // Rows, the search, layers: the search stands for a tenth.
    const double done = static_cast<double>(next_) / static_cast<double>(order_.size()), apart = family_->layersApart() ? 0.5 : 0;
    switch (stage_) {
        case Stage::Rows:
            return (0.9 - apart) * done;
        case Stage::Half:
            return 0.9 - apart;
        case Stage::Layers:
            return 0.5 + 0.5 * done;
        case Stage::Finished:
            break;
    }
    return 1;
}

void Sweep::beginRow() { family_->begin(nu_[order_[next_]]); }

// The first interval of the grid in which half of the change is passed.
void Sweep::beginHalf() {
    const Size last = rows_.size() - (jumps() ? 2 : 1);
    crossover_.start = distribution(rows_.front().capacity);
    crossover_.end = distribution(rows_[last].capacity);
    stage_ = Stage::Half;
    for (Size i = 1; i <= last; ++i)
        if (share(i - 1) < 0.5 && share(i) >= 0.5) {
            zero_ = std::make_unique<ZeroBetween>(nu_[i - 1], share(i - 1) - 0.5, nu_[i], share(i) - 0.5);
            return family_->begin(zero_->guess());
        }
    beginLayers();
}

void Sweep::stepHalf() {
    if (family_->step(trial_)) return;
    if (zero_->answer(changedShare(trial_.capacity, crossover_) - 0.5)) return family_->begin(zero_->guess());
    crossover_.nu = zero_->guess();
    beginLayers();
}

void Sweep::beginLayers() {
    next_ = 0;
    stage_ = family_->layersApart() ? Stage::Layers : Stage::Finished;
    if (stage_ == Stage::Layers) beginRow();
}

void Sweep::stepLayers() {
    if (family_->stepLayers(rows_[order_[next_]])) return;
    if (++next_ < order_.size())
        beginRow();
    else
        stage_ = Stage::Finished;
}

namespace {

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

namespace {

class ContinuumComputation final : public Computation {
public:
    explicit ContinuumComputation(const Request& request)
        : values_(request.params), sweep_(familyOf(values_), static_cast<std::size_t>(values_.integer("nuPoints"))) {}

    bool step() override { return sweep_.step(); }
    double progress() const override { return sweep_.progress(); }
    Report report() const override { return reportOf(sweep_, values_); }

private:
    Values values_;
    Sweep sweep_;
};

/// Values of ν that the search for the half-way point asks for.
constexpr double kSearched = 15;

/// Operations of one row, and of one ν's layers apart from it.
struct RowCost {
    double row = 0, layers = 0;
};

// 64 units × 16 layers take 5.3 ms.
RowCost denseCost(const Values& v) {
    const double layers = v.number("layers"), width = std::max(v.number("inputs"), v.number("features")),
                 free = std::min(v.number("free"), v.number("features"));
    const double row = layers * (1.3 * width * width * width + 30 * width * width + 3000) + 20 * free * free * free + width * width * width;
    return {row, free == 1 ? 2 * row : row * layers / 2};
}

RowCost treeCost(const Values& v) {
    const double layers = v.number("layers"), channels = v.number("channels");
    const double paths = std::pow(2, layers) * std::pow(channels, layers - 1);
    const double weights = 4 * channels + 2 * channels * channels * std::max(layers - 2, 0.0);
    return {paths * paths * (6 * layers + 1.5 * weights) + 8 * paths * weights * weights + 100 * weights * weights * weights, 0};
}

RowCost rowCost(const Values& v) {
    if (v.is("kernel", "ring3")) return {continuumRingOperations(ringOf(v)) + 1e4, 0};
    return v.is("kernel", "tree") ? treeCost(v) : denseCost(v);
}

double unitsOf(const Values& v) {
    if (v.is("kernel", "ring3")) return v.number("extent");
    return v.is("kernel", "tree") ? std::pow(2, v.number("layers")) : std::max(v.number("inputs"), v.number("features"));
}

Cost costOf(const Request& request) {
    const Values& v = request.params;
    const RowCost one = rowCost(v);
    const double points = v.number("nuPoints"), layers = v.number("layers"), units = unitsOf(v);
    // Rows, the report, and the report once more to be sent; weights, or the states of a ring's three walkers and two steps of them.
    const double numbers = 3 * points * units * (v.is("kernel", "tree") ? 2 : layers + 3);
    const double working = v.is("kernel", "ring3")  ? 3 * 9 * std::pow(layers + 2, 3)
                           : v.is("kernel", "tree") ? units * 4e3
                                                    : units * units * (layers + 8);
    return {(points + kSearched) * one.row + points * one.layers + 1e5, 8 * (numbers + working) + 1e6};
}

/// The param whose return to its default saves most operations or, where these are within the limit, bytes.
std::string costliestOf(const Request& request) {
    const auto weight = [](const Cost& cost) { return std::max(cost.operations / kCostLimit.operations, cost.bytes / kCostLimit.bytes); };
    const auto defaults = findDeclaration(request.scene)->defaults();
    std::string worst = "layers";
    double least = weight(costOf(request));
    for (const char* key : {"layers", "features", "inputs", "nuPoints", "extent"}) {
        Request lower = request;
        lower.params.set(key, defaults.at(key));
        if (request.params.number(key) <= defaults.number(key) || weight(costOf(lower)) >= least) continue;
        least = weight(costOf(lower));
        worst = key;
    }
    return worst;
}

std::unique_ptr<Computation> start(const Request& request) { return std::make_unique<ContinuumComputation>(request); }

}  // namespace
}  // namespace continuum

Model nu_continuum_model() { return stepwise<continuum::costOf, continuum::costliestOf, continuum::start>("nu-continuum"); }

}  // namespace kappaflow
