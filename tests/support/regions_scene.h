#pragma once
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "scene/scene.h"
#include "support/scene_runs.h"

namespace kappaflow {

/// Values of activation-regions on top of the defaults.
using RegionValues = std::vector<std::pair<std::string, Value>>;

inline Request regionsRequest(RegionValues values) { return requestWith(*findDeclaration("activation-regions"), std::move(values)); }

inline Report runRegions(RegionValues values) {
    const Report report = runRequest(regionsRequest(std::move(values)));
    checkReport(*findDeclaration("activation-regions"), report);
    return report;
}

/// Weights of a layer, [out][in + 1] with the bias last, as the reader's changes.
inline void setLayer(std::vector<double>& edits, double layer, const std::vector<std::vector<double>>& rows) {
    for (std::size_t out = 0; out < rows.size(); ++out)
        for (std::size_t in = 0; in < rows[out].size(); ++in) {
            const double from = in + 1 < rows[out].size() ? static_cast<double>(in) : -1;
            edits.insert(edits.end(), {layer, static_cast<double>(out), from, rows[out][in]});
        }
}

}  // namespace kappaflow
