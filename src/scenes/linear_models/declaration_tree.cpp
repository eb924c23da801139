#include "scenes/linear_models/declaration_tree.h"

namespace kappaflow::linear {
namespace {

bool doubling(const Values& v) { return v.is("dilation", "doubling"); }
bool listed(const Values& v) { return v.is("dilation", "list"); }
}  // namespace

std::vector<Param> treeParams(double channels) {
    Param dilations = inRange(param(Kind::List, "dilations", "d_l", "dilations", std::vector<double>{1, 2, 4, 8, 16, 32},
                                    "Dilation of each layer, the lowest first; they need not make a tree.", "P2 Eq 19; App. C"),
                              1, 64);
    dilations.maxLength = 8;
    return {logarithmic(wholeParam("channels", "c", "channels", channels, 1, 256, "Channels of every hidden layer.", "P2 Fig 5; Eq 19")),
            visibleWhen(doubling, wholeParam("layers", "L", "layers", 6, 1, 8,
                                             "Layers of convolutions without activations; n grows with their taps to the power L.",
                                             "P2 Fig 3; Eq 19")),
            underMore(wholeParam("taps", "n_l", "taps", 2, 2, 4, "Inputs that one unit of a layer reads.", "P2 Fig 3; Eq 19")),
            underMore(choiceParam("dilation", "dilation", {{"doubling", "a tree"}, {"list", "a list"}},
                                  "A tree: each dilation is the product of the taps below, 1, 2, 4, …; or a list of your own.",
                                  "P2 Fig 3; Eq 20")),
            visibleWhen(listed, underMore(std::move(dilations)))};
}

}  // namespace kappaflow::linear
