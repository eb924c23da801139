#include "scenes/linear_models/declaration_linear.h"

namespace kappaflow {
namespace {

bool hierarchical(const Values& v) { return v.is("model", "hierarchical"); }
bool recurrent(const Values& v) { return v.is("model", "recurrent"); }
bool random(const Values& v) { return v.is("start", "random"); }

std::vector<Param> params() {
    Param list = inRange(param(Kind::List, "channelsList", "c", "channels", std::vector<double>{1, 2, 4, 8, 16, 32},
                               "Numbers of channels that are compared, up to 256: a tree then has 525 312 weights.", "P2 Figs 4, 10"),
                         1, 256);
    list.maxLength = 16;
    std::vector<Param> all{
        choiceParam("model", "model", {{"hierarchical", "hierarchical"}, {"recurrent", "recurrent"}},
                    "A dilated tree of convolutions, or recurrent units side by side.", "P2 Figs 4, 10"),
        choiceParam(
            "start", "start", {{"random", "random weights, L-BFGS"}, {"best", "the best known way"}},
            "The paper's optimiser from random weights, laid beside the optimum, or the best found where none is sure; or that alone.",
            "P2 5.1.2"),
        visibleWhen(hierarchical, wholeParam("layers", "L", "layers", 6, 2, 7, "Layers of two taps; n = 2^L lags.", "P2 Fig 4")),
        visibleWhen(recurrent, wholeParam("length", "n", "length", 64, 8, 128, "Inputs that the recurrent units run over.", "P2 Fig 10")),
        std::move(list),
        visibleWhen(random, logarithmic(wholeParam("iterations", "", "iterations", 200, 10, 3000,
                                                   "Most iterations of L-BFGS from each random start.", "P2 5.1.2"))),
        visibleWhen(random,
                    underMore(wholeParam("restarts", "", "restarts", 1, 1, 8, "Random starts, of which the best is kept.", "P2 5.1.2"))),
        seedParam("Start of the random numbers of the weights to start from.", "P2 5.1.2")};
    for (auto& p : linear::taskParams()) all.push_back(std::move(p));
    auto timeline = timelineParams(3000, "The iteration that the search is shown at; fractions lie between two of them.", "P2 5.1.2");
    timeline[0].symbol = "";
    timeline[0].label = "iteration";
    timeline[1].help = "Whether the iterations pass by themselves.";
    Param shown = inRange(param(Kind::Number, "shown", "c", "channels looked at", 4.0,
                                "The number of channels whose values are written out; the nearest of the list.", "P2 Figs 4, 10"),
                          1, 256);
    shown.group = Group::Hidden;
    shown.affects = Affects::View;
    timeline.push_back(std::move(shown));
    all.insert(all.end(), timeline.begin(), timeline.end());
    return all;
}

std::vector<Field> fields() {
    const std::vector<std::string> channels{"channels"};
    return {
        theoryField("totalCapacity", "κ", channels,
                    "Total capacity of the architecture, exact: trees in closed form, min(n, 2c) for recurrent units."),
        {"numericalRank", "", channels, "Rank that double precision finds at the best weights found; for trees the exact one."},
        theoryField("parameters", "p", channels, "Number of weights."),
        {"loss", "L", channels, "(A − A*)ᵀΣ(A − A*) where the search asked for ended; before it ends, where it is."},
        {"lossOptimal", "L", channels,
         "The least that was found: the optimum where convergedOptimal is 1; for trees what is left where κ = n is rounding."},
        {"optimality", "‖KᵀX‖/‖X‖", channels, "Of the search asked for: 0 at an optimum, of order 1 elsewhere."},
        {"optimalityOptimal", "‖KᵀX‖/‖X‖", channels, "Of the least loss found."},
        {"convergedOptimal", "", channels,
         "1 where the least loss found is an optimum: ‖KᵀX‖/‖X‖ up to 1e-6, or a loss that is rounding; else 0, and it is the best found."},
        {"converged", "", channels,
         "1 where the search asked for ended at an optimum: ‖KᵀX‖/‖X‖ up to 1e-6, or a loss that is rounding; else 0."},
        {"iterationsTaken", "", channels, "Iterations of L-BFGS from the start that was best."},
        {"descent", "L", {"channels", "iteration"}, "Loss after so many iterations of the best start; undefined after its end."},
        {"fullyConnectedLoss", "L", {}, "What the same optimiser leaves with one weight an input (FC), where the optimum is 0."},
        {"roundingLoss", "", {}, "Losses below are rounding: 1e-28 of the variance of the best prediction.", Role::Bound},
        {"lowerBound", "v*", {}, "Error of the best linear prediction, on top of which losses count.", Role::Bound},
        {"exponent", "", {}, "Slope of log L against log c over the numbers of channels with L above rounding, of the search asked for."}};
}

std::vector<Preset> presets() {
    return {{"Trees: where the power law comes from (Fig 4)", {}},
            {"The optimum alone", {{"start", "best"}, {"channelsList", "1,2,3,4,5,6,7,8,16,32,64,128,256"}}},
            {"Recurrent units (Fig 10)", {{"model", "recurrent"}}},
            {"Recurrent units, the best found alone", {{"model", "recurrent"}, {"start", "best"}, {"channelsList", "1,2,3,4,6,8,12,16"}}},
            {"More patience", {{"iterations", "1000"}, {"channelsList", "1,2,4,8,16"}}},
            {"A smaller tree, best of four", {{"layers", "4"}, {"restarts", "4"}, {"channelsList", "1,2,3,4,8,16"}}},
            {"Long memory", {{"process", "arfima"}, {"memory", "0.4"}}}};
}

}  // namespace

Declaration capacity_sweep_declaration() {
    Declaration d;
    d.id = "capacity-sweep";
    d.title = "Capacity and channels";
    d.claim = "Loss falls like a power law of the channels only because random starts stall: the optimum drops off a cliff.";
    d.group = "Linear models";
    d.source = "P2 Fig 4; P2 Fig 10; 5.1.2, 5.2";
    d.lookAt = "Watch the search come down: from two channels on it ends far above the optimum (hollow points), until there are very many.";
    d.tryThis = "Pull the last point to the right, up to 256 channels: more weights than needed make the optimiser's work easier.";
    d.params = params();
    d.fields = fields();
    d.presets = presets();
    d.timeline = {"at", "iteration", "iteration", false, 0.2};
    return d;
}

}  // namespace kappaflow
