// The scene of moments on a network of the reader's.
#include <doctest/doctest.h>

#include <cmath>

#include "core/io/network_file.h"
#include "scenes/moments/moments.h"
#include "support/followed.h"
#include "support/onnx_writer.h"
#include "support/scene_runs.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

Report runGiven(const Settings& settings) { return runChecked("moments", settings); }

Network sampleOf(const char* id) { return readNetwork(sampleNetworkBytes(id), id); }

Request fileRequestOf(const onnx_writer::Model& model, const Settings& settings) {
    Request request = requestOf("moments", settings);
    request.params.set("network", std::string("file"));
    request.network = std::make_shared<const Attachment>(Attachment{"given.onnx", model.file()});
    return request;
}

/// y = relu(W x) with so many weights of one value.
onnx_writer::Model reluOf(double weight) {
    using namespace onnx_writer;
    return {{node("Gemm", "fc", {"x", "w"}, {"h"}), node("Relu", "act", {"h"}, {"y"})},
            {tensor("w", {4, 3}, std::vector<double>(12, weight))},
            {valueInfo("x", {-1, 4})},
            {valueInfo("y", {-1, 3})}};
}

}  // namespace

TEST_CASE("moments of a given network: what only random networks have is left out, hidden and said") {
    const Report report =
        runGiven({{"network", "shapes-classifier"}, {"samples", "8"}, {"draws", "2"}, {"width", "16"}, {"net", "resnet"}});
    for (const char* name : {"chiTheory", "deltaChiTheory", "powerLaw", "deltaBatchNorm", "rankSignalInner", "kurtosis"})
        CHECK_MESSAGE(report.array(name) == nullptr, std::string(name));
    for (const char* name : {"rate", "exponent", "exponentPredicted", "plateau", "pathology"})
        CHECK_MESSAGE(report.scalar(name) == nullptr, std::string(name));
    const std::string layers = std::to_string(sampleOf("shapes-classifier").layers.size());
    CHECK(report.summary.find("After all " + layers + " layers of the given network χ = ") == 0);
    CHECK(report.summary.find("Theorems 2–4 are about random weights") != std::string::npos);
    const Declaration& declaration = *findDeclaration("moments");
    Values v = declaration.defaults();
    v.set("network", std::string("shapes-classifier"));
    for (const char* key : {"net", "compare", "width", "layers", "space", "extent", "taps", "boundary", "activation", "branch", "skipScale",
                            "weightScale", "biasVariance", "epsilon"})
        CHECK_MESSAGE(!declaration.param(key)->visible(v), key);
    for (const char* key : {"data", "samples", "draws", "seed", "noise"}) CHECK_MESSAGE(declaration.param(key)->visible(v), key);
}

TEST_CASE("moments of a given network: settings of drawn networks change neither its numbers nor the other defaults") {
    const Report plain = runGiven({{"network", "shapes-classifier"}});
    CHECK(plain.params.number("samples") == 64);
    CHECK(plain.params.number("draws") == 10);
    for (const auto& pair : {std::pair{"space", "conv2d"}, {"compare", "all"}, {"boundary", "reflect"}, {"net", "resnet"}}) {
        const Report report = runGiven({{"network", "shapes-classifier"}, {pair.first, pair.second}});
        CAPTURE(std::string(pair.first));
        for (const char* key : {"samples", "draws"}) CHECK(report.params.number(key) == plain.params.number(key));
        CHECK(report.warnings.empty());
        CHECK(report.summary == plain.summary);
        const auto &chi = arrayOf(report, "chi").values, &expected = arrayOf(plain, "chi").values;
        CHECK(chi == expected);
    }
}

TEST_CASE("moments of a given network: a flattening changes no number, raises no χ and is not named") {
    for (const char* samples : {"2", "24"}) {
        const Report report = runGiven({{"network", "strokes-cnn"}, {"samples", samples}, {"draws", "3"}});
        const auto &kinds = arrayOf(report, "layerKind").values, &chi = arrayOf(report, "chi").values;
        std::size_t flattenings = 0;
        for (std::size_t l = 1; l < kinds.size(); ++l) {
            if (std::string(moments::kLayerKinds[static_cast<std::size_t>(kinds[l])]) != "flatten") continue;
            ++flattenings;
            CHECK(arrayOf(report, "deltaChi").values[l] == doctest::Approx(1).epsilon(1e-12));
            CHECK(chi[l] == doctest::Approx(chi[l - 1]).epsilon(1e-12));
        }
        CHECK(flattenings > 0);
        CHECK(report.summary.find("(flatten)") == std::string::npos);
    }
}

