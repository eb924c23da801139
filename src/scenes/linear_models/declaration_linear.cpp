#include "scenes/linear_models/declaration_linear.h"

#include <cmath>

namespace kappaflow {
namespace linear {
namespace {

bool powerLaw(const Values& v) { return v.is("process", "power-law"); }
bool arfima(const Values& v) { return v.is("process", "arfima"); }
bool autoregressive(const Values& v) { return v.is("process", "ar1") || v.is("process", "ar2"); }
bool secondOrder(const Values& v) { return v.is("process", "ar2"); }

/// For which an autoregression of order 2 is stable with room to spare.
double largestSecondCoefficient(double first) { return std::floor((0.99 - std::fabs(first)) * 1e6) / 1e6; }

Beside stableBeside(const Values& v) {
    const double most = largestSecondCoefficient(v.number("phi1"));
    return {std::fmin(0.2, most), most};
}

Param number(Text key, Text symbol, Text label, double standard, double min, double max, Text help) {
    return underMore(inRange(param(Kind::Number, key, symbol, label, standard, help, kAppendixB), min, max));
}

}  // namespace

std::vector<Param> taskParams() {
    Param second = number("phi2", "φ₂", "second coefficient", 0.2, -0.95, 0.99, "How the sample before the last enters the next one.");
    second.beside = stableBeside;
    return {underMore(choiceParam("process", "process",
                                  {{"power-law", "power law"},
                                   {"arfima", "long memory (ARFIMA)"},
                                   {"exponentials", "four exponentials"},
                                   {"ar1", "autoregression, order 1"},
                                   {"ar2", "autoregression, order 2"}},
                                  "The Gaussian process whose next sample is to be predicted from its last n.", kAppendixB)),
            visibleWhen(powerLaw, number("alpha", "α", "decay", 0.5, 0.05, 4, "Exponent of the autocovariance c_τ = (1 + τ)^{−α}.")),
            visibleWhen(arfima, number("memory", "d", "memory", 0.3, 0.01, 0.49,
                                       "Order of fractional differencing of ARFIMA(0, d, 0), whose autocovariance decays as τ^{2d − 1}.")),
            visibleWhen(autoregressive,
                        number("phi1", "φ₁", "first coefficient", 0.6, -0.95, 0.95, "How the last sample enters the next one.")),
            visibleWhen(secondOrder, std::move(second))};
}

}  // namespace linear

namespace wide {

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

}  // namespace wide
}  // namespace kappaflow
