#include "core/io/network_file.h"

#include <doctest/doctest.h>

#include "core/base/rng.h"
#include "support/base64.h"
#include "support/same_network.h"
#include "support/sentence.h"
#include "support/tensor_files.h"
#include "testData.h"

using namespace kappaflow;
using namespace kappaflow::tensor_files;

namespace {

using File = std::vector<unsigned char>;
using Notes = std::vector<std::string>;

std::string sentenceOf(const File& file, const char* name = "") {
    return refusal([&] { readNetwork(file, name); });
}

Json readCases() {
    const auto bytes = testData("tensor_files.json");
    return Json::parse(bytes.begin(), bytes.end());
}

/// The network as the cases describe it: kinds, shapes, numbers.
Json described(const Network& network) {
    Json layers = Json::array();
    for (const Layer& layer : network.layers) {
        Json one{{"kind", static_cast<int>(layer.kind)}, {"out", {layer.out.channels, layer.out.height, layer.out.width}}};
        if (layer.kind == LayerKind::Activation) one["activation"] = std::string(activationKey(layer.activation));
        if (!layer.weights.empty()) one["weights"] = layer.weights;
        if (!layer.bias.empty()) one["bias"] = layer.bias;
        if (!layer.mean.empty()) one["mean"] = layer.mean;
        if (!layer.variance.empty()) one["variance"] = layer.variance;
        layers.push_back(one);
    }
    return layers;
}

}  // namespace

TEST_CASE("files that numpy wrote, and safetensors files put together in Python, are read as Python meant them") {
    const Json all = readCases();
    const Json& cases = all["cases"];
    CHECK(cases.size() >= 25);
    for (const Json& c : cases) {
        CAPTURE(c["name"].get<std::string>());
        const Network network = readNetwork(bytesOfBase64(c["file"].get<std::string>()));
        CHECK(network.input == Shape{c["input"][0], c["input"][1], c["input"][2]});
        CHECK(described(network) == c["layers"]);
        const auto input = c["sample"].get<std::vector<double>>(), output = c["output"].get<std::vector<double>>();
        const std::vector<double> made = forward(network, input).back();
        REQUIRE(made.size() == output.size());
        for (std::size_t i = 0; i < made.size(); ++i) CHECK(made[i] == doctest::Approx(output[i]).epsilon(1e-12));
    }
}

TEST_CASE("what a file does not say is taken, and told") {
    const auto notesOf = [](const File& file) {
        Notes notes;
        readNetwork(file, "a", &notes);
        return notes;
    };
    const Tensor first{"0.weight", {3, 2}, std::vector<double>(6, 1)}, second{"1.weight", {1, 3}, std::vector<double>(3, 1)};
    CHECK(notesOf(safetensors({first, second})) ==
          Notes{"The file holds weights alone; taken were ReLU between its layers and none behind the last."});
    CHECK(notesOf(safetensors({first, second}, {{"activation", "tanh"}})).empty());
    CHECK(notesOf(safetensors({first})).empty());
    const Tensor kernel{"0.weight", {2, 1, 3}, std::vector<double>(6, 1)};
    CHECK(notesOf(safetensors({kernel}, {{"input", "1,8"}})) ==
          Notes{"The file holds weights alone; taken were strides of 1, no padding."});
    CHECK(notesOf(safetensors({kernel}, {{"input", "1,8"}, {"stride", "2"}, {"padding", "1"}})).empty());
}

TEST_CASE("the format is told by the bytes, by the name only where they tell nothing") {
    const File good = safetensors({{"weight", {1, 2}, {1, 2}}});
    CHECK(readNetwork(good, "wrong.onnx").layers.size() == 1);
    CHECK(readNetwork(npz({{"W.npy", npy("<f8", {2, 1}, doubles({1, 2}))}, {"input.npy", npy("<i8", {1}, whole64({2}))}}), "x.onnx")
              .input.units() == 2);
    CHECK(sentenceOf({1, 2, 3}, "a.safetensors") == "The file \"a.safetensors\" is too short for a safetensors file.");
    CHECK(sentenceOf({1, 2, 3}, "a.NPZ") == "The file \"a.NPZ\" is a ZIP archive that is cut off.");
    CHECK(sentenceOf({}, "a.onnx") == "The file \"a.onnx\" is empty.");
    CHECK(sentenceOf({0x89, 'H', 'D', 'F', 1}, "a.h5") ==
          "The file \"a.h5\" is HDF5 (Keras); save the weights as npz or safetensors, or the model as ONNX.");
    CHECK(sentenceOf(npy("<f8", {1}, doubles({1})), "a.npy") ==
          "The file \"a.npy\" is one array (.npy); save all of a network's with numpy.savez, as .npz.");
    CHECK(sentenceOf(npz({{"archive/data.pkl", {1}}}), "a.pt") ==
          "The file \"a.pt\" is PyTorch's own (.pt), which holds a program; save the weights as safetensors, or the model as ONNX.");
    CHECK(sentenceOf(File(kMaxNetworkFileBytes + 1), "a.npz") == "The file \"a.npz\" has 67108865 bytes; at most 67108864 are read.");
}

