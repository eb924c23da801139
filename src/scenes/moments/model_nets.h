#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/moments/layer_moments.h"
#include "core/moments/moment_data.h"
#include "core/moments/moment_propagation.h"
#include "scene/filled_report.h"
#include "scene/scene.h"
#include "scenes/moments/random_nets_model.h"

namespace kappaflow::random_nets {

/// From params alone: no file is opened.
NetSetup readNet(const Values&);
/// With the file's images. Throws InputError in a sentence when it cannot be read, or holds fewer images than samples.
NetSetup readNet(const Request&);
/// The same with another kind of network.
NetSetup withKind(NetSetup, MomentKind);

MomentKind momentKindFromKey(std::string_view);
const char* keyOf(MomentKind);

/// The param whose default lowers `cost` of the request's scene most, where that is by a quarter or brings it within the limit; else the
/// network. Asks for one cost, and one more for every param that is not at its default.
std::string costliestParam(const Request&, const std::function<Cost(const Request&)>& cost);

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
