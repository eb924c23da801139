#include <doctest/doctest.h>

#include <numeric>

#include "core/io/network_file.h"
#include "support/sample_reference.h"
#include "support/scene_runs.h"

using namespace kappaflow;

namespace {

Report runSample(const nlohmann::json& sample, const nlohmann::json& top, const std::string& channel = "all") {
    Settings settings{{"network", sample["network"]}, {"top", top.is_number() ? "dirac" : "uniform"}, {"channel", channel}};
    if (top.is_number()) settings.push_back({"topIndex", std::to_string(top.get<int>())});
    return runDiffusion(settings);
}

/// The defined values of a layer, row by row.
std::vector<double> definedValues(const Array& array, std::size_t l) {
    std::vector<double> defined;
    for (std::size_t i = 0; i < array.rowLength(); ++i)
        if (!std::isnan(array.row(l)[i])) defined.push_back(array.row(l)[i]);
    return defined;
}

}  // namespace

TEST_CASE("every sample network is on offer, between those drawn here and the reader's own") {
    std::vector<std::string> keys, expected{""};
    for (const auto& option : findDeclaration("capacity-diffusion")->param("network")->options) keys.emplace_back(option.key);
    for (const SampleNetwork& sample : sampleNetworks()) expected.push_back(sample.id);
    expected.push_back("file");
    CHECK(keys == expected);
}

TEST_CASE("a channel's reported capacity is that of the independent computation, layer by layer as far as there is such a channel") {
    constexpr std::size_t kChannel = 9;
    for (const auto& sample : sampleReference()) {
        if (sample["network"] == "shapes-classifier") continue;
        const auto& expected = sample["cases"][0];
        const auto report = runSample(sample, expected["top"], std::to_string(kChannel));
        const Array& capacity = arrayOf(report, "channelCapacity");
        for (std::size_t l = 0; l < sample["layers"].size(); ++l) {
            const auto values = definedValues(capacity, l);
            const auto& channels = expected["byChannel"][l];
            CHECK(values.empty() == (channels.size() <= kChannel));
            if (values.empty()) continue;
            CHECK(std::accumulate(values.begin(), values.end(), 0.0) == doctest::Approx(channels[kChannel].get<double>()).epsilon(1e-9));
        }
    }
}
