#include <doctest/doctest.h>

#include <algorithm>

#include "core/io/onnx.h"

using namespace kappaflow;

TEST_CASE("every sample can be read and says what it is") {
    REQUIRE_FALSE(sampleNetworks().empty());
    for (const SampleNetwork& sample : sampleNetworks()) {
        CHECK_FALSE(sample.label.empty());
        CHECK_FALSE(sample.about.empty());
        CHECK_NOTHROW(validate(readOnnx(sampleNetworkBytes(sample.id))));
    }
    CHECK_THROWS_WITH_AS(sampleNetworkBytes("digits"), "There is no sample network \"digits\": it is one of shapes-classifier.",
                         InputError);
}

TEST_CASE("the shapes classifier reads 8 × 8 pixels and has a layer for each of its widths") {
    const Network network = readOnnx(sampleNetworkBytes("shapes-classifier"));
    CHECK(network.input == Shape{1, 8, 8});
    std::vector<std::size_t> widths;
    for (const Layer& layer : network.layers)
        if (layer.kind == LayerKind::Dense) widths.push_back(layer.out.units());
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
