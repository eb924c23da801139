#include <doctest/doctest.h>

#include <cmath>

#include "core/io/file_limits.h"
#include "core/io/onnx.h"
#include "support/onnx_writer.h"

using namespace kappaflow;
using namespace kappaflow::onnx_writer;

namespace {

using Numbers = std::vector<double>;

/// x [batch, 3] → fc → y [batch, 2], which is read without complaint; a test spoils one thing in it.
Model goodModel() {
    return {{node("Gemm", "fc", {"x", "w", "b"}, {"y"}, {integer("transB", 1)})},
            {tensor("w", {2, 3}, {1, 2, 3, 4, 5, 6}), tensor("b", {2}, {1, 2})},
            {valueInfo("x", {-1, 3})},
            {valueInfo("y", {-1, 2})}};
}

std::string refusal(const std::vector<unsigned char>& file, std::string_view name = {}) {
    try {
        readOnnx(file, name);
    } catch (const InputError& error) {
        return error.what();
    }
    return "not refused";
}

std::string withNodes(std::vector<Message> nodes) {
    Model m = goodModel();
    m.nodes = std::move(nodes);
    return refusal(m.file());
}

std::string withWeights(const Message& weights) {
    Model m = goodModel();
    m.tensors[0] = weights;
    return refusal(m.file());
}

std::string withInput(const Message& input) {
    Model m = goodModel();
    m.inputs = {input};
    return refusal(m.file());
}

Message gemm(const std::string& input = "x", const std::string& output = "y", std::vector<Message> more = {}) {
    more.push_back(integer("transB", 1));
    return node("Gemm", "fc", {input, "w", "b"}, {output}, more);
}

Message externalTensor(const std::string& location) {
    Message entry, bytes = tensor("w", {2, 3}, {});
    protozero::pbf_writer(entry).add_string(1, "location");
    protozero::pbf_writer(entry).add_string(2, location);
    protozero::pbf_writer(bytes).add_message(13, entry);
    protozero::pbf_writer(bytes).add_int32(14, 1);
    return bytes;
}

}  // namespace

TEST_CASE("the model that the refusals spoil is a good one") { CHECK(refusal(goodModel().file()) == "not refused"); }

TEST_CASE("files that are no model are refused with the byte where they end making sense") {
    CHECK(refusal({}) == "The file is empty.");
    CHECK(refusal({0x08, 0x07}) == "The file holds no ONNX graph.");
    CHECK(refusal({'P', 'K', 3, 4, 20, 0}) == "The file is damaged or cut off at byte 1, or is not an ONNX model.");
    auto cut = goodModel().file();
    cut.resize(cut.size() / 2);
    CHECK(refusal(cut).find("The file is damaged or cut off at byte ") == 0);
    CHECK(refusal(std::vector<unsigned char>(fileLimits().bytes + 1)) == "The file has 67108865 bytes; at most 67108864 are read.");
}

TEST_CASE("a sentence about the whole file names it when its name is known") {
    const auto named = [](const std::vector<unsigned char>& file) { return refusal(file, "my\ncnn.onnx"); };
    CHECK(named({}) == "The file \"my\uFFFDcnn.onnx\" is empty.");
    CHECK(named({0x08, 0x07}) == "The file \"my\uFFFDcnn.onnx\" holds no ONNX graph.");
    Model m = goodModel();
    m.outputs.clear();
    CHECK(named(m.file()) == "The model \"my\uFFFDcnn.onnx\" has no output.");
    m.nodes = {node("NonZero", "g", {"x"}, {"y"})};
    CHECK(named(m.file()) == "The model \"my\uFFFDcnn.onnx\" has no output.");
    m.outputs = {valueInfo("y", {-1, 2})};
    CHECK(named(m.file()).find("node \"g\": operator NonZero") == 0);
}

TEST_CASE("a field whose length lies far outside of the file is refused where it stands") {
    // Lengths that turn negative as a 32-bit or a 64-bit number, and one of 2 GB.
    for (const std::string& length : {std::string("\xFF\xFF\xFF\xFF\x0F"), std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"),
                                      std::string("\x80\x80\x80\x80\x08"), std::string("\x84\x80\x80\x80\x10")})
        for (unsigned char field : {0x3A, 0x12}) {
            std::vector<unsigned char> file{0x08, 0x07, field};
            file.insert(file.end(), length.begin(), length.end());
            file.insert(file.end(), 1000, 0);
            CHECK(refusal(file) == "The file is damaged or cut off at byte 3, or is not an ONNX model.");
        }
}

