#include "scene/declare.h"

namespace kappaflow {
namespace {

constexpr const char* kFigure4 = "arXiv 1606.05336 Fig 4; P4 2.1";
constexpr const char* kFigure5 = "arXiv 1606.05336 Fig 5; P4 2.1";

bool sweepsWeights(const Values& v) { return v.is("sweep", "weights"); }
bool sweepsEvery(const Values& v) { return sweepsWeights(v) && v.is("swept", "every"); }
bool sweepsOne(const Values& v) { return !sweepsEvery(v); }
bool leaky(const Values& v) { return v.is("activation", "leaky-relu"); }

Param wholeList(Text key, Text symbol, Text label, std::vector<double> standard, double max, Text help, Text serves) {
    Param p = inRange(param(Kind::List, key, symbol, label, std::move(standard), help, serves), 1, max);
    p.maxLength = 6;
    return p;
}

std::vector<Param> mainParams() {
    return {
        wholeParam("samples", "s", "samples", 15, 1, 20, "Random inputs N(0, I) whose labels are watched; there are 2^s label vectors.",
                   kFigure4),
        choiceParam("sweep", "what turns", {{"weights", "weights of a layer"}, {"circle", "the inputs"}},
                    "One layer's weights W cos t + W' sin t, or in their place every input on a circle of its own, which is "
                    "statistically much the same.",
                    "P4 2.1"),
        visibleWhen(sweepsWeights, choiceParam("swept", "layer swept", {{"first", "the first"}, {"every", "each in turn"}},
                                               "The first layer of networks of growing depth, or one layer after another of networks of "
                                               "fixed depths: only the layers that remain count.",
                                               kFigure5)),
        visibleWhen(sweepsOne, wholeParam("depthRemaining", "r", "remaining depth", 6, 0, 8,
                                          "Most hidden layers between the swept one and the readout.", kFigure4)),
        visibleWhen(sweepsEvery, wholeList("depths", "n", "depths", {3, 5, 7}, 9, "Hidden layers of the networks compared.", kFigure5)),
        logarithmic(wholeParam("width", "k", "width", 16, 1, 128, "Units of every layer of the network whose labels are drawn.", kFigure4)),
        logarithmic(inRange(param(Kind::Number, "weightVariance", "σ_w²", "weight variance", 8.0,
                                  "Weights are N(0, σ_w²/k); hard-tanh networks become more expressive with depth above 1.", kFigure4),
                            0.25, 64))};
}

std::vector<Param> moreParams() {
    return {
        visibleWhen(sweepsOne, wholeList("widths", "k", "widths compared", {4, 8, 16}, 128,
                                         "Widths in the chart, beside that of the strips.", kFigure4)),
        choiceParam("activation", "activation",
                    {{"hard-tanh", "hard-tanh"}, {"relu", "ReLU"}, {"leaky-relu", "leaky ReLU"}, {"abs", "|h|"}},
                    "Piecewise linear, so that flips are found exactly; the paper takes hard-tanh.", kFigure4),
        visibleWhen(leaky, inRange(param(Kind::Number, "slope", "", "slope", 0.2, "Slope of the leaky ReLU below 0.", "P4 2.1"), -1, 1)),
        inRange(param(Kind::Number, "biasVariance", "σ_b²", "bias variance", 0.0, "Biases are N(0, σ_b²); they do not turn.", "P4 2.1"), 0,
                4),
        logarithmic(wholeParam("draws", "", "draws", 3, 1, 12, "Networks behind every mean.", kFigure4)),
        seedParam("Start of the random numbers of weights and inputs.", kFigure4)};
}

std::vector<Param> params() {
    auto all = mainParams();
    for (auto& p : moreParams()) all.push_back(underMore(std::move(p)));
    auto timeline = timelineParams(360, "Angle t of the great circle, in degrees.", kFigure4);
    timeline[0].symbol = "t";
    timeline[0].label = "angle";
    timeline[1].help = "Whether the weights turn by themselves.";
    all.insert(all.end(), timeline.begin(), timeline.end());
    Param shown = wholeParam("shown", "r", "depth shown", 4, 0, 8, "Remaining depth whose labels are drawn.", kFigure4);
    shown.group = Group::Hidden;
    shown.affects = Affects::View;
    all.push_back(std::move(shown));
    return all;
}

std::vector<Field> meanFields() {
    const std::vector<std::string> byDepth{"curve", "remainingDepth"};
    return {{"curveWidth", "k", {"curve"}, "Width of each curve."},
            {"curveDepth", "n", {"curve"}, "Hidden layers of each curve's networks; where the first layer is swept, those of the deepest."},
            {"dichotomies", "", byDepth, "Distinct label vectors in one turn, counted exactly; mean over draws."},
            {"flips", "", byDepth, "Changes of a sample's label in one turn, of all samples; mean over draws."},
            theoryField("flipsPredicted", "", byDepth,
                        "Crofton: angular length of every sample's curve before the readout, over π; mean over draws."),
            theoryField("flipsMeanField", "", {"remainingDepth"}, "Infinitely wide networks: 2√(s/q) flips a sample, s ← χ s."),
            {"cap", "2^s", {}, "Label vectors that there are.", Role::Bound},
            {"growth",
             "",
             {},
             "Factor by which a further remaining layer multiplies the dichotomies of the drawn network's width, from r = 2."},
            {"growthMeanField",
             "√χ",
             {},
             "Growth of every length in a layer of an infinitely wide network, far from its input.",
             Role::Theory}};
}

std::vector<Field> stripFields() {
    return {{"labelStart", "", {"remainingDepth", "sample"}, "Drawn network: label (0 or 1) of every sample at t = 0."},
            {"labelFlips", "t", {"flip"}, "Drawn network: angles in degrees at which a sample's label changes, sample after sample."},
            {"labelFlipsOffsets", "", {"entry"}, "Where the flips of remaining depth r and sample i begin: entry r·s + i."},
            {"changes", "t", {"change"}, "Drawn network: angles at which the label vector changes."},
            {"distinct", "", {"change"}, "Distinct label vectors met up to and including each change."},
            {"changesOffsets", "", {"depthEntry"}, "Where the changes of remaining depth r begin."},
            {"running", "", {"remainingDepth", "angle"}, "Drawn network: distinct label vectors met up to an angle."}};
}

std::vector<Preset> presets() {
    return {{"Dichotomies grow with the remaining depth (Fig 4)", {}},
            {"Only the remaining depth counts (Fig 5)", {{"swept", "every"}, {"shown", "3"}}},
            {"Few samples meet all 2^s label vectors", {{"samples", "5"}, {"shown", "5"}}},
            {"A wider network, one draw", {{"width", "32"}, {"widths", "32"}, {"depthRemaining", "5"}, {"draws", "1"}}},
            {"The inputs turn instead", {{"sweep", "circle"}}},
            {"Small weights: no growth", {{"weightVariance", "1"}, {"depthRemaining", "8"}}},
            {"ReLU after He: no growth", {{"activation", "relu"}, {"weightVariance", "2"}, {"depthRemaining", "8"}}}};
}

}  // namespace

Declaration dichotomies_declaration() {
    Declaration d;
    d.id = "dichotomies";
    d.title = "Dichotomies";
    d.claim = "Turn one layer's weights: the labellings that appear multiply with every layer after it.";
    d.group = "Expressivity";
    d.source = "P4 2.1; arXiv 1606.05336 Figs 4–5";
    d.lookAt = "Every row is a sample, its colour the network's label: as the weights turn, labels flip and new label vectors are met.";
    d.tryThis = "Drag the upright line of the chart to deeper networks and watch the strips break up.";
    d.params = params();
    d.fields = meanFields();
    for (auto& field : stripFields()) d.fields.push_back(std::move(field));
    d.presets = presets();
    d.timeline = {"at", "angle", "angle", false, 0.16};
    return d;
}

}  // namespace kappaflow
