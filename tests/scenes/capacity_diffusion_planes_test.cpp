#include <doctest/doctest.h>

#include "core/base/errors.h"
#include "support/networks.h"
#include "support/onnx_writer.h"
#include "support/report_checks.h"
#include "support/scene_runs.h"

using namespace kappaflow;
using namespace kappaflow::onnx_writer;
using File = onnx_writer::Model;

namespace {

Message convolution(File& model, const std::string& name, const std::string& from, std::vector<std::int64_t> dims, std::int64_t stride) {
    std::size_t size = 1;
    for (const auto dim : dims) size *= static_cast<std::size_t>(dim);
    model.tensors.push_back(tensor(name + ".w", dims, gaussians(size, size)));
    const std::int64_t pad = dims[2] / 2;
    return node("Conv", name, {from, name + ".w"}, {name}, {integers("pads", {pad, pad, pad, pad}), integers("strides", {stride, stride})});
}

// 2 channels of 9 × 8, two convolutions (the first with stride 2), nothing else: states 9 × 8, 5 × 4, 5 × 4.
File convolutions() {
    File model;
    model.inputs = {valueInfo("x", {1, 2, 9, 8})};
    model.nodes = {convolution(model, "a", "x", {3, 2, 3, 3}, 2), convolution(model, "b", "a", {4, 3, 3, 3}, 1)};
    model.outputs = {valueInfo("b", {1, 4, 5, 4})};
    return model;
}

// The same with a mean over positions and a dense layer of 7 units on top.
File classifier() {
    File model = convolutions();
    model.tensors.push_back(tensor("w", {4, 7}, gaussians(28, 1)));
    model.nodes.push_back(node("GlobalAveragePool", "mean", {"b"}, {"mean"}));
    model.nodes.push_back(node("Flatten", "flat", {"mean"}, {"flat"}));
    model.nodes.push_back(node("MatMul", "top", {"flat", "w"}, {"top"}));
    model.outputs = {valueInfo("top", {1, 7})};
    return model;
}

Report runFile(const File& model, Settings settings) {
    settings.insert(settings.begin(), {"network", "file"});
    auto request = diffusionRequest(settings);
    request.network = std::make_shared<Attachment>(Attachment{"test.onnx", model.file()});
    return runRequest(request);
}

struct Spread {
    double mean, variance;
};
Spread spreadOf(const Array& capacity, std::size_t l, bool alongY) {
    const std::size_t width = capacity.axes[2].size();
    double mass = 0, mean = 0, square = 0;
    for (std::size_t i = 0; i < capacity.rowLength(); ++i) {
        if (std::isnan(capacity.row(l)[i])) continue;
        const double u = static_cast<double>(alongY ? i / width : i % width);
        mass += capacity.row(l)[i];
        mean += capacity.row(l)[i] * u;
        square += capacity.row(l)[i] * u * u;
    }
    return {mean / mass, square / mass - mean * mean / mass / mass};
}

}  // namespace

TEST_CASE("a file of convolutions has rows and columns, and offsets count from the top through its strides") {
    // Unit 33 of 4 × 5 × 4 is channel 1, row 3, column 1.
    const auto report = runFile(convolutions(), {{"topIndex", "33"}, {"channel", "2"}});
    checkReport(*findDeclaration("capacity-diffusion"), report);
    CHECK(arrayOf(report, "heights").values == std::vector<double>{9, 5, 5});
    CHECK(arrayOf(report, "widths").values == std::vector<double>{8, 4, 4});
    CHECK(arrayOf(report, "channelCounts").values == std::vector<double>{2, 3, 4});
    const auto& capacity = arrayOf(report, "capacity");
    REQUIRE(capacity.values.size() == 3 * 9 * 8);
    CHECK(capacity.row(2)[3 * 8 + 1] == 1);
    CHECK(std::isnan(capacity.row(2)[4]));
    CHECK(std::isnan(capacity.row(1)[5 * 8]));
    for (std::size_t l = 0; l < 3; ++l) CHECK(rowTotal(capacity, l) == doctest::Approx(1));
    const double scale[3] = {2, 1, 1};
    for (std::size_t l = 0; l < 3; ++l) {
        const Spread y = spreadOf(capacity, l, true), x = spreadOf(capacity, l, false);
        CHECK(arrayOf(report, "mean").row(l)[0] == doctest::Approx(y.mean - 3 * scale[l]));
        CHECK(arrayOf(report, "mean").row(l)[1] == doctest::Approx(x.mean - 1 * scale[l]));
        CHECK(arrayOf(report, "variance").row(l)[0] == doctest::Approx(y.variance));
        CHECK(arrayOf(report, "variance").row(l)[1] == doctest::Approx(x.variance));
    }
    const auto& channel = arrayOf(report, "channelCapacity");
    CHECK(std::isnan(channel.row(0)[0]));
    CHECK(rowTotal(channel, 1) > 0);
    CHECK(rowTotal(channel, 1) < 1);
    CHECK(scalarOf(report, "spreadY") == doctest::Approx(std::sqrt(spreadOf(capacity, 0, true).variance)));
    CHECK_FALSE(report.array("gaussian"));
    CHECK_FALSE(report.array("shares"));
    CHECK_FALSE(report.array("flowFrom"));
}

