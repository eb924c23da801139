#include "scenes/linear_models/declaration_linear.h"

namespace kappaflow {
namespace {

bool freezing(const Values& v) { return !v.list("freeze").empty(); }

std::vector<Param> params() {
    std::vector<Param> all = linear::treeParams(4);
    all.front().max = 16;
    const auto append = [&all](std::vector<Param> more) {
        for (auto& p : more) all.push_back(std::move(p));
    };
    Param freeze = inRange(param(Kind::List, "freeze", "", "frozen layers", std::vector<double>{},
                                 "Numbers of the layers whose weights are drawn at random and left as they are while the others learn.",
                                 "P2 App. D, Conjectures 1–2"),
                           1, 8);
    freeze.maxLength = 8;
    append({choiceParam("order", "chain", {{"forward", "from the lowest layer up"}, {"backward", "from the highest layer down"}},
                        "In which order layers are added to the chain that the report gives first; the picture shows both.",
                        "P2 Fig 7; Property 6"),
            std::move(freeze),
            visibleWhen(freezing, underMore(wholeParam("draws", "", "random freezes", 2, 1, 8,
                                                       "How often the frozen layers are drawn anew, each time with an optimum of its own.",
                                                       "P2 App. D, Conjectures 1–2"))),
            seedParam("Start of the random numbers of frozen and of starting weights.", "P2 App. D")});
    append(linear::taskParams());
    append(timelineParams(8, "How many layers have been added to the chain.", "P2 Fig 7"));
    Param& at = all[all.size() - 2];
    at.standard = 8.0;
    at.label = "layers added";
    return all;
}

std::vector<Field> fields() {
    const std::vector<std::string> layer{"layer"}, profile{"layer", "lag"};
    return {
        {"chain", "κ_l(τ)", profile,
         "What each layer adds to the layers before it in the chosen order, by lag: a row a layer, from the input up."},
        {"chainTotal", "", layer, "The same over all lags: dimensions added."},
        {"chainReverse", "κ_l(τ)", profile, "What each layer adds in the opposite order."},
        {"chainReverseTotal", "", layer, "The same over all lags."},
        theoryField("chainTotalExact", "", layer, "Dimensions added in the chosen order for weights in general position, modulo 2³¹ − 1."),
        {"alone", "κ_l(τ)", profile, "Capacity of each layer alone, the others constant."},
        {"aloneTotal", "", layer, "The same over all lags."},
        {"marginal", "κ_l(τ)", profile, "Capacity of each layer given all the others."},
        {"marginalTotal", "", layer, "The same over all lags."},
        theoryField("marginalTotalExact", "", layer, "The same for weights in general position, modulo 2³¹ − 1."),
        {"redundant", "", layer, "1 where the layer's marginal capacity is 0, else 0."},
        {"capacity", "κ_τ", {"lag"}, "Capacity of every lag, all layers together."},
        {"frozenLossByDraw", "L", {"draw"}, "Loss at the optimum of the free layers, for each drawing of the frozen ones."},
        {"totalCapacity", "κ", {}, "Total capacity of all layers, exact."},
        {"numericalRank", "", {}, "What the chain sums to."},
        {"loss", "L", {}, "Loss at the optimum of all layers."},
        {"optimality", "‖KᵀX‖/‖X‖", {}, "0 at an optimum (P2 Eq 17)."},
        {"smallestSine", "", {}, "Smallest sine of an angle to the layers before that counted as a dimension; the threshold is 10⁻⁵."},
        {"largestDropped", "", {}, "Largest one that did not."},
        {"freeCapacity", "", {}, "Exact capacity of the layers that are not frozen."},
        {"frozenMarginal", "", {}, "What the frozen layers together would add to it: 0 when they are jointly redundant."},
        {"frozenLoss", "L", {}, "Loss at the optimum of the free layers, the best of the drawings."},
        {"freeLoss", "L", {}, "Loss at the optimum of all layers, to compare it with."}};
}

}  // namespace

Declaration layer_contributions_declaration() {
    Declaration d;
    d.id = "layer-contributions";
    d.title = "What each layer contributes";
    d.claim = "What each layer adds to the others sums to the whole capacity; some add nothing at all, and can be frozen at random.";
    d.group = "Linear models";
    d.source = "P2 Fig 7; P2 Fig 8; Property 6; App. D";
    d.lookAt =
        "Layer after layer is added to both chains: the sum is the same, 48, and in either order the last two find nothing left to add.";
    d.tryThis = "Freeze layers 1, 2, 5 and 6 by their squares: drawn at random they cost nothing; layers 3 and 4 do.";
    d.params = params();
    d.fields = fields();
    d.presets = {{"Four channels: two chains (Fig 7)", {}},
                 {"One channel: every layer counts", {{"channels", "1"}}},
                 {"Two channels: the ends are redundant", {{"channels", "2"}}},
                 {"Four layers of six frozen at random (Conjecture 2)", {{"freeze", "1,2,5,6"}}},
                 {"Two channels, both ends frozen", {{"channels", "2"}, {"freeze", "1,6"}}},
                 {"Two channels, the wrong pair frozen", {{"channels", "2"}, {"freeze", "1,2"}}},
                 {"Redundant one by one, not together", {{"channels", "8"}, {"layers", "6"}}}};
    d.timeline = {"at", "layer", "layers", false, 0.9};
    return d;
}

}  // namespace kappaflow
