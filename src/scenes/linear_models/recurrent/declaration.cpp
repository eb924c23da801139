#include "scenes/linear_models/declaration_linear.h"

namespace kappaflow {
namespace {

bool besideTree(const Values& v) { return v.is("compare", "hierarchical"); }

std::vector<Param> params() {
    std::vector<Param> all{
        logarithmic(
            wholeParam("channels", "c", "hidden units", 2, 1, 256, "Hidden units, each linked to itself alone.", "P2 Fig 9; Eq 21")),
        logarithmic(wholeParam("length", "n", "length", 64, 4, 512, "How many past inputs the model reads.", "P2 Fig 11; Eq 21"))};
    const auto append = [&all](std::vector<Param> more) {
        for (auto& p : more) all.push_back(std::move(p));
    };
    append(linear::analysisParams());
    append({choiceParam("compare", "compare with",
                        {{"none", "nothing"}, {"hierarchical", "a hierarchical model"}, {"full", "full connection"}},
                        "Another model's capacity on the same task and the same axis.", "P2 Fig 1"),
            visibleWhen(besideTree, wholeParam("otherChannels", "", "its channels", 1, 1, 16,
                                               "Channels of a dilated stack of two taps that reaches as far back.", "P2 Fig 1"))});
    append(linear::taskParams());
    Param pull = inRange(param(Kind::List, "pull", "", "memories pulled", std::vector<double>{},
                               "Factors on the recurrent weights of the optimum, unit by unit; 1 where none is given.", "P2 Eqs 16–17"),
                         0, 2);
    pull.maxLength = 16;
    append({underMore(std::move(pull))});
    append(linear::walkParams());
    return all;
}

std::vector<Field> fields() {
    std::vector<Field> all = linear::analysisFields();
    for (const char* name : {"inWeights", "recWeights", "outWeights"}) {
        const bool in = name[0] == 'i', recurrent = name[0] == 'r';
        Field field(name,
                    in          ? "in_j"
                    : recurrent ? "rec_j"
                                : "out_j",
                    {"channels", "unit"},
                    in          ? "Weight from the input to each unit, longest memory first."
                    : recurrent ? "Weight of each unit to itself: what it keeps of its state at every step."
                                : "Weight from each unit to the output.");
        field.gridAxes = {"step", "unit"};
        all.push_back(std::move(field));
    }
    return all;
}

}  // namespace

Declaration recurrent_declaration() {
    Declaration d;
    d.id = "recurrent";
    d.title = "Recurrent models";
    d.claim =
        "Each linear hidden unit is worth two constraints; of few units they thin out towards the past, from three on the oldest inputs "
        "gain too.";
    d.group = "Linear models";
    d.source = "P2 Fig 9; P2 Fig 11; Eq 21";
    d.lookAt = "Each lane is what one unit still remembers of every input; two constraints a unit make up the bars below.";
    d.tryThis = "Pull the knob of a lane: a longer or shorter memory keeps the capacity at two a unit, but is no optimum any more.";
    d.params = params();
    d.fields = fields();
    d.presets = {{"Hidden units growing: two of them shown (Fig 11)", {}},
                 {"One unit: two constraints", {{"channels", "1"}}},
                 {"Four units: model and target", {{"channels", "4"}, {"panels", "fit"}}},
                 {"Eight units", {{"channels", "8"}}},
                 {"Sixteen: more than floating point can tell apart", {{"channels", "16"}, {"start", "random"}, {"restarts", "1"}}},
                 {"Beside a tree of nearly equal capacity (Fig 1)", {{"channels", "4"}, {"compare", "hierarchical"}}},
                 {"Capacity by frequency", {{"channels", "4"}, {"basis", "fourier"}}},
                 {"From random weights, step by step", {{"watch", "optimisation"}, {"start", "random"}}},
                 {"A memory pulled: no optimum any more", {{"pull", "1,0.8"}}}};
    linear::walkAlong(d);
    return d;
}

}  // namespace kappaflow
