// Small networks as PyTorch exports them, with inputs and what it computes from them in double precision: tests/data/networks.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/io/network_file.h"
#include "core/io/onnx.h"
#include "support/same_network.h"
#include "support/slow_layers.h"
#include "testData.h"

using namespace kappaflow;

namespace {

using Numbers = std::vector<double>;

constexpr const char* kRead[] = {"mlp_relu", "mlp_batchnorm", "mlp_elu",       "mlp_gelu",   "mlp_silu", "mlp_mish",  "mlp_hardswish",
                                 "mlp_selu", "mlp_softplus",  "mlp_layernorm", "lenet_tanh", "resnet",   "mobilenet", "convnext"};

nlohmann::json reference(const std::string& name) {
    const auto bytes = testData(name + ".json");
    REQUIRE_FALSE(bytes.empty());
    return nlohmann::json::parse(bytes.begin(), bytes.end());
}

/// A float as it was written with the fewest digits.
Numbers floats(const nlohmann::json& list) {
    Numbers numbers;
    for (const double value : list.get<Numbers>()) numbers.push_back(static_cast<float>(value));
    return numbers;
}

double largest(const Numbers& values) {
    double top = 0;
    for (const double value : values) top = std::max(top, std::abs(value));
    return top;
}

Numbers difference(const Numbers& a, const Numbers& b) {
    REQUIRE(a.size() == b.size());
    Numbers d(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) d[i] = a[i] - b[i];
    return d;
}

/// What a last Softmax or LogSoftmax, which the reader leaves out, makes of the outputs.
Numbers throughLast(const std::string& name, Numbers y) {
    if (name != "mlp_batchnorm" && name != "lenet_tanh") return y;
    double sum = 0;
    for (const double value : y) sum += std::exp(value);
    for (double& value : y) value = name == "lenet_tanh" ? std::exp(value) / sum : value - std::log(sum);
    return y;
}

std::string refusal(const std::string& name) {
    try {
        readNetwork(testData(name + ".onnx"));
    } catch (const InputError& error) {
        return error.what();
    }
    return "not refused";
}

}  // namespace

TEST_CASE("networks exported by PyTorch make the outputs that PyTorch computes") {
    for (const std::string name : kRead) {
        CAPTURE(name);
        const Network network = readNetwork(testData(name + ".onnx"));
        const auto data = reference(name);
        for (std::size_t s = 0; s < data["inputs"].size(); ++s) {
            const Numbers x = floats(data["inputs"][s]), expected = data["outputs"][s].get<Numbers>();
            const Numbers y = throughLast(name, forward(network, x).back());
            CHECK(largest(difference(y, expected)) < 1e-5 * largest(expected));
            CHECK(largest(difference(throughLast(name, slow::chain(network.layers, x)), y)) < 1e-12 * largest(expected));
        }
    }
}
