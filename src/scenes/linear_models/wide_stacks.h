#pragma once
#include "scenes/linear_models/gaussian_task.h"

// What scenes share that look for the weights of several stacks, one after another (P2 4.1).
namespace kappaflow::linear {

inline constexpr OptionRow kNoSteps[] = {{"none", "none", 0}};

/// For a struct Params with `steps`, `restarts` and `seed`.
template <class Params>
inline constexpr ParamRow kSearchParams[] = {
    table::whole<&Params::steps>("steps", "", "steps of the optimiser", {1, 5000},
                                 "After how many steps at the most each model's weights are taken; none leaves them random.", "P2 4.1") |
        table::logarithmic | table::named<kNoSteps> | table::costly | table::more,
    table::whole<&Params::restarts>("restarts", "", "random starts", {1, 8},
                                    "Each model is optimised from so many random weights, and the best is kept.", "P2 4.1") |
        table::costly | table::more,
    table::seed<&Params::seed>("Start of the random numbers of the weights that the optimiser begins with.", "P2 4.1")};

/// For a struct Params with `part`: of the bars, counted from 1.
template <class Params>
inline constexpr ParamRow kPartParam[] = {
    table::whole<&Params::part>("part", "", "part picked", {0, 16}, "The part of the bars that stands on the axis; 0 for none.", "P2 6.1") |
    table::hidden | table::ofView};

/// What was found of each model, NaN until then.
struct Searched {
    std::vector<double> rank, meanLag, optimality, loss;
};

/// Of models that grow along the timeline; the first base of a scene's Result.
struct GrowingResult : Findings {
    std::vector<double> totals, parameters;  ///< [model]
    Searched found;                          ///< [model]
    double total = 0, dimension = 0;
    std::optional<double> lowerBound;
};
template <const AxisRow& model>
inline constexpr FieldRow kGrowingFields[] = {
    table::measured<&GrowingResult::parameters>("parameters", "p", {model}, "Weights of each model."),
    table::measured<&GrowingResult::found, &Searched::rank>("numericalRank", "", {model}, "What the capacities sum to.") | table::gaps,
    table::measured<&GrowingResult::found, &Searched::meanLag>("meanLag", "τ̄", {model}, "Mean lag of the capacity.") | table::gaps,
    table::measured<&GrowingResult::found, &Searched::optimality>("optimality", "", {model},
                                                                  "‖KᵀX‖/‖X‖ at the weights found: 0 at an optimum.") |
        table::gaps,
    table::measured<&GrowingResult::found, &Searched::loss>("loss", "L", {model},
                                                            "Loss at the weights found (P2 Eqs 15, 24), without v*.") |
        table::gaps};

}  // namespace kappaflow::linear
