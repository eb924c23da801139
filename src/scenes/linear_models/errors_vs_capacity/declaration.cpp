#include "scenes/linear_models/declaration_linear.h"

namespace kappaflow {
namespace {

constexpr const char* kFigure = "P2 Fig 6";

std::vector<Param> params() {
    std::vector<Param> all{
        choiceParam("targets", "targets", {{"random", "random, A* ~ N(0, I)"}, {"fixed", "one, from random starts"}},
                    "Random: every draw has a target of its own and its optimum; fixed: the process's best predictor, approached by "
                    "L-BFGS from random weights, as in the paper.",
                    kFigure),
        logarithmic(wholeParam("channels", "c", "channels", 4, 1, 16, "Channels of every hidden layer.", "P2 5.1.3, Fig 6")),
        logarithmic(wholeParam("draws", "", "draws", 30, 2, 200, "Targets, or random starts, behind the means.", kFigure)),
        underMore(wholeParam("layers", "L", "layers", 6, 2, 8, "Layers of two taps with doubling dilation; the model sees 2^L inputs.",
                             "P2 5.1"))};
    for (auto& p : linear::taskParams()) all.push_back(std::move(p));
    all.push_back(underMore(
        logarithmic(wholeParam("iterations", "", "iterations", 500, 50, 5000, "Most iterations of L-BFGS from each start.", kFigure))));
    all.push_back(seedParam("Start of the random numbers of targets and weights.", kFigure));
    auto timeline = timelineParams(200, "How many of the draws the picture counts; all of them beyond the last.", kFigure);
    timeline[0].symbol = "";
    timeline[0].label = "draws counted";
    timeline[0].standard = 200.0;
    timeline[1].standard = false;
    timeline[1].help = "Whether the draws come one after another.";
    all.insert(all.end(), timeline.begin(), timeline.end());
    return all;
}

std::vector<Field> profileFields() {
    const std::string bound = "Eq 6's share of the squared error, (1 − κ_i)/(n − κ), mean over draws",
                      error = "Squared error over its sum, mean over draws";
    const char* spread = "Its standard deviation over draws.";
    return {{"bound", "1 − κ", {"lag"}, bound + "; lag 0 is the newest input.", Role::Bound},
            {"boundStd", "", {"lag"}, spread},
            {"errorMean", "e²", {"lag"}, error + "."},
            {"errorStd", "", {"lag"}, spread},
            {"boundInBasis", "1 − κ", {"component"}, bound + ", along the eigenvectors of Σ, largest eigenvalue first.", Role::Bound},
            {"boundStdInBasis", "", {"component"}, spread},
            {"errorMeanInBasis", "e²", {"component"}, error + ", along the same eigenvectors."},
            {"errorStdInBasis", "", {"component"}, spread}};
}

std::vector<Field> drawFields() {
    return {{"boundByDraw", "1 − κ", {"draw", "lag"}, "The bound of every draw.", Role::Bound},
            {"errorByDraw", "e²", {"draw", "lag"}, "Squared error of every draw over its sum."},
            {"boundByDrawInBasis", "1 − κ", {"draw", "component"}, "The bound of every draw along eigenvectors.", Role::Bound},
            {"errorByDrawInBasis", "e²", {"draw", "component"}, "Squared error of every draw along eigenvectors."},
            {"correlationByDraws", "r", {"draw"}, "Correlation along lags of the means over this many draws."},
            {"correlationInBasisByDraws", "r", {"draw"}, "Correlation along eigenvectors of the means over this many draws."},
            {"loss", "L", {"draw"}, "Loss (A − A*)ᵀΣ(A − A*) where each draw's search ended."},
            {"optimality", "‖KᵀX‖/‖X‖", {"draw"}, "0 at an optimum, of order 1 where the search stalled."},
            {"correlation", "r", {}, "Pearson correlation of bound and mean squared error along lags; standard error by the jackknife."},
            {"correlationInBasis", "r", {}, "The same along the eigenvectors of Σ."},
            {"totalCapacity", "κ", {}, "Total capacity of the model, exact."},
            {"optimalDraws", "", {}, "Draws that ended in an optimum, ‖KᵀX‖/‖X‖ at most 10⁻⁶."}};
}

}  // namespace

Declaration errors_vs_capacity_declaration() {
    Declaration d;
    d.id = "errors-vs-capacity";
    d.title = "Errors and capacity";
    d.claim = "Where a model has no capacity left its errors can grow: over random targets they follow 1 − κ along eigenvectors.";
    d.group = "Linear models";
    d.source = "P2 Fig 6; 5.1.3, Eq 6";
    d.lookAt = "Single errors scatter, their mean follows the dotted bound along eigenvectors, and hardly along lags.";
    d.tryThis = "Play the draws one by one, then take the one target of the paper from random starts: nothing follows the bound.";
    d.params = params();
    d.fields = profileFields();
    for (auto& field : drawFields()) d.fields.push_back(std::move(field));
    d.presets = {{"Thirty random targets (Fig 6)", {}},
                 {"One target from random starts, as in the paper", {{"targets", "fixed"}}},
                 {"Two channels: far less capacity", {{"channels", "2"}}},
                 {"Short memory: less to follow", {{"alpha", "4"}}}};
    d.timeline = {"at", "draw", "draws", false, 0.35};
    return d;
}

}  // namespace kappaflow
