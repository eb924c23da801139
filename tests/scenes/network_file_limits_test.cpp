#include <doctest/doctest.h>

#include "scene/scene.h"
#include "support/followed.h"
#include "support/onnx_writer.h"
#include "support/report_checks.h"
#include "support/sentence.h"

using namespace kappaflow;
using namespace kappaflow::onnx_writer;

namespace {

Request requestFor(const onnx_writer::Model& model) {
    Request request = requestWith(*findDeclaration("capacity-diffusion"), {{"network", std::string("file")}});
    request.network = std::make_shared<Attachment>(Attachment{"large.onnx", model.file()});
    return request;
}

/// A FLOAT tensor of zeros, whose bytes are made but once.
Message zeros(const std::string& name, std::int64_t rows, std::int64_t columns) {
    Message bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_int64(1, rows);
    writer.add_int64(1, columns);
    writer.add_int32(2, kFloat);
    writer.add_string(8, name);
    writer.add_bytes(9, std::string(static_cast<std::size_t>(rows * columns) * 4, '\0'));
    return bytes;
}

}  // namespace

TEST_CASE("a network file of 60 MB is taken: its weights as doubles and itself are all that it costs" * doctest::test_suite("long")) {
    const Request request = requestFor({{node("Gemm", "fc", {"x", "w"}, {"y"}, {integer("transB", 1)})},
                                        {zeros("w", 3750, 4000)},
                                        {valueInfo("x", {-1, 4000})},
                                        {valueInfo("y", {-1, 3750})}});
    CHECK(request.network->bytes.size() > 60'000'000);
    CHECK(refusal([&] { openRequest(request); }) == "");
    const Cost cost = costOf(request);
    CHECK(cost.bytes > 60e6 + 8 * 15e6);
    CHECK(cost.bytes < kCostLimit.bytes);
}

TEST_CASE("what takes too long is said in billions and as times the most allowed, not in raw digits") {
    const auto sentence = [](std::vector<std::pair<std::string, Value>> params) {
        return refusal([&] { openRequest(requestWith(*findDeclaration("layer-contributions"), params)); });
    };
    const std::string far = sentence({{"layers", 7.0}, {"taps", 4.0}, {"channels", 4.0}});
    CHECK(isOneSentence(far));
    CHECK_MESSAGE(far.find(" billion operations, ") != std::string::npos, far);
    CHECK_MESSAGE(far.find(" times the most allowed; lower ") != std::string::npos, far);
    CHECK_MESSAGE(far.find("00000") == std::string::npos, far);
}

TEST_CASE("a small file of large planes is answered by asking for a smaller network") {
    onnx_writer::Model model{
        {}, {tensor("w", {1, 1, 1, 1}, {1})}, {valueInfo("x", {-1, 1, 512, 512})}, {valueInfo("y", {-1, 1, 512, 512})}};
    for (int l = 0; l < 12; ++l)
        model.nodes.push_back(node("Conv", "c" + std::to_string(l), {l == 0 ? "x" : "z" + std::to_string(l), "w"},
                                   {l == 11 ? "y" : "z" + std::to_string(l + 1)}));
    const std::string sentence = refusal([&] { openRequest(requestFor(model)); });
    CHECK(isOneSentence(sentence));
    CHECK_MESSAGE(sentence.find("of memory, and 230 MB is the most allowed; choose a smaller network.") != std::string::npos, sentence);
}