TEST_CASE("an operator that is not supported is named with its node") {
    const std::string known = "is not supported; docs/network-files.md lists those that are.";
    CHECK(withNodes({gemm("x", "z"), node("Range", "r", {"z", "z", "z"}, {"y"})}) ==
          "node \"r\": operator Range is supported between constants only, and it reads what is computed from the input.");
    CHECK(withNodes({gemm("x", "z"), node("NonZero", "", {"z"}, {"y"})}) == "node 2 (NonZero): operator NonZero " + known);
    Message fused = gemm();
    protozero::pbf_writer(fused).add_string(7, "com.example");
    CHECK(withNodes({fused}) == "node \"fc\": operator com.example.Gemm " + known);
}

TEST_CASE("forms of operators that are not supported are named with their values") {
    CHECK(withNodes({gemm("x", "y", {integer("transA", 1)})}) == "node \"fc\": transA = 1 is not supported.");
    CHECK(withNodes({node("Gemm", "fc", {"x", "w"}, {"y"}, {integer("transB", 3)})}) == "node \"fc\": transB = 3 must be 0 or 1.");
    CHECK(withNodes({gemm("x", "y", {integer("alpha", 1)})}) == "node \"fc\": its attribute alpha must be a finite number.");
    CHECK(withNodes({gemm("x", "y", {number("beta", INFINITY)})}) == "node \"fc\": its attribute beta must be a finite number.");
    CHECK(withNodes({node("Gemm", "fc", {"x"}, {"y"})}) == "node \"fc\": operator Gemm takes 2 to 3 inputs.");
    CHECK(withNodes({node("Gemm", "fc", {"x", ""}, {"y"})}) == "node \"fc\": operator Gemm takes 2 to 3 inputs.");
    CHECK(withNodes({node("MatMul", "mm", {"w", "x"}, {"y"})}) ==
          "node \"mm\": its first input must be what the layers below make, not a constant.");
    CHECK(withNodes({node("Add", "add", {"x", "b"}, {"y"})}) == "node \"add\": \"b\" is 2, which does not broadcast to N × 3.");
    CHECK(withNodes({gemm("x", "z"), node("Clip", "c", {"z"}, {"y"}, {number("min", 2.5), number("max", 2)})}) ==
          "node \"c\": it clips to 2.5 … 2, which is nothing.");
    CHECK(withNodes({gemm("x", "z"), node("LogSoftmax", "s", {"z"}, {"p"}), node("Relu", "r", {"p"}, {"y"})}) ==
          "node \"s\": operator LogSoftmax is supported only as the last node.");
    CHECK(withNodes({node("Flatten", "f", {"x"}, {"z"}, {integer("axis", 0)}), gemm("z")}) ==
          "node \"f\": Flatten from axis 0 is not supported; it must be 1.");
    CHECK(withNodes({node("Constant", "k", {}, {"c"}, {integer("value", 1)}), gemm()}) ==
          "node \"k\": a constant given as attribute \"value\" is not supported; it may be value (a tensor), value_float, value_floats, "
          "value_int or value_ints.");
    CHECK(withNodes({node("Constant", "k", {}, {"c"}), gemm()}) == "node \"k\": a constant must have one value.");
    CHECK(withNodes({node("Relu", "r", {"b"}, {"c"}), gemm()}) ==
          "node \"r\": it makes \"c\" from constants alone by operator Relu, which is not supported.");
    CHECK(withNodes({node("Gemm", "fc", {"x", "w"}, {"y", "more"}, {integer("transB", 1)})}) ==
          "node \"fc\": it has 2 outputs; it must have one, with a name.");
}

TEST_CASE("weights and biases of the wrong shape are refused by name") {
    CHECK(withWeights(tensor("w", {2, 4}, Numbers(8, 1))) == "node \"fc\": its weights \"w\" take 4 units, but 3 come from below.");
    CHECK(withWeights(tensor("w", {6}, Numbers(6, 1))) == "node \"fc\": its weights \"w\" are 6, not a matrix.");
    CHECK(withWeights(tensor("w", {1, 2, 3}, Numbers(6, 1))) == "node \"fc\": its weights \"w\" are 1 × 2 × 3, not a matrix.");
    CHECK(withWeights(tensor("w", {3, 3}, Numbers(9, 1))) == "node \"fc\": \"b\" is 2, which does not broadcast to N × 3.");
    Model column = goodModel();
    column.tensors[1] = tensor("b", {2, 1}, {1, 2});
    CHECK(refusal(column.file()) == "node \"fc\": \"b\" is 2 × 1, which does not broadcast to N × 2.");
}

