#include "core/io/network_file.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/base/rng.h"
#include "core/io/file_limits.h"
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

Tensor renamed(Tensor tensor, const char* name) {
    tensor.name = name;
    return tensor;
}

/// The network as the cases describe it: kinds, shapes, numbers.
Json described(const Network& network) {
    Json layers = Json::array();
    for (const Layer& layer : network.layers) {
        Json one{{"kind", layer.op.index()}, {"out", {layer.out.channels, layer.out.height, layer.out.width}}};
        if (layer.is<Pointwise>()) one["activation"] = std::string(activationKey(layer.as<Pointwise>().activation));
        const Weights& own = weightsOf(layer);
        if (!own.weights.empty()) one["weights"] = own.weights;
        if (!own.bias.empty()) one["bias"] = own.bias;
        if (const auto* norm = layer.getIf<BatchNorm>()) one["mean"] = norm->mean, one["variance"] = norm->variance;
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
          Notes{"The file holds weights alone; taken were strides of 1, no padding, no dilation, no pooling."});
    CHECK(notesOf(safetensors({kernel}, {{"input", "1,8"}, {"stride", "2"}, {"padding", "1"}})) ==
          Notes{"The file holds weights alone; taken were no dilation, no pooling."});
    const Tensor mean{"0.running_mean", {3}, {0, 0, 0}}, variance{"0.running_var", {3}, {1, 1, 1}};
    CHECK(notesOf(safetensors({renamed(first, "fc0.weight"), renamed(mean, "bn0.running_mean"), renamed(variance, "bn0.running_var"),
                               renamed(second, "fc1.weight")},
                              {{"activation", "tanh"}, {"epsilon", "0.001"}})) ==
          Notes{"The file holds weights alone; taken were batch norms in front of activations."});
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
    CHECK(sentenceOf(File(fileLimits().bytes + 1), "a.npz") == "The file \"a.npz\" has 67108865 bytes; at most 67108864 are read.");
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
    CHECK(of({matrix("0.weight", 3, 2), matrix("1.weight", 1, 3)}, {{"activation", "glu"}}).find("Unknown activation \"glu\"") == 0);
    CHECK(of({matrix("0.weight", 3, 2), matrix("1.weight", 1, 3)}, {{"activation", "relu,tanh"}}) ==
          "The file's \"activation\" makes no sense: it has 2 entries for 1 places between layers.");
    const Tensor kernel{"0.weight", {2, 1, 3}, std::vector<double>(6, 1)}, other{"1.weight", {2, 2, 1}, std::vector<double>(4, 1)};
    CHECK(of({kernel}, {{"input", "1,8"}, {"stride", "2,1"}}) ==
          "The file's \"stride\" makes no sense: it has 2 entries for 1 convolutions.");
    CHECK(of({kernel, other}, {{"input", "1,8"}, {"padding", "1,0,0"}}) ==
          "The file's \"padding\" makes no sense: it has 3 entries for 2 convolutions.");
    CHECK(of({kernel, other}, {{"input", "1,8"}, {"stride", "2,1"}, {"padding", "1"}}) == "");
    CHECK(of({matrix("0.weight", 3, 2)}, {{"epsilon", "0.001,0.00001"}}) == "");
    CHECK(of({matrix("0.weight", 3, 2), list("1.running_mean", 3), list("1.running_var", 3)}, {{"epsilon", "0.001,0.00001"}}) ==
          "The file's \"epsilon\" makes no sense: it has 2 entries for 1 value.");
    CHECK(of({matrix("0.weight", 3, 2)}, {{"input", "2,x"}}) ==
          "The file's \"input\" makes no sense: \"x\" is no whole number from 1 to 999999.");
    CHECK(of({matrix("0.weight", 3, 2)}, {{"input", "999999,999999"}}) == "The file's \"input\" makes no sense: it is too large.");
    const auto convolution = [&](const char* key, const char* value) {
        return of({{"0.weight", {2, 1, 3, 3}, std::vector<double>(18, 1)}}, {{"input", "1,4,4"}, {key, value}});
    };
    CHECK(convolution("padding", "4096") == "layer \"0\": its input with padding is too large.");
    CHECK(convolution("padding", "4097") == "layer \"0\": its kernel, stride or padding is over 4096.");
    CHECK(convolution("stride", "4097") == "layer \"0\": its kernel, stride or padding is over 4096.");
    CHECK(convolution("stride", "4096") == "");
    CHECK(of({{"0.weight", {2, 3, 3, 3}, std::vector<double>(54, 1)}}, {{"input", "1,4,4"}}) ==
          "layer \"0\": its kernel takes 3 channels, but 1 come from below.");
}

namespace {

Tensor ones(const std::string& name, std::vector<std::int64_t> dims) {
    double count = 1;
    for (const std::int64_t dim : dims) count *= static_cast<double>(dim);
    return {name, std::move(dims), std::vector<double>(static_cast<std::size_t>(count), 1)};
}

std::vector<Tensor> with(std::vector<Tensor> tensors, const std::vector<Tensor>& more) {
    tensors.insert(tensors.end(), more.begin(), more.end());
    return tensors;
}

std::vector<Tensor> norm(const std::string& name, std::int64_t count) {
    return {ones(name + ".running_mean", {count}), ones(name + ".running_var", {count})};
}

std::string refusedNorms(const std::vector<Tensor>& tensors, Facts facts = {}) {
    return sentenceOf(safetensors(tensors, std::move(facts)));
}

}  // namespace

