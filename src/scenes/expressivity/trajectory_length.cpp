#include "scenes/expressivity/trajectory_length.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/expressivity/curve_plane.h"
#include "core/expressivity/dichotomies.h"
#include "core/expressivity/followed_curve.h"
#include "core/expressivity/growth_theory.h"
#include "scenes/chosen_network.h"

namespace kappaflow {
namespace trajectory_length {
namespace {

using namespace table;
using Size = std::size_t;
using Vector = std::vector<double>;

constexpr const char *kFigure = "P4 Fig 2", *kTheorem = "P4 Theorem 1";

bool drawnHere(const Params& p) { return p.network.empty(); }
bool givenNetwork(const Params& p) { return !drawnHere(p); }
bool leaky(const Params& p) { return drawnHere(p) && p.activation == CurveActivation::LeakyRelu; }
bool circle(const Params& p) { return p.trajectory == Path::Circle; }
bool drawnByHand(const Params& p) { return p.trajectory == Path::Drawn; }

constexpr OptionRow kPaths[] = {{"circle"}, {"line", "straight line"}, {"drawn", "drawn by hand"}};
constexpr OptionRow kCharts[] = {
    {"growth", "growth a layer"}, {"lengths", "lengths by layer (Fig 2a, b)"}, {"saturation", "growth and Theorem 2"}};
constexpr OptionRow kNoDraws[] = {{"none", "none", 0}}, kAdaptive[] = {{"adaptive", "adaptive", 0}};

constexpr ParamRow kParams[] = {
    curveNetwork<&Params::network>(kFigure),
    whole<&Params::width>("width", "k", "width", {1, 512}, "Units of the input and of every layer.", kTheorem) | logarithmic | costly |
        when<drawnHere>,
    whole<&Params::layers>("layers", "n", "layers", {1, 40}, "Hidden layers that the trajectory goes through.", kFigure) | costly |
        when<drawnHere>,
    number<&Params::weightVariance>("weightVariance", "σ_w²", "weight variance", {0.25, 100},
                                    "Weights are N(0, σ_w²/k); hard-tanh networks without biases stretch trajectories where it is above 1.",
                                    kTheorem) |
        logarithmic | when<drawnHere>,
    choice<&Params::activation>("activation", "activation", kCurveActivations,
                                "The theorem is about hard-tanh; all but tanh are piecewise linear and followed exactly.", kTheorem) |
        when<drawnHere>,
    number<&Params::slope>("slope", "", "slope", {-1, 1}, "Slope of the leaky ReLU below 0.", kFigure) | when<leaky>,
    choice<&Params::trajectory>(
        "trajectory", "trajectory", kPaths,
        "From one random input x₀ to another, x₁, entries N(0, 1); in the plane of both you may draw your own: a double click on the "
        "line makes a corner, on a corner takes it away.",
        kFigure),
    number<&Params::start>("start", "", "start of the arc", {0, 360}, "Angle at which the arc cos t·x₀ + sin t·x₁ begins, in degrees.",
                           kFigure) |
        more | when<circle>,
    number<&Params::span>("span", "", "length of the arc", {1, 360}, "Degrees that the arc covers: 360 is a whole circle.", kFigure) |
        when<circle>,
    number<&Params::biasVariance>("biasVariance", "σ_b²", "bias variance", {0, 4}, "Biases are N(0, σ_b²).", kTheorem) | more |
        when<drawnHere>,
    list<&Params::path>("path", "", "drawn line", {-3, 3}, 40, "Corners a₁, b₁, a₂, b₂, … of the line a·x₀ + b·x₁, two of them at least.",
                        kFigure) |
        more | when<drawnByHand>,
    whole<&Params::draws>("draws", "", "draws", {1, 400},
                          "Trajectories whose mean length is shown, each through a network of its own where these are drawn.", kFigure) |
        logarithmic | costly | more,
    list<&Params::sweepWidths>("sweepWidths", "k", "widths compared", {1, 512}, 6, "Widths for which the growth of a layer is measured.",
                               kFigure) |
        costly | more | when<drawnHere>,
    list<&Params::sweepVariances>("sweepVariances", "σ_w²", "variances compared", {0.25, 100}, 10,
                                  "Weight variances for which it is measured, at each of the widths.", kFigure) |
        more | when<drawnHere>,
    whole<&Params::sweepDraws>("sweepDraws", "", "draws compared", {1, 1000},
                               "Networks of 12 layers behind every measured growth, or none.", kFigure) |
        named<kNoDraws> | logarithmic | costly | more | when<drawnHere>,
    choice<&Params::charts>("charts", "charts", kCharts,
                            "Of the widths and variances compared: growth of a layer, lengths layer by layer, or growth beside its limit "
                            "for large weights.",
                            kFigure) |
        more | ofView | when<drawnHere>,
    whole<&Params::pieces>(
        "pieces", "", "most pieces", {10, 100000},
        "Lengths are exact as long as the image is in no more linear pieces; deeper ones are sampled by tangents, in proportion to the "
        "last exact length. Of several draws those after the first are exact up to 100 to 8000 pieces, by width.",
        kFigure) |
        logarithmic | costly | more,
    number<&Params::precision>("precision", "", "precision", {0.002, 0.2},
                               "Relative standard error that sampled lengths aim at in the last layer.", kFigure) |
        logarithmic | more,
    whole<&Params::points>("points", "", "points drawn", {50, 4000}, "Points of the drawn image; adaptive: as many as it is long.",
                           kFigure) |
        named<kAdaptive> | logarithmic | more,
    seed<&Params::seed>("Start of the random numbers of weights, biases, ends of the trajectory and sampled points.", kFigure),
    list<&Params::ends>("ends", "x₀, x₁", "ends", {-1e6, 1e6}, 4096,
                        "Of a given network: both ends of the trajectory, the numbers of x₀ before those of x₁; random unless given.",
                        kFigure) |
        hidden | when<givenNetwork>,
    shownAt<&Params::at>("l", "layer", 40, "The layer whose image of the trajectory is drawn.", kFigure),
    plays<&Params::play>("Whether the layers pass by themselves.", kFigure)};

constexpr AxisRow kLayer = axis<&Result::layers>("layer"), kPoint = axis<&Result::points>("point"),
                  kCoordinate = axis<&Result::coordinates>("coordinate"), kWidth = axis<&Result::widths>("width"),
                  kVariance = axis<&Result::variances>("weightVariance"), kSweepLayer = axis<&Result::sweepLayers>("sweepLayer");

constexpr FieldRow kFields[] = {
    measured<&Result::image>("image", "z", {kLayer, kPoint, kCoordinate},
                             "The trajectory in each layer's principal plane, in the layer's units."),
    measured<&Result::place>("place", "t", {kPoint},
                             "Where on the trajectory the points lie: angle of an arc in radians, corners counted from 0."),
    measured<&Result::planeShare>("planeShare", "", {kLayer}, "Share of the image's variance, counted by length, that lies in the plane."),
    measured<&Result::length>("length", "l_d", {kLayer},
                              "Length ∫ |dz/dt| dt of the trajectory's image in a layer; layer 0 is the input.") |
        gaps,
    measured<&Result::growth>("growth", "", {kLayer}, "Ratio of the mean length in a layer to that in the layer before.") | gaps,
    measured<&Result::pieces>("pieces", "", {kLayer},
                              "Linear pieces of the image: 1 + changes of the activation pattern up to the layer.") |
        gaps,
    measured<&Result::transitions>("transitions", "", {kLayer}, "Changes of the linear piece of the layer's units along the trajectory.") |
        gaps,
    measured<&Result::exactLayers>("exactLayers", "", {}, "Layers whose lengths and pieces are exact; those of deeper ones are sampled."),
    measured<&Result::sampledPoints>("points", "", {}, "Points at which tangents were sampled for the deeper layers."),
    measured<&Result::lengthRatio>("lengthRatio", "", {}, "Length in the last layer over that in the input."),
    measured<&Result::growthPerLayer>("growthPerLayer", "", {}, "The same to the power 1/n."),
    measured<&Result::lostDraws>("lostDraws", "", {}, "Of several draws, those of which nothing is left in the last layer."),
    limiting<&Result::theoremBase>(
        "theoremBase", "l₀ Bˡ", {kLayer},
        "Theorem 1's bound, which holds up to a constant in each layer: l₀ times its base to the power of the layer."),
    theory<&Result::meanField>("meanField", "l₀ ∏√χ", {kLayer}, "Mean field (infinite width): l₀ times the √χ of the layers."),
    limiting<&Result::upperBound>("upperBound", "l₀ σ_wˡ", {kLayer}, "No mean length grows faster."),
    theory<&Result::exactLength>("exactLength", "l₀ gˡ", {kLayer}, "ReLU and |h|: mean length at this width, exact at any depth and bias."),
    theory<&Result::base>("base", "B", {}, "Base of Theorem 1."),
    theory<&Result::meanFieldGrowth>("meanFieldGrowth", "√χ", {}, "Growth of a layer in mean field, at the fixed point."),
    theory<&Result::exactGrowth>("exactGrowth", "g", {}, "ReLU and |h|: mean growth of a layer at this width."),
    theory<&Result::heGrowth>("heGrowth", "g", {}, "ReLU: the same for He's σ_w² = 2."),
    measured<&Result::sweepGrowth>(
        "sweepGrowth", "", {kWidth, kVariance},
        "Growth of a layer: mean lengths in layers 12 and 4, their ratio to the power 1/8; none where every draw has lost its curve.") |
        gaps,
    measured<&Result::sweepDrawn>("sweepDrawn", "", {kWidth, kVariance}, "Networks behind it so far."),
    limiting<&Result::sweepTheoremBase>("sweepTheoremBase", "B", {kWidth, kVariance}, "Theorem 1's base, up to a constant in each layer."),
    theory<&Result::sweepMeanField>("sweepMeanField", "√χ", {kVariance}, "Mean field at its fixed point."),
    limiting<&Result::sweepUpperBound>("sweepUpperBound", "σ_w", {kVariance}, "Upper bound."),
    theory<&Result::sweepExact>("sweepExact", "g", {kWidth, kVariance}, "ReLU and |h|: exact."),
    limiting<&Result::sweepTheoremTwo>("sweepTheoremTwo", "√k/√(1+σ_b²/σ_w²)", {kWidth, kVariance},
                                       "Theorem 2: growth of transitions for large weights, up to a constant in each layer."),
    theory<&Result::sweepSaturated>(
        "sweepSaturated", "", {kWidth, kVariance},
        "Growth of transitions and lengths where every unit is saturated: mean over networks, exact at every width."),
    measured<&Result::sweepStretch>("sweepLengths", "l_d/l_0", {kWidth, kVariance, kSweepLayer},
                                    "Mean length in a layer over the mean length of the input, quarter circles.") |
        gaps,
    theory<&Result::sweepStretchMeanField>("sweepLengthsMeanField", "∏√χ", {kVariance, kSweepLayer}, "The same in mean field.")};

constexpr PresetRow kPresets[] = {
    {"Lengths grow exponentially (Fig 2)"},
    preset<[](Params& p) { p.weightVariance = 16, p.layers = 10, p.biasVariance = 0, p.span = 90; }>(
        "Large weights: a curve that fills its layer",
        "A quarter of a circle, and weights of σ² = 16: every layer makes the curve 1.8 times as long, 400 times in ten layers."),
    preset<[](Params& p) { p.width = 16, p.weightVariance = 8, p.layers = 12, p.span = 90; }>(
        "A quarter of a circle, narrow layers",
        "Layers of 16 units stretch the curve less than mean field and Theorem 1 say: 1.42 times a layer, not 1.57 and 1.55."),
    preset<[](Params& p) { p.weightVariance = 1, p.biasVariance = 0; }>(
        "No growth: small weights",
        "With weights of variance 1 nothing stretches: after 15 layers the curve is about half as long as in the input."),
    preset<[](Params& p) { p.activation = CurveActivation::Relu, p.weightVariance = 2, p.biasVariance = 0, p.draws = 40; }>(
        "ReLU after He does not grow",
        "With He's weights ReLU layers hardly change the length: over 40 networks its mean shrinks by 0.5 % a layer."),
    preset<[](Params& p) { p.activation = CurveActivation::Tanh, p.width = 64, p.layers = 12; }>(
        "tanh",
        "A layer of tanh stretches the curve by 1.12, less than the mean field's 1.17; smooth as it is, the curve has no linear pieces."),
    preset<[](Params& p) { p.network = "shapes-classifier", p.draws = 40; }>(
        "A trained classifier",
        "Four trained layers make circles of inputs 7.4 times as long; theorems on random weights say nothing here."),
    preset<[](Params& p) { p.trajectory = Path::Drawn, p.width = 48, p.layers = 8; }>(
        "A line drawn by hand", "The curve need not be a circle: a line drawn by hand grows by 1.35 a layer, close to mean field's 1.34."),
    preset<[](Params& p) {
        p.width = 16, p.layers = 12, p.biasVariance = 0, p.draws = 40;
        p.sweepWidths = {4, 16, 64, 128}, p.sweepVariances = {1, 2, 3, 4, 8, 16, 64, 100}, p.sweepDraws = 12;
    }>("Growth against k and σ_w²",
       "Growth a layer rises with weight variance and with width: narrow layers stay below mean field, wide ones approach it."),
    preset<[](Params& p) {
        p.width = 64, p.layers = 12, p.biasVariance = 0, p.charts = Charts::Lengths;
        p.sweepWidths = {4, 16, 64, 256}, p.sweepVariances = {1, 2, 4, 16, 64}, p.sweepDraws = 12;
    }>("Lengths over k and σ_w² (Fig 2a, b)",
       "At σ_w² = 4 twelve layers of 4 units make curves 4.3 times as long, layers of 256 units 31 times, as mean field says."),
    preset<[](Params& p) {
        p.width = 8, p.layers = 10, p.weightVariance = 100, p.biasVariance = 0, p.charts = Charts::Saturation;
        p.sweepWidths = {2, 4, 8, 16, 32, 128}, p.sweepVariances = {1, 4, 16, 64, 100}, p.sweepDraws = 40;
    }>("Theorem 2: narrow layers, large weights",
       "At σ_w² = 100 curves grow by 1.27 in layers of 4 units, where saturated ones give 1.33, and by 2.76 in layers of 128.")};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN(), kDegree = std::numbers::pi / 180;
constexpr double kSlice = 4e6;  ///< multiply-adds between two ticks, a millisecond or two
/// Most layers that a given network may have.
constexpr Size kMostLayers = 40;
/// Points of the drawing when their number is left to the scene.
constexpr double kMostPoints = 2400, kLeastPoints = 400;
/// Strata that the drawing's points are placed by, and most strata of sampled lengths.
constexpr Size kPilot = 48, kMostStrata = 1200;
/// Streams of sampled points: draws count up from 0, the drawn network's two samples stand behind all of them.
constexpr std::uint64_t kPilotStream = 1u << 30, kDeepStream = kPilotStream + 1;

/// A trajectory a·x₀ + b·x₁ in the plane of two inputs, as a curve (a, b)(t).
struct Trajectory {
    Path kind = Path::Circle;
    double from = 0, to = 1;  ///< of t
    Vector path{};            ///< drawn by hand: corners a, b

