#include "scenes/linear_models/declaration_linear.h"

namespace kappaflow {
namespace {

constexpr const char* kFigure = "P2 Fig 15";

Param hidden(Param p) {
    p.group = Group::Hidden;
    p.affects = Affects::View;
    return p;
}

std::vector<Param> params() {
    Param block = inRange(param(Kind::List, "block", "d", "dilations of one block", std::vector<double>{1, 2, 4, 8},
                                "How many positions the second tap of each layer reaches back, from the input up.", kFigure),
                          1, 512);
    block.maxLength = 10;
    std::vector<Param> all{
        std::move(block), wholeParam("repeats", "R", "repeats", 3, 1, 6, "How many times every dilation occurs.", kFigure),
        wholeParam("channels", "c", "channels", 2, 1, 8, "Channels of every hidden layer.", kFigure),
        choiceParam("arrangement", "arrangement", {{"both", "both"}, {"tiled", "tiled"}, {"repeated", "repeated"}},
                    "Blocks one after another (1, 2, 4, 1, 2, 4) or layers of equal dilation together (1, 1, 2, 2, 4, 4).", kFigure)};
    for (auto& p : linear::taskParams()) all.push_back(std::move(p));
    all = wide::withStackParams(std::move(all), 6, "r", "repeats shown", "How many of the repeats are drawn.", kFigure);
    all.push_back(hidden(wholeParam("lag", "τ", "lag", 26, 0, 4095, "The input whose paths to the output are lit.", kFigure)));
    return all;
}

std::vector<Field> fields() {
    const std::vector<std::string> grown{"arrangement", "repeats"};
    return {{"capacity", "κ_τ", {"arrangement", "lag"}, "Capacity of each input, by its lag, of all repeats."},
            {"grown", "κ_τ", {"arrangement", "repeats", "lag"}, "The same of stacks with 1 … R repeats, each on weights of its own."},
            {"grownTotal", "κ", grown, "Total capacity of each, exact: rank of the Jacobian modulo 2³¹ − 1."},
            {"numericalRank", "", grown, "What the capacities sum to: rank at the weights found."},
            {"bound", "", grown,
             "Bound on the total: free parameters once equal layers in a row are taken as one layer with more taps, and changes of basis "
             "between layers are left out.",
             Role::Bound},
            {"grownMeanLag", "τ̄", grown, "Mean lag of the capacity."},
            {"grownOptimality", "", grown, "‖KᵀX‖/‖X‖ at the weights found: 0 at an optimum."},
            {"grownLoss", "L", grown, "Loss at the weights found, without v*."},
            {"inputs", "n", {"repeats"}, "Inputs that each stack reaches."},
            {"parameters", "p", {"repeats"}, "Weights of each stack, alike in both arrangements."},
            {"dilations", "d", {"arrangement", "layer"}, "Dilation of every layer of all repeats."},
            theoryField("paths", "", {"repeats", "lag"}, "Number of paths from each input to the output, alike in both arrangements."),
            {"totalTiled", "κ", {}, "Total capacity of the tiled stack, exact."},
            {"totalRepeated", "κ", {}, "Total capacity of the repeated stack, exact."},
            {"meanLagTiled", "τ̄", {}, "Mean lag of the tiled stack's capacity."},
            {"meanLagRepeated", "τ̄", {}, "Mean lag of the repeated stack's capacity."},
            {"optimalityTiled", "", {}, "‖KᵀX‖/‖X‖ of the tiled stack at the weights found."},
            {"optimalityRepeated", "", {}, "‖KᵀX‖/‖X‖ of the repeated stack at the weights found."},
            {"lossTiled", "L", {}, "Loss of the tiled stack at the weights found."},
            {"lossRepeated", "L", {}, "Loss of the repeated stack at the weights found."},
            {"lowerBound", "v*", {}, "Error of the best linear prediction, which no stack falls below."}};
}

}  // namespace

Declaration wavenet_declaration() {
    Declaration d;
    d.id = "wavenet";
    d.title = "Tiled or repeated dilations";
    d.claim = "The same dilations in another order, with as many weights and paths, hold less capacity and lay it elsewhere.";
    d.group = "Linear models";
    d.source = "P2 Fig 15; App. C";
    d.lookAt = "Both trees reach the same inputs along as many paths, yet the repeated one holds less capacity.";
    d.tryThis = "Drag the lag to light the paths of one input, then set six dilations a block.";
    d.params = params();
    d.fields = fields();
    d.presets = {{"Blocks 1, 2, 4, 8 three times", {}},
                 {"Six dilations a block", {{"block", "1,2,4,8,16,32"}}},
                 {"One channel: layers commute, totals agree", {{"channels", "1"}, {"restarts", "8"}}},
                 {"Three channels: the tiled stack is full", {{"channels", "3"}, {"block", "1,2,4,8,16"}, {"repeats", "2"}}},
                 {"Random weights", {{"block", "1,2,4,8,16,32"}, {"steps", "none"}}}};
    d.timeline = {"at", "repeats", "repeats", false, 1.6};
    return d;
}

}  // namespace kappaflow
