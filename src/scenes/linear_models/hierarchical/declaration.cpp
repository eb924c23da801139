#include "scenes/linear_models/declaration_linear.h"

namespace kappaflow {
namespace {

bool besideRecurrent(const Values& v) { return v.is("compare", "recurrent"); }

std::vector<Param> params() {
    std::vector<Param> all = linear::treeParams(2);
    const auto append = [&all](std::vector<Param> more) {
        for (auto& p : more) all.push_back(std::move(p));
    };
    append(linear::analysisParams());
    append({choiceParam("compare", "compare with", {{"none", "nothing"}, {"recurrent", "a recurrent model"}, {"full", "full connection"}},
                        "Another model's capacity on the same task and the same axis.", "P2 Fig 1"),
            visibleWhen(besideRecurrent, wholeParam("otherChannels", "", "recurrent units", 4, 1, 32,
                                                    "Units of the recurrent model; its exact capacity is twice as large.", "P2 Fig 1"))});
    append(linear::taskParams());
    Param pull =
        inRange(param(Kind::List, "pull", "", "weights pulled", std::vector<double>{},
                      "Factors on the optimum's weights, tap by tap from the lowest layer up; 1 where none is given.", "P2 Eqs 16–17"),
                0, 2);
    pull.maxLength = 32;
    append({underMore(std::move(pull))});
    append(linear::walkParams());
    return all;
}

std::vector<Field> fields() {
    std::vector<Field> all = linear::analysisFields();
    Field sizes("weightSizes", "‖W^l_k‖", {"channels", "layer", "tap"},
                "Size of the weights of each tap: the weight itself with one channel, else the root of the sum of squares.");
    sizes.gridAxes = {"step", "layer", "tap"};
    all.push_back(std::move(sizes));
    all.push_back({"dilations", "d_l", {"layer"}, "Dilation of each layer."});
    return all;
}

std::vector<Preset> presets() {
    return {
        {"Channels growing: two of them shown (Fig 5)", {}},
        {"One channel, capacity seven (Fig 3)", {{"channels", "1"}}},
        {"Four channels: model and target (Fig 14)", {{"channels", "4"}, {"panels", "fit"}}},
        {"Capacity by frequency", {{"basis", "fourier"}}},
        {"Three architectures, one task (Fig 1)", {{"layers", "7"}, {"channels", "1"}, {"compare", "recurrent"}, {"otherChannels", "4"}}},
        {"From random weights, step by step", {{"watch", "optimisation"}, {"start", "random"}}},
        {"A weight pulled: no optimum any more", {{"channels", "1"}, {"pull", "1,1,1,1,1,1,1,1.6"}}},
        {"Three taps", {{"taps", "3"}, {"layers", "4"}}},
        {"Dilations that make no tree", {{"dilation", "list"}, {"dilations", "1,1,2,2,4,4"}, {"channels", "1"}}},
        {"Long memory", {{"process", "arfima"}, {"memory", "0.4"}}}};
}

}  // namespace

Declaration hierarchical_declaration() {
    Declaration d;
    d.id = "hierarchical";
    d.title = "Hierarchical models";
    d.claim =
        "One or two channels spend a dilated tree's capacity on the recent past; from three on both ends of the window fill before its "
        "middle.";
    d.group = "Linear models";
    d.source = "P2 Fig 1; P2 Fig 3; P2 Fig 5; P2 Fig 14; Eqs 14–20, 30–33";
    d.lookAt = "Watch the channels grow: the newest inputs fill up to capacity 1 first, the oldest ones after them, and the middle last.";
    d.tryThis = "Pull a weight on its edge: capacity is still there, but it is no optimum any more, and the loss says by how much.";
    d.params = params();
    d.fields = fields();
    d.presets = presets();
    linear::walkAlong(d);
    return d;
}

}  // namespace kappaflow