    std::array<double, 2> at(double t) const;
    CurvePieces through(const RandomEnds&) const;
};

std::array<double, 2> Trajectory::at(double t) const {
    if (kind == Path::Line) return {1 - t, t};
    if (kind == Path::Circle) {
        double basis[3];
        basisAt(CurveForm::Arc, t, basis);
        return {basis[0], basis[1]};
    }
    const auto corner = std::min(static_cast<Size>(std::max(t, 0.0)), path.size() / 2 - 2);
    const double share = t - static_cast<double>(corner), *p = path.data() + 2 * corner;
    return {p[0] + share * (p[2] - p[0]), p[1] + share * (p[3] - p[1])};
}

CurvePieces Trajectory::through(const RandomEnds& ends) const {
    if (kind == Path::Circle) return arcCurve(ends.x0, ends.x1, from, to);
    if (kind == Path::Line) return segmentCurve(ends.x0, ends.x1);
    Vector corners;
    for (Size i = 0; i < path.size(); i += 2)
        for (Size u = 0; u < ends.x0.size(); ++u) corners.push_back(path[i] * ends.x0[u] + path[i + 1] * ends.x1[u]);
    return polylineCurve(corners, ends.x0.size());
}

/// What the params and the given network say of curves and layers.
struct Setup {
    explicit Setup(const Opened<Params>&);
    bool isDrawn() const { return given.empty(); }
    bool isExact() const { return isDrawn() ? isPiecewiseLinear(setting.activation) : isPiecewiseLinear(given); }
    Size inputs() const { return isDrawn() ? static_cast<Size>(setting.width) : given.front().in; }
    /// All draws are of one network if that is given.
    std::vector<CurveLayer> layersOf(Size draw) const { return isDrawn() ? randomLayers(setting, layers, p.seed, draw) : given; }
    CurvePieces startOf(Size draw) const { return trajectory.through(ends.x0.empty() ? randomEnds(inputs(), p.seed, draw) : ends); }
    // A given network may be as wide as it likes: then fewer of its layers are exact.
    SweepLimits limits() const {
        const double operations = 9.0 * p.pieces * largestProduct;
        return {1.0 * p.pieces, 4e6, isDrawn() ? operations : std::min(operations, 8e9)};
    }