TEST_CASE("dimensions that are not possible are refused by name") {
    CHECK(withWeights(tensor("w", {2, -3}, Numbers(6, 1))) == "tensor \"w\": a dimension of -3 is not possible.");
    CHECK(withWeights(tensor("w", {2, 0}, {})) == "tensor \"w\": a dimension of 0 is not possible.");
    CHECK(withWeights(tensor("w", {2, std::int64_t{1} << 31}, Numbers(6, 1))) ==
          "tensor \"w\": a dimension of 2147483648 is not possible.");
    CHECK(withWeights(tensor("w", std::vector<std::int64_t>(50, 2147483647), Numbers(6, 1))) ==
          "tensor \"w\": it has more than 8 dimensions.");
}

TEST_CASE("a tensor holds exactly the numbers that its shape claims") {
    CHECK(withWeights(tensor("w", {2, 3}, Numbers(5, 1))) == "tensor \"w\": its shape 2 × 3 needs 24 bytes, but the file holds 20.");
    CHECK(withWeights(tensor("w", {2, 3}, Numbers(7, 1), kDouble)) ==
          "tensor \"w\": its shape 2 × 3 needs 48 bytes, but the file holds 56.");
    CHECK(withWeights(tensor("w", {2, 3}, {}, kFloat, Storage::Packed)) ==
          "tensor \"w\": its shape 2 × 3 needs 24 bytes, but the file holds 0.");
    CHECK(withWeights(tensor("w", {2, 3}, Numbers(6, 1)) + tensor("w", {}, Numbers(6, 1), kFloat, Storage::Packed)) ==
          "tensor \"w\": it stores its numbers twice, raw and typed.");
}

TEST_CASE("numbers of another type, elsewhere or not finite are refused by name") {
    CHECK(withWeights(tensor("w", {2, 3}, Numbers(3, 1), kFloat16)) ==
          "tensor \"w\": it holds FLOAT16; only FLOAT and DOUBLE are supported.");
    CHECK(withWeights(tensor("w", {2, 3}, Numbers(3, 1), static_cast<Type>(99))) ==
          "tensor \"w\": it holds type 99; only FLOAT and DOUBLE are supported.");
    CHECK(withWeights(externalTensor("weights.bin")) ==
          "tensor \"w\": its numbers are in another file (\"weights.bin\"); open both together, or export the model as one file.");
    CHECK(withWeights(tensor("w", {2, 3}, {1, 2, 3, 4, NAN, 6})) == "tensor \"w\": number 5 is not finite.");
    CHECK(withWeights(tensor("w", {2, 3}, {1, 2, -INFINITY, 4, 5, 6}, kDouble, Storage::Packed)) ==
          "tensor \"w\": number 3 is not finite.");
    CHECK(withWeights(tensor("w", {2, 3}, {1, 2, 1e200, 4, 5, 6}, kDouble)) == "node \"fc\": one of its weights is too large.");
    Model sparse = goodModel();
    std::vector<unsigned char> file = sparse.file();
    for (unsigned char byte : {0x3A, 0x02, 0x7A, 0x00}) file.push_back(byte);  // one more graph field with an empty sparse tensor
    CHECK(refusal(file) == "The model keeps sparse tensors, which are not supported.");
}

TEST_CASE("what is larger than any file could be is refused before it is allocated, with the numbers") {
    CHECK(withWeights(tensor("w", {1000000, 3}, {})) == "node \"fc\": it has 1000000 units; at most 262144 are possible.");
    CHECK(withInput(valueInfo("x", {1, 1000000})) == "input \"x\": it has 1000000 units; at most 262144 are possible.");
    CHECK(withInput(valueInfo("x", {1, 2147483647, 2147483647, 2147483647})).find("units; at most 262144 are possible.") !=
          std::string::npos);
    Model m = goodModel();
    m.inputs = {valueInfo("x", {1, 16384})};
    m.tensors[0] = tensor("w", {16384, 16384}, {});  // a 1 kB file that claims a gigabyte
    CHECK(refusal(m.file()) == "node \"fc\": with it the model has more than 17000000 weights.");
    m.tensors[0] = tensor("w", {900, 16384}, Numbers(100, 1));
    CHECK(refusal(m.file()) == "tensor \"w\": its shape 900 × 16384 needs 58982400 bytes, but the file holds 400.");
    Model crowd = goodModel();
    crowd.nodes.assign(20000, "");
    CHECK(refusal(crowd.file()) == "The model has more than 16384 nodes.");
    crowd.nodes.assign(5000, node("Relu", "r", {"x"}, {"y"}, std::vector<Message>(14, integer("a", 1))));
    CHECK(refusal(crowd.file()) == "The model has more than 65536 attributes at its nodes.");
}

