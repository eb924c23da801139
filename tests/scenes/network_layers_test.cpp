// Networks with smooth activations and layer norms in every scene that takes a network: a report, or a sentence that names the layer.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/errors.h"
#include "core/io/network_file.h"
#include "scenes/chosen_network.h"
#include "support/scene_runs.h"
#include "support/sentence.h"
#include "testData.h"

using namespace kappaflow;

namespace {

Request withNetwork(const char* scene, const std::string& name) {
    Request request = requestOf(scene, {{"network", "file"}});
    const auto bytes = testData(name + ".onnx");
    request.network = std::make_shared<Attachment>(Attachment{name + ".onnx", {bytes.begin(), bytes.end()}});
    return request;
}

/// The refusal, or "" when the scene takes the network and its report is as declared.
std::string refusalOf(const char* scene, const std::string& name) {
    CAPTURE(scene);
    CAPTURE(name);
    const std::string sentence = refusal([&] { checkReport(*findDeclaration(scene), runRequest(withNetwork(scene, name))); });
    if (!sentence.empty()) CHECK(isOneSentence(sentence));
    return sentence;
}

double inputRowsOf(const Report& report) {
    for (const Scalar& scalar : report.scalars)
        if (scalar.name == "inputRows") return scalar.value;
    return 0;
}

constexpr const char* kScenes[] = {"capacity-diffusion", "network-lens", "moments", "trajectory-length", "activation-regions"};

/// Which of them refuse, in that order.
std::vector<std::string> refusing(const std::string& name) {
    std::vector<std::string> scenes;
    for (const char* scene : kScenes)
        if (!refusalOf(scene, name).empty()) scenes.push_back(scene);
    return scenes;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("scenes that cannot take a layer name it") {
    CHECK(
        refusalOf("activation-regions", "mlp_layernorm") ==
        "Layer 2 (\"/1/LayerNormalization\") is a layer norm, which divides by what it finds in each sample, so that there are no regions "
        "with straight sides to draw: the scenes capacity-diffusion and moments take it.");
    CHECK(refusalOf("activation-regions", "mlp_hardswish") ==
          "Regions with straight sides need activations of straight pieces, and hard-swish (\"/1/Mul\") has none: the scene "
          "trajectory-length "
          "shows what smooth activations do to a curve.");
}

TEST_CASE("each lens of a network takes its layers or says which it does not take") {
    const Report norm = runRequest(withNetwork("network-lens", "mlp_layernorm"));
    const auto note = [](const Report& report, const char* part) { return report.note(part) ? *report.note(part) : std::string(); };
    const auto has = [&](const Report& report, const char* sentence) {
        return std::any_of(report.notes.begin(), report.notes.end(),
                           [&](const Note& n) { return n.text.find(sentence) != std::string::npos; });
    };
    CHECK(note(norm, "capacity") == "");
    CHECK(has(norm, "layer norm (\"/1/LayerNormalization\") has none."));
    CHECK(note(norm, "trajectory") == "");
    // Dense, layer norm, gelu, dense, layer norm, gelu, dense behind the input.
    CHECK(arrayOf(runRequest(withNetwork("moments", "mlp_layernorm")), "layerKind").values == std::vector<double>{0, 1, 8, 3, 1, 8, 3, 1});
    const Report smooth = runRequest(withNetwork("network-lens", "mlp_gelu"));
    CHECK(has(smooth, "and gelu (\"/1/Mul_1\") has none."));
    CHECK_FALSE(has(smooth, "Curves are followed"));
}

TEST_CASE("capacity through attention is measured alone") {
    Request request = withNetwork("measured-capacity", "vision_transformer");
    request.params.set("samples", 60.0);
    const Report report = runRequest(request);
    CHECK(std::any_of(report.warnings.begin(), report.warnings.end(), [](const std::string& warning) {
        return warning.find("Capacities are measured alone, without D = P∘P beside them. The product of matrices") == 0;
    }));
    const std::vector<double> measured = arrayOf(report, "measured").values, decoupled = arrayOf(report, "decoupled").values;
    CHECK(std::accumulate(measured.begin(), measured.begin() + 64, 0.0) == doctest::Approx(1).epsilon(1e-9));
    CHECK(std::none_of(decoupled.begin(), decoupled.end(), [](double x) { return std::isfinite(x); }));
    CHECK(report.summary.find("there is no D = P∘P beside them") != std::string::npos);
    // Said when the request is opened, before a cost could ask for a smaller network.
    const std::string sentence = refusal([&] { openRequest(withNetwork("capacity-diffusion", "vision_transformer")); });
    CHECK_MESSAGE(sentence.find("capacity can only be measured there, by measured-capacity.") != std::string::npos, sentence);
}

TEST_CASE("inputs are an image where the file says so: a channel's rows, or a row a step of a sequence") {
    for (const auto& [name, rows] : std::map<std::string, double>{{"lstm", 9}, {"gru", 6}, {"mlp_batchnorm", 8}, {"mlp_relu", 0}})
        CHECK(inputRowsOf(runRequest(withNetwork("capacity-diffusion", name))) == rows);
    CHECK(inputRowsOf(runRequest(withNetwork("measured-capacity", "lstm"))) == 9);
    CHECK(inputRows(readNetwork(testData("resnet.onnx")), 768) == 48);  // three colours of 16 rows
    CHECK(inputRows(readNetwork(testData("wavenet.onnx")), 48) == 1);
    CHECK(inputRowsOf(runRequest(withNetwork("capacity-diffusion", "wavenet"))) == 0);
    // A transposition stands in front of its first weights.
    CHECK(inputRows(readNetwork(testData("transformer.onnx")), 30) == std::nullopt);
    // Fewer units than inputs, as behind a pooling, are no image of these.
    CHECK(inputRows(readNetwork(testData("lstm.onnx")), 18) == std::nullopt);
}

TEST_CASE("every scene takes each of the exported networks, or refuses it in a sentence" * doctest::test_suite("long")) {
    // Of the networks that differ by their smooth activation alone one: each activation is held against PyTorch where files are read.
    for (const char* name :
         {"mlp_gelu", "mlp_layernorm", "lenet_tanh", "mobilenet", "convnext", "squeeze_excite", "wavenet_gated", "lstm", "gru"})
        CHECK(refusing(name) == Names{"activation-regions"});
    for (const char* name : {"mlp_relu", "resnet", "mlp_batchnorm", "densenet", "squeezenet", "wavenet", "shufflenet", "unet", "rnn"})
        CHECK(refusing(name) == Names{});
    for (const char* name : {"transformer", "vision_transformer", "windows", "swin", "einsum"})
        CHECK(refusing(name) == Names{"capacity-diffusion", "activation-regions"});
    CHECK(refusing("reductions") == Names{"activation-regions"});
    for (const char* name : {"gated_block", "pointwise"})  // products of values none of which is a gate
        CHECK(refusing(name) == Names{"capacity-diffusion", "activation-regions"});
}
