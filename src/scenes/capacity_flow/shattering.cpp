#include "scenes/capacity_flow/shattering.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/base/rng.h"
#include "core/capacity/capacity_kernel.h"
#include "core/capacity/capacity_network.h"
#include "scene/typed_model.h"

namespace kappaflow {
namespace shattering {
namespace {

using namespace table;
using Size = std::size_t;

bool residual(const Params& p) { return p.kind != Kinds::Uniform; }

constexpr OptionRow kKinds[] = {{"both"}, {"residual"}, {"uniform"}};
constexpr OptionRow kProfiles[] = {{"constant"}, {"varying"}};
constexpr OptionRow kPerDepth[] = {{"1/L", "1/L", -1}};

constexpr ParamRow kParams[] = {
    choice<&Params::kind>("kind", "layers compared", kKinds,
                          "Residual layers I + εΔ, plain layers with equal weights, or both side by side.", "P1 4.2"),
    whole<&Params::layers>("layers", "L", "layers", {1, 1000}, "How many layers a path passes from the output to the input.", "P1 Eq 36") |
        logarithmic | costly,
    whole<&Params::taps>("taps", "r", "taps", {3, 15},
                         "How many units of the layer below one unit reads; odd, so that one of them is the centre.", "P1 4.2 (ii)") |
        odd,
    number<&Params::epsilon>("epsilon", "ε", "step size", {0, 1},
                             "Share of its capacity that a residual unit hands to its neighbours in one layer; 1/L is the scaling with "
                             "a limit.",
                             "P1 Eqs 29, 36") |
        named<kPerDepth> | when<residual>,
    choice<&Params::profile>("profile", "Δ along the depth", kProfiles,
                             "Whether every residual layer moves the same share, or a share that grows linearly from 0 at the input to 2ε "
                             "at the output.",
                             "P1 Eq 36") |
        when<residual>,
    whole<&Params::extent>("extent", "n", "width of the ring", {17, 2001},
                           "Number of positions of the ring on which the capacity profiles are computed; odd.", "P1 Eq 35") |
        odd | costly | more,
    whole<&Params::strands>("strands", "", "strands", {10, 1000},
                            "How many paths are drawn: the heaviest one, and others met at random in proportion to their weight.",
                            "P1 Eq 35") |
        costly | more,
    seed<&Params::seed>("Start of the random numbers that choose the strands; no number of the analysis depends on it.", "P1 Eq 35"),
    shownAt<&Params::at>("l", "layer", 1000, "The layer down to which the paths are followed.", "P1 Eq 35"),
    plays<&Params::play>("Whether the layers pass by themselves.", "P1 Eq 35")};

constexpr AxisRow kKind = axis<&Result::kinds>("kind"), kLayer = axis<&Result::layers>("layer"),
                  kPosition = axis<&Result::positions>("position"), kStrand = axis<&Result::strands>("strand"),
                  kWeightLayer = axis<&Result::weightLayers>("weightLayer");

constexpr FieldRow kFields[] = {
    measured<&Result::heaviest>("maxPathWeight", "w_max", {kKind, kLayer},
                                "Largest product of D's entries along one path from the output unit down to the layer."),
    measured<&Result::log10Heaviest>("log10MaxPathWeight", "log₁₀ w_max", {kKind, kLayer},
                                     "Its decimal logarithm, which does not underflow."),
    measured<&Result::entropy>("pathEntropy", "H", {kKind, kLayer}, "Entropy −Σ w log w over all paths, in nats: e^H paths matter."),
    measured<&Result::total>("total", "Σκ^l", {kKind, kLayer}, "Total capacity of each layer."),
    measured<&Result::capacity>("capacity", "κ^l", {kKind, kLayer, kPosition},
                                "Capacity of every position, counted from the output unit; the total is 1."),
    theory<&Result::heaviestPredicted>("maxPathWeightPredicted", "", {kKind, kLayer},
                                       "Residual: e^∫Δ (P1 Eq 36), the limit of the straight path; uniform: r^−(L − l)."),
    theory<&Result::log10HeaviestPredicted>("log10MaxPathWeightPredicted", "", {kKind, kLayer},
                                            "Decimal logarithm of the predicted weight."),
    theory<&Result::entropyPredicted>(
        "pathEntropyPredicted", "", {kKind, kLayer},
        "Residual: Σ ε_l (1 + log((r − 1)/ε_l)), the limit of small ε (in all about log L + 1 + log 2 for r = 3); uniform: (L − l) "
        "log r."),
    theory<&Result::log10Paths>("log10PathCount", "", {kLayer}, "Decimal logarithm of the number of paths, r^(L − l)."),
    measured<&Result::epsilon>("epsilonByLayer", "ε_l", {kWeightLayer}, "Share a residual unit hands on in each layer."),
    theory<&Result::limit>("limit", "e^∫Δ", {},
                           "Weight of the straight path through infinitely many residual layers with the same total step, e^∫Δ."),
    measured<&Result::strandPosition>(
        "strandPosition", "", {kKind, kStrand, kLayer},
        "Position of each strand at each layer, counted from the output unit and unwrapped; strand 0 is the heaviest path."),
    measured<&Result::strandWeight>("strandWeight", "w", {kKind, kStrand, kLayer},
                                    "Weight of each strand from the output down to each layer."),
    measured<&Result::strandLog10>("strandLog10Weight", "log₁₀ w", {kKind, kStrand}, "Decimal logarithm of the whole strand's weight.")};

constexpr PresetRow kPresets[] = {
    {"Fifty layers"},
    preset<[](Params& p) { p.layers = 200; }>(
        "Two hundred layers",
        "At 200 layers the heaviest residual path still carries 36.7 % of the capacity; the plain one carries 4·10⁻⁹⁶."),
    preset<[](Params& p) { p.profile = Profile::Varying; }>(
        "Step varying with the layer",
        "The step ε varies from layer to layer, but only its sum counts: the straight path still tends to e⁻¹ of the capacity."),
    preset<[](Params& p) { p.layers = 200, p.epsilon = 0.05; }>(
        "Fixed ε: the path decays after all",
        "A fixed ε = 0.05 adds up over 200 layers: the heaviest residual path is down to 0.0035 % of the capacity."),
    preset<[](Params& p) { p.taps = 9, p.extent = 201; }>(
        "Wide windows", "Nine taps thin the heaviest plain path to 2·10⁻⁴⁸ of the capacity; the straight residual path keeps its 36 %.")};

/// ε_l of weight layers 1 … L.
std::vector<double> stepsOf(const Params& p, std::vector<std::string>& warnings) {
    const double mean = p.epsilon < 0 ? 1.0 / p.layers : p.epsilon;
    std::vector<double> steps;
    bool clamped = false;
    for (int l = 1; l <= p.layers; ++l) {
        const double step = p.profile == Profile::Varying ? mean * (2 * l - 1) / p.layers : mean;
        clamped = clamped || step > 1;
        steps.push_back(std::min(step, 1.0));
    }
    if (clamped && residual(p))
        warnings.push_back("Layers near the output would hand on more than all they have: their step was lowered to 1.");
    return steps;
}

/// D of one weight layer on the ring: (1 − ε) I + ε Q, or 1/r everywhere in the window.
CapacityLayer layerOf(const Params& p, bool residual, double epsilon) {
    CapacityKernel K;
    K.inWidth = K.outWidth = p.extent;
    K.taps = rowTaps(p.taps);
    K.mixes = residual;
    K.stay = residual ? 1 - epsilon : 0;
    K.shares.assign(K.taps.size(), 1.0 / (residual ? p.taps - 1 : p.taps));
    if (residual) K.shares[K.shares.size() / 2] = 0;
    return explicitLayer(K);
}

/// All paths of the k-th kind of layers, and some of them to draw: the heaviest first, then others that walk down with the probabilities
/// D, so that as many pass a unit as it has capacity, by falling weight.
void followPaths(const Params& p, Size k, const std::vector<double>& epsilon, const std::function<void()>& tick, Result& r) {
    const bool residual = r.kinds[k] == "residual";
    const Size rows = r.layers.size(), width = r.positions.size();
    struct Strand {
        Rng rng;
        Size unit;
        std::vector<double> position, logWeight;  // [layer]
        void go(Size above, const CapacityLayer::Entry& entry) {
            position[above - 1] = position[above] + entry.offset;
            logWeight[above - 1] = logWeight[above] + std::log(entry.share);
        }
    };
    std::vector<Strand> strands;
    for (Size s = 0; s < r.strands.size(); ++s)
        strands.push_back({Rng(p.seed, Purpose::MonteCarlo, (std::uint64_t{residual ? 0u : 1u} << 32) | s), width / 2,
                           std::vector<double>(rows), std::vector<double>(rows)});
    PathStatistics paths(width, width / 2);
    std::vector<std::vector<CapacityLayer::Entry>> column;  // [layer from the top] a column's entries, the same for every unit
    for (Size l = rows; l-- > 0;) {
        const Size row = k * rows + l;
        std::copy(paths.capacity().begin(), paths.capacity().end(), &r.capacity[row * width]);
        r.total[row] = std::accumulate(paths.capacity().begin(), paths.capacity().end(), 0.0);
        r.heaviest[row] = std::exp(paths.logMaxWeight());
        r.log10Heaviest[row] = paths.logMaxWeight() / std::numbers::ln10;
        r.entropy[row] = paths.entropy();
        if (l == 0) break;
        const CapacityLayer D = layerOf(p, residual, epsilon[l - 1]);
        paths.descend(D);
        column.emplace_back(D.entries.begin(), D.entries.begin() + static_cast<std::ptrdiff_t>(D.start[1]));
        for (Size s = 1; s < strands.size(); ++s) {
            double left = strands[s].rng.uniform();
            Size e = D.start[strands[s].unit];
            while (e + 1 < D.start[strands[s].unit + 1] && left >= D.entries[e].share) left -= D.entries[e++].share;
            strands[s].go(l, D.entries[e]);
            strands[s].unit = D.entries[e].input;
        }
        tick();
    }
    const auto heaviest = paths.heaviestPath();
    for (Size down = 0; down < heaviest.size(); ++down) strands[0].go(rows - 1 - down, column[down][heaviest[down]]);
    std::stable_sort(strands.begin() + 1, strands.end(),
                     [](const Strand& a, const Strand& b) { return a.logWeight.front() > b.logWeight.front(); });
    for (const Strand& strand : strands) {
        r.strandPosition.insert(r.strandPosition.end(), strand.position.begin(), strand.position.end());
        for (const double log : strand.logWeight) r.strandWeight.push_back(std::exp(log));
        r.strandLog10.push_back(strand.logWeight.front() / std::numbers::ln10);
    }
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Params& p = opened.params;
    Result r;
    if (p.kind != Kinds::Uniform) r.kinds.push_back("residual");
    if (p.kind != Kinds::Residual) r.kinds.push_back("uniform");
    r.layers = countUp(static_cast<Size>(p.layers) + 1);
    r.weightLayers = countUp(static_cast<Size>(p.layers), 1);
    r.positions = countUp(static_cast<Size>(p.extent), -(p.extent / 2));
    r.strands = countUp(static_cast<Size>(p.strands));
    const Size rows = r.layers.size(), all = rows * r.kinds.size();
    for (auto* perLayer :
         {&r.heaviest, &r.log10Heaviest, &r.entropy, &r.total, &r.heaviestPredicted, &r.log10HeaviestPredicted, &r.entropyPredicted})
        perLayer->resize(all);
    r.capacity.resize(all * r.positions.size());
    const auto epsilon = stepsOf(p, r.warnings);
    double done = 0;
    for (Size k = 0; k < r.kinds.size(); ++k) {
        followPaths(
            p, k, epsilon, [&] { progress.tick(++done / static_cast<double>(all)); }, r);
        const bool residual = r.kinds[k] == "residual";
        double log = 0, entropy = 0;
        for (Size l = rows; l-- > 0;) {
            r.heaviestPredicted[k * rows + l] = std::exp(log);
            r.log10HeaviestPredicted[k * rows + l] = log / std::numbers::ln10;
            r.entropyPredicted[k * rows + l] = entropy;
            if (l == 0) break;
            const double e = epsilon[l - 1];
            log -= residual ? e : std::log(p.taps);
            entropy += !residual ? std::log(p.taps) : e > 0 ? e * (1 + std::log((p.taps - 1) / e)) : 0;
        }
        if (residual) r.limit = std::exp(log);
    }
    for (const double l : r.layers) r.log10Paths.push_back((p.layers - l) * std::log10(p.taps));
    if (residual(p)) r.epsilon = epsilon;
    return r;
}

std::string summary(const Params& p, const Result& r) {
    const Size rows = r.layers.size();
    std::string weights, paths;
    for (Size k = 0; k < r.kinds.size(); ++k) {
        const bool residual = r.kinds[k] == "residual";
        const double log10 = r.log10Heaviest[k * rows];
        const std::string name = residual ? "residual" : "plain";
        weights += (k ? ", and that of the " : " the heaviest path of the ") + name + " network " + (k ? "" : "carries ") +
                   (log10 > -3 ? inWords(100 * r.heaviest[k * rows]) + " % of the capacity" : powerInWords(log10) + " of the capacity");
        if (residual) weights += " (limit " + inWords(100 * *r.limit) + " %)";
        paths += (k ? ", in the " + name + " one " : " In the " + name + " network ") + "about " +
                 powerInWords(r.entropy[k * rows] / std::numbers::ln10) + (k ? "" : " paths matter");
    }
    return "Through " + std::to_string(p.layers) + (p.layers == 1 ? " layer" : " layers") + weights + "." + paths + ".";
}

Cost cost(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const double kinds = p.kind == Kinds::Both ? 2 : 1, rows = p.layers + 1;
    const double visits = rows * (1.0 * p.extent * (p.taps + 1) + p.strands);
    // Ways back and capacity rows while computing; capacity, positions and weights in the report and once more to be sent.
    const double cells = rows * (p.extent * (8 + 8 * 3.0) + p.strands * 16 * 3.0);
    return {kinds * visits * 90 + 1e6, kinds * cells + 1e6};
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "shattering",
     .title = "Why residual networks do not shatter",
     .claim = "In a plain deep network every path's share vanishes; residual connections keep one straight path at e⁻¹ whatever the depth.",
     .group = "Capacity flow",
     .icon = "50246438",
     .source = "P1 4.2; Eqs 35–36 (later version Eqs 39–40)",
     .lookAt = "Compare the heaviest strands: the residual one keeps a third of all capacity, the plain one 10⁻²⁴ of it at 50 layers.",
     .tryThis = "Pull the end of the residual line down: with a larger step size its straight path dies as well; double the layers.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "layer", "layer", true, 0.12}});

}  // namespace shattering

Declaration shattering_declaration() { return declare(shattering::kScene); }
Model shattering_model() { return sceneModel<shattering::kScene, shattering::run, shattering::cost, shattering::summary>(); }

}  // namespace kappaflow