TEST_CASE("moments of a given network: low rank on one channel is said to be white, and has its numbers") {
    const auto of = [](const char* id, const char* data) {
        return runGiven({{"network", id}, {"data", data}, {"samples", "6"}, {"draws", "1"}});
    };
    const Report few = of("strokes-cnn", "low-rank"), white = of("strokes-cnn", "gaussian");
    CHECK(few.summary == white.summary);
    CHECK(warnsOf(few, "white Gaussian"));
    CHECK(white.warnings.empty());
    CHECK(of("shapes-classifier", "low-rank").warnings.empty());
}

TEST_CASE("moments of a given network: every layer of a deep one can be shown") {
    using namespace onnx_writer;
    onnx_writer::Model deep = reluOf(0.5);
    deep.nodes.pop_back();
    for (int l = 0; l < 600; ++l)
        deep.nodes.push_back(node("LeakyRelu", "a" + std::to_string(l), {l == 0 ? "h" : "h" + std::to_string(l)},
                                  {l == 599 ? std::string("y") : "h" + std::to_string(l + 1)}));
    const Report report = runRequest(fileRequestOf(deep, {{"samples", "8"}, {"draws", "1"}}));
    const double last = arrayOf(report, "chi").axes[0].values.back();
    CHECK(last == 601);
    CHECK(parseValue(*findDeclaration("moments")->param("at"), formatNumber(last)).warning.empty());
}

TEST_CASE("moments of a given network: dead ones end with a sentence, and files are needed, read and refused as files are") {
    const Report dead = runRequest(fileRequestOf(reluOf(0), {{"samples", "8"}, {"draws", "2"}}));
    CHECK(dead.status == Status::Ok);
    CHECK(std::isnan(arrayOf(dead, "chi").values[1]));
    CHECK(dead.summary.find("do not pass the first layer") != std::string::npos);
    CHECK(dead.summary.find("2 of 2 draws end before the last layer (Every unit of layer 1 is 0 for every sample)") != std::string::npos);
    const Report alive = runRequest(fileRequestOf(reluOf(0.5), {{"samples", "8"}, {"draws", "2"}}));
    CHECK(arrayOf(alive, "rankSignal").values[1] == doctest::Approx(1).epsilon(1e-9));
    CHECK(isOneSentence(refusal([] { runRequest(requestOf("moments", {{"network", "file"}})); })));
    Request images = fileRequestOf(reluOf(1), {{"data", "images"}});
    images.params.set("samples", 4.0);
    CHECK(runRequest(images).status == Status::Ok);  // four units are a square image
    Request many = requestOf("moments", {{"network", "strokes-cnn"}, {"samples", "1024"}, {"draws", "200"}});
    const std::string sentence = refusal([&] { openRequest(many); });
    CHECK(isOneSentence(sentence));
    CHECK(sentence.find("lower draws") != std::string::npos);
}

TEST_CASE("moments: a refusal names the param whose default saves most, and a given network only where none does") {
    const auto refusalOf = [](const Settings& settings, Cost limit = kCostLimit) {
        return refusal([&] { openRequest(requestOf("moments", settings), limit); });
    };
    CHECK(refusalOf({{"network", "strokes-cnn"}, {"samples", "1024"}}).find("lower samples") != std::string::npos);
    CHECK(refusalOf({{"network", "strokes-cnn"}}, {1e6, 1e12}).find("choose a smaller network") != std::string::npos);
    CHECK(refusalOf({{"space", "conv2d"}, {"width", "120"}, {"layers", "500"}}).find("lower width") != std::string::npos);
}

TEST_CASE("moments of a given network: partial results are the first draw layer by layer, then means") {
    std::size_t growing = 0;
    const Request request = requestOf("moments", {{"network", "shapes-classifier"}, {"samples", "8"}, {"draws", "3"}});
    const Report whole = follow(request, [&](const Report& report, double progress) {
        const auto& chi = arrayOf(report, "chi").values;
        growing += std::isfinite(chi[2]) && std::isnan(chi[6]);
        CHECK(report.status == Status::Partial);
        if (progress < 0.33) CHECK(report.summary == "The first draw is under way.");
    });
    CHECK(whole.status == Status::Ok);
    CHECK(whole.summary.find("After all") == 0);
    CHECK(growing >= 2);
    CHECK(arrayOf(whole, "chi").standardError[3] > 0);
}
