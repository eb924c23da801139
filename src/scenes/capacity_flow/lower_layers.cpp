#include "scenes/capacity_flow/lower_layers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/capacity/lower_layers.h"
#include "core/capacity/unit_scales.h"
#include "scene/typed_model.h"

namespace kappaflow {
namespace lower_layers {
namespace {

using namespace table;
using Size = std::size_t;
using Vector = std::vector<double>;

bool tree(const Params& p) { return p.layer == LayerType::Convolution; }
bool everyActivation(const Params& p) { return p.activation == Computed::All; }

constexpr OptionRow kLayers[] = {{"dense"}, {"convolution", "dilated tree"}};

constexpr ParamRow kParams[] = {
    widths(list<&Params::architecture>(
        "architecture", "", "architecture", {1, 8}, 6,
        "Units of each layer by dashes, input first; in a tree of convolutions the hidden ones are channels.", "P1 App. A")) |
        costly,
    choice<&Params::shown>("shown", "activation", kShown, "The activation of the network that is drawn.", "P1 App. A, Eq 37") | ofView |
        when<everyActivation>,
    whole<&Params::unit>("unit", "", "hidden unit", {0, 31},
                         "The hidden unit whose incoming weights are multiplied and outgoing ones divided by the scale s, counted from 0 "
                         "through all hidden layers.",
                         "P1 App. A") |
        ofView,
    choice<&Params::layer>("layer", "layers", kLayers,
                           "Dense layers, or a tree of convolutions whose dilation grows so that every input is read once.", "P1 App. A"),
    whole<&Params::taps>("taps", "r", "taps", {2, 4}, "How many positions one unit of the tree reads.", "P1 App. A") | when<tree>,
    choice<&Params::activation>("activation", "computed for", kComputed,
                                "Whether the ranks of all activations are computed, side by side, or of one alone.", "P1 App. A, Eq 37") |
        more,
    number<&Params::slope>("slope", "α", "leaky slope", {-1, 1}, "Slope of the leaky ReLU for negative arguments.", "P1 Eq 12") | more,
    whole<&Params::inputsTried>("inputsTried", "N", "inputs tried", {1, 20000},
                                "How many random inputs the network's own Jacobian is sampled on.", "P1 App. A") |
        logarithmic | costly | more,
    number<&Params::inputDeviation>("inputDeviation", "σ", "size of inputs", {0.1, 10},
                                    "Standard deviation of the random inputs; small ones leave hard tanh on its straight piece.",
                                    "P1 App. A") |
        logarithmic | more,
    seed<&Params::seed>("Start of the random numbers: weights and inputs.", "P1 App. A"),
    shownAt<&Params::at>("l", "layer", 4, "How far the chosen unit's scale has breathed: 1, 4, 1, 1/4, 1.", "P1 App. A"),
    plays<&Params::play>("Whether the layers pass by themselves.", "P1 App. A")};

constexpr AxisRow kActivation = axis<&Result::activations>("activation"), kIndex = axis<&Result::indices>("index"),
                  kInputs = axis<&Result::inputs>("inputs"), kLayer = axis<&Result::layerIndices>("layer"),
                  kWeight = axis<&Result::weightIndices>("weight"), kStep = axis<&Result::steps>("step"),
                  kUnit = axis<&Result::units>("unit"), kFactor = axis<&Result::factors>("factor"), kPlace = axis<&Result::places>("place");

constexpr FieldRow kFields[] = {
    measured<&Result::rank>(
        "rank", "κ", {kActivation},
        "Rank of the path Jacobian for weights in general position, exact modulo 2³¹ − 1; paths with the same ends are added up for the "
        "identity."),
    measured<&Result::functionRank>(
        "functionRank", "", {kActivation},
        "Rank of the running network's Jacobian by its weights over the inputs tried: singular values above the threshold."),
    theory<&Result::predictedRank>(
        "predictedRank", "", {kActivation},
        "Weights − hidden units for two slopes, all weights for tanh, hard tanh and sigmoid, the dimension of the products of the layers "
        "for the identity."),
    measured<&Result::sectors>(
        "sectors", "", {kActivation},
        "Sectors of the input space that the inputs tried (3000 at most) met, on each of which the network is linear: combinations of all "
        "hidden units' linear pieces. Each shows the paths in one combination only; undefined where there are no pieces.") |
        gaps,
    measured<&Result::onePieceUnits>(
        "onePieceUnits", "", {kActivation},
        "Hidden units that stayed on one linear piece of the activation over the inputs tried (3000 at most); undefined where there are no "
        "pieces.") |
        gaps,
    measured<&Result::singularValues>("singularValues", "σ_k", {kActivation, kIndex},
                                      "Singular values of the sampled Jacobian, columns of norm 1, over the largest.") |
        gaps,
    measured<&Result::pathSingularValues>("pathSingularValues", "σ_k", {kIndex},
                                          "Singular values of the path Jacobian at the drawn weights, over the largest.") |
        gaps,
    measured<&Result::rankByInputs>("rankByInputs", "", {kActivation, kInputs}, "Rank of the sampled Jacobian after so many inputs."),
    measured<&Result::widths>("widths", "", {kLayer}, "Units of each layer, channels of a tree."),
    measured<&Result::weights>("weights", "w", {kWeight}, "All weights, layer after layer, [to][from][tap]."),
    measured<&Result::weightLayer>("weightLayer", "", {kWeight}, "The layer a weight leads to, from 1."),
    measured<&Result::weightFrom>("weightFrom", "", {kWeight}, "The unit it comes from."),
    measured<&Result::weightTo>("weightTo", "", {kWeight}, "The unit it leads to."),
    measured<&Result::weightTap>("weightTap", "", {kWeight}, "Its tap; 0 in dense layers."),
    measured<&Result::scaleFactor>("scaleFactor", "s", {kStep}, "Scale of the chosen unit at the timeline's steps."),
    measured<&Result::output>(
        "outputAlongScale", "y", {kActivation, kUnit, kFactor, kPlace},
        "First output along a line of inputs with a hidden unit's incoming weights times the factor, outgoing ones over it."),
    measured<&Result::outputChange>(
        "outputChange", "", {kActivation, kUnit},
        "Largest change of an output along that line over all factors, over the largest output: rounding where the scale is redundant.") |
        chaotic,
    measured<&Result::parameters>("parameters", "p", {}, "Number of weights."),
    measured<&Result::hiddenUnits>("hiddenUnits", "", {}, "Hidden units, or channels of a tree."),
    theory<&Result::predicted>("predicted", "", {}, "Weights − hidden units, the rule for two-slope activations."),
    measured<&Result::paths>("paths", "", {}, "Number of paths from inputs to outputs: rows of the path Jacobian."),
    measured<&Result::pathRankAtWeights>("pathRankAtWeights", "", {},
                                         "Rank of the path Jacobian at the drawn weights, by singular values above the threshold."),
    measured<&Result::threshold>("threshold", "", {}, "Singular values up to this share of the largest count as zero.")};

constexpr PresetRow kPresets[] = {
    {"3-4-1: sixteen weights, capacity twelve"},
    preset<[](Params& p) { p.shown = Shown::Tanh; }>(
        "tanh: no scale is redundant",
        "A scaled tanh is another function, so that no weight is redundant: the sampled rank climbs to 16, where two slopes stop at 12."),
    preset<[](Params& p) {
        p.architecture = {3, 4, 3, 1}, p.unit = 5, p.inputsTried = 600;
    }>("Two hidden layers", "Two hidden layers have 27 weights and 7 scales: leaky ReLUs reach rank 20, ReLUs on these inputs only 16."),
    preset<[](Params& p) {
        p.architecture = {1, 2, 2, 1}, p.layer = LayerType::Convolution, p.inputsTried = 600;
    }>("Dilated tree, two channels",
       "A channel of a convolution has one scale for all its places: 16 weights less 4 hidden channels leave a capacity of 12."),
    preset<[](Params& p) {
        p.architecture = {1, 2, 2, 2, 1}, p.layer = LayerType::Convolution, p.unit = 3, p.inputsTried = 600;
    }>("A deeper tree", "One layer more than 1-2-2-1 adds 8 weights and 2 scales: the capacity rises from 12 to 18."),
    preset<[](Params& p) {
        p.architecture = {3, 4, 3, 1}, p.shown = Shown::Relu, p.unit = 4, p.inputsTried = 600;
    }>("A ReLU that never passes its kink",
       "The inputs meet only 20 sectors, too few to tell all paths apart: ReLUs reach rank 16 where the paths count 20."),
    preset<[](Params& p) { p.shown = Shown::HardTanh, p.inputDeviation = 0.3, p.inputsTried = 1000; }>(
        "Hard tanh on small inputs",
        "On small inputs two units never saturate, and hard tanh reaches only rank 8; larger inputs would give it 16."),
    preset<[](Params& p) {
        p.architecture = {1, 4, 1}, p.inputsTried = 600;
    }>("One input: paths that cannot be told apart",
       "One input has only two signs: leaky ReLUs reach rank 2 and |z| rank 1, where the paths count 4."),
    preset<[](Params& p) {
        p.architecture = {4, 5, 2}, p.inputsTried = 600;
    }>("Two outputs", "Two outputs, 30 weights and 5 hidden units: every activation with two slopes reaches rank 25, smooth ones 30.")};

constexpr Activation kActivations[] = {Activation::Identity, Activation::LeakyRelu, Activation::Relu,   Activation::Abs,
                                       Activation::Tanh,     Activation::HardTanh,  Activation::Sigmoid};
/// How many of the inputs tried tell whether a unit stays on one piece of its activation.
constexpr Size kInputsForPieces = 3000;

/// What the params say of the networks.
struct Setup {
    explicit Setup(const Params&);
    /// The leaky ReLU of slope 1 counts as linear.
    bool isLinear(Activation a) const { return a == Activation::Identity || (a == Activation::LeakyRelu && p.slope == 1); }
    Network networkWith(Activation) const;

