#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "scene/table.h"

// What scenes of linear models share: the Gaussian process to predict, and the stack of dilated convolutions that predicts it.
namespace kappaflow::linear {

using table::operator|;

/// What is not defined, or not known yet.
inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// An optimum is called one while ‖KᵀX‖/‖X‖ is at most this: searches that end there reach 1e-7 to 1e-11, searches that stall stay
/// between 1e-3 and 1.
inline constexpr double kOptimal = 1e-6;

enum class Process { PowerLaw, Arfima, Exponentials, Ar1, Ar2 };
enum class Dilation { Doubling, List };

/// The Gaussian process whose next sample is predicted (P2 App. B). The first base of a scene's Params.
struct TaskParams {
    Process process = Process::PowerLaw;
    double alpha = 0.5, memory = 0.3, phi1 = 0.6, phi2 = 0.2;
};

inline constexpr const char* kAppendixB = "P2 App. B, Eqs 30–33";
inline constexpr OptionRow kProcesses[] = {{"power-law", "power law"},
                                           {"arfima", "long memory (ARFIMA)"},
                                           {"exponentials", "four exponentials"},
                                           {"ar1", "autoregression, order 1"},
                                           {"ar2", "autoregression, order 2"}};

inline bool isPowerLaw(const TaskParams& p) { return p.process == Process::PowerLaw; }
inline bool isArfima(const TaskParams& p) { return p.process == Process::Arfima; }
inline bool isAutoregressive(const TaskParams& p) { return p.process == Process::Ar1 || p.process == Process::Ar2; }
inline bool isSecondOrder(const TaskParams& p) { return p.process == Process::Ar2; }
/// Up to where an autoregression of order 2 is stable with room to spare.
inline Beside stableSecond(const TaskParams& p) {
    const double most = std::floor((0.99 - std::fabs(p.phi1)) * 1e6) / 1e6;
    return {std::fmin(0.2, most), most};
}

inline constexpr ParamRow kTaskParams[] = {
    table::choice<&TaskParams::process>("process", "process", kProcesses,
                                        "The Gaussian process whose next sample is to be predicted from its last n.", kAppendixB) |
        table::more,
    table::number<&TaskParams::alpha>("alpha", "α", "decay", {0.05, 4}, "Exponent of the autocovariance c_τ = (1 + τ)^{−α}.", kAppendixB) |
        table::more | table::when<isPowerLaw>,
    table::number<&TaskParams::memory>("memory", "d", "memory", {0.01, 0.49},
                                       "Order of fractional differencing of ARFIMA(0, d, 0), whose autocovariance decays as τ^{2d − 1}.",
                                       kAppendixB) |
        table::more | table::when<isArfima>,
    table::number<&TaskParams::phi1>("phi1", "φ₁", "first coefficient", {-0.95, 0.95}, "How the last sample enters the next one.",
                                     kAppendixB) |
        table::more | table::when<isAutoregressive>,
    table::number<&TaskParams::phi2>("phi2", "φ₂", "second coefficient", {-0.95, 0.99},
                                     "How the sample before the last enters the next one.", kAppendixB) |
        table::more | table::when<isSecondOrder> | table::dependsOn<stableSecond>};

template <class Params>
bool doubles(const Params& p) {
    return p.dilation == Dilation::Doubling;
}
template <class Params>
bool listsDilations(const Params& p) {
    return p.dilation == Dilation::List;
}

inline constexpr OptionRow kDilations[] = {{"doubling", "a tree"}, {"list", "a list"}};

/// A stack of dilated convolutions (P2 Eq 19): a scene's `channels`, at most `most`, `layers`, `taps`, `dilation` and `dilations`.
template <class Params, int most = 256>
inline constexpr ParamRow kTreeParams[] = {
    table::whole<&Params::channels>("channels", "c", "channels", {1, most}, "Channels of every hidden layer.", "P2 Fig 5; Eq 19") |
        table::logarithmic | table::costly,
    table::whole<&Params::layers>("layers", "L", "layers", {1, 8},
                                  "Layers of convolutions without activations; n grows with their taps to the power L.",
                                  "P2 Fig 3; Eq 19") |
        table::costly | table::when<doubles<Params>>,
    table::whole<&Params::taps>("taps", "n_l", "taps", {2, 4}, "Inputs that one unit of a layer reads.", "P2 Fig 3; Eq 19") |
        table::costly | table::more,
    table::choice<&Params::dilation>("dilation", "dilation", kDilations,
                                     "A tree: each dilation is the product of the taps below, 1, 2, 4, …; or a list of your own.",
                                     "P2 Fig 3; Eq 20") |
        table::more,
    table::list<&Params::dilations>("dilations", "d_l", "dilations", {1, 64}, 8,
                                    "Dilation of each layer, the lowest first; they need not make a tree.", "P2 Eq 19; App. C") |
        table::costly | table::more | table::when<listsDilations<Params>>};

}  // namespace kappaflow::linear
