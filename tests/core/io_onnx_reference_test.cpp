#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/io/onnx.h"
#include "support/base64.h"
#include "support/slow_layers.h"
#include "testData.h"

using namespace kappaflow;

namespace {

using Numbers = std::vector<double>;

nlohmann::json referenceCases() {
    const auto bytes = testData("onnx_operators.json");
    REQUIRE_FALSE(bytes.empty());
    return nlohmann::json::parse(bytes.begin(), bytes.end())["cases"];
}

/// Of numbers that differ by no more than rounding; else the largest difference.
double largestDifference(const Numbers& a, const Numbers& b) {
    REQUIRE(a.size() == b.size());
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]) / std::max(1.0, std::abs(b[i])));
    return largest;
}

Shape shapeOf(const std::vector<int>& sizes) {
    if (sizes.size() == 1) return {1, 1, sizes[0]};
    if (sizes.size() == 2) return {sizes[0], 1, sizes[1]};
    return {sizes[0], sizes[1], sizes[2]};
}

}  // namespace

TEST_CASE("every form of every operator computes what PyTorch computes") {
    const auto cases = referenceCases();
    CHECK(cases.size() > 100);
    for (const auto& c : cases) {
        CAPTURE(c["name"].get<std::string>());
        const Network network = readOnnx(bytesOfBase64(c["model"].get<std::string>()));
        CHECK(network.output() == shapeOf(c["shape"].get<std::vector<int>>()));
        const auto input = c["input"].get<Numbers>(), output = c["output"].get<Numbers>();
        CHECK(largestDifference(forward(network, input).back(), output) < 1e-12);
        CHECK(largestDifference(slow::chain(network.layers, input), output) < 1e-12);
    }
}
