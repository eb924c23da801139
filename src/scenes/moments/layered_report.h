#pragma once
#include <utility>
#include <vector>

#include "core/moments/layer_moments.h"
#include "scene/filled_report.h"

namespace kappaflow::random_nets {

/// A report most of whose arrays run over layers 0 … L, undefined where a layer has no such value.
struct LayeredReport {
    LayeredReport(std::string_view scene, std::size_t lastLayer) : r(scene), layers(lastLayer) {}

    Array& add(const char* name, std::vector<double> values) {
        Array& array = r.add(name, {countedAxis("layer", layers + 1)}, std::move(values));
        array.mayBeUndefined = true;
        return array;
    }
    /// One value a layer from 1 on, with `input` before them.
    template <class Of>
    std::vector<double> byLayer(Of&& of, double input = kUndefined) const {
        std::vector<double> values{input};
        for (std::size_t l = 1; l <= layers; ++l) values.push_back(of(l));
        return values;
    }
    Scalar& addMonteCarlo(const char* name, double value, double error, std::size_t draws) {
        Scalar& scalar = r.add(name, value);
        scalar.standardError = error;
        scalar.draws = static_cast<double>(draws);
        return scalar;
    }

    FilledReport r;
    std::size_t layers;
};

}  // namespace kappaflow::random_nets
