#include <doctest/doctest.h>

#include <algorithm>

#include "scenes/scene.h"
#include "support/sample_reference.h"

using namespace kappaflow;

namespace {

Report runSample(const nlohmann::json& sample, const nlohmann::json& top) {
    const auto& declaration = *findDeclaration("capacity-diffusion");
    Request request;
    request.scene = declaration.id;
    request.params = declaration.defaults();
    const auto set = [&](const std::string& key, const std::string& text) {
        request.params.set(key, parseValue(*declaration.param(key), text).value);
    };
    set("network", sample["network"]);
    set("top", top.is_number() ? "dirac" : "uniform");
    if (top.is_number()) set("topIndex", std::to_string(top.get<int>()));
    return runRequest(request);
}

/// The defined values of a layer, row by row.
std::vector<double> definedValues(const Array& array, std::size_t l) {
    std::vector<double> defined;
    for (std::size_t i = 0; i < array.rowLength(); ++i)
        if (!std::isnan(array.row(l)[i])) defined.push_back(array.row(l)[i]);
    return defined;
}

/// Whether a reader can choose the sample.
bool offered(const std::string& id) {
    const auto& options = findDeclaration("capacity-diffusion")->param("network")->options;
    return std::any_of(options.begin(), options.end(), [&](const auto& option) { return option.key == id; });
}

}  // namespace

TEST_CASE("the reported capacity of every sample network on offer is that of an independent computation from its file") {
    for (const auto& sample : sampleReference()) {
        if (!offered(sample["network"])) continue;
        for (const auto& expected : sample["cases"]) {
            const auto report = runSample(sample, expected["top"]);
            const Array* capacity = report.array("capacity");
            REQUIRE(capacity);
            REQUIRE(capacity->axes[0].size() == sample["layers"].size());
            for (std::size_t l = 0; l < sample["layers"].size(); ++l) {
                const auto want = expected["byPosition"][l].get<std::vector<double>>(), have = definedValues(*capacity, l);
                REQUIRE(have.size() == want.size());
                for (std::size_t i = 0; i < want.size(); ++i) CHECK(have[i] == doctest::Approx(want[i]).epsilon(1e-9));
            }
        }
    }
}
