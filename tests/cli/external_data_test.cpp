// ONNX models whose weights are in a file beside them.
#include <doctest/doctest.h>

#include "cli/capture.h"
#include "support/onnx_writer.h"

using namespace kappaflow;
using namespace kappaflow::onnx_writer;

namespace {

/// One entry of external_data: where, from which byte on, how many.
Message entry(const std::string& key, const std::string& value) {
    Message bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_string(1, key);
    writer.add_string(2, value);
    return bytes;
}

/// A 3 × 2 matrix whose numbers are elsewhere.
Message elsewhere(const std::vector<std::pair<std::string, std::string>>& entries) {
    Message bytes;
    protozero::pbf_writer writer(bytes);
    for (const std::int64_t dim : {3, 2}) writer.add_int64(1, dim);
    writer.add_int32(2, kFloat);
    writer.add_string(8, "w");
    for (const auto& [key, value] : entries) writer.add_message(13, entry(key, value));
    writer.add_int32(14, 1);
    return bytes;
}

std::string model(const Message& weights) {
    const onnx_writer::Model m{{node("Gemm", "fc", {"x", "w", "b"}, {"y"})},
                               {weights, tensor("b", {2}, {0.5, -0.5})},
                               {valueInfo("x", {-1, 3})},
                               {valueInfo("y", {-1, 2})},
                               13};
    const auto bytes = m.file();
    return {bytes.begin(), bytes.end()};
}

const std::vector<double> kWeights{1, 2, 3, 4, 5, 6};

/// The outputs of (1, 10, 100), or why there are none.
std::string outputs(const TemporaryFolder& folder, const std::string& bytes, const std::string& name = "m.onnx") {
    const std::string file = folder.write(name, bytes), input = folder.write("in.csv", "1,10,100\n");
    const auto result = runCommand({"network", file, "--input", input, "--format", "csv"});
    CHECK((result.status == 0 || isComplaint(result)));
    return result.status == 0 ? result.out : result.err;
}

TEST_CASE("weights in a file beside the model are read from their place there") {
    const TemporaryFolder folder;
    const std::string inside = outputs(folder, model(tensor("w", {3, 2}, kWeights)));
    CHECK(inside.find("531.5") != std::string::npos);
    folder.write("m.onnx.data", std::string(8, 'x') + rawBytes<float>(kWeights) + "more");
    CHECK(outputs(folder, model(elsewhere({{"location", "m.onnx.data"}, {"offset", "8"}, {"length", "24"}}))) == inside);
    folder.write("all", rawBytes<float>(kWeights));
    CHECK(outputs(folder, model(elsewhere({{"location", "all"}}))) == inside);
    std::filesystem::create_directory(folder.path("below"));
    folder.write("below/w", rawBytes<float>(kWeights));
    CHECK(outputs(folder, model(elsewhere({{"location", "below/w"}}))) == inside);
}

TEST_CASE("weights that are not there, not in the folder or too few are refused in a sentence") {
    const TemporaryFolder folder;
    folder.write("d", rawBytes<float>(kWeights));
    const auto refused = [&](std::vector<std::pair<std::string, std::string>> entries) {
        return outputs(folder, model(elsewhere(entries)));
    };
    CHECK(refused({{"location", "none"}}) == "kappaflow: The model's weights are in \"none\", which is not beside it.\n");
    for (const std::string place : {"../d", "/etc/passwd", "./../d"})
        CHECK(refused({{"location", place}}) ==
              "kappaflow: The model's weights are in \"" + place + "\", which is not in the model's folder.\n");
    std::filesystem::create_symlink("/etc/passwd", folder.path("link"));
    CHECK(refused({{"location", "link"}}).find("which is not in the model's folder") != std::string::npos);
    for (const std::string offset : {"8", "25", "18446744073709551615"})
        CHECK(refused({{"location", "d"}, {"offset", offset}, {"length", "24"}}) ==
              "kappaflow: The file \"d\" has 24 bytes, too few for what the model keeps in it.\n");
    for (const std::string offset : {"-1", "0x8", "1e3", "99999999999999999999"})
        CHECK(refused({{"location", "d"}, {"offset", offset}}).find("which is no place") != std::string::npos);
    CHECK(refused({{"location", "d"}, {"length", "20"}}).find("needs 24 bytes, but the file holds 20") != std::string::npos);
    CHECK(refused({}).find("its numbers are in another file") != std::string::npos);
    CHECK(refused({{"location", "."}}).find("which is not beside it") != std::string::npos);
}

}  // namespace
