#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/expressivity/growth_theory.h"
#include "scenes/chosen_network.h"
#include "scenes/expressivity/trajectory_length/model.h"

namespace kappaflow::trajectory_length {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

std::vector<double> ascending(std::vector<double> list, bool whole) {
    if (whole)
        for (double& value : list) value = std::round(value);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

Trajectory readTrajectory(const Values& v, std::vector<std::string>& warnings) {
    Trajectory t;
    if (v.is("trajectory", "circle")) {
        t.from = v.number("start") * kDegree;
        t.to = t.from + v.number("span") * kDegree;
    } else if (v.is("trajectory", "line")) {
        t.kind = Trajectory::Kind::Line;
    } else {
        t.kind = Trajectory::Kind::Drawn;
        t.path = v.list("path");
        if (t.path.size() % 2 != 0) {
            t.path.pop_back();
            warnings.push_back("path takes its corners in pairs a, b; the last number stood alone and was left out.");
        }
        if (t.path.size() < 4) {
            t.path = {1, 0, 0, 1};
            warnings.push_back("path needs two corners at least; the straight line from x₀ to x₁ took its place.");
        }
        t.to = static_cast<double>(t.path.size() / 2 - 1);
    }
    return t;
}

double square(double x) { return x * x; }

/// One trajectory through one network has nothing to be averaged over.
void giveEnds(const std::vector<double>& ends, Setup& s) {
    if (ends.empty()) return;
    if (ends.size() != 2 * s.inputs()) {
        s.warnings.push_back("ends takes 2 × " + std::to_string(s.inputs()) + " numbers, not " + std::to_string(ends.size()) +
                             ": random ends took their place.");
        return;
    }
    const auto middle = ends.begin() + static_cast<std::ptrdiff_t>(s.inputs());
    s.x0.assign(ends.begin(), middle);
    s.x1.assign(middle, ends.end());
    if (s.draws > 1) s.warnings.push_back("draws was lowered to 1: between given ends there is one trajectory.");
    s.draws = 1;
}

void giveNetwork(const Request& request, Setup& s) {
    s.given = curveLayers(chosenNetwork(request, request.params.text("network"), &s.warnings));
    if (s.given.empty() || s.given.size() > kMostLayers)
        throw InputError("Trajectories are followed through 1 to " + std::to_string(kMostLayers) + " dense layers, and this network has " +
                         std::to_string(s.given.size()) + ".");
    s.layers = s.given.size();
    s.sweepDraws = 0;
    giveEnds(request.params.list("ends"), s);
}

}  // namespace

std::array<double, 2> Trajectory::at(double t) const {
    if (kind == Kind::Line) return {1 - t, t};
    double basis[3];
    if (kind == Kind::Circle) {
        basisAt(CurveForm::Arc, t, basis);
        return {basis[0], basis[1]};
    }
    const auto corner = std::min(static_cast<std::size_t>(std::max(t, 0.0)), path.size() / 2 - 2);
    const double share = t - static_cast<double>(corner), *p = path.data() + 2 * corner;
    return {p[0] + share * (p[2] - p[0]), p[1] + share * (p[3] - p[1])};
}

CurvePieces Trajectory::through(const RandomEnds& ends) const {
    if (kind == Kind::Circle) return arcCurve(ends.x0, ends.x1, from, to);
    if (kind == Kind::Line) return segmentCurve(ends.x0, ends.x1);
    std::vector<double> corners;
    for (std::size_t i = 0; i < path.size(); i += 2)
        for (std::size_t u = 0; u < ends.x0.size(); ++u) corners.push_back(path[i] * ends.x0[u] + path[i + 1] * ends.x1[u]);
    return polylineCurve(corners, ends.x0.size());
}

std::size_t Setup::widest() const {
    std::size_t most = inputs();
    for (const CurveLayer& layer : given) most = std::max(most, layer.out);
    return most;
}

double Setup::weights() const {
    if (isDrawn()) return static_cast<double>(layers) * square(setting.width);
    double sum = 0;
    for (const CurveLayer& layer : given) sum += static_cast<double>(layer.in) * static_cast<double>(layer.out);
    return sum;
}

double Setup::largestProduct() const {
    if (isDrawn()) return square(setting.width);
    double most = 0;
    for (const CurveLayer& layer : given) most = std::max(most, static_cast<double>(layer.in) * static_cast<double>(layer.out));
    return most;
}

std::vector<CurveLayer> Setup::layersOf(std::size_t draw) const { return isDrawn() ? randomLayers(setting, layers, seed, draw) : given; }

// A given network may be as wide as it likes: then fewer of its layers are exact.
SweepLimits Setup::limits() const {
    const double operations = 9 * pieces * largestProduct();
    return {pieces, 4e6, isDrawn() ? operations : std::min(operations, 8e9)};
}

GrowthSweepPlan Setup::sweepPlan() const {
    GrowthSweepPlan plan;
    for (const double width : widths)
        for (const double variance : variances) {
            plan.settings.push_back(setting);
            plan.settings.back().width = width;
            plan.settings.back().weightVariance = variance;
        }
    plan.draws = sweepDraws;
    plan.seed = seed;
    return plan;
}

Setup readSetup(const Request& request) {
    const Values& v = request.params;
    Setup s;
    s.setting = {activationFromKey(v.text("activation")), v.number("slope"), v.number("width"), v.number("weightVariance"),
                 v.number("biasVariance")};
    s.layers = static_cast<std::size_t>(v.integer("layers"));
    s.draws = static_cast<std::size_t>(v.integer("draws"));
    s.points = static_cast<std::size_t>(v.integer("points"));
    s.trajectory = readTrajectory(v, s.warnings);
    s.pieces = v.number("pieces");
    s.precision = v.number("precision");
    s.widths = ascending(v.list("sweepWidths"), true);
    s.variances = ascending(v.list("sweepVariances"), false);
    s.sweepDraws = static_cast<std::size_t>(v.integer("sweepDraws"));
    s.seed = v.seed();
    if (!v.is("network", "")) giveNetwork(request, s);
    return s;
}

Network networkOf(const Request& request) {
    if (!request.params.is("network", "")) return chosenNetwork(request, request.params.text("network"));
    const Setup s = readSetup(request);
    return randomNetwork(s.setting, s.layers, s.seed);
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request);
    const double width = static_cast<double>(s.widest()), layers = static_cast<double>(s.layers), weights = s.weights();
    const double points = s.points > 0 ? static_cast<double>(s.points) : kMostPoints;
    // Nanoseconds of a multiply-add: 0.25 among points, 0.4 among pieces with what else is done to them, 0.5 with the planes, 0.35 in
    // the draws beside the first. tanh takes as long as some twenty of them, at every unit and point.
    const double each = weights + (s.isExact() ? 4 : 40) * layers * width;
    const double exact = s.isExact() ? 0.4 * s.limits().operations + 5 * s.pieces * (4 * width + 1000) : 0;
    const double sampled = 0.25 * 4 * each * (2 * kPilot + kMostStrata);
    const double drawn = 0.5 * (points * each + layers * 500 * width * width);
    const double further = 0.35 * static_cast<double>(s.draws - 1) * workOfDraw(width, weights, layers, s.isExact());
    const double swept = 0.35 * GrowthSweep::operations(s.sweepPlan());
    const double coefficients = s.isExact() ? std::min(3 * s.pieces * width, s.limits().coefficients) : 0;
    const double widest = std::max(width, s.widths.empty() ? 0 : s.widths.back());
    return {exact + sampled + drawn + further + swept + 1e6,
            8 * (5 * coefficients + 40 * s.pieces + (s.isDrawn() ? 1 : 5) * weights + 14 * square(widest)) +
                8 * points * (3 * width + 6 * layers) + 4e6};
}

