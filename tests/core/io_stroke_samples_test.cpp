#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "core/io/onnx.h"

using namespace kappaflow;

namespace {

constexpr int kSide = 24;

struct Point {
    double x, y;
};
using Stroke = std::vector<Point>;

/// Points of an ellipse's arc between two angles in degrees, 0 to the right, 90 up; then what follows it.
Stroke arc(Point centre, Point radii, double first, double last, const Stroke& then = {}) {
    Stroke points;
    for (int i = 0; i <= 12; ++i) {
        const double angle = (first + (last - first) * i / 12) * 3.14159265358979 / 180;
        points.push_back({centre.x + radii.x * std::cos(angle), centre.y - radii.y * std::sin(angle)});
    }
    points.insert(points.end(), then.begin(), then.end());
    return points;
}

/// The digits as tools/scripts/stroke_pictures.py knows them, in the square −1 … 1.
std::vector<Stroke> digit(int d) {
    switch (d) {
        case 0:
            return {arc({0, 0}, {0.65, 1}, 90, 450)};
        case 1:
            return {{{-0.35, -0.6}, {0.05, -1}, {0.05, 1}}};
        case 2:
            return {arc({0, -0.45}, {0.6, 0.55}, 170, -35, {{-0.6, 1}, {0.65, 1}})};
        case 3:
            return {arc({-0.05, -0.5}, {0.55, 0.5}, 150, -90), arc({-0.05, 0.5}, {0.65, 0.5}, 90, -150)};
        case 4:
            return {{{0.3, 1}, {0.3, -1}, {-0.65, 0.4}, {0.65, 0.4}}};
        case 5:
            return {{{0.55, -1}, {-0.45, -1}, {-0.5, -0.1}}, arc({-0.05, 0.4}, {0.6, 0.6}, 130, -150)};
        case 6:
            return {{{0.4, -1}, {-0.3, -0.35}}, arc({0, 0.45}, {0.6, 0.55}, 160, 520)};
        case 7:
            return {{{-0.6, -1}, {0.6, -1}, {-0.15, 1}}};
        case 8:
            return {arc({0, -0.5}, {0.5, 0.5}, 270, -90), arc({0, 0.5}, {0.62, 0.5}, 90, 450)};
        default:
            return {arc({0, -0.45}, {0.6, 0.55}, -20, 340, {{0.5, 0.1}, {0.3, 1}})};
    }
}

double distance(Point p, Point a, Point b) {
    const Point along{b.x - a.x, b.y - a.y};
    const double square = along.x * along.x + along.y * along.y;
    const double t = square > 0 ? std::clamp(((p.x - a.x) * along.x + (p.y - a.y) * along.y) / square, 0.0, 1.0) : 0;
    return std::hypot(p.x - a.x - t * along.x, p.y - a.y - t * along.y);
}

/// A digit without noise, 16 pixels high and two pixels thick.
std::vector<double> picture(int d) {
    std::vector<double> pixels;
    for (int y = 0; y < kSide; ++y)
        for (int x = 0; x < kSide; ++x) {
            const Point p{(x - (kSide - 1) / 2.0) / 8, (y - (kSide - 1) / 2.0) / 8};
            double nearest = 1e9;
            for (const Stroke& stroke : digit(d))
                for (std::size_t i = 1; i < stroke.size(); ++i) nearest = std::min(nearest, 8 * distance(p, stroke[i - 1], stroke[i]));
            pixels.push_back(0.85 * std::clamp(1.4 - nearest, 0.0, 1.0));
        }
    return pixels;
}

template <class Op>
std::size_t count(const std::vector<Layer>& layers) {
    std::size_t found = 0;
    eachLayer(layers, [&](const Layer& layer) { found += layer.is<Op>(); });
    return found;
}

}  // namespace

TEST_CASE("the stroke networks tell clean digits apart") {
    for (const char* id : {"strokes-cnn", "strokes-resnet"}) {
        CAPTURE(id);
        const Network network = readOnnx(sampleNetworkBytes(id));
        for (int d = 0; d < 10; ++d) {
            const auto scores = forward(network, picture(d)).back();
            CHECK(std::max_element(scores.begin(), scores.end()) - scores.begin() == d);
        }
    }
}

TEST_CASE("the plain stroke network has eight convolutions, one of them without batch norm, and both poolings") {
    const Network network = readOnnx(sampleNetworkBytes("strokes-cnn"));
    CHECK(network.input == Shape{1, kSide, kSide});
    CHECK(network.output().units() == 10);
    CHECK(count<Conv>(network.layers) == 8);
    CHECK(count<BatchNorm>(network.layers) == 7);
    CHECK(count<MaxPool>(network.layers) == 1);
    CHECK(count<AveragePool>(network.layers) == 1);
    CHECK(count<Dense>(network.layers) == 1);
    CHECK(count<Block>(network.layers) == 0);
}

TEST_CASE("the residual stroke network has six blocks, two of them with a projection that halves the picture") {
    const Network network = readOnnx(sampleNetworkBytes("strokes-resnet"));
    CHECK(network.input == Shape{1, kSide, kSide});
    std::vector<Shape> blocks;
    std::size_t projections = 0;
    for (const Layer& layer : network.layers) {
        if (!layer.is<Block>()) continue;
        blocks.push_back(layer.out);
        const std::size_t convolutions = count<Conv>(layer.as<Block>().inner);
        if (convolutions == 3) ++projections;
        CHECK((convolutions == 3) == (layer.in.height == 2 * layer.out.height));
    }
    CHECK(blocks == std::vector<Shape>{{8, 24, 24}, {8, 24, 24}, {12, 12, 12}, {12, 12, 12}, {16, 6, 6}, {16, 6, 6}});
    CHECK(projections == 2);
    CHECK(count<GlobalAveragePool>(network.layers) == 1);
}

TEST_CASE("what is said of the stroke networks' accuracy is what their files say") {
    for (const SampleNetwork& sample : sampleNetworks()) {
        if (sample.id == "shapes-classifier") continue;
        const auto bytes = sampleNetworkBytes(sample.id);
        const std::string text(bytes.begin(), bytes.end()), before = "It is right on ";
        const auto at = text.find(before);
        REQUIRE(at != std::string::npos);
        const auto percent = text.substr(at + before.size(), 6);  // "98.0 %"
        CHECK(percent.substr(4) == " %");
        CHECK(sample.about.find("(" + percent + " right)") != std::string::npos);
    }
}

TEST_CASE("all samples together are small") {
    std::size_t bytes = 0;
    for (const SampleNetwork& sample : sampleNetworks()) bytes += sampleNetworkBytes(sample.id).size();
    CHECK(bytes < 300000);
}
