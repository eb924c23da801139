// Capacity of the inputs over a grid of ν (P1 2.4–2.5 and between), rows from coarse to fine.
#include "scenes/capacity_flow/nu_continuum.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/rng.h"
#include "core/capacity/augmented_space.h"
#include "core/capacity/nu_continuum.h"
#include "scene/typed_model.h"

namespace kappaflow {
namespace nu_continuum {
namespace {

using namespace table;
using Size = std::size_t;
using Vector = std::vector<double>;

bool dense(const Params& p) { return p.kernel == Kernel::Dense; }
bool ring(const Params& p) { return p.kernel == Kernel::Ring3; }
bool tree(const Params& p) { return p.kernel == Kernel::Tree; }

/// Unless given; a tree has at most 512 paths: a tenth of a second a row.
Beside layersBeside(const Params& p) {
    const double most = p.channels <= 1 ? 9 : p.channels <= 2 ? 5 : p.channels <= 3 ? 4 : 3;
    return dense(p) ? Beside{1, 64} : ring(p) ? Beside{8, 64} : Beside{std::min(4.0, most), most};
}

constexpr OptionRow kKernels[] = {{"dense"}, {"ring3", "ring of three taps"}, {"tree", "dilated tree, all learned"}};
constexpr OptionRow kCovariances[] = {{"identity", "independent"}, {"ar1", "0.6^|i − j|"}, {"random"}};
constexpr OptionRow kFilters[] = {{"uniform", "1, 1, 1"}, {"centred", "0.2, 1, 0.2"}, {"random", "random in each layer"}};

constexpr ParamRow kParams[] = {
    number<&Params::nu>("nu", "ν", "decoupling", {0, 1},
                        "Where the picture stands between a linear layer (ν = 1) and complete decoupling (ν = 0); ReLU is ν = 1/2.",
                        "P1 Eqs 13–14") |
        ofView,
    choice<&Params::kernel>("kernel", "network", kKernels,
                            "Dense layers with random weights, convolutions on a ring under one top unit, or a dilated network of two taps "
                            "a layer whose layers are all learned.",
                            "P1 2.4–2.5; P2 5.1"),
    whole<&Params::inputs>("inputs", "n", "inputs", {1, 64}, "Number of inputs.", "P1 Eq 20") | costly | when<dense>,
    whole<&Params::features>("features", "m", "units a layer", {1, 64},
                             "Number of units of every layer; the more, the nearer to 0 the change is made.", "P1 Eq 20") |
        logarithmic | costly | when<dense>,
    whole<&Params::layers>("layers", "L", "layers", {1, 64},
                           "How many layers lie between the inputs and the learned map (1 for dense layers, 8 for rings and 4 for trees "
                           "unless given).",
                           "P1 2.4–2.5, 3") |
        logarithmic | costly | dependsOn<layersBeside>,
    whole<&Params::free>("free", "k", "learned directions", {1, 64},
                         "Dimension of the span U in which the last linear map is learned, at most the units of a layer; the total "
                         "capacity below ν = 1.",
                         "P1 Eqs 20–21") |
        when<dense>,
    choice<&Params::covariance>("covariance", "inputs' covariance", kCovariances,
                                "Covariance Σ of the inputs; κ = Dκ^φ at ν = 0 needs independent ones.", "P1 Eqs 21–25") |
        when<dense>,
    choice<&Params::filter>("filter", "weights of the taps", kFilters,
                            "The three weights of every layer's convolution; their signs are what interferes.", "P1 4.1") |
        when<ring>,
    whole<&Params::channels>("channels", "c", "channels", {1, 4}, "Units at each place of a hidden layer.", "P2 5.1") | when<tree>,
    whole<&Params::extent>("extent", "N", "width of the ring", {3, 257},
                           "Number of positions of the ring; beyond four reaches it changes nothing.", "P1 3") |
        costly | more | when<ring>,
    number<&Params::alpha>("alpha", "α", "exponent of the inputs' memory", {0.05, 4},
                           "The inputs' autocovariance is (1 + τ)^−α; small α is a long memory.", "P2 App B") |
        more | when<tree>,
    whole<&Params::nuPoints>("nuPoints", "", "steps of ν", {5, 101},
                             "How many values of ν are computed, 0, 0.999 and 1 among them, close together near 0.", "P1 Eq 14") |
        costly | more,
    seed<&Params::seed>("Start of the random numbers that draw weights, directions and covariance.", "P1 Eq 20"),
    plays<&Params::play>("Whether ν falls from 1 to 0 by itself.", "P1 Eq 14")};

constexpr AxisRow kNu = axis<&Result::nu>("nu"), kInput = axis<&Result::inputs>("input"), kFeature = axis<&Result::features>("feature"),
                  kLayer = axis<&Result::layerIndices>("layer"), kUnit = axis<&Result::units>("unit");

constexpr FieldRow kFields[] = {
    measured<&Result::capacity>("capacity", "κ", {kNu, kInput},
                                "Capacity of every input, counting all copies of a layer (dense) or the paths that exist (ring, tree); "
                                "inputs of a ring are offsets from the top unit, of a tree lags.") |
        gaps,
    measured<&Result::total>("total", "Σκ", {kNu}, "Total capacity, a rank: that of U below ν = 1, that of the linear map at ν = 1.") |
        gaps,
    measured<&Result::variance>("variance", "", {kNu}, "Ring: variance of the capacity's offset from the top unit.") | gaps,
    measured<&Result::share>("share", "", {kNu},
                             "Share of the change of the distribution from ν = 0 to ν = 1 that is made (0.999 where the total jumps)."),
    measured<&Result::crossover>("crossover", "ν", {}, "ν where half of that change is made."),
    theory<&Result::predictedCrossover>("predictedCrossover", "1/√m", {},
                                        "Where the coherent part of a dense layer outgrows the other, 1/√m."),
    theory<&Result::coherence>("coherence", "λ", {kNu},
                               "g/(g + h) with g = mν² + 2ν(1 − ν), h = (1 − ν)²: the coherent share of one dense layer of m units."),
    theory<&Result::diffused>("diffused", "Dκ^φ", {kInput}, "D_1 ⋯ D_L κ^φ (P1 Eqs 25, 28): exact at ν = 0 for independent inputs."),
    theory<&Result::linear>("linear", "", {kInput},
                            "Capacity of the linear network (P1 2.4; of the same tree without activations), computed without ν."),
    theory<&Result::varianceDiffused>("varianceDiffused", "", {},
                                      "Ring: variance of the diffusion, layer by layer the kernel's squares convolved."),
    theory<&Result::varianceLinear>("varianceLinear", "", {}, "Ring: variance of the squared impulse response."),
    measured<&Result::equation25Gap>("equation25Gap", "", {},
                                     "Correlated inputs: largest difference between Dκ^φ (P1 Eq 25) and the capacity at ν = 0."),
    measured<&Result::amplitude>("amplitude", "p_ij u_j", {kInput, kFeature},
                                 "One layer, one direction: amplitude of every path, (ΣP)_ij u_j. Sums over features are squared at ν = 1, "
                                 "squares summed at ν = 0."),
    measured<&Result::layerCapacity>(
        "layerCapacity", "κ^l", {kNu, kLayer, kUnit},
        "Capacity of every layer's units, the layers above standing on them as on independent inputs; not defined for trees.") |
        gaps};

constexpr PresetRow kPresets[] = {
    {"Five inputs, four features"},
    preset<[](Params& p) { p.inputs = 3, p.features = 6, p.free = 6; }>(
        "Total that jumps at ν = 1",
        "Below ν = 1 six units hold a capacity of 6 on three inputs; at ν = 1 the copies of an input coincide, and 3 is left."),
    preset<[](Params& p) { p.inputs = 8, p.features = 64; }>(
        "A wide layer", "With 64 units a little coupling is enough: half of the change is made at ν = 0.11, near 1/√m = 0.125."),
    preset<[](Params& p) { p.inputs = 64, p.features = 64, p.layers = 16; }>(
        "Deep and wide: 64 units, 16 layers",
        "Sixteen layers need more coupling than one: half of the change is made at ν = 0.43, far above 1/√m = 0.125."),
    preset<[](Params& p) { p.covariance = InputCovariance::Ar1, p.inputs = 8, p.features = 8, p.free = 2; }>(
        "Correlated inputs",
        "With correlated inputs Eq 25 no longer holds: the circles it predicts miss the capacity at ν = 0 by up to 0.2."),
    preset<[](Params& p) { p.kernel = Kernel::Ring3; }>(
        "Ring: diffusion turns into interference",
        "As ν rises paths interfere and pull capacity towards the middle: at ν = 1 its variance is about half that of the diffusion."),
    preset<[](Params& p) { p.kernel = Kernel::Ring3, p.filter = Filter::Random, p.layers = 16, p.extent = 65; }>(
        "Ring with random weights",
        "Random weights: decoupled paths make a smooth bell, coherent ones at ν = 1 uneven peaks of nearly the same variance."),
    preset<[](Params& p) { p.kernel = Kernel::Tree; }>(
        "Non-linear dilated tree",
        "All layers are learned: the tree holds 18 units of capacity for every ν below 1, and 12 at ν = 1, where it is linear.")};

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

ContinuumNetwork networkOf(const Params& p) {
    const auto n = static_cast<Size>(p.inputs), m = static_cast<Size>(p.features);
    ContinuumNetwork network{covarianceMatrix(static_cast<Covariance>(p.covariance), n, p.seed),
                             {},
                             randomFreeDirections(m, std::min(m, static_cast<Size>(p.free)), p.seed)};
    for (Size l = 1; l <= static_cast<Size>(p.layers); ++l) network.features.push_back(randomFeatures(l == 1 ? n : m, m, true, p.seed, l));
    return normalised(std::move(network));
}

ContinuumRing ringOf(const Params& p) {
    ContinuumRing ring{p.extent, {}};
    for (Size l = 1; l <= static_cast<Size>(p.layers); ++l) {
        Vector kernel = p.filter == Filter::Uniform ? Vector{1, 1, 1} : Vector{0.2, 1, 0.2};
        if (p.filter == Filter::Random) {
            Rng rng(p.seed, Purpose::Weights, l);
            for (double& w : kernel) w = drawWeight(rng, 1);
        }
        ring.kernels.push_back(std::move(kernel));
    }
    return ring;
}

/// The network whose ν is turned.
struct Subject {
    explicit Subject(const Params& params) : p(params) {
        if (dense(p)) network = networkOf(p);
        if (ring(p)) circle = ringOf(p);
        if (!tree(p)) return;
        dilated = randomPathTree(std::vector<int>(static_cast<Size>(p.layers), 2), p.channels, p.alpha, p.seed);
        jacobian = pathTreeJacobian(dilated);
    }
    const Params& p;
    ContinuumNetwork network;
    ContinuumRing circle;
    PathTree dilated;
    Matrix jacobian;
};

/// What is known of a network at one ν.
struct Row {
    Vector capacity;
    double total = 1, variance = 0;  ///< variance, layers: of rings
    std::vector<Vector> layers{};    ///< 0 … L
};

template <class Tick>
Row rowAt(const Subject& s, double nu, Tick tick) {
    if (dense(s.p)) {
        auto found = continuumCapacity(s.network, nu);
        return {std::move(found.capacity), static_cast<double>(found.total)};
    }
    if (tree(s.p)) {
        auto found = pathTreeCapacity(s.dilated, s.jacobian, nu);
        return {std::move(found.capacity), static_cast<double>(found.total)};
    }
    const auto layers = continuumRing(s.circle, nu, tick);
    Row row{layers[0].capacity, 1, layers[0].variance};
    for (const auto& layer : layers) row.layers.push_back(layer.capacity);
    return row;
}

/// ν from 0 to 1: even steps of an asinh scale (even below 0.05, equal ratios above) from 0 to 0.999, rounded to 1e-4, then 1, which
/// is no limit of the others where the total jumps.
Vector nuGrid(Size points) {
    constexpr double kUnit = 0.05, kBelowOne = 0.999;
    Vector grid;
    for (Size k = 0; k + 1 < points; ++k) {
        const double place = static_cast<double>(k) / static_cast<double>(points - 2);
        // Rounded, so that no platform's sinh is seen in an axis.
        grid.push_back(std::round(1e4 * kUnit * std::sinh(place * std::asinh(kBelowOne / kUnit))) / 1e4);
    }
    grid.push_back(1);
    return grid;
}

/// 0, the last, the middle, the quarters …: every prefix is a coarse grid.
std::vector<Size> coarseToFine(Size points) {
    std::vector<Size> order{0, points - 1};
    std::vector<bool> taken(points);
    taken.front() = taken.back() = true;
    for (Size stride = points; stride > 0; stride /= 2)
        for (Size i = stride; i < points; i += stride)
            if (!taken[i]) {
                taken[i] = true;
                order.push_back(i);
            }
    return order;
}

double varianceOf(const Vector& capacity, const Vector& places) {
    double sum = 0, mean = 0, square = 0;
    for (Size i = 0; i < capacity.size(); ++i) {
        sum += capacity[i];
        mean += places[i] * capacity[i];
        square += places[i] * places[i] * capacity[i];
    }
    return square / sum - (mean / sum) * (mean / sum);
}

/// What holds without a sweep of ν.
void addTheory(const Subject& s, Result& r) {
    if (tree(s.p)) {
        r.linear = linearTreeCapacity(s.dilated).capacity;
        r.inputs = countUp(r.linear.size());
        return;
    }
    r.diffused = dense(s.p) ? diffusedCapacity(s.network) : diffusedCapacity(s.circle);
    r.linear = dense(s.p) ? linearNetworkCapacity(s.network) : linearNetworkCapacity(s.circle);
    r.layerIndices = countUp(static_cast<Size>(s.p.layers) + 1);
    if (ring(s.p)) {
        r.inputs = r.units = countUp(r.diffused.size(), -(s.p.extent / 2));
        r.varianceDiffused = varianceOf(r.diffused, r.inputs);
        r.varianceLinear = varianceOf(r.linear, r.inputs);
        return;
    }
    r.inputs = countUp(r.diffused.size());
    r.units = countUp(static_cast<Size>(std::max(s.p.inputs, s.p.features)));
    const double m = s.p.features;
    for (const double nu : r.nu) {
        const double g = m * nu * nu + 2 * nu * (1 - nu), h = (1 - nu) * (1 - nu);
        r.coherence.push_back(g / (g + h));
    }
    r.predictedCrossover = 1 / std::sqrt(m);
    if (s.p.layers > 1 || s.network.free.columns > 1) return;
    r.features = countUp(s.network.features[0].columns);
    const Matrix paths = product(s.network.sigma, s.network.features[0]);
    for (Size i = 0; i < paths.rows; ++i)
        for (Size j = 0; j < paths.columns; ++j) r.amplitude.push_back(paths(i, j) * s.network.free(j, 0));
}

void setLayers(Result& r, Size at, const std::vector<Vector>& layers) {
    const Size units = r.units.size();
    r.layerCapacity.resize(r.nu.size() * layers.size() * units, kUnknown);
    for (Size l = 0; l < layers.size(); ++l)
        std::copy(layers[l].begin(), layers[l].end(),
                  r.layerCapacity.begin() + static_cast<std::ptrdiff_t>((at * layers.size() + l) * units));
}

Vector rowOf(const Result& r, Size at) {
    const auto first = r.capacity.begin() + static_cast<std::ptrdiff_t>(at * r.inputs.size());
    return {first, first + static_cast<std::ptrdiff_t>(r.inputs.size())};
}

/// Zero of f between a and b, where its values fa and fb differ in sign: regula falsi with the Illinois halving (Dowell and Jarratt
/// 1971), to 1e-13 of the function within a dozen values, at most 40.
template <class Function>
double zeroBetween(Function&& f, double a, double fa, double b, double fb) {
    constexpr int kMostAsked = 40;
    int side = 0;
    for (int asked = 1;; ++asked) {
        const double x = fa == fb ? b : (a * fb - b * fa) / (fb - fa), value = f(x);
        const bool upper = (value > 0) == (fb > 0);
        if (upper) {
            b = x, fb = value;
            if (side > 0) fa /= 2;
        } else {
            a = x, fa = value;
            if (side < 0) fb /= 2;
        }
        side = upper ? 1 : -1;
        if (std::abs(value) <= 1e-13 || std::abs(b - a) <= 1e-15 || asked == kMostAsked) return x;
    }
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Subject s(opened.params);
    const auto points = static_cast<Size>(s.p.nuPoints);
    Result r;
    if (dense(s.p) && s.p.free > s.p.features)
        r.warnings.push_back("free was lowered to " + inWords(s.p.features, 2) + ", the units of a layer.");
    r.nu = nuGrid(points);
    addTheory(s, r);
    r.capacity.assign(points * r.inputs.size(), kUnknown);
    r.total.assign(points, kUnknown);
    if (ring(s.p)) r.variance.assign(points, kUnknown);

    // Rows, the search, layers: the search stands for a tenth.
    const double rows = dense(s.p) ? 0.4 : 0.9;
    const auto order = coarseToFine(points);
    for (Size k = 0; k < points; ++k) {
        const auto tick = [&] { progress.tick(rows * static_cast<double>(k) / static_cast<double>(points)); };
        tick();
        const Size at = order[k];
        const Row row = rowAt(s, r.nu[at], tick);
        std::copy(row.capacity.begin(), row.capacity.end(), r.capacity.begin() + static_cast<std::ptrdiff_t>(at * r.inputs.size()));
        r.total[at] = row.total;
        if (ring(s.p)) r.variance[at] = row.variance, setLayers(r, at, row.layers);
        if (k == 0 && dense(s.p) && s.p.covariance != InputCovariance::Identity) {
            r.equation25Gap = 0;
            for (Size i = 0; i < r.inputs.size(); ++i)
                r.equation25Gap = std::max(*r.equation25Gap, std::abs(r.diffused[i] - row.capacity[i]));
        }
        progress.partial([&] { return r; });
    }

    // The first interval of the grid in which half of the change is passed.
    const Size last = points - (r.total[points - 1] != r.total[points - 2] ? 2 : 1);
    const auto shareOf = [start = rowOf(r, 0), end = rowOf(r, last)](const Vector& row) { return changedShare(row, start, end); };
    for (Size i = 0; i < points; ++i) r.share.push_back(shareOf(rowOf(r, i)));
    if (std::isnan(r.share[0])) r.share.clear();  // both ends are the same
    for (Size i = 1; i <= last && !r.share.empty() && !r.crossover; ++i) {
        if (!(r.share[i - 1] < 0.5 && r.share[i] >= 0.5)) continue;
        const auto tick = [&] { progress.tick(rows); };
        const auto missing = [&](double nu) {
            tick();
            progress.partial([&] { return r; });
            return shareOf(rowAt(s, nu, tick).capacity) - 0.5;
        };
        r.crossover = zeroBetween(missing, r.nu[i - 1], r.share[i - 1] - 0.5, r.nu[i], r.share[i] - 0.5);
    }

    for (Size k = 0; k < points && dense(s.p); ++k) {
        const auto tick = [&] { progress.tick(0.5 + 0.5 * static_cast<double>(k) / static_cast<double>(points)); };
        tick();
        setLayers(r, order[k], layerCapacities(s.network, r.nu[order[k]], rowOf(r, order[k]), tick));
        progress.partial([&] { return r; });
    }
    return r;
}

/// Values of ν that the search for the half-way point asks for.
constexpr double kSearched = 15;

Cost cost(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const double points = p.nuPoints, layers = p.layers, channels = p.channels;
    // Operations of one row and of one ν's layers apart from it; rows of the report; weights, or what else is worked with.
    double row, apart = 0, units, rows = layers + 3, working;
    if (ring(p)) {
        row = continuumRingOperations(ringOf(p)) + 1e4;
        units = p.extent;
        working = 3 * 9 * std::pow(layers + 2, 3);  // states of three walkers and two steps of them
    } else if (tree(p)) {
        const double paths = std::pow(2, layers) * std::pow(channels, layers - 1);
        const double weights = 4 * channels + 2 * channels * channels * std::max(layers - 2, 0.0);
        row = paths * paths * (4 * layers + weights) + 5 * paths * weights * weights + 60 * weights * weights * weights;
        units = std::pow(2, layers), rows = 2;
        working = units * 4e3;
    } else {
        // 64 units × 16 layers take 5.3 ms.
        const double width = std::max(p.inputs, p.features), square = 1.0 * p.inputs * p.features, free = std::min(p.free, p.features);
        row = layers * (2 * p.features * width * width + 20 * square + 2000) + 20 * free * free * free + square * width;
        apart = free == 1 ? 2 * row : row * layers / 2;
        units = width;
        working = units * units * (layers + 8);
    }
    // Rows, the report, and the report once more to be sent.
    return {(points + kSearched) * row + points * apart + 1e5, 8 * (3 * points * units * rows + working) + 1e6};
}

/// The network in words, and of a ring how its capacity spreads.
std::string subjectInWords(const Params& p, const Result& r) {
    const std::string layers = inWords(p.layers, 2) + (p.layers == 1 ? " layer" : " layers");
    if (tree(p))
        return "A dilated tree of " + layers + " with " + inWords(p.channels, 1) + (p.channels == 1 ? " channel" : " channels") +
               ", all of them learned. ";
    if (dense(p))
        return "From ν = 1 down to 0 the capacity of " + counted(p.inputs, "input") + " under " + layers + " of " +
               counted(p.features, "unit") + " turns from interference into diffusion. ";
    const auto least = static_cast<Size>(std::min_element(r.variance.begin(), r.variance.end()) - r.variance.begin());
    std::string text = "Through " + layers + " of a ring one unit's capacity spreads to a variance of " + inWords(r.variance.front(), 4) +
                       " at ν = 0 (diffusion) and " + inWords(r.variance.back(), 4) + " at ν = 1 (interference)";
    if (least != 0 && least + 1 != r.nu.size())
        text += "; it is least, " + inWords(r.variance[least], 4) + ", at ν = " + inWords(r.nu[least], 3);
    return text + ". ";
}

std::string summary(const Params& p, const Result& r) {
    if (std::any_of(r.total.begin(), r.total.end(), [](double total) { return std::isnan(total); })) return "";
    std::string text = subjectInWords(p, r);
    const double below = r.total.front(), at = r.total.back();
    text += "The total is " + inWords(below, 4) + " for every ν" +
            (below == at ? "." : " below 1 and falls to " + inWords(at, 4) + " at ν = 1.");
    if (r.crossover)
        text += " Half of the change is made at ν = " + inWords(*r.crossover, 3) +
                (r.predictedCrossover ? "; 1/√m is " + inWords(*r.predictedCrossover, 3) + "." : ".");
    if (r.equation25Gap)
        text += " With correlated inputs Eq 25, κ = Dκ^φ, misses the capacity at ν = 0 by up to " + inWords(*r.equation25Gap, 3) + ".";
    return text;
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "nu-continuum",
     .title = "From linear layers to decoupled ones",
     .claim = "As activations decouple, paths stop interfering: capacity goes from a coherent wave at ν = 1 to a diffusion at ν = 0.",
     .group = "Capacity flow",
     .icon = "0713417387 4762",
     .source = "P1 2.4–2.5; Eqs 13–25 and past them",
     .lookAt = "Watch the bars as ν falls from 1 to 0: inputs whose paths cancelled get capacity back, those whose paths added up lose it.",
     .tryThis = "Drag ν across the curves, then take 64 units a layer instead of 4: half of the change is made by ν = 0.11, not 0.35.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"nu", "nu", "ν", true, 0.3},
     .opening = "Ring: diffusion turns into interference"});

}  // namespace nu_continuum

Declaration nu_continuum_declaration() { return declare(nu_continuum::kScene); }
Model nu_continuum_model() { return sceneModel<nu_continuum::kScene, nu_continuum::run, nu_continuum::cost, nu_continuum::summary>(); }

}  // namespace kappaflow
