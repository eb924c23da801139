#pragma once
#include <cmath>

#include "scene/table.h"

namespace kappaflow::stacks {

using table::operator|;

// Rows of params that several scenes have, for whichever struct Params has members of these names.

/// The Gaussian process whose next sample is predicted (P2 App. B).
enum class Process { PowerLaw, Arfima, Exponentials, Ar1, Ar2 };

template <class Params>
bool isPowerLaw(const Params& p) {
    return p.process == Process::PowerLaw;
}
template <class Params>
bool isArfima(const Params& p) {
    return p.process == Process::Arfima;
}
template <class Params>
bool isAutoregressive(const Params& p) {
    return p.process == Process::Ar1 || p.process == Process::Ar2;
}
template <class Params>
bool isSecondOrder(const Params& p) {
    return p.process == Process::Ar2;
}
/// The second coefficient for which an autoregression of order 2 is stable with room to spare.
template <class Params>
Beside stableSecond(const Params& p) {
    const double most = std::floor((0.99 - std::fabs(p.phi1)) * 1e6) / 1e6;
    return {std::fmin(0.2, most), most};
}

inline constexpr OptionRow kProcesses[] = {{"power-law", "power law"},
                                           {"arfima", "long memory (ARFIMA)"},
                                           {"exponentials", "four exponentials"},
                                           {"ar1", "autoregression, order 1"},
                                           {"ar2", "autoregression, order 2"}};
inline constexpr OptionRow kNoSteps[] = {{"none", "none", 0}};
inline constexpr const char* kAppendixB = "P2 App. B, Eqs 30–33";

template <class Params>
constexpr ParamRow kProcess = table::choice<&Params::process>("process", "process", kProcesses,
                                                              "The Gaussian process whose next sample is to be predicted from its last n.",
                                                              kAppendixB) |
                              table::more;
template <class Params>
constexpr ParamRow kAlpha = table::number<&Params::alpha>("alpha", "α", "decay", {0.05, 4},
                                                          "Exponent of the autocovariance c_τ = (1 + τ)^{−α}.", kAppendixB) |
                            table::more | table::when<isPowerLaw<Params>>;
template <class Params>
constexpr ParamRow kMemory =
    table::number<&Params::memory>("memory", "d", "memory", {0.01, 0.49},
                                   "Order of fractional differencing of ARFIMA(0, d, 0), whose autocovariance decays as τ^{2d − 1}.",
                                   kAppendixB) |
    table::more | table::when<isArfima<Params>>;
template <class Params>
constexpr ParamRow kPhi1 = table::number<&Params::phi1>("phi1", "φ₁", "first coefficient", {-0.95, 0.95},
                                                        "How the last sample enters the next one.", kAppendixB) |
                           table::more | table::when<isAutoregressive<Params>>;
template <class Params>
constexpr ParamRow kPhi2 = table::number<&Params::phi2>("phi2", "φ₂", "second coefficient", {-0.95, 0.99},
                                                        "How the sample before the last enters the next one.", kAppendixB) |
                           table::more | table::when<isSecondOrder<Params>> | table::dependsOn<stableSecond<Params>>;

template <class Params>
constexpr ParamRow kSteps =
    table::whole<&Params::steps>("steps", "", "steps of the optimiser", {1, 5000},
                                 "After how many steps at the most each model's weights are taken; none leaves them random.", "P2 4.1") |
    table::logarithmic | table::named<kNoSteps> | table::costly | table::more;
template <class Params>
constexpr ParamRow kRestarts = table::whole<&Params::restarts>("restarts", "", "random starts", {1, 8},
                                                               "Each model is optimised from so many random weights, and the best is kept.",
                                                               "P2 4.1") |
                               table::costly | table::more;
template <class Params>
constexpr ParamRow kSeed = table::seed<&Params::seed>("Start of the random numbers of the weights that the optimiser begins with.",
                                                      "P2 4.1");

/// The model of the timeline that is drawn, 1 … `most`.
template <auto member>
constexpr ParamRow modelShown(const char* symbol, const char* label, double most, const char* help, const char* serves) {
    return table::number<member>("at", symbol, label, {1, most}, help, serves) | table::hidden | table::ofView;
}
template <auto member>
constexpr ParamRow plays(const char* serves) {
    return table::plays<member>("Whether the picture moves by itself.", serves);
}

}  // namespace kappaflow::stacks