TEST_CASE("a batch norm whose number leaves room for an activation in front of it, and none behind, is refused") {
    const auto sequence = [](const char* normName, const char* last) {
        return refusedNorms(with(with({ones("0.weight", {3, 2})}, norm(normName, 3)), {ones(std::string(last) + ".weight", {1, 3})}));
    };
    const auto sentence = [](const std::string& name) {
        return "layer \"" + name +
               "\": the numbers leave room for an activation in front of this batch norm and none behind it, where one would be taken to "
               "be; save the model as ONNX.";
    };
    CHECK(sequence("2", "3") == sentence("2"));
    CHECK(sequence("1", "2") == "");
    CHECK(sequence("1", "3") == "");
    CHECK(sequence("2", "4") == "");
    CHECK(refusedNorms(with({ones("0.weight", {3, 2})}, norm("2", 3))) == sentence("2"));
    CHECK(refusedNorms(with({ones("0.weight", {3, 2})}, norm("1", 3))) == "");
    const auto blocks = [](const char* normName) {
        return refusedNorms(with(with({ones("b.0.0.weight", {3, 2})}, norm(normName, 3)), {ones("b.1.0.weight", {1, 3})}));
    };
    CHECK(blocks("b.0.1") == "");
    CHECK(blocks("b.0.2") == sentence("b.0.2"));
}

TEST_CASE("of a convolution and a dense layer of one number a batch norm stands behind the one of its length") {
    const auto named = [](std::int64_t normed, std::int64_t units) {
        return with(with({ones("conv1.weight", {4, 1, 3})}, norm("bn1", normed)),
                    {ones("fc1.weight", {units, 16}), ones("fc2.weight", {1, units})});
    };
    const Facts facts{{"input", "1,6"}};
    const auto kinds = [&](const std::vector<Tensor>& tensors) {
        std::string found;
        for (const Layer& layer : readNetwork(safetensors(tensors, facts)).layers) found += std::string(traitsOf(layer).key) + " ";
        return found;
    };
    CHECK(kinds(named(4, 5)) == "convolution batch-norm activation flatten dense activation dense ");
    CHECK(kinds(named(5, 5)) == "convolution activation flatten dense batch-norm activation dense ");
    const char* either = "layer \"bn1\": it could stand behind \"conv1\" or behind \"fc1\", which have its number.";
    CHECK(refusedNorms(named(4, 4), facts) == either);
    CHECK(refusedNorms(named(7, 5), facts) == either);
    CHECK(refusedNorms(with(named(4, 5), norm("norm1", 4)), facts) ==
          "layers \"bn1\" and \"norm1\": their names do not say which comes first; number all layers, as in \"0.weight\", \"1.weight\".");
}

TEST_CASE("Keras's first layer of a kind has no number, and is number 0") {
    const auto named = [](const std::vector<const char*>& names) {
        std::vector<Tensor> tensors;
        std::int64_t in = 2;
        for (const char* name : names) {
            tensors.push_back(ones(std::string(name) + "/kernel", {in, in + 1}));
            ++in;
        }
        return safetensors(tensors);
    };
    const Network network = readNetwork(named({"dense", "dense_1", "dense_2"}));
    REQUIRE(network.layers.size() == 5);
    CHECK(network.layers[0].name == "dense");
    CHECK(network.layers[4].name == "dense_2");
    CHECK(network.output().width == 5);
    CHECK(readNetwork(named({"dense", "dense_9", "dense_10"})).layers[2].name == "dense_9");
    for (const auto& names : {std::vector<const char*>{"dense", "dense_1", "out"}, {"dense", "out"}, {"dense", "dense_0"}})
        CHECK(sentenceOf(named(names)).find("their names do not say which comes first") != std::string::npos);
}

TEST_CASE("counters of batch norms are passed over in either format, whatever they hold") {
    const std::vector<Entry> arrays{{"0.weight.npy", npy("<f8", {3, 2}, Bytes(48))},
                                    {"1.running_mean.npy", npy("<f8", {3}, Bytes(24))},
                                    {"1.running_var.npy", npy("<f8", {3}, doubles({1, 1, 1}))},
                                    {"1.num_batches_tracked.npy", npy("<i8", {}, whole64({7}))}};
    CHECK(readNetwork(npz(arrays)).layers.size() == 2);
    const Bytes counted = safetensorsOf(
        R"({"0.weight":{"dtype":"F64","shape":[1,1],"data_offsets":[0,8]},"1.num_batches_tracked":{"dtype":"I64","shape":[],"data_offsets":[8,16]}})",
        doubles({1, 0}));
    CHECK(readNetwork(counted).layers.size() == 1);
    CHECK(sentenceOf(npz({{"1.counter.npy", npy("<i8", {}, whole64({7}))}})).find("it holds \"<i8\"") != std::string::npos);
}

TEST_CASE("an epsilon of half precision is what it is, not 0") {
    const std::vector<Entry> arrays{{"0.weight.npy", npy("<f8", {3, 2}, Bytes(48))},
                                    {"1.running_mean.npy", npy("<f8", {3}, Bytes(24))},
                                    {"1.running_var.npy", npy("<f8", {3}, doubles({1, 1, 1}))},
                                    {"epsilon.npy", npy("<f2", {}, {0x19, 0x14})}};
    CHECK(readNetwork(npz(arrays)).layers.at(1).as<Norm>().epsilon == 1049 * std::pow(2.0, -20));
}
