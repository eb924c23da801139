#pragma once
#include <cmath>
#include <utility>

#include "draw/plot.h"

namespace kappaflow {

inline const Rect kOuter{{10, 10}, {410, 260}};

/// A plot on a recorder.
struct Sheet {
    Recorder recorder;
    Plot plot;
    explicit Sheet(AxisSpec x = {.lo = 0, .hi = 10}, AxisSpec y = {.lo = 0, .hi = 1}, Plot::Zoom zoom = {}, Rect outer = kOuter)
        : plot(recorder, Theme::light(), "p", outer, std::move(x), std::move(y), zoom) {}
    std::size_t count(std::string_view id) const { return recorder.find(id).size(); }
};

}  // namespace kappaflow