    const Params& p;
    GrowthSetting setting;          ///< of networks drawn here
    std::vector<CurveLayer> given;  ///< of a network that is not; empty: drawn here
    Size layers, draws;
    double widest, weights, largestProduct;  ///< units of a layer; weights of all layers; inputs times units of one, at its most
    Trajectory trajectory;
    RandomEnds ends;           ///< where they are given; empty: random ones, others each draw
    GrowthSweepPlan sweep;     ///< without draws where none is wanted
    Vector widths, variances;  ///< of the sweep, rising
    std::vector<std::string> warnings;

private:
    void readTrajectory();
    void takeNetwork(const Network&);
    void planSweep();
};

Setup::Setup(const Opened<Params>& opened)
    : p(opened.params),
      setting{activationFromKey(keyOf(p.activation)), p.slope, 1.0 * p.width, p.weightVariance, p.biasVariance},
      layers(static_cast<Size>(p.layers)),
      draws(static_cast<Size>(p.draws)),
      widest(p.width),
      weights(p.layers * setting.width * setting.width),
      largestProduct(setting.width * setting.width) {
    readTrajectory();
    planSweep();
    if (!drawnHere(p)) takeNetwork(*opened.network);
}

void Setup::readTrajectory() {
    trajectory.kind = p.trajectory;
    if (circle(p)) trajectory.from = p.start * kDegree, trajectory.to = trajectory.from + p.span * kDegree;
    if (!drawnByHand(p)) return;
    Vector& path = trajectory.path = p.path;
    if (path.size() % 2 != 0) {
        path.pop_back();
        warnings.push_back("path takes its corners in pairs a, b; the last number stood alone and was left out.");
    }
    if (path.size() < 4) {
        path = {1, 0, 0, 1};
        warnings.push_back("path needs two corners at least; the straight line from x₀ to x₁ took its place.");
    }
    trajectory.to = static_cast<double>(path.size() / 2 - 1);
}

void Setup::planSweep() {
    widths = p.sweepWidths, variances = p.sweepVariances;
    for (double& width : widths) width = std::round(width);
    for (Vector* values : {&widths, &variances}) {
        std::sort(values->begin(), values->end());
        values->erase(std::unique(values->begin(), values->end()), values->end());
    }
    for (const double width : widths)
        for (const double variance : variances) {
            sweep.settings.push_back(setting);
            sweep.settings.back().width = width;
            sweep.settings.back().weightVariance = variance;
        }
    sweep.draws = static_cast<Size>(p.sweepDraws);
    sweep.seed = p.seed;
}

void Setup::takeNetwork(const Network& network) {
    given = anyCurveLayers(network);
    if (given.empty() || given.size() > kMostLayers)
        throw InputError("Trajectories are followed through 1 to " + std::to_string(kMostLayers) + " layers, and this network has " +
                         std::to_string(given.size()) + ".");
    layers = given.size();
    sweep.draws = 0;
    widest = static_cast<double>(inputs()), weights = largestProduct = 0;
    for (const CurveLayer& layer : given) {
        const double product = usesOf(layer);
        widest = std::max(widest, static_cast<double>(layer.out));
        weights += product;
        largestProduct = std::max(largestProduct, product);
    }
    if (p.ends.empty()) return;
    if (p.ends.size() != 2 * inputs()) {
        warnings.push_back("ends takes 2 × " + std::to_string(inputs()) + " numbers, not " + std::to_string(p.ends.size()) +
                           ": random ends took their place.");
        return;
    }
    const auto middle = p.ends.begin() + static_cast<std::ptrdiff_t>(inputs());
    ends = {{p.ends.begin(), middle}, {middle, p.ends.end()}};
    // One trajectory through one network has nothing to be averaged over.
    if (draws > 1) warnings.push_back("draws was lowered to 1: between given ends there is one trajectory.");
    draws = 1;
}

/// Operations of pieces through all layers, up to their limit: as many as drawn layers' crossings in the mean field make, or as a given
/// network has where a first look ends.
double exactCost(const Setup& s) {
    const double most = s.p.pieces;
    double products = 0, last = 1;
    if (s.isDrawn()) {
        // A third more, since draws scatter; a quarter circle turns by π/2, a straight line between independent ends by as much.
        const double corners = static_cast<double>(s.trajectory.path.size()) / 2;
        const double quarters = s.p.trajectory == Path::Circle ? s.p.span / 90
                                : s.p.trajectory == Path::Line ? 1
                                                               : std::max(4.0, corners - 1);
        for (const double crossings : meanFieldCrossings(s.setting, 1, s.layers)) {
            products += 3 * last * s.largestProduct;
            last = std::min(most, last + 1.3 * s.widest * crossings * quarters / 4);
        }
    } else {
        const auto found = sweepTrajectory(s.given, s.startOf(0), kFirstLook);
        last = found.size() > s.given.size() ? std::min(most, static_cast<double>(found.back().pieces)) : most;
        products = 3 * last * s.largestProduct * static_cast<double>(s.layers);
    }
    return 0.4 * std::min(products, s.limits().operations) + 5 * last * (4 * s.widest + 1000);
}

Cost cost(const Opened<Params>& opened) {
    const Setup s(opened);
    const double width = s.widest, layers = static_cast<double>(s.layers), weights = s.weights;
    const double points = s.p.points > 0 ? s.p.points : kMostPoints, pieces = s.p.pieces;
    // Nanoseconds of a multiply-add: 0.25 among points, 0.4 among pieces with what else is done to them, 0.5 with the planes, 0.35 in
    // the draws beside the first. tanh takes as long as some twenty of them, at every unit and point.
    const double each = weights + (s.isExact() ? 4 : 40) * layers * width;
    const double exact = s.isExact() ? exactCost(s) : 0;
    const double sampled = 0.25 * 4 * each * (2 * kPilot + kMostStrata);
    // Wide states of other than dense layers: a plane is found among 500 points.
    const bool anyLayers = !s.isDrawn() && !s.given.front().whole.empty();
    const double square = width * (anyLayers ? std::min(width, 500.0) : width);
    const double drawn = 0.5 * (points * each + layers * 500 * square);
    const double further = 0.35 * static_cast<double>(s.draws - 1) * workOfDraw(width, weights, layers, s.isExact());
    const double swept = 0.35 * GrowthSweep::operations(s.sweep);
    const double coefficients = s.isExact() ? std::min(3 * pieces * width, s.limits().coefficients) : 0;
    const double widest = std::max(width, s.widths.empty() ? 0 : s.widths.back());
    return {exact + sampled + drawn + further + swept + 1e6,
            8 * (5 * coefficients + 40 * pieces + (s.isDrawn() ? 1 : 5) * weights + (anyLayers ? 2 * square : 14 * widest * widest)) +
                8 * points * (3 * width + 6 * layers) + 4e6};
}

void addLengths(const Setup& s, const LengthMeans& means, Result& r) {
    const auto add = [](Estimates& to, const SampledLength& length) {
        to.values.push_back(length.value);
        to.standardErrors.push_back(length.standardError);
    };
    add(r.growth, {kNone, kNone});
    for (Size l = 0; l <= s.layers; ++l) {
        add(r.length, means.mean(l));
        if (l > 0) add(r.growth, means.growth(l));
    }
    const double first = r.length.values.front(), last = r.length.values.back();
    r.draws = means.draws();
    if (s.draws > 1) r.lostDraws = means.lost();
    r.lengthRatio = first > 0 ? last / first : 0;
    r.growthPerLayer = std::pow(r.lengthRatio, 1 / static_cast<double>(s.layers));
}

/// Lengths of layers 0 … n that theory gives a trajectory of length 1: mean over the trajectory of ∏√χ, since χ depends on how far from the
/// origin the input lies.
Vector meanFieldLengths(const Setup& s) {
    // On a circle E|x|²/k is 1 everywhere.
    const int places = circle(s.p) ? 1 : 48;
    const double step = (s.trajectory.to - s.trajectory.from) / places, nudge = 1e-3 * step;
    Vector lengths(s.layers + 1);
    double whole = 0;
    for (int i = 0; i < places; ++i) {
        const double t = s.trajectory.from + (i + 0.5) * step;
        const auto at = s.trajectory.at(t), after = s.trajectory.at(t + nudge);
        double speed = std::hypot(after[0] - at[0], after[1] - at[1]);
        whole += speed;
        lengths[0] += speed;
        const auto fields = meanFieldByLayer(s.setting, at[0] * at[0] + at[1] * at[1], s.layers);
        for (Size l = 0; l < s.layers; ++l) lengths[l + 1] += speed *= std::sqrt(fields[l].chi);
    }
    for (double& length : lengths) length = whole > 0 ? length / whole : 0;
    return lengths;
}

/// ReLU and |h|: mean growth of a layer at this width and weight variance; 0 for others.
double exactGrowth(const GrowthSetting& s) {
    if (s.activation == Activation::Relu) return reluGrowth(s.width, s.weightVariance);
    return s.activation == Activation::Abs ? absGrowth(s.width, s.weightVariance) : 0;
}

/// Theorem 1's base, or its line for ReLU; 0 for activations it says nothing about.
double theoremBase(const GrowthSetting& s) {
    if (s.activation == Activation::Relu) return theoremOneBaseRelu(s);
    return s.activation == Activation::HardTanh ? theoremOneBase(s) : 0;
}

/// first, first·base, first·base², …
Vector powers(double first, double base, Size layers) {
    Vector values{first};
    for (Size l = 0; l < layers; ++l) values.push_back(values.back() * base);
    return values;
}

void addTheory(const Setup& s, Result& r) {
    const double first = r.length.values[0];
    r.meanField = meanFieldLengths(s);
    for (double& length : r.meanField) length *= first;
    r.meanFieldGrowth = std::sqrt(meanFieldFixedPoint(s.setting).chi);
    r.upperBound = powers(first, growthUpperBound(s.setting), s.layers);
    if (const double base = theoremBase(s.setting); base > 0) r.theoremBase = powers(first, base, s.layers), r.base = base;
    if (const double growth = exactGrowth(s.setting); growth > 0) r.exactLength = powers(first, growth, s.layers), r.exactGrowth = growth;
    if (s.setting.activation == Activation::Relu) r.heGrowth = reluGrowth(s.setting.width, 2);
}

void addSweep(const Setup& s, const GrowthSweep& sweep, Result& r) {
    if (s.sweep.draws == 0) return;
    r.sweepLayers = countUp(s.sweep.last + 1);
    for (Size i = 0; i < s.sweep.settings.size(); ++i) {
        const GrowthSetting& setting = s.sweep.settings[i];
        const SampledLength growth = sweep.growth(i);
        const bool known = sweep.draws(i) > 1 && growth.value > 0;
        r.sweepGrowth.values.push_back(known ? growth.value : kNone);
        r.sweepGrowth.standardErrors.push_back(known ? growth.standardError : kNone);
        r.sweepDrawn.push_back(sweep.draws(i));
        if (const double base = theoremBase(setting); base > 0) r.sweepTheoremBase.push_back(base);
        if (const double exact = exactGrowth(setting); exact > 0) r.sweepExact.push_back(exact);
        if (setting.activation == Activation::HardTanh) {
            r.sweepTheoremTwo.push_back(theoremTwoGrowth(setting));
            r.sweepSaturated.push_back(saturatedGrowth(setting));
        }
        for (Size l = 0; l <= s.sweep.last; ++l) {
            const SampledLength stretch = sweep.draws(i) > 1 ? sweep.stretch(i, l) : SampledLength{kNone, kNone};
            r.sweepStretch.values.push_back(stretch.value);
            r.sweepStretch.standardErrors.push_back(stretch.standardError);
        }
        if (i >= s.variances.size()) continue;
        r.sweepMeanField.push_back(std::sqrt(meanFieldFixedPoint(setting).chi));
        r.sweepUpperBound.push_back(growthUpperBound(setting));
        double length = 1;
        r.sweepStretchMeanField.push_back(length);
        for (const MeanField& layer : meanFieldByLayer(setting, 1, s.sweep.last))
            r.sweepStretchMeanField.push_back(length *= std::sqrt(layer.chi));
    }
}

/// The drawn network's curve: a first sample of lengths and the points that it places, and the lengths as they become known.
struct DrawnCurve {
    explicit DrawnCurve(const Setup& s)
        : layers(s.layersOf(0)),
          start(s.startOf(0)),
          followed(layers, start, {s.limits(), {s.p.precision, kPilot, kMostStrata}}, Rng(s.p.seed, Purpose::MonteCarlo, kDeepStream)) {}
    void placePoints(const Setup&, Progress&);
    std::vector<SampledLength> lengths() const;

