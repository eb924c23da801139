#pragma once
#include "grid_report.h"
#include "support/picture_checks.h"

namespace kappaflow {

/// The stack of planes of a report made by hand.
struct GridScene : Shown {
    explicit GridScene(const HandMadeGrid& made = {}) : Shown(handMade(made)) { area = {{0, 0}, {820, 780}}; }
    Handle handle(const std::string& id) {
        draw();
        return handleOf(id);
    }
};

}  // namespace kappaflow