TEST_CASE("an order, a direction or a shape that the file leaves open is refused, and the sentence says what is missing") {
    const auto of = [](std::vector<Tensor> tensors, Facts facts = {}) {
        return sentenceOf(safetensors(std::move(tensors), std::move(facts)));
    };
    const auto matrix = [](const char* name, std::int64_t rows, std::int64_t columns) {
        return Tensor{name, {rows, columns}, std::vector<double>(static_cast<std::size_t>(rows * columns), 1)};
    };
    const auto list = [](const char* name, std::int64_t length) {
        return Tensor{name, {length}, std::vector<double>(static_cast<std::size_t>(length), 1)};
    };
    CHECK(of({matrix("in.weight", 3, 2), matrix("out.weight", 1, 3)}) ==
          "layers \"in\" and \"out\": their names do not say which comes first; number all layers, as in \"0.weight\", \"1.weight\".");
    CHECK(of({matrix("W1", 3, 3)}) ==
          "The file's matrices fit together both as outputs × inputs and as inputs × outputs; call them \"1.weight\" for the one or "
          "\"1.kernel\" for the other.");
    CHECK(of({matrix("W1", 3, 2), matrix("W2", 4, 5)}) ==
          "The file's matrices do not fit together in the order of their names, neither way round.");
    CHECK(of({matrix("0.weight", 3, 2), matrix("1.weight", 4, 5)}) == "layer \"1\": it takes 5 units, but 3 come from below.");
    CHECK(
        of({{"0.weight", {2, 1, 3, 3}, std::vector<double>(18, 1)}}) ==
        "layer \"0\": it is a convolution, and the file does not say how large its input is: add \"input\" to it, such as \"1,28,28\" for "
        "channels, height and width.");
    CHECK(of({matrix("0.weight", 3, 2), list("0.bias", 2)}) == "layer \"0\": its bias is 2 where 3 is needed.");
    CHECK(of({matrix("0.weight", 3, 2), list("1.weight", 3)}) ==
          "layer \"1\": its weight is 3; a batch norm, which could be so, needs a running_mean and a running_var.");
    CHECK(of({matrix("0.weight", 3, 2), list("0.gamma", 3)}) == "tensor \"0.gamma\": it and \"0.weight\" are the same part of one layer.");
    CHECK(of({matrix("table", 3, 2)}) ==
          "tensor \"table\": its name says neither which layer it is of nor what it is there; names such as \"1.weight\", \"fc1.bias\", "
          "\"W1\", \"b1\" or arr_0, arr_1 are read.");
    CHECK(of({matrix("arr_0", 3, 2), list("arr_1", 3), list("arr_2", 3)}) ==
          "tensor \"arr_2\": it is a list, and there is no matrix in front of it whose bias it could be.");
    CHECK(of({}) == "The file holds no weights.");
    CHECK(of({matrix("0.weight", 3, 2), matrix("1.weight", 1, 3)}, {{"activation", "gelu"}}).find("Unknown activation \"gelu\"") == 0);
    CHECK(of({matrix("0.weight", 3, 2), matrix("1.weight", 1, 3)}, {{"activation", "relu,tanh"}}) ==
          "The file's \"activation\" makes no sense: it has 2 entries for 1 places between layers.");
    CHECK(of({matrix("0.weight", 3, 2)}, {{"input", "2,x"}}) ==
          "The file's \"input\" makes no sense: \"x\" is no whole number from 1 to 999999.");
    CHECK(of({matrix("0.weight", 3, 2)}, {{"input", "999999,999999"}}) == "The file's \"input\" makes no sense: it is too large.");
    CHECK(of({{"0.weight", {2, 1, 3, 3}, std::vector<double>(18, 1)}}, {{"input", "1,4,4"}, {"padding", "90000"}}) ==
          "layer \"0\": its input with padding is too large.");
    CHECK(of({{"0.weight", {2, 3, 3, 3}, std::vector<double>(54, 1)}}, {{"input", "1,4,4"}}) ==
          "layer \"0\": its kernel takes 3 channels, but 1 come from below.");
}