    std::vector<CurveLayer> layers;
    CurvePieces start;
    std::vector<SampledLength> sampled;
    Vector places;  ///< t of the points
    FollowedCurve followed;
};

void DrawnCurve::placePoints(const Setup& s, Progress& progress) {
    TangentSampler pilot(layers, start, Rng(s.p.seed, Purpose::MonteCarlo, kPilotStream), {0, kPilot, kPilot});
    while (pilot.advance(kSlice)) progress.tick(0.05 * pilot.progress());
    sampled = pilot.lengths();
    auto points = static_cast<Size>(s.p.points);
    if (points == 0) {
        // As many as the curve at its longest is long, in units of its input length.
        double longest = 0;
        for (const SampledLength& length : sampled) longest = std::max(longest, length.value);
        const double ratio = sampled[0].value > 0 ? longest / sampled[0].value : 1;
        points = static_cast<Size>(std::clamp(40 * ratio, kLeastPoints, kMostPoints));
    }
    places = drawingPoints(start.ends.front(), start.ends.back(), points, pilot.lengthByBin(), TangentSampler::kBins);
    for (SampledLength& length : sampled)
        if (!(length.value > 0)) length.standardError = kNone;
}

std::vector<SampledLength> DrawnCurve::lengths() const {
    std::vector<SampledLength> lengths = sampled;
    const std::vector<SampledLength> known = followed.lengths();
    std::copy(known.begin(), known.end(), lengths.begin());
    return lengths;
}

/// The result as far as everything is known: `means` are without draws until the drawn curve is through.
Result complete(const Setup& s, const DrawnCurve& drawn, LengthMeans means, const GrowthSweep& sweep, Result r) {
    // Images that are still missing repeat the last one, so that the timeline can run.
    while (!r.planeShare.empty() && r.planeShare.size() < r.layers.size()) {
        const Vector last(r.image.end() - static_cast<std::ptrdiff_t>(2 * r.points.size()), r.image.end());
        r.image.insert(r.image.end(), last.begin(), last.end());
        r.planeShare.push_back(r.planeShare.back());
    }
    if (means.draws() == 0) means.add(drawn.lengths());
    addLengths(s, means, r);
    const auto& passages = drawn.followed.passages();
    r.exactLayers = static_cast<double>(drawn.followed.exactLayers());
    r.sampledPoints = drawn.followed.points();
    if (s.isExact()) {
        r.pieces.assign(s.layers + 1, kNone);
        r.transitions.assign(s.layers + 1, kNone);
        for (Size l = 0; l < passages.size(); ++l) {
            r.pieces[l] = static_cast<double>(passages[l].pieces);
            r.transitions[l] = passages[l].transitions;
        }
    }
    if (s.isDrawn()) addTheory(s, r);
    addSweep(s, sweep, r);
    return r;
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Setup s(opened);
    DrawnCurve drawn(s);
    drawn.placePoints(s, progress);
    Result r;
    r.warnings = s.warnings;
    r.layers = countUp(s.layers + 1);
    r.coordinates = {"x", "y"};
    r.widths = s.widths, r.variances = s.variances;
    r.place = drawn.places;
    r.points = countUp(r.place.size());
    LengthMeans means(s.layers);
    GrowthSweep sweep(s.sweep);
    const auto tell = [&](double share) {
        progress.tick(share);
        progress.partial([&] { return complete(s, drawn, means, sweep, r); });
    };

    std::vector<std::array<double, 2>> reference;
    for (const double t : r.place) reference.push_back(s.trajectory.at(t));
    CurvePlanes planes(drawn.layers, drawn.start, r.place, std::move(reference));
    for (Size l = 0; l <= s.layers; ++l) {
        planes.advance();
        for (const auto& point : planes.images().back().at) r.image.insert(r.image.end(), point.begin(), point.end());
        r.planeShare.push_back(planes.images().back().share);
        tell(0.05 + 0.1 * static_cast<double>(l + 1) / static_cast<double>(s.layers + 1));
    }
    while (drawn.followed.advance(kSlice)) tell(0.15 + 0.35 * drawn.followed.progress());
    means.add(drawn.lengths());
    for (Size draw = 1; draw < s.draws; ++draw) {
        const std::vector<CurveLayer> layers = s.layersOf(draw);
        FollowedCurve curve(layers, s.startOf(draw), planOfDraw(s.widest), Rng(s.p.seed, Purpose::MonteCarlo, draw));
        const double before = static_cast<double>(draw - 1), all = static_cast<double>(s.draws - 1);
        while (curve.advance(kSlice)) progress.tick(0.5 + 0.2 * (before + curve.progress()) / all);
        means.add(curve.lengths());
        tell(0.5 + 0.2 * static_cast<double>(draw) / all);
    }
    while (sweep.advance(kSlice)) tell(0.7 + 0.3 * sweep.progress());
    r = complete(s, drawn, means, sweep, std::move(r));
    const auto tick = [&] { progress.tick(1); };
    r.network = s.isDrawn() ? std::make_shared<const Network>(randomNetwork(s.setting, s.layers, s.p.seed, true, tick)) : opened.network;
    return r;
}

std::string lengthSentence(const Params& p, const Result& r) {
    const Size all = r.layers.size() - 1, exact = static_cast<Size>(r.exactLayers);
    const double last = r.length.values.back();
    const std::string layers = std::to_string(all) + (all == 1 ? " layer" : " layers");
    const std::string draws =
        drawnHere(p) ? counted(r.draws, "network") : inWords(r.draws) + (r.draws == 1 ? " trajectory" : " trajectories");
    if (!(last > 0) && r.draws > 1) return "After " + layers + " nothing is left of the trajectory in any of " + draws + ".";
    if (!(last > 0)) return "After " + layers + " nothing is left of the trajectory: every unit is constant along it.";
    std::string text = "After " + layers + " the trajectory is " + inWords(r.lengthRatio) + " times as long as in the input";
    if (r.draws > 1) text += " on average over " + draws;
    if (const double lost = r.lostDraws.value_or(0); lost > 0)
        text += ", of which " + inWords(lost) + (lost == 1 ? " has lost it" : " have lost it");
    if (exact > 0)
        text += (r.draws > 1 ? "; the first is in " : ", in ") + counted(r.pieces[exact], "linear piece") +
                (exact < all ? " at layer " + std::to_string(exact) + ", the last that is exact" : "");
    return text + ".";
}

std::string summary(const Params& p, const Result& r) {
    std::string text = lengthSentence(p, r) + " That is " + inWords(r.growthPerLayer, 4) + " a layer";
    if (!drawnHere(p)) return text + "; Theorem 1 and mean field are about random weights and say nothing of this network.";
    text += "; mean field says " + inWords(*r.meanFieldGrowth, 4);
    if (r.exactGrowth) text += ", the exact mean at width " + inWords(p.width, 4) + " is " + inWords(*r.exactGrowth, 4);
    if (p.activation == CurveActivation::HardTanh) text += ", Theorem 1 has " + inWords(*r.base, 4) + " up to a constant in each layer";
    text += ".";
    if (r.heGrowth) text += " With He's σ_w² = 2 a ReLU network of this width does not grow: g = " + inWords(*r.heGrowth, 4) + ".";
    return text;
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "trajectory-length",
     .title = "Trajectory length",
     .claim = "A curve of inputs comes out of a random network longer, exponentially in depth: each layer stretches and folds it.",
     .group = "Expressivity",
     .icon = "0412213256677684",
     .source = "P4 Fig 2; P4 Theorem 1",
     .lookAt = "Watch a circle of inputs coil up from layer to layer; colour runs along it, so that you see where it comes to lie.",
     .tryThis = "Drag the weight variance down to 1 on the lowest chart: the curve comes out shorter than it went in.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "layer", "layer", false, 1.2},
     .savesNetwork = true});

}  // namespace trajectory_length

Declaration trajectory_length_declaration() { return declare(trajectory_length::kScene); }
Model trajectory_length_model() {
    return sceneModel<trajectory_length::kScene, trajectory_length::run, trajectory_length::cost, trajectory_length::summary,
                      openNetwork<trajectory_length::Params>>();
}

}  // namespace kappaflow