TEST_CASE("an input of the wrong kind is refused by name") {
    CHECK(withInput(valueInfo("x", {32, 3})) == "input \"x\": its batch size is 32; export the model with a batch of 1 or a named one.");
    CHECK(withInput(valueInfo("x", {1, -1})) ==
          "input \"x\": dimension 2 (\"batch\") has no fixed size; export the model with the size of its input stated.");
    CHECK(withInput(valueInfo("x", {1, -7})) == "input \"x\": a dimension of -7 is not possible.");
    CHECK(withInput(valueInfo("x", {1, std::int64_t{1} << 40})) == "input \"x\": a dimension of 1099511627776 is not possible.");
    CHECK(withInput(valueInfo("x", {3})) == "input \"x\": it has 1 dimensions; 2 to 4 are supported, the first being the batch.");
    CHECK(withInput(valueInfo("x", {1, 3}, kInt64)) == "input \"x\": it holds INT64; only FLOAT and DOUBLE are supported.");
    CHECK(withInput(valueInfo("x", {1, 1, 3})) == "node \"fc\": its input has 3 dimensions; a Flatten must come first.");
    Message bare;
    protozero::pbf_writer(bare).add_string(1, "x");
    CHECK(withInput(bare) == "input \"x\": it holds UNDEFINED; only FLOAT and DOUBLE are supported.");
}

TEST_CASE("graphs that lead from no input to no output are refused") {
    CHECK(withNodes({gemm("loop", "z"), node("Relu", "a", {"z"}, {"loop"}), node("Tanh", "b", {"x"}, {"y"})}) ==
          "The nodes read each other's outputs in a cycle: node \"fc\", node \"a\".");
    CHECK(withNodes({node("Gemm", "fc", {"x", "lost"}, {"y"})}) == "node \"fc\": it reads \"lost\", which the file does not hold.");
    CHECK(withNodes({gemm("x", "other")}) == "output \"y\": no node computes it from the model's input.");
    CHECK(withNodes({}) == "output \"y\": no node computes it from the model's input.");
    CHECK(withNodes({node("Relu", "r", {"x"}, {"y"})}) == "The model has no layer with weights.");
}

TEST_CASE("several inputs or outputs, or none, are refused by name") {
    Model m = goodModel();
    m.inputs.push_back(valueInfo("x2", {1, 3}));
    CHECK(refusal(m.file()) == "The model has 2 inputs (\"x\", \"x2\"); it must have one.");
    m.inputs.clear();
    CHECK(refusal(m.file()) == "node \"fc\": it reads \"x\", which the file does not hold.");
    m = goodModel();
    m.outputs.push_back(valueInfo("z", {1, 3}));
    CHECK(refusal(m.file()) == "The model has 2 outputs (\"y\", \"z\"); it must have one.");
    m.outputs.clear();
    CHECK(refusal(m.file()) == "The model has no output.");
}

TEST_CASE("two things of one name are refused by that name") {
    Model m = goodModel();
    m.tensors.push_back(m.tensors[0]);
    CHECK(refusal(m.file()) == "tensor \"w\": two tensors have this name.");
    m = goodModel();
    m.inputs.push_back(m.inputs[0]);
    CHECK(refusal(m.file()) == "input \"x\": two inputs have this name.");
    CHECK(withNodes({gemm(), node("Relu", "r", {"y"}, {"y"})}) == "node \"r\": its output \"y\" is made by node \"fc\" too.");
    CHECK(withNodes({gemm("x", "w")}) == "node \"fc\": its output \"w\" has the name of an input or tensor.");
}

TEST_CASE("names that are no text are shown with replacement characters, long ones cut") {
    CHECK(withNodes({node("NonZero", "a\xFF\xC3(\n", {"x"}, {"y"})}).find("node \"a\uFFFD\uFFFD(\uFFFD\": operator NonZero") == 0);
    CHECK(withNodes({node("NonZero", std::string(1000, 'n'), {"x"}, {"y"})})
              .find("node \"" + std::string(60, 'n') + "…\": operator NonZero") == 0);
}