TEST_CASE("below layers without places the positions speak for themselves; dense states have height 1") {
    const auto report = runFile(classifier(), {{"topIndex", "4"}});
    checkReport(*findDeclaration("capacity-diffusion"), report);
    CHECK(arrayOf(report, "heights").values == std::vector<double>{9, 5, 5, 1, 1});
    CHECK(arrayOf(report, "widths").values == std::vector<double>{8, 4, 4, 1, 7});
    CHECK(arrayOf(report, "capacity").row(4)[4] == 1);
    CHECK(arrayOf(report, "mean").row(4)[1] == doctest::Approx(4));
    // The mean over positions hands the same to each: 5 rows, 4 columns.
    CHECK(arrayOf(report, "mean").row(2)[0] == doctest::Approx(2));
    CHECK(arrayOf(report, "mean").row(2)[1] == doctest::Approx(1.5));
    CHECK(arrayOf(report, "variance").row(2)[0] == doctest::Approx(2));
    CHECK(arrayOf(report, "variance").row(2)[1] == doctest::Approx(1.25));
    CHECK(report.summary.find("9 × 8 positions of the input") != std::string::npos);
}

TEST_CASE("the fit is the least squares line through the variance in input positions") {
    const auto report = runFile(classifier(), {});
    const auto &variance = arrayOf(report, "variance"), &fitted = arrayOf(report, "standardDeviationFitted");
    const double scale[3] = {1, 2, 2};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const double v[3] = {variance.row(2)[axis] * 4, variance.row(1)[axis] * 4, variance.row(0)[axis]};
        const double slope = (v[2] - v[0]) / 2, mean = (v[0] + v[1] + v[2]) / 3;
        CHECK(scalarOf(report, axis == 0 ? "fittedGrowthY" : "fittedGrowth") == doctest::Approx(slope));
        for (std::size_t l = 0; l < 3; ++l)
            CHECK(fitted.row(l)[axis] == doctest::Approx(std::sqrt(mean + slope * (1 - static_cast<double>(l))) / scale[l]));
        CHECK(std::isnan(fitted.row(3)[axis]));
        CHECK(std::isnan(fitted.row(4)[axis]));
    }
}

TEST_CASE("the gradient of a file in two dimensions stands in the same places") {
    const auto report = runFile(classifier(), {{"gradient", "true"}, {"gradientSamples", "8"}});
    const auto &gradient = arrayOf(report, "gradient"), &capacity = arrayOf(report, "capacity");
    for (std::size_t l = 0; l < 5; ++l) CHECK(rowTotal(gradient, l) == doctest::Approx(1));
    for (std::size_t i = 0; i < capacity.values.size(); ++i) CHECK(std::isnan(capacity.values[i]) == std::isnan(gradient.values[i]));
}

TEST_CASE("a file whose planes would fill the memory is refused by asking for a smaller one") {
    File model;
    model.inputs = {valueInfo("x", {1, 1, 512, 512})};
    std::string last = "x";
    for (int l = 0; l < 12; ++l) {
        const std::string name = "conv" + std::to_string(l);
        model.nodes.push_back(convolution(model, name, last, {1, 1, 3, 3}, 1));
        last = name;
    }
    model.outputs = {valueInfo(last, {1, 1, 512, 512})};
    CHECK_THROWS_WITH_AS(runFile(model, {}), doctest::Contains("choose a smaller network"), InputError);
}
