#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/regions/partition.h"
#include "support/networks.h"
#include "testData.h"

namespace kappaflow {

/// A network on a slice and a window with what an exact partition of it must count.
struct RegionCase {
    std::string name;
    Network network;
    Slice slice;
    Polygon window;
    nlohmann::json expect, segments;
};

inline const std::vector<std::string>& regionCaseNames() {
    static const std::vector<std::string> names{"abs_2-4-4_s0",
                                                "degen_all_dead",
                                                "degen_base",
                                                "degen_concurrent3",
                                                "degen_dead_layer",
                                                "degen_dup_all_base",
                                                "degen_dup_all_neg",
                                                "degen_dup_layer2",
                                                "degen_dup_negated",
                                                "degen_dup_same",
                                                "degen_dup_scaled",
                                                "degen_layer2_on_layer1",
                                                "degen_layer2_through_vertex",
                                                "degen_on_border",
                                                "degen_parallel",
                                                "degen_through_corner",
                                                "degen_through_corner2",
                                                "degen_zero_w_neg",
                                                "degen_zero_w_pos",
                                                "degen_zero_w_zero",
                                                "domain_hexagon",
                                                "fig1_2-4-4-4_s0",
                                                "fig1_2-4-4-4_s1",
                                                "hardtanh_2-4-4_s0",
                                                "hardtanh_2-4-4_s1",
                                                "known_fold_1",
                                                "known_fold_2",
                                                "known_fold_3",
                                                "known_general_5",
                                                "known_grid_3x4",
                                                "known_star_5",
                                                "known_tent_relu",
                                                "leaky01_2-6-6_s0",
                                                "relu6_2-5-5_s0",
                                                "relu_2-16-16_s0",
                                                "relu_2-6x6_s0",
                                                "relu_2-8-8_s0",
                                                "relu_2-8-8_s1",
                                                "slice_10-8-8",
                                                "slice_3-6-6_drag0",
                                                "slice_3-6-6_drag1",
                                                "slice_3-6-6_drag2",
                                                "slice_3-6-6_xy"};
    return names;
}

inline Layer caseActivation(const nlohmann::json& act, int units) {
    if (act.is_object()) return activationLayer({1, 1, units}, Activation::LeakyRelu, act["leaky"].get<double>());
    const std::string name = act;
    return activationLayer({1, 1, units}, activationFromKey(name == "hardtanh" ? "hard-tanh" : name));
}

inline Network caseNetwork(const nlohmann::json& net) {
    Network network;
    network.input = {1, 1, static_cast<int>(net[0]["W"][0].size())};
    for (const auto& layer : net) {
        const int outputs = static_cast<int>(layer["W"].size()), inputs = static_cast<int>(layer["W"][0].size());
        Layer dense = denseLayer(inputs, outputs);
        for (const auto& row : layer["W"])
            for (const auto& weight : row) dense.as<Weights>().weights.push_back(weight);
        dense.as<Weights>().bias = layer["b"].get<std::vector<double>>();
        network.layers.push_back(dense);
        network.layers.push_back(caseActivation(layer["act"], outputs));
    }
    return network;
}

inline RegionCase regionCase(const std::string& name) {
    const auto bytes = testData("regions_" + name + ".json");
    const auto json = nlohmann::json::parse(bytes.begin(), bytes.end());
    RegionCase one;
    one.name = name;
    one.network = caseNetwork(json["net"]);
    for (const auto& corner : json["domain"]) one.window.push_back({corner[0], corner[1]});
    one.slice = sliceOfInputs(one.network.input.units());
    if (json.contains("slice")) one.slice = {json["slice"]["o"], json["slice"]["u"], json["slice"]["v"]};
    one.expect = json["expect"];
    if (json.contains("segments")) one.segments = json["segments"];
    return one;
}

}  // namespace kappaflow
