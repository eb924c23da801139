#include "scenes/expressivity/dichotomies.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "core/base/rng.h"
#include "core/expressivity/dichotomies.h"
#include "core/expressivity/growth_theory.h"
#include "core/expressivity/trajectory_sweep.h"
#include "scene/typed_model.h"

namespace kappaflow {
namespace dichotomies {
namespace {

using namespace table;
using Size = std::size_t;
using Vector = std::vector<double>;

constexpr const char *kFigure4 = "arXiv 1606.05336 Fig 4; P4 2.1", *kFigure5 = "arXiv 1606.05336 Fig 5; P4 2.1";

bool sweepsWeights(const Params& p) { return p.sweep == Turning::Weights; }
bool sweepsOne(const Params& p) { return !sweepsEvery(p); }
bool leaky(const Params& p) { return p.activation == CurveActivation::LeakyRelu; }

constexpr OptionRow kTurning[] = {{"weights", "weights of a layer"}, {"circle", "the inputs"}};
constexpr OptionRow kSwept[] = {{"first", "the first"}, {"every", "each in turn"}};

constexpr ParamRow kParams[] = {
    whole<&Params::samples>("samples", "s", "samples", {1, 20},
                            "Random inputs N(0, I) whose labels are watched; there are 2^s label vectors.", kFigure4),
    choice<&Params::sweep>("sweep", "what turns", kTurning,
                           "One layer's weights W cos t + W' sin t, or in their place every input on a circle of its own, which is "
                           "statistically much the same.",
                           "P4 2.1"),
    choice<&Params::swept>("swept", "layer swept", kSwept,
                           "The first layer of networks of growing depth, or one layer after another of networks of fixed depths: only the "
                           "layers that remain count.",
                           kFigure5) |
        when<sweepsWeights>,
    whole<&Params::depthRemaining>("depthRemaining", "r", "largest remaining depth", {0, 8},
                                   "Most hidden layers between the swept one and the readout.", kFigure4) |
        costly | when<sweepsOne>,
    list<&Params::depths>("depths", "n", "depths", {1, 9}, 6, "Hidden layers of the networks compared.", kFigure5) | costly |
        when<sweepsEvery>,
    whole<&Params::width>("width", "k", "width", {1, 128}, "Units of every layer of the network whose labels are drawn.", kFigure4) |
        logarithmic | costly,
    number<&Params::weightVariance>("weightVariance", "σ_w²", "weight variance", {0.25, 64},
                                    "Weights are N(0, σ_w²/k); hard-tanh networks become more expressive with depth above 1.", kFigure4) |
        logarithmic,
    list<&Params::widths>("widths", "k", "widths compared", {1, 128}, 6, "Widths in the chart, beside that of the strips.", kFigure4) |
        costly | more | when<sweepsOne>,
    choice<&Params::activation>("activation", "activation", kPiecewiseActivations,
                                "Piecewise linear, so that flips are found exactly; the paper takes hard-tanh.", kFigure4) |
        more,
    number<&Params::slope>("slope", "", "slope", {-1, 1}, "Slope of the leaky ReLU below 0.", "P4 2.1") | more | when<leaky>,
    number<&Params::biasVariance>("biasVariance", "σ_b²", "bias variance", {0, 4}, "Biases are N(0, σ_b²); they do not turn.", "P4 2.1") |
        more,
    whole<&Params::draws>("draws", "", "draws", {1, 12}, "Networks behind every mean.", kFigure4) | logarithmic | costly | more,
    seed<&Params::seed>("Start of the random numbers of weights and inputs.", kFigure4),
    shownAt<&Params::at>("t", "angle", 360, "Angle t of the great circle, in degrees.", kFigure4),
    plays<&Params::play>("Whether the weights turn by themselves.", kFigure4),
    whole<&Params::shown>("shown", "r", "depth shown", {0, 8}, "Remaining depth whose labels are drawn.", kFigure4) | hidden | ofView};

constexpr AxisRow kCurve = axis<&Result::curves>("curve"), kRemaining = axis<&Result::remaining>("remainingDepth"),
                  kSample = axis<&Result::samples>("sample"), kAngle = axis<&Result::angles>("angle"),
                  kFlip = axis<&Result::flipIndex>("flip"), kEntry = axis<&Result::entries>("entry"),
                  kChange = axis<&Result::changeIndex>("change"), kDepthEntry = axis<&Result::depthEntries>("depthEntry");

constexpr FieldRow kFields[] = {
    measured<&Result::curveWidth>("curveWidth", "k", {kCurve}, "Width of each curve."),
    measured<&Result::curveDepth>("curveDepth", "n", {kCurve},
                                  "Hidden layers of each curve's networks; where the first layer is swept, those of the deepest."),
    measured<&Result::dichotomies>("dichotomies", "", {kCurve, kRemaining},
                                   "Distinct label vectors in one turn, counted exactly; mean over draws.") |
        gaps,
    measured<&Result::flips>("flips", "", {kCurve, kRemaining},
                             "Changes of a sample's label in one turn, of all samples; mean over draws.") |
        gaps,
    theory<&Result::flipsPredicted>("flipsPredicted", "", {kCurve, kRemaining},
                                    "Crofton: angular length of every sample's curve before the readout, over π; mean over draws.") |
        gaps,
    theory<&Result::flipsMeanField>("flipsMeanField", "", {kRemaining}, "Infinitely wide networks: 2√(s/q) flips a sample, s ← χ s."),
    limiting<&Result::cap>("cap", "2^s", {}, "Label vectors that there are."),
    measured<&Result::growth>(
        "growth", "", {}, "Factor by which a further remaining layer multiplies the dichotomies of the drawn network's width, from r = 2."),
    theory<&Result::growthMeanField>("growthMeanField", "√χ", {},
                                     "Growth of every length in a layer of an infinitely wide network, far from its input."),
    measured<&Result::labelStart>("labelStart", "", {kRemaining, kSample}, "Drawn network: label (0 or 1) of every sample at t = 0.") |
        gaps,
    measured<&Result::labelFlips>("labelFlips", "t", {kFlip},
                                  "Drawn network: angles in degrees at which a sample's label changes, sample after sample."),
    measured<&Result::labelFlipsOffsets>("labelFlipsOffsets", "", {kEntry},
                                         "Where the flips of remaining depth r and sample i begin: entry r·s + i."),
    measured<&Result::changes>("changes", "t", {kChange}, "Drawn network: angles at which the label vector changes."),
    measured<&Result::distinct>("distinct", "", {kChange}, "Distinct label vectors met up to and including each change."),
    measured<&Result::changesOffsets>("changesOffsets", "", {kDepthEntry}, "Where the changes of remaining depth r begin."),
    measured<&Result::running>("running", "", {kRemaining, kAngle}, "Drawn network: distinct label vectors met up to an angle.") | gaps};

constexpr PresetRow kPresets[] = {
    {"Dichotomies grow with the remaining depth (Fig 4)"},
    preset<[](Params& p) { p.swept = Swept::Every, p.shown = 3; }>(
        "Only the remaining depth counts (Fig 5)",
        "Networks of 3, 5 and 7 layers, the weights of each layer turned: their counts nearly agree where equally many layers remain."),
    preset<[](Params& p) {
        p.samples = p.shown = 5;
    }>("Few samples meet all 2^s label vectors",
       "Five samples have only 32 label vectors: with six layers remaining one turn meets 30 of them, and the count cannot go on growing."),
    preset<[](Params& p) { p.width = 32, p.widths = {32}, p.depthRemaining = 5, p.draws = 1; }>(
        "A wider network, one draw",
        "One draw of width 32: with every layer that remains more label vectors are met, 354 in the end, close to the dashed limit."),
    preset<[](Params& p) { p.sweep = Turning::Inputs; }>(
        "The inputs turn instead",
        "Now the inputs run along circles and all weights stand still: label vectors multiply by 1.54 a layer all the same."),
    preset<[](Params& p) { p.weightVariance = 1, p.depthRemaining = 8; }>(
        "Small weights: no growth",
        "With small weights the strips hardly break up, however many layers remain: a further layer multiplies the count by 1.03."),
    preset<[](Params& p) { p.activation = CurveActivation::Relu, p.weightVariance = 2, p.depthRemaining = 8; }>(
        "ReLU after He: no growth",
        "ReLUs with He's weights: label vectors do not multiply with depth, and behind eight layers the first network meets only one.")};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN(), kDegree = 180 / std::numbers::pi;
/// Where a sweep of one sample stops: k = 128 goes on to about 20 000 pieces a layer.
constexpr SweepLimits kLimits{1e5, 8e6};

/// Networks that one line of the chart is the mean of.
struct Curve {
    Size width = 1, depth = 1;  ///< depth: hidden layers
};

/// What the params say of the networks.
struct Setup {
    explicit Setup(const Params&);
    GrowthSetting setting(Size width) const {
        return {activationFromKey(keyOf(p.activation)), p.slope, static_cast<double>(width), p.weightVariance, p.biasVariance};
    }
    Size sweptLayers(const Curve& curve) const { return sweepsEvery(p) ? curve.depth : 1; }