std::string costliestOf(const Request& request) {
    const auto weight = [](const Cost& cost) { return std::max(cost.operations / kCostLimit.operations, cost.bytes / kCostLimit.bytes); };
    const auto defaults = findDeclaration(request.scene)->defaults();
    std::string worst = request.params.is("network", "") ? "width" : "network";
    double least = weight(costOf(request));
    for (const char* key : {"width", "draws", "sweepDraws", "sweepWidths", "pieces", "layers"}) {
        Request lower = request;
        lower.params.set(key, defaults.at(key));
        if (weight(costOf(lower)) >= least) continue;
        least = weight(costOf(lower));
        worst = key;
    }
    return worst;
}

std::vector<double> meanFieldLengths(const Setup& s) {
    const Trajectory& trajectory = s.trajectory;
    // On a circle E|x|²/k is 1 everywhere.
    const int places = trajectory.kind == Trajectory::Kind::Circle ? 1 : 48;
    const double step = (trajectory.to - trajectory.from) / places, nudge = 1e-3 * step;
    std::vector<double> lengths(s.layers + 1);
    double whole = 0;
    for (int i = 0; i < places; ++i) {
        const double t = trajectory.from + (i + 0.5) * step;
        const auto at = trajectory.at(t), after = trajectory.at(t + nudge);
        double speed = std::hypot(after[0] - at[0], after[1] - at[1]);
        whole += speed;
        lengths[0] += speed;
        const auto fields = meanFieldByLayer(s.setting, at[0] * at[0] + at[1] * at[1], s.layers);
        for (std::size_t l = 0; l < s.layers; ++l) lengths[l + 1] += speed *= std::sqrt(fields[l].chi);
    }
    for (double& length : lengths) length = whole > 0 ? length / whole : 0;
    return lengths;
}

std::vector<double> powers(double first, double base, std::size_t layers) {
    std::vector<double> values{first};
    for (std::size_t l = 0; l < layers; ++l) values.push_back(values.back() * base);
    return values;
}

double exactGrowth(const GrowthSetting& s) {
    if (s.activation == Activation::Relu) return reluGrowth(s.width, s.weightVariance);
    return s.activation == Activation::Abs ? absGrowth(s.width, s.weightVariance) : 0;
}

double theoremBase(const GrowthSetting& s) {
    if (s.activation == Activation::Relu) return theoremOneBaseRelu(s);
    return s.activation == Activation::HardTanh ? theoremOneBase(s) : 0;
}

}  // namespace kappaflow::trajectory_length
