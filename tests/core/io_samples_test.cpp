#include <doctest/doctest.h>

#include <algorithm>

#include "core/capacity/capacity_network.h"
#include "core/io/onnx.h"
#include "support/capacity_flow.h"
#include "support/sample_reference.h"

using namespace kappaflow;

namespace {

/// Largest difference of two rows, relative to the largest entry.
double difference(const std::vector<double>& have, const std::vector<double>& want) {
    REQUIRE(have.size() == want.size());
    double largest = 0, scale = 0;
    for (std::size_t i = 0; i < have.size(); ++i) {
        largest = std::max(largest, std::abs(have[i] - want[i]));
        scale = std::max(scale, std::abs(want[i]));
    }
    return largest / scale;
}

std::vector<double> summed(const std::vector<double>& units, std::size_t positions, bool overChannels) {
    std::vector<double> sums(overChannels ? positions : units.size() / positions);
    for (std::size_t i = 0; i < units.size(); ++i) sums[overChannels ? i % positions : i / positions] += units[i];
    return sums;
}

void checkState(const std::vector<double>& capacity, const nlohmann::json& shape, const nlohmann::json& expected, std::size_t l) {
    const auto positions = shape[l][1].get<std::size_t>() * shape[l][2].get<std::size_t>();
    REQUIRE(capacity.size() == shape[l][0].get<std::size_t>() * positions);
    CHECK(difference(summed(capacity, positions, true), expected["byPosition"][l].get<std::vector<double>>()) < 1e-9);
    CHECK(difference(summed(capacity, positions, false), expected["byChannel"][l].get<std::vector<double>>()) < 1e-9);
    CHECK(goldenChecksum(capacity) == doctest::Approx(expected["checksum"][l].get<double>()).epsilon(1e-9));
}

}  // namespace

TEST_CASE("every sample can be read and says what it is") {
    REQUIRE_FALSE(sampleNetworks().empty());
    for (const SampleNetwork& sample : sampleNetworks()) {
        CHECK_FALSE(sample.label.empty());
        CHECK_FALSE(sample.about.empty());
        CHECK_NOTHROW(validate(readOnnx(sampleNetworkBytes(sample.id))));
    }
    CHECK_THROWS_WITH_AS(sampleNetworkBytes("digits"),
                         "There is no sample network \"digits\": it is one of shapes-classifier, strokes-cnn, strokes-resnet.", InputError);
}

TEST_CASE("the reference tells of every sample") {
    std::vector<std::string> told, known;
    for (const auto& reference : sampleReference()) told.push_back(reference["network"]);
    for (const SampleNetwork& sample : sampleNetworks()) known.push_back(sample.id);
    std::sort(known.begin(), known.end());
    CHECK(told == known);
}

TEST_CASE("the capacities of every sample are those of an independent computation from its file") {
    for (const auto& reference : sampleReference()) {
        const Network network = readOnnx(sampleNetworkBytes(reference["network"].get<std::string>()));
        for (const auto& expected : reference["cases"]) {
            const CapacityFlow flow = capacityFlow(network, referenceTop(expected["top"], network.output().units()));
            REQUIRE(flow.capacity.size() == reference["layers"].size());
            for (std::size_t l = 0; l < flow.capacity.size(); ++l) {
                const auto name = reference["network"].get<std::string>() + ", " + reference["layers"][l].get<std::string>();
                CAPTURE(name);
                checkState(flow.capacity[l], reference["shapes"], expected, l);
                CHECK(std::abs(flow.unattributed[l]) < 1e-15);
            }
        }
    }
}

TEST_CASE("the outputs of every sample are those of an independent forward pass") {
    for (const auto& reference : sampleReference()) {
        const Network network = readOnnx(sampleNetworkBytes(reference["network"].get<std::string>()));
        for (const auto& expected : reference["forward"]) {
            std::vector<double> input(network.input.units());
            for (std::size_t i = 0; i < input.size(); ++i)
                input[i] = expected["input"] == "sine" ? std::sin(static_cast<double>(i)) : golden(i);
            CHECK(difference(forward(network, input).back(), expected["output"].get<std::vector<double>>()) < 1e-9);
        }
    }
}

TEST_CASE("the shapes classifier reads 8 × 8 pixels and has a layer for each of its widths") {
    const Network network = readOnnx(sampleNetworkBytes("shapes-classifier"));
    CHECK(network.input == Shape{1, 8, 8});
    std::vector<std::size_t> widths;
    for (const Layer& layer : network.layers)
        if (layer.is<Dense>()) widths.push_back(layer.out.units());
    CHECK(widths == std::vector<std::size_t>{32, 24, 16, 10});
}

TEST_CASE("the shapes classifier tells clean shapes apart") {
    const Network network = readOnnx(sampleNetworkBytes("shapes-classifier"));
    const auto classOf = [&](const char* picture) {
        std::vector<double> pixels;
        for (const char* at = picture; *at; ++at)
            if (*at != '\n') pixels.push_back(*at == '#' ? 0.85 : 0);
        const std::vector<double> scores = forward(network, pixels).back();
        return std::max_element(scores.begin(), scores.end()) - scores.begin();
    };
    CHECK(classOf("........\n........\n........\n.######.\n........\n........\n........\n........") == 0);  // horizontal
    CHECK(classOf("........\n...#....\n...#....\n...#....\n...#....\n...#....\n...#....\n........") == 1);  // vertical
    CHECK(classOf("........\n......#.\n.....#..\n....#...\n...#....\n..#.....\n.#......\n........") == 2);  // rising
    CHECK(classOf("........\n.#......\n..#.....\n...#....\n....#...\n.....#..\n......#.\n........") == 3);  // falling
    CHECK(classOf("........\n...#....\n...#....\n.######.\n...#....\n...#....\n...#....\n........") == 4);  // plus
    CHECK(classOf("........\n.#....#.\n..#..#..\n...##...\n...##...\n..#..#..\n.#....#.\n........") == 5);  // cross
    CHECK(classOf("........\n.######.\n.#....#.\n.#....#.\n.#....#.\n.#....#.\n.######.\n........") == 7);  // square
    CHECK(classOf("........\n..####..\n.######.\n.######.\n.######.\n.######.\n..####..\n........") == 8);  // disc
}
