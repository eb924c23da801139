#include "core/linear/dilated_responses.h"

#include <algorithm>

namespace kappaflow {
namespace {

using Size = std::size_t;

/// The reach after one more layer; fills `from.moved`.
DilatedReach extended(DilatedReach& from, Size taps, Size dilation) {
    DilatedReach next;
    for (Size k = 0; k < taps; ++k)
        for (Size lag : from.lags) next.lags.push_back(lag + k * dilation);
    std::sort(next.lags.begin(), next.lags.end());
    next.lags.erase(std::unique(next.lags.begin(), next.lags.end()), next.lags.end());
    from.moved.assign(taps, {});
    for (Size k = 0; k < taps; ++k)
        for (Size lag : from.lags) {
            const auto at = std::lower_bound(next.lags.begin(), next.lags.end(), lag + k * dilation);
            from.moved[k].push_back(static_cast<Size>(at - next.lags.begin()));
        }
    return next;
}

}  // namespace

DilatedPlan::DilatedPlan(HierarchicalShape s) : shape(std::move(s)), offset{0}, below(1), above(shape.layers() + 1) {
    checkShape(shape);
    length = static_cast<Size>(receptiveField(shape));
    tensorTrain = isTensorTrain(shape);
    below[0].lags = above.back().lags = {0};
    for (Size l = 1; l <= layers(); ++l) {
        offset.push_back(offset.back() + channels(l - 1) * taps(l) * channels(l));
        auto next = extended(below[l - 1], taps(l), dilation(l));
        below.push_back(std::move(next));
    }
    for (Size l = layers(); l > 0; --l) above[l - 1] = extended(above[l], taps(l), dilation(l));
}

}  // namespace kappaflow