    const Params& p;
    std::vector<Curve> curves;
    Size shown = 0;    ///< curve whose first draw is drawn in strips
    Size deepest = 0;  ///< remaining depths are 0 … deepest − 1
    /// Mean square of an input of the swept layer, per unit: of the samples, or of deep layers in mean field.
    double inputSquare = 1;
};

std::vector<Size> wholeNumbers(const Vector& list) {
    std::vector<Size> numbers;
    for (const double value : list) numbers.push_back(static_cast<Size>(std::max(1L, std::lround(value))));
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

Setup::Setup(const Params& params) : p(params) {
    const auto width = static_cast<Size>(p.width);
    if (sweepsEvery(p)) {
        for (const Size depth : wholeNumbers(p.depths)) curves.push_back({width, depth});
        shown = curves.size() - 1;
        const double square = (meanFieldFixedPoint(setting(1)).q - p.biasVariance) / p.weightVariance;
        if (square > 0 && std::isfinite(square)) inputSquare = square;
    } else {
        Vector widths = p.widths;
        widths.push_back(p.width);
        for (const Size k : wholeNumbers(widths)) {
            if (k == width) shown = curves.size();
            curves.push_back({k, static_cast<Size>(p.depthRemaining) + 1});
        }
    }
    for (const Curve& curve : curves) deepest = std::max(deepest, curve.depth);
}

/// Finding the pieces of a sample's sweep through `layers` layers, `crossings` of each unit, bounded by the limits.
Cost sweepCost(const Params& p, double width, const Vector& crossings, Size layers) {
    const double most = std::min(kLimits.pieces, kLimits.coefficients / (3 * width));
    double operations = 0, pieces = 1;
    for (Size layer = 0; layer < layers; ++layer) {
        if (layer > 0) operations += pieces * 4 * width * width;
        // A third more than the mean, since draws scatter.
        pieces = std::min(pieces + 1.3 * width * crossings[layer], most);
        operations += pieces * (70 * width + 900);
    }
    // Two layers' images and what becomes of one of them; flips of all samples and their copies.
    return {operations, 3 * 24 * pieces * width + 200.0 * p.samples * pieces};
}

Cost cost(const Opened<Params>& opened) {
    const Setup s(opened.params);
    const Vector crossings = meanFieldCrossings(s.setting(1), s.inputSquare, s.deepest);
    double operations = 1e6, bytes = 4e6;
    for (const Curve& curve : s.curves) {
        const double width = static_cast<double>(curve.width);
        for (Size swept = 0; swept < s.sweptLayers(curve); ++swept) {
            const Cost one = sweepCost(s.p, width, crossings, curve.depth - swept);
            operations += 1.0 * s.p.draws * s.p.samples * (one.operations + 8 * width * width);
            bytes = std::max(bytes, one.bytes + 8 * width * width * static_cast<double>(2 * curve.depth + 2));
        }
    }
    return {operations, bytes + 4e6};
}

/// Draws of different widths share nothing, those of one width their first layers, whatever their depth.
std::uint64_t streamOf(Size width, Size draw) { return 2 * (std::uint64_t{draw} * 256 + width); }

/// Streams of weights that no layer of the network has: those are even.
Vector readoutOf(const Setup& s, Size width, Size draw, Size depth) {
    Rng rng(s.p.seed, Purpose::Weights, (streamOf(width, draw) << 20) + 2 * depth + 1);
    Vector readout(width);
    for (double& weight : readout) weight = drawWeight(rng, 1);
    return readout;
}

Vector applied(const CurveLayer& layer, const Vector& z) {
    Vector h = layer.bias;
    for (Size i = 0; i < layer.in; ++i)
        for (Size j = 0; j < layer.out; ++j) h[j] += layer.weights[i * layer.out + j] * z[i];
    for (double& value : h) value = layer.activation.valueOf(value);
    return h;
}

/// A network's labels at one remaining depth.
struct Strip {
    std::vector<LabelTrack> tracks{};  ///< [sample]
    DichotomyCount count{};
    double predicted = 0;  ///< flips by Crofton, all samples
};

/// Sweeps one layer of one drawn network: labels at the remaining depths from `first` on, as far as every sample's sweep came.
std::vector<Strip> sweep(const Setup& s, const Curve& curve, Size draw, Size layer, Size first, const std::function<void(double)>& tick) {
    const std::uint64_t stream = streamOf(curve.width, draw);
    const std::vector<CurveLayer> layers = randomLayers(s.setting(curve.width), curve.depth, s.p.seed, stream);
    const CurveLayer second = randomLayers(s.setting(curve.width), layer + 1, s.p.seed, stream + 1).back();
    SweptLayers after{layers[layer].activation, {layers.begin() + static_cast<std::ptrdiff_t>(layer) + 1, layers.end()}, {}};
    for (Size r = 0; r < curve.depth - layer; ++r)
        after.readouts.push_back(r < first ? Vector{} : readoutOf(s, curve.width, draw, layer + r));
    std::vector<Strip> strips(curve.depth - layer - first);
    const auto samples = static_cast<Size>(s.p.samples);
    for (Size sample = 0; sample < samples; ++sample) {
        const RandomEnds ends = randomEnds(curve.width, s.p.seed, stream * 64 + sample);
        CurvePieces start;
        if (s.p.sweep == Turning::Inputs) {
            start = throughAffine(layers[layer], arcCurve(ends.x0, ends.x1, 0, 2 * std::numbers::pi));
        } else {
            Vector z = ends.x0;
            for (Size l = 0; l < layer; ++l) z = applied(layers[l], z);
            start = weightCircle(layers[layer], second.weights, z);
        }
        const SweptLabels labels = sweepLabels(
            after, start, kLimits, [&](double share) { tick((static_cast<double>(sample) + share) / static_cast<double>(samples)); });
        strips.resize(std::min(strips.size(), std::max(labels.tracks.size(), first) - first));
        for (Size r = 0; r < strips.size(); ++r) {
            strips[r].tracks.push_back(labels.tracks[first + r]);
            strips[r].predicted += labels.meanFlips[first + r];
        }
    }
    for (Strip& strip : strips) strip.count = countDichotomies(strip.tracks);
    return strips;
}

/// A number's mean over draws.
struct Mean {
    double count = 0, sum = 0, squares = 0;
    void add(double value) { ++count, sum += value, squares += value * value; }
    double standardError() const { return count < 2 ? 0 : std::sqrt(std::max(0.0, (squares - sum * sum / count) / (count - 1)) / count); }
};
/// What a curve's draws found at one remaining depth.
struct DepthMeans {
    Mean dichotomies, flips, predicted;
    double tried = 0;  ///< draws, those included whose sweep stopped before
};
using CurveMeans = std::vector<DepthMeans>;  // [remaining depth]

/// Means; undefined where a draw stopped before: the others would be the smaller ones.
void addMeans(const Setup& s, const std::vector<CurveMeans>& means, Result& r) {
    for (const CurveMeans& curve : means)
        for (Size depth = 0; depth < s.deepest; ++depth) {
            const DepthMeans at = depth < curve.size() ? curve[depth] : DepthMeans{};
            const bool known = at.dichotomies.count > 0 && at.dichotomies.count == at.tried;
            const auto meanOf = [&](const Mean& m) { return known ? m.sum / m.count : kNone; };
            const auto add = [&](Estimates& to, const Mean& m) {
                to.values.push_back(meanOf(m));
                to.standardErrors.push_back(known ? m.standardError() : kNone);
            };
            add(r.dichotomies, at.dichotomies);
            add(r.flips, at.flips);
            r.flipsPredicted.push_back(meanOf(at.predicted));
        }
    // exp of the least-squares slope of log(dichotomies) over r >= 2.
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (Size depth = 2; depth < s.deepest; ++depth) {
        const double value = r.dichotomies.values[s.shown * s.deepest + depth];
        if (!(value > 0)) continue;
        const double x = static_cast<double>(depth), y = std::log(value);
        ++n, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    if (n >= 3) r.growth = std::exp((n * sxy - sx * sy) / (n * sxx - sx * sx));
}

/// The drawn network's labels. Where the first layer was swept once all depths follow from one draw; where every layer was swept in turn,
/// each from its own. A strip without tracks was not reached.
void addStrips(const std::vector<Strip>& strips, Result& r) {
    r.labelFlipsOffsets = r.changesOffsets = {0};
    for (const Strip& strip : strips) {
        const bool reached = !strip.tracks.empty();
        for (Size i = 0; i < r.samples.size(); ++i) {
            r.labelStart.push_back(reached ? static_cast<double>(strip.tracks[i].positive) : kNone);
            if (reached)
                for (const double t : strip.tracks[i].flips) r.labelFlips.push_back(t * kDegree);
            r.labelFlipsOffsets.push_back(static_cast<double>(r.labelFlips.size()));
        }
        const Vector &changes = strip.count.changes, &distinct = strip.count.distinct;
        for (const double t : changes) r.changes.push_back(t * kDegree);
        r.distinct.insert(r.distinct.end(), distinct.begin(), distinct.end());
        r.changesOffsets.push_back(static_cast<double>(r.changes.size()));
        for (const double angle : r.angles) {
            const auto met = std::upper_bound(changes.begin(), changes.end(), angle / kDegree) - changes.begin();
            r.running.push_back(!reached ? kNone : met ? distinct[static_cast<Size>(met) - 1] : 1);
        }
    }
    r.flipIndex = countUp(r.labelFlips.size());
    r.entries = countUp(r.labelFlipsOffsets.size());
    r.changeIndex = countUp(r.changes.size());
    r.depthEntries = countUp(r.changesOffsets.size());
}

Result run(const Opened<Params>& opened, Progress& progress) {
    const Params& p = opened.params;
    const Setup s(p);
    Result r;
    r.curves = countUp(s.curves.size());
    r.remaining = countUp(s.deepest);
    r.samples = countUp(static_cast<Size>(p.samples));
    for (int i = 0; i <= 72; ++i) r.angles.push_back(5.0 * i);
    std::vector<Size> order{s.shown};
    double parts = 0, done = 0;
    for (Size c = 0; c < s.curves.size(); ++c) {
        r.curveWidth.push_back(static_cast<double>(s.curves[c].width));
        r.curveDepth.push_back(static_cast<double>(s.curves[c].depth));
        parts += p.draws * static_cast<double>(s.sweptLayers(s.curves[c]));
        if (c != s.shown) order.push_back(c);
    }
    r.flipsMeanField = meanFieldFlips(s.setting(1), s.inputSquare, s.deepest - 1);
    for (double& flips : r.flipsMeanField) flips *= p.samples;
    r.cap = std::ldexp(1.0, p.samples);
    if (const double chi = meanFieldFixedPoint(s.setting(1)).chi; std::isfinite(chi)) r.growthMeanField = std::sqrt(chi);

    std::vector<CurveMeans> means;
    for (const Curve& curve : s.curves) means.emplace_back(curve.depth);
    std::vector<Strip> strips(s.curves[s.shown].depth);
    const auto complete = [&](Result more) {
        addMeans(s, means, more);
        addStrips(strips, more);
        return more;
    };
    for (Size draw = 0; draw < static_cast<Size>(p.draws); ++draw)
        for (const Size c : order) {
            const Curve& curve = s.curves[c];
            for (Size layer = 0; layer < s.sweptLayers(curve); ++layer) {
                const Size first = sweepsEvery(p) ? curve.depth - 1 - layer : 0;
                auto found = sweep(s, curve, draw, layer, first, [&](double share) { progress.tick((done + share) / parts); });
                ++done;
                for (Size depth = first; depth < curve.depth - layer; ++depth) ++means[c][depth].tried;
                for (Size i = 0; i < found.size(); ++i) {
                    DepthMeans& at = means[c][first + i];
                    at.dichotomies.add(found[i].count.dichotomies);
                    at.flips.add(found[i].count.flips);
                    at.predicted.add(found[i].predicted);
                    if (c == s.shown && draw == 0) strips[first + i] = std::move(found[i]);
                }
                // Nothing is shown before the strips.
                const bool stripsDone = done >= static_cast<double>(s.sweptLayers(s.curves[s.shown]));
                if (stripsDone) progress.partial([&] { return complete(r); });
            }
        }
    return complete(std::move(r));
}

std::string summary(const Params& p, const Result& r) {
    Size deepest = r.remaining.size();
    while (deepest > 0 && std::isnan(r.labelStart[(deepest - 1) * r.samples.size()])) --deepest;
    if (deepest == 0) return "No sweep came to its end within the limit on pieces.";
    const double* offsets = &r.labelFlipsOffsets[(deepest - 1) * r.samples.size()];
    const double flips = offsets[r.samples.size()] - offsets[0], changed = r.changesOffsets[deepest];
    const double dichotomies = changed > r.changesOffsets[deepest - 1] ? r.distinct[static_cast<Size>(changed) - 1] : 1;
    const std::string what = p.sweep == Turning::Inputs ? "the inputs' circles"
                             : sweepsEvery(p)           ? "the weights of one layer"
                                                        : "the first layer's weights";
    std::string text = "One turn of " + what + " at width " + inWords(p.width) + ", with " +
                       counted(static_cast<double>(deepest - 1), "layer") + " remaining, gives " + counted(p.samples, "sample") + " " +
                       inWords(dichotomies, 6) + (dichotomies == 1 ? " label vector" : " different label vectors") + " of " +
                       inWords(r.cap, 7) + ", by " + counted(flips, "flip") + ".";
    if (r.growth && r.growthMeanField)
        text += " A further layer multiplies the number by " + inWords(*r.growth) +
                " on average; in the limit of wide layers by √χ = " + inWords(*r.growthMeanField) + ".";
    if (deepest < r.remaining.size())
        text += " Deeper sweeps stopped at their limit of " + inWords(kLimits.pieces, 6) + " pieces or " +
                inWords(kLimits.coefficients, 7) + " coefficients a layer.";
    return text;
}

}  // namespace

constinit const SceneTable kScene = table::sceneTable<Params>(
    {.id = "dichotomies",
     .title = "Dichotomies",
     .claim = "Turn one layer's weights: the labellings that appear multiply with every layer after it.",
     .group = "Expressivity",
     .icon = "1870 12 24 65 77",
     .source = "P4 2.1; arXiv 1606.05336 Figs 4–5",
     .lookAt = "Every row is a sample, its colour the network's label: as the weights turn, labels flip and new label vectors are met.",
     .tryThis = "Drag the upright line of the chart to deeper networks and watch the strips break up.",
     .params = kParams,
     .fields = kFields,
     .presets = kPresets,
     .timeline = {"at", "angle", "angle", false, 0.16}});

}  // namespace dichotomies

Declaration dichotomies_declaration() { return declare(dichotomies::kScene); }
Model dichotomies_model() { return sceneModel<dichotomies::kScene, dichotomies::run, dichotomies::cost, dichotomies::summary>(); }

}  // namespace kappaflow