    const Params& p;
    std::vector<int> widths;  ///< units of each layer, input first; a tree's channels, with 1 at both ends
    bool narrowed = false;    ///< the ends of a tree were set to 1
    std::vector<Activation> activations;
    double parameters = 0, hiddenUnits = 0, paths = 1;
};

Setup::Setup(const Params& params) : p(params), widths(p.architecture) {
    if (tree(p)) {
        narrowed = widths.front() != 1 || widths.back() != 1;
        widths.front() = widths.back() = 1;
    }
    for (const Activation a : kActivations)
        if (everyActivation(p) || activationKey(a) == kComputed[static_cast<Size>(p.activation)].key) activations.push_back(a);
    const double taps = tree(p) ? p.taps : 1;
    for (Size l = 0; l < widths.size(); ++l) {
        paths *= widths[l] * (l > 0 ? taps : 1);
        if (l > 0) parameters += 1.0 * widths[l - 1] * widths[l] * taps;
        if (l > 0 && l + 1 < widths.size()) hiddenUnits += widths[l];
    }
}

/// With the same weights whatever the activation. Throws InputError when it has more than 512.
Network Setup::networkWith(Activation activation) const {
    if (!tree(p)) return smallDenseNetwork(widths, activation, p.slope, p.seed);
    // Dilations 1, taps, taps², …: every path from the output meets an input of its own.
    std::vector<int> dilations{1};
    while (dilations.size() + 1 < widths.size()) dilations.push_back(dilations.back() * p.taps);
    return smallConvNetwork(std::vector<int>(dilations.size(), p.taps), dilations, {widths.begin() + 1, widths.end() - 1}, activation,
                            p.slope, p.seed);
}

/// Dimension of what the product of the layers can be: of dense ones that of the matrices of rank at most r = the smallest width,
/// r (inputs + outputs − r); of a tree the tensor train's, Σ r_{l−1} t r_l − Σ r_l² over the bonds, r_l = min(c_l, t r_{l−1}, t r_{l+1}).
double linearDimension(const Setup& s) {
    if (!tree(s.p)) {
        const double narrowest = *std::min_element(s.widths.begin(), s.widths.end());
        return narrowest * (s.widths.front() + s.widths.back() - narrowest);
    }
    Vector rank(s.widths.begin(), s.widths.end());
    const Size last = rank.size() - 1;
    for (Size l = 1; l < last; ++l) rank[l] = std::min(rank[l], s.p.taps * rank[l - 1]);
    for (Size l = last; l-- > 1;) rank[l] = std::min(rank[l], s.p.taps * rank[l + 1]);
    double dimension = 0;
    for (Size l = 1; l <= last; ++l) dimension += s.p.taps * rank[l - 1] * rank[l] - (l < last ? rank[l] * rank[l] : 0);
    return dimension;
}

/// When to stop and look at the rank: often while it grows, up to about 1.6 times as many rows as parameters, and at the end; between
/// the last two looks no more than a few milliseconds of samples each. A look costs a singular value decomposition, 50·parameters³.
struct Stop {
    Size inputs;
    bool look;
};
std::vector<Stop> stopsOf(const Setup& s) {
    const double rows = s.widths.back(), looks = s.parameters <= 40 ? 40 : s.parameters <= 100 ? 12 : 5;
    const auto inputs = static_cast<Size>(s.p.inputsTried);
    const auto growing = std::min(static_cast<Size>(std::ceil(1.6 * s.parameters / rows)) + 1, inputs);
    const auto step = static_cast<Size>(std::max(1.0, std::ceil(static_cast<double>(growing) / looks)));
    const auto slice = static_cast<Size>(std::clamp(3e6 / (s.parameters * s.parameters * rows), 1.0, 500.0));
    std::vector<Stop> stops;
    for (Size n = 1; n < growing; n += step) stops.push_back({n, true});
    for (Size n = growing; n < inputs; n += slice) stops.push_back({n, n == growing});
    stops.push_back({inputs, true});
    return stops;
}

/// Over the largest, as many as there are weights.
Vector relative(Vector values, double parameters) {
    const double largest = values.empty() ? 0 : values.front();
    for (double& value : values) value = largest > 0 ? value / largest : 0;
    values.resize(static_cast<Size>(parameters), std::numeric_limits<double>::quiet_NaN());
    return values;
}

/// What the paths say, knowing nothing of how the network runs.
void addPaths(const Setup& s, Result& r) {
    const Network network = s.networkWith(Activation::LeakyRelu);
    const NetworkPaths paths = networkPaths(network);
    r.paths = static_cast<double>(paths.count());
    r.genericPathRank = static_cast<double>(genericPathRank(paths, s.p.seed));
    const auto linear = static_cast<double>(genericLinearRank(paths, s.p.seed));
    for (const Activation a : s.activations) {
        r.activations.emplace_back(activationKey(a));
        r.rank.push_back(s.isLinear(a) ? linear : r.genericPathRank);
        r.predictedRank.push_back(s.isLinear(a) ? linearDimension(s) : s.parameters - (derivativeIsEta(a) ? s.hiddenUnits : 0));
    }
    const Vector values = singularSpace(triangularFactor(pathJacobian(paths, allWeights(network)))).values;
    r.pathRankAtWeights = static_cast<double>(numericalRank(values).rank);
    r.pathSingularValues = relative(values, s.parameters);
}

/// Every weight with the units it joins, in the order of allWeights: [to][from][tap], layer after layer.
void addWeights(const Setup& s, const Network& network, Result& r) {
    r.layerIndices = countUp(s.widths.size());
    r.widths.assign(s.widths.begin(), s.widths.end());
    r.weights = allWeights(network);
    r.weightIndices = countUp(r.weights.size());
    const int taps = tree(s.p) ? s.p.taps : 1;
    for (Size l = 1; l < s.widths.size(); ++l)
        for (int to = 0; to < s.widths[l]; ++to)
            for (int from = 0; from < s.widths[l - 1]; ++from)
                for (int tap = 0; tap < taps; ++tap) {
                    r.weightLayer.push_back(static_cast<double>(l));
                    r.weightFrom.push_back(from);
                    r.weightTo.push_back(to);
                    r.weightTap.push_back(tap);
                }
    for (const Layer& layer : network.layers) {
        if (layer.is<Pointwise>()) continue;
        std::vector<Size> shape{static_cast<Size>(tree(s.p) ? layer.out.channels : layer.out.width),
                                static_cast<Size>(tree(s.p) ? layer.in.channels : layer.in.width)};
        if (tree(s.p)) shape.push_back(static_cast<Size>(s.p.taps));
        r.printedWeights.push_back({tree(s.p) ? "convolution" : "dense", std::move(shape), weightsOf(layer).weights, {}});
    }
    r.network = std::make_shared<Network>(network);
}

/// The network as it runs: what scaling its units does, and which linear pieces they meet.
void addRunning(const Setup& s, const Network& network, Result& r) {
    for (const ScaledUnit& unit : scaleUnits(network, s.p.inputDeviation, s.p.seed)) {
        r.output.insert(r.output.end(), unit.output.begin(), unit.output.end());
        r.outputChange.push_back(unit.change);
    }
    const auto met = piecesMet(network, std::min(static_cast<Size>(s.p.inputsTried), kInputsForPieces), s.p.inputDeviation, s.p.seed);
    r.sectors.push_back(met.sectors);
    r.onePieceUnits.push_back(met.onePieceUnits);
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Setup s(opened.params);
    Result r;
    if (s.narrowed) r.warnings.emplace_back("The tree reads one signal and gives one number, so the first and the last width count as 1.");
    if (1.0 * s.p.inputsTried * s.widths.back() < s.parameters)
        r.warnings.emplace_back("Fewer rows than weights were sampled, so no rank can reach its end: try more inputs.");
    r.parameters = s.parameters, r.hiddenUnits = s.hiddenUnits, r.predicted = s.parameters - s.hiddenUnits, r.threshold = kRankThreshold;
    r.indices = countUp(static_cast<Size>(s.parameters), 1);
    r.steps = countUp(5), r.scaleFactor = {1, 4, 1, 0.25, 1};
    r.units = countUp(static_cast<Size>(s.hiddenUnits)), r.factors = scaleFactors(), r.places = scalePlaces();

    const auto stops = stopsOf(s);
    const double steps = 1 + static_cast<double>(s.activations.size() * (1 + stops.size()));
    double done = 0;
    const auto tick = [&] { progress.tick(++done / steps); };
    addPaths(s, r);
    tick();
    std::vector<FunctionJacobian> jacobians;
    for (const Activation a : s.activations) {
        const Network network = s.networkWith(a);
        if (jacobians.empty()) addWeights(s, network, r);
        addRunning(s, network, r);
        jacobians.emplace_back(network, s.p.inputDeviation, s.p.seed);
        tick();
    }
    // Side by side, so that all of them grow on screen.
    std::vector<Vector> ranks(jacobians.size());
    r.functionRank.resize(ranks.size());
    r.singularValues.resize(ranks.size() * r.indices.size());
    const auto complete = [&](Result sofar) {
        for (const Vector& row : ranks) sofar.rankByInputs.insert(sofar.rankByInputs.end(), row.begin(), row.end());
        return sofar;
    };
    for (const Stop& stop : stops) {
        for (Size k = 0; k < jacobians.size(); ++k) {
            jacobians[k].add(stop.inputs - static_cast<Size>(jacobians[k].samples()));
            if (stop.look) {
                const Vector values = jacobians[k].singularValues(), shares = relative(values, s.parameters);
                ranks[k].push_back(r.functionRank[k] = static_cast<double>(numericalRank(values).rank));
                std::copy(shares.begin(), shares.end(), r.singularValues.begin() + static_cast<std::ptrdiff_t>(k * shares.size()));
            }
            tick();
        }
        if (stop.look) r.inputs.push_back(static_cast<double>(stop.inputs));
        progress.partial([&] { return complete(r); });
    }
    return complete(std::move(r));
}

Cost cost(const Opened<Params>& opened) {
    const Setup s(opened.params);
    const double p = s.parameters, rows = s.widths.back(), networks = static_cast<double>(s.activations.size());
    double looks = 0;
    for (const Stop& stop : stopsOf(s)) looks += stop.look ? 1 : 0;
    const double inputs = s.p.inputsTried, scales = s.hiddenUnits * kScaleFactors * kScalePlaces;
    // A forward pass through a tree visits every position of every layer: at most as many weight uses as there are paths.
    const double pass = 60 * (tree(s.p) ? s.paths : p) + 500;
    const double elimination = 2 * s.paths * p * std::min(s.paths, p), decompositions = 20 * p * p * p * (1 + networks * looks);
    const double sampling = networks * (inputs * (3 * rows * p * p + (1 + rows) * pass) + (inputs + scales) * pass);
    return {1e6 + elimination + 2 * s.paths * p * p + decompositions + sampling,
            1e6 + s.paths * (p * 28 + 100) + networks * (p * p * 60 + scales * 32)};
}

std::string summary(const Params& p, const Result& r) {
    const Setup s(p);
    std::map<double, std::string> names;  // "12 with ReLU, |z|; 16 with tanh"
    std::string shortfall, ranks;
    for (Size k = 0; k < r.activations.size(); ++k) {
        const std::string label =
            std::find_if(kShown.begin(), kShown.end(), [&](const OptionRow& option) { return option.key == r.activations[k]; })->label;
        names[r.functionRank[k]] += (names[r.functionRank[k]].empty() ? "" : ", ") + label;
        // Two-slope networks whose function has a smaller rank than its paths.
        if (derivativeIsEta(s.activations[k]) && r.functionRank[k] < r.rank[k])
            shortfall += (shortfall.empty() ? " " : "; ") + label + " is " + inWords(r.rank[k] - r.functionRank[k], 6) +
                         " short of its paths, which the " + counted(r.sectors[k], "sector") +
                         " that its inputs meet cannot all tell apart";
    }
    for (const auto& [rank, who] : names) ranks += (ranks.empty() ? "" : "; ") + inWords(rank, 6) + " with " + who;
    return counted(r.parameters, "weight") + ", " + counted(r.hiddenUnits, "hidden unit") + ": the path Jacobian has rank " +
           inWords(r.genericPathRank, 6) + " (modulo 2³¹ − 1), the network's own Jacobian over " + counted(r.inputs.back(), "input") +
           " has rank " + ranks + "." + shortfall + (shortfall.empty() ? "" : ".");
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "lower-layers",
     .title = "The capacity of all layers",
     .claim = "When every layer learns, each hidden unit of a two-slope network wastes one weight on its scale; tanh wastes none.",
     .group = "Capacity flow",
     .icon = "044084 044484 044884",
     .source = "P1 App. A; Eq 37 (later version Eq 41)",
     .lookAt =
         "One unit's incoming weights grow as its outgoing ones shrink, and the output stays: 16 weights, 4 such scales, capacity 12.",
     .tryThis = "Choose tanh and pull the same unit sideways: now the output moves, and all 16 weights count.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "step", "step", false, 1.4},
     .savesNetwork = true});

}  // namespace lower_layers

Declaration lower_layers_declaration() { return declare(lower_layers::kScene); }
Model lower_layers_model() { return sceneModel<lower_layers::kScene, lower_layers::run, lower_layers::cost, lower_layers::summary>(); }

}  // namespace kappaflow
