#pragma once
#include <optional>
#include <vector>

#include "scenes/linear_models/gaussian_task.h"

namespace kappaflow::errors_vs_capacity {

enum class Targets { Random, Fixed };
enum class Along { Components, Lags };

struct Params : linear::TaskParams {
    Targets targets = Targets::Random;
    int channels = 4, draws = 30, layers = 6, iterations = 500;
    std::uint64_t seed = 1;
    Along along = Along::Components;
    int direction = 64;  ///< component, or lag + 1
    double at = 200;
    bool play = false;
};

/// Along lags or along eigenvectors of Σ. Bound and squared error of one draw are shares: each sums to 1, to 0 where no capacity is
/// missing.
struct Side {
    std::vector<double> bound, boundStd, errorStd;
    Estimates error;
    std::vector<double> boundByDraw, errorByDraw;  ///< [draw][lag or component]
    std::vector<double> correlationByDraws;        ///< of the means over 1, 2, … draws
    std::optional<Estimate> correlation;
};

struct Result : Findings {
    std::vector<double> lags, components, draws;  ///< axes: newest lag first; largest eigenvalue first
    Side alongLags, alongComponents;
    std::vector<double> eigenvalues, eigenvectors, errorInBasis;  ///< [component], [component][lag], [draw][component]
    std::vector<double> loss, optimality;                         ///< [draw]
    double totalCapacity = 0, optimalDraws = 0;
};

extern const SceneTable kScene;

}  // namespace kappaflow::errors_vs_capacity
