#include "scenes/linear_models/declaration_wide.h"

namespace kappaflow::wide {

std::vector<Param> withStackParams(std::vector<Param> own, double most, Text symbol, Text label, Text help, Text serves) {
    own.push_back(underMore(logarithmic(named(wholeParam("steps", "", "steps of the optimiser", 300, 1, 5000,
                                                         "After how many steps at the most each model's weights are taken; none leaves "
                                                         "them random.",
                                                         "P2 4.1"),
                                              "none", 0))));
    own.push_back(underMore(wholeParam("restarts", "", "random starts", 1, 1, 8,
                                       "Each model is optimised from so many random weights, and the best is kept.", "P2 4.1")));
    own.push_back(seedParam("Start of the random numbers of the weights that the optimiser begins with.", "P2 4.1"));
    Param at = inRange(param(Kind::Number, "at", symbol, label, most, help, serves), 1, most);
    Param play = param(Kind::Boolean, "play", "", "play", true, "Whether the picture moves by itself.", serves);
    for (Param* p : {&at, &play}) {
        p->group = Group::Hidden;
        p->affects = Affects::View;
        own.push_back(std::move(*p));
    }
    return own;
}

}  // namespace kappaflow::wide
