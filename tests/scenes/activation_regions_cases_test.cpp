// The exact counts of the reference networks, met by the scene with their weights put in one by one; and networks it refuses.
#include <string>

#include "support/onnx_writer.h"
#include "support/region_cases.h"
#include "support/regions_scene.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

using List = std::vector<double>;

/// A case as the scene's values: all layers bend alike, the window is a square, the weights are not more than it takes. Else nothing.
RegionValues valuesOf(const RegionCase& one) {
    List widths, edits, ends;
    const Layer& bend = one.network.layers[1];
    for (const Layer& layer : one.network.layers) {
        if (layer.kind == LayerKind::Activation) {
            if (layer.activation != bend.activation) return {};
            continue;
        }
        widths.push_back(static_cast<double>(layer.out.units()));
        std::vector<List> rows;
        const std::size_t in = layer.in.units();
        for (std::size_t o = 0; o < layer.out.units(); ++o) {
            rows.emplace_back(&layer.weights[o * in], &layer.weights[o * in] + in);
            rows.back().push_back(layer.bias[o]);
        }
        setLayer(edits, static_cast<double>(widths.size()), rows);
    }
    if (edits.size() > 512 || one.window != rectangle({-1, -1}, {1, 1})) return {};
    RegionValues values{{"widths", widths},
                        {"edits", edits},
                        {"activation", std::string(activationKey(bend.activation))},
                        {"slope", bend.slope},
                        {"inputs", static_cast<double>(one.network.input.units())}};
    if (one.network.input.units() == 2) return values;
    values.insert(
        values.end(),
        {{"plane", std::string("given")}, {"origin", one.slice.origin}, {"direction1", one.slice.u}, {"direction2", one.slice.v}});
    return values;
}

std::string refusalOf(const char* activation) {
    using namespace onnx_writer;
    const onnx_writer::Model file{{node("Gemm", "fc1", {"x", "w"}, {"h"}, {integer("transB", 1)}), node(activation, "bend", {"h"}, {"z"}),
                                   node("Gemm", "fc2", {"z", "v"}, {"y"}, {integer("transB", 1)})},
                                  {tensor("w", {3, 2}, {1, 0, 0, 1, 1, 1}), tensor("v", {1, 3}, {1, -1, 0.5})},
                                  {valueInfo("x", {-1, 2})},
                                  {valueInfo("y", {-1, 1})}};
    Request request = regionsRequest({{"network", std::string("file")}});
    request.network = std::make_shared<Attachment>(Attachment{"bends.onnx", file.file()});
    return refusal([&] { runRequest(request); });
}

}  // namespace

TEST_CASE("activation regions: the reference networks have their exact counts in the scene, layer by layer") {
    int run = 0, planes = 0;
    for (const std::string& name : regionCaseNames()) {
        CAPTURE(name);
        const RegionCase one = regionCase(name);
        const RegionValues values = valuesOf(one);
        if (values.empty()) continue;
        ++run;
        planes += one.network.input.units() > 2;
        const Report report = runRegions(values);
        CHECK(report.warnings.empty());
        CHECK(scalarIn(report, "affinePieces") == one.expect["L_last"]);
        CHECK(scalarIn(report, "certificate") == 1);
        const auto& layers = one.expect["per_layer"];
        REQUIRE(arrayIn(report, "regionsByDepth").values.size() == layers.size() + 1);
        for (std::size_t d = 0; d < layers.size(); ++d) {
            CHECK(arrayIn(report, "regionsByDepth").values[d + 1] == layers[d]["F"]);
            CHECK(arrayIn(report, "edgesByDepth").values[d + 1] == layers[d]["E"]);
            CHECK(arrayIn(report, "verticesByDepth").values[d + 1] == layers[d]["V"]);
        }
    }
    CHECK(run == 38);
    CHECK(planes == 4);
}

TEST_CASE("activation regions: a file with smooth activations is refused in a sentence that names them and a scene that shows the like") {
    for (const auto& [operation, name] : {std::pair<const char*, const char*>{"Tanh", "tanh"}, {"Sigmoid", "sigmoid"}}) {
        const std::string sentence = refusalOf(operation);
        CAPTURE(sentence);
        CHECK(isOneSentence(sentence));
        CHECK(sentence.find(name) != std::string::npos);
        CHECK(sentence.find("trajectory-length") != std::string::npos);
    }
    CHECK(refusalOf("Relu").empty());
}
