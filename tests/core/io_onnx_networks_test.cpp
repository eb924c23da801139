// Small networks as PyTorch exports them, with inputs and what it computes from them in double precision: tests/data/networks, made by
// tests/reference/onnx_exported.py.
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

constexpr const char* kRead[] = {"mlp_relu",       "mlp_batchnorm", "mlp_elu",      "mlp_gelu",      "mlp_silu",           "mlp_mish",
                                 "mlp_hardswish",  "mlp_selu",      "mlp_softplus", "mlp_layernorm", "lenet_tanh",         "resnet",
                                 "mobilenet",      "convnext",      "densenet",     "squeezenet",    "squeeze_excite",     "wavenet",
                                 "wavenet_gated",  "transformer",   "shufflenet",   "unet",          "vision_transformer", "windows",
                                 "swin",           "einsum",        "reductions",   "gated_block",   "pointwise",          "lstm",
                                 "lstm_both_ways", "gru",           "rnn"};

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

/// Kinds of a network's layers, those of blocks in brackets.
std::string kinds(const std::string& name) {
    constexpr const char* kNames[] = {"dense",      "conv",  "batch norm", "",    "max",     "average", "mean",   "flatten",
                                      "layer norm", "route", "softmax",    "sum", "product", "concat",  "matmul", "block"};
    const auto text = [&](const auto& self, const std::vector<Layer>& layers) -> std::string {
        std::string all;
        for (const Layer& layer : layers) {
            const bool bends = layer.is<Pointwise>();
            all += (all.empty() ? "" : " ") +
                   (bends ? std::string(activationKey(layer.as<Pointwise>().activation)) : kNames[layer.op.index()]);
            if (layer.is<Block>()) all += " (" + self(self, layer.as<Block>().inner) + ")";
        }
        return all;
    };
    return text(text, readNetwork(testData(name + ".onnx")).layers);
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
        }
    }
}

TEST_CASE("their outputs are those of the obvious way through their layers" * doctest::test_suite("long")) {
    for (const std::string name : kRead) {
        CAPTURE(name);
        const Network network = readNetwork(testData(name + ".onnx"));
        const Numbers x = floats(reference(name)["inputs"][0]), y = throughLast(name, forward(network, x).back());
        CHECK(largest(difference(throughLast(name, slow::chain(network.layers, x)), y)) < 1e-12 * largest(y));
    }
}

TEST_CASE("they are written and come back with the same outputs to the bit") {
    for (const std::string name : kRead) {
        CAPTURE(name);
        const Network network = readNetwork(testData(name + ".onnx")), back = readOnnx(writeOnnx(network));
        CHECK(difference(network, back) == "");
        const Numbers x = floats(reference(name)["inputs"][0]);
        CHECK(sameBits(forward(network, x).back(), forward(back, x).back()));
    }
}

TEST_CASE("what exporters write out in many nodes is one layer") {
    for (const std::string bend : {"relu", "elu", "gelu", "silu", "mish", "selu", "softplus"})
        CHECK(kinds("mlp_" + bend) == "dense " + bend + " dense " + bend + " dense");
    CHECK(kinds("mlp_hardswish") == "dense hard-swish dense hard-swish dense");
    CHECK(kinds("mlp_layernorm") == "dense layer norm relu dense layer norm relu dense");
    CHECK(kinds("lenet_tanh") == "conv tanh average conv tanh average flatten dense tanh dense");
    const std::string block = " block (conv layer norm conv gelu conv batch norm sum)";
    CHECK(kinds("convnext") == "conv" + block + block + " mean flatten dense");
}

TEST_CASE("values that are read several times make blocks") {
    CHECK(kinds("squeezenet") ==
          "conv relu max conv relu block (conv relu conv relu concat) conv relu block (conv relu conv relu concat) "
          "conv relu mean flatten");
    CHECK(kinds("squeeze_excite") ==
          "conv conv silu block (mean conv relu conv sigmoid route product) "
          "conv silu block (mean conv relu conv sigmoid route product) mean flatten dense");
    const std::string attention = " block (layer norm conv route route matmul route batch norm softmax matmul route conv sum)",
                      rest = " block (layer norm conv gelu conv sum)";
    CHECK(kinds("shufflenet") == "conv relu conv relu route block (route route conv relu concat) mean flatten dense");
    CHECK(kinds("unet") == "conv relu block (conv relu route conv relu route concat) conv");
    CHECK(kinds("gated_block") ==
          "block (batch norm square mean batch norm sqrt reciprocal batch norm route product "
          "route conv silu route conv product conv route sum) route conv route");
    CHECK(kinds("transformer") == "route conv" + attention + rest + attention + rest + " conv route");
}
