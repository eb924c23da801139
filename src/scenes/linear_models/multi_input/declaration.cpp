#include "scene/declare.h"
#include "scenes/linear_models/declaration_linear.h"

namespace kappaflow {
namespace {

constexpr const char *kFigures = "P2 Figs 12–13", *kSection = "P2 6.1";

std::vector<Param> params() {
    std::vector<Param> all{
        wholeParam("components", "d", "components", 4, 1, 16, "Independent processes that enter together, each with a memory of its own.",
                   kFigures),
        logarithmic(
            wholeParam("channels", "c", "channels", 4, 1, 16, "Channels of the largest of the stacks that are compared.", kFigures)),
        wholeParam("layers", "L", "layers", 6, 2, 7, "Layers of two taps, dilations 1, 2, 4, …, which see 2^L positions.", kFigures),
        underMore(inRange(param(Kind::Number, "alphaLow", "α₁", "decay of the first component", 0.3,
                                "Autocovariances are (1 + τ)^{−α} with α in even steps from the first component to the last.", kSection),
                          0.05, 4)),
        underMore(inRange(param(Kind::Number, "alphaHigh", "α_d", "decay of the last component", 0.7,
                                "Autocovariances are (1 + τ)^{−α} with α in even steps from the first component to the last.", kSection),
                          0.05, 4))};
    return wide::withStackParams(std::move(all), 16, "c", "channels", "How many channels the stack drawn has.", kFigures);
}

std::vector<Field> fields() {
    return {{"capacity", "κ", {"component", "lag"}, "Capacity of every input of the largest stack, by component and lag."},
            {"capacityByChannels", "κ_τ/d", {"channels", "lag"}, "Capacity of each position over its largest value d, for every stack."},
            {"componentsByChannels", "κ", {"channels", "component", "lag"}, "Capacity of every input of every stack."},
            {"totals", "κ", {"channels"}, "Total capacity of every stack, exact."},
            {"parameters", "p", {"channels"}, "Weights of every stack."},
            {"numericalRank", "", {"channels"}, "What the capacities sum to."},
            {"meanLag", "τ̄", {"channels"}, "Mean lag of the capacity."},
            {"optimality", "", {"channels"}, "‖KᵀX‖/‖X‖ at the weights found: 0 at an optimum."},
            {"loss", "L", {"channels"}, "Loss at the weights found, without v*."},
            {"scaled", "κ_τ/d", {"components", "lag"}, "The same ratio c²/d with other numbers of components."},
            {"scaledChannels", "c", {"components"}, "Channels of each."},
            {"scaledTotals", "κ", {"components"}, "Total capacity of each, exact."},
            {"exponents", "α", {"component"}, "Decay of every component's autocovariance."},
            {"total", "κ", {}, "Total capacity of the largest stack, exact."},
            {"dimension", "nd", {}, "Inputs, which no total exceeds."},
            {"lowerBound", "v*", {}, "Error of the best linear prediction, over the variance of what is predicted."}};
}

}  // namespace

Declaration multi_input_declaration() {
    Declaration d;
    d.id = "multi-input";
    d.title = "Many inputs at every position";
    d.claim =
        "With d inputs a position each can take d units of capacity: the newest positions fill first, from three channels on the oldest "
        "next.";
    d.group = "Linear models";
    d.source = "P2 Figs 12–13; 6.1";
    d.lookAt = "As channels are added, capacity fills the newest positions first, up to one unit for each component, then the oldest.";
    d.tryThis = "Drag the channels along the totals, then take sixteen components: the ceiling moves out of reach.";
    d.params = params();
    d.fields = fields();
    d.presets = {{"Four components", {}},
                 {"One input a position (Fig 12, left)", {{"components", "1"}, {"channels", "8"}}},
                 {"Sixteen components (Fig 12, right; Fig 13, centre)", {{"components", "16"}, {"channels", "8"}}},
                 {"Fewer channels than components (Fig 13, left)", {{"channels", "2"}}},
                 {"Many channels (Fig 13, right)", {{"channels", "8"}}},
                 {"A long and a short memory", {{"components", "2"}, {"alphaLow", "0.1"}, {"alphaHigh", "2"}}}};
    d.timeline = {"at", "channels", "channels", false, 1.4};
    return d;
}

}  // namespace kappaflow
