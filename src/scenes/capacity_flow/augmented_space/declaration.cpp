#include "scenes/capacity_flow/declaration_activations.h"

namespace kappaflow {
namespace {

std::vector<Param> params() {
    Param at =
        inRange(param(Kind::Number, "at", "", "step", 2.0,
                      "How far the layer is redrawn: 0 as it is, 1 inputs repeated, 2 copies carrying their η, 3 capacities gathered.",
                      "P1 Figs 1–2"),
                0, 3);
    Param play = param(Kind::Boolean, "play", "", "play", true, "Whether the layer redraws itself.", "P1 Figs 1–2");
    for (Param* p : {&at, &play}) p->group = Group::Hidden, p->affects = Affects::View;
    Param free =
        countParam("free", "", "learned directions", 2, 8, "Dimension of the space in which the last map A is learned: of U.", "P1 Eq 9");
    free.beside = [](const Values& v) { return Beside{std::min(2.0, v.number("features")), v.number("features")}; };
    Param sample = param(Kind::List, "sample", "Y", "one input", std::vector<double>{},
                         "The input whose η are written on the copies; left empty it is drawn, of mean square 1, as are the numbers that a "
                         "short list lacks.",
                         "P1 Eq 6");
    sample.maxLength = 8;
    Param weights = param(Kind::List, "weights", "P", "weights", std::vector<double>{},
                          "The columns of P one after the other, n·m numbers in all; left empty they are drawn.", "P1 Eqs 2, 6");
    weights.maxLength = 64;
    return {
        activationParam("identity", "The layer's non-linearity f, of which η is the quotient f(z)/z.", "P1 Fig 2; Eqs 4, 10–12"),
        slopeParam(),
        countParam("inputs", "n", "inputs", 3, 8, "Number of inputs of the layer.", "P1 Eq 6"),
        countParam("features", "m", "features", 4, 8, "Number of units of the layer: so often are the inputs repeated.", "P1 Fig 1; Eq 6"),
        covarianceParam("identity"),
        param(Kind::Boolean, "normalised", "", "unit columns of P", true,
              "Whether the columns of P have norm 1; if not, their norms are moved into the learned directions first.", "P1 Eq 24"),
        free,
        underMore(choiceParam("form", "covariance of copies", {{"exact", "exact where known"}, {"eq14", "Eq 14"}},
                              "For two slopes the exact blocks or those of Eq 14; other activations have Eq 14 only, with ν = corr(z, f)².",
                              "P1 Eq 14")),
        underMore(inRange(sample, -3, 3)),
        underMore(inRange(weights, -3, 3)),
        seedParam("Start of the random numbers behind P, U, Σ and the input.", "P1 Eq 6"),
        at,
        play};
}

std::vector<Field> fields() {
    const std::vector<std::string> perInput{"input"}, perFeature{"feature"}, both{"feature", "input"};
    return {
        {"sigmaTilde", "Σ̃", {"row", "col"}, "Covariance of the augmented inputs; row j·n + i is copy j of input i."},
        {"capacity", "κ", perInput,
         "Capacity by the augmented route: squared row norms of orth(Σ̃ P̃ U), summed over the copies (P1 Eqs 9, 17)."},
        theoryField("capacityDirect", "κ", perInput, "Capacity of the linear layer by the direct route: squared row norms of orth(Σ P U)."),
        {"copies", "κ̃", both, "Capacity of every copy."},
        {"featureCapacity", "κ^φ", perFeature, "Capacity of every unit's output in the feature space."},
        {"weights", "P", both, "Columns of P as the layer has them, one row a unit: of norm 1 where they are normalised."},
        {"norms", "|p|", perFeature, "Their norms: 1 where they are normalised."},
        {"sample", "Y", perInput, "The input written on the picture."},
        {"eta", "η", perFeature, "η of each unit at that input; undefined where z is 0 and f is not."},
        {"output", "f(z)", perFeature, "Output of each unit at that input."},
        {"width",
         "",
         {"stage"},
         "How many inputs the linear map above sees at each step of the redrawing: n, then n·m copies, then n sums."},
        {"difference", "", {}, "Largest difference between the two routes' capacities; for a linear layer rounding alone."},
        {"repetition", "", {}, "Linear layers: largest entry of K̃K̃ᵀ minus that of K repeated over √m (P1 Eq 16); rounding alone."},
        {"outputDifference", "", {}, "Largest difference between f(Pᵀ Y) and P̃ᵀ Ỹ at the input shown (P1 Eq 5); rounding alone."},
        {"total", "κ", {}, "Total capacity by the augmented route, a rank."},
        {"totalDirect", "κ", {}, "Total capacity of the linear layer, a rank."},
        {"nu", "ν", {}, "Decoupling coefficient of the blocks; of the exact ones: of their average."}};
}

}  // namespace

Declaration augmented_space_declaration() {
    Declaration d;
    d.id = "augmented-space";
    d.title = "A layer as a linear one, in more inputs";
    d.claim = "Repeat the inputs once for every unit, give each copy its η, and a non-linear layer is linear.";
    d.group = "Capacity flow";
    d.source = "P1 Figs 1–2; Eqs 4–9, 16–18";
    d.lookAt = "Watch the edges: none is added or lost when the inputs are repeated, and for a linear layer no capacity changes either.";
    d.tryThis =
        "Choose ReLU and drag an input through 0: copies switch off and on, and the blocks off the diagonal tell how often that happens.";
    d.params = params();
    d.fields = fields();
    d.presets = {{"Linear: nothing decouples", {}},
                 {"Columns of any norm", {{"normalised", "false"}, {"covariance", "random"}}},
                 {"ReLU: copies switch off", {{"activation", "relu"}}},
                 {"Pseudo-random: independent blocks", {{"activation", "pseudo-random"}}},
                 {"Correlated inputs, leaky ReLU", {{"activation", "leaky-relu"}, {"covariance", "ar1"}}},
                 {"More units than inputs: a linear layer loses some", {{"activation", "relu"}, {"free", "4"}}}};
    d.timeline = {"at", "stage", "step", false, 1.6};
    d.bits = {"difference", "repetition", "outputDifference"};
    return d;
}

}  // namespace kappaflow
