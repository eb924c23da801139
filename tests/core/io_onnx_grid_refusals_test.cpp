#include <doctest/doctest.h>

#include <cmath>

#include "core/io/onnx.h"
#include "support/onnx_writer.h"
#include "support/sentence.h"

using namespace kappaflow;
using namespace kappaflow::onnx_writer;

namespace {

using Numbers = std::vector<double>;
using Sizes = std::vector<std::int64_t>;

constexpr std::int64_t kHuge = std::int64_t{1} << 62;

/// x [batch, 4, 5, 6] → `nodes` → y, with a 3 × 3 kernel "w" for 2 channels and its bias "b".
std::string with(std::vector<Message> nodes, std::vector<Message> tensors = {}, Sizes input = {-1, 4, 5, 6}) {
    Model m{std::move(nodes), std::move(tensors), {valueInfo("x", input)}, {valueInfo("y", {-1, 2})}};
    m.tensors.push_back(tensor("w", {2, 4, 3, 3}, Numbers(72, 0.5)));
    m.tensors.push_back(tensor("b", {2}, {1, 2}));
    const auto file = m.file();
    const std::string sentence = refusal([&] { readOnnx(file); });
    if (!sentence.empty()) CHECK(isOneSentence(sentence));
    return sentence;
}

std::string conv(std::vector<Message> attributes) { return with({node("Conv", "c", {"x", "w", "b"}, {"y"}, attributes)}); }
std::string kernel(Sizes dims, std::vector<Message> attributes = {}) {
    double count = 1;
    for (std::int64_t dim : dims) count *= static_cast<double>(dim);
    const Numbers values(count > 0 && count < 1e4 ? static_cast<std::size_t>(count) : 1, 0.5);
    return with({node("Conv", "c", {"x", "k"}, {"y"}, attributes)}, {tensor("k", dims, values)});
}
std::string pool(std::vector<Message> attributes, const std::string& type = "MaxPool") {
    return with({node("Conv", "c", {"x", "w"}, {"z"}), node(type, "p", {"z"}, {"y"}, attributes)});
}
/// After a convolution, which leaves 2 × 3 × 4.
std::string after(const Message& more, std::vector<Message> tensors = {}) {
    return with({node("Conv", "c", {"x", "w"}, {"z"}), more}, std::move(tensors));
}
std::string reshape(Sizes target, std::vector<Message> attributes = {}) {
    return after(node("Reshape", "r", {"z", "s"}, {"y"}, attributes),
                 {integerTensor("s", {static_cast<std::int64_t>(target.size())}, target)});
}
std::string norm(std::vector<Message> tensors, std::vector<Message> attributes = {}) {
    return after(node("BatchNormalization", "n", {"z", "g", "h", "m", "v"}, {"y"}, attributes), std::move(tensors));
}
std::vector<Message> statistics(Numbers variance = {1, 2}) {
    return {tensor("g", {2}, {1, 2}), tensor("h", {2}, {3, 4}), tensor("m", {2}, {5, 6}),
            tensor("v", {static_cast<std::int64_t>(variance.size())}, variance)};
}

}  // namespace

TEST_CASE("the models that the refusals spoil are good ones") {
    CHECK(conv({}) == "");
    CHECK(kernel({2, 4, 3, 3}) == "");
    CHECK(pool({integers("kernel_shape", {2, 2})}) == "");
    CHECK(reshape({0, -1}) == "");
    CHECK(norm(statistics()) == "");
}

TEST_CASE("kernels that do not go with their input are refused with the numbers") {
    CHECK(kernel({2, 3, 3, 3}) == "node \"c\": its weights \"k\" take 3 channels, but 4 come from below.");
    CHECK(kernel({2, 4, 3}) == "node \"c\": its weights \"k\" are 2 × 4 × 3 for an input of N × 4 × 5 × 6.");
    CHECK(kernel({2, 4, 7, 7}) == "node \"c\": its window reaches over 7 × 7 cells, but its input has only 5 × 6 with padding.");
    CHECK(kernel({2, 4, 3, 0}) == "tensor \"k\": a dimension of 0 is not possible.");
    CHECK(kernel({2, kHuge, 3, 3}) == "tensor \"k\": a dimension of 4611686018427387904 is not possible.");
    CHECK(kernel({2147483647, 4, 3, 3}) == "node \"c\": it has 2147483647 units; at most 262144 are possible.");
    CHECK(kernel({100000, 4, 3, 3}) == "node \"c\": it has 1200000 units; at most 262144 are possible.");
    CHECK(kernel({20000, 4, 3, 3}) == "tensor \"k\": its shape 20000 × 4 × 3 × 3 needs 2880000 bytes, but the file holds 4.");
    CHECK(kernel({2, 4, 2147483647, 1}) == "node \"c\": its window has a size of 2147483647; 1 to 4096 are possible.");
    CHECK(with({node("Conv", "c", {"x", "w", "short"}, {"y"})}, {tensor("short", {1}, {1})}) ==
          "node \"c\": its bias \"short\" is 1 for 2 channels.");
    CHECK(with({node("Conv", "c", {"x", "x"}, {"y"})}) ==
          "node \"c\": operator Conv joins 2 computed values; Add, Sum, Sub, Mul, Div, Concat, MatMul, Einsum, Max and Min may.");
    CHECK(with({node("Conv", "c", {"w", "x"}, {"y"})}) ==
          "node \"c\": its first input must be what the layers below make, not a constant.");
}

TEST_CASE("groups divide the channels on both sides") {
    CHECK(kernel({2, 2, 3, 3}, {integer("group", 2)}) == "");
    CHECK(kernel({2, 1, 3, 3}, {integer("group", 4)}) == "node \"c\": 2 channels cannot be shared out to 4 groups.");
    CHECK(kernel({2, 4, 3, 3}, {integer("group", 3)}) == "node \"c\": its weights \"k\" take 12 channels, but 4 come from below.");
    for (std::int64_t group : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{5}, kHuge})
        CHECK(kernel({2, 4, 3, 3}, {integer("group", group)}) == "node \"c\": a group of " + std::to_string(group) + " is not possible.");
}

TEST_CASE("attributes of windows that are not possible are refused by name") {
    CHECK(conv({integers("strides", {0, 1})}) == "node \"c\": its attribute strides has a 0; numbers from 1 to 4096 are possible.");
    CHECK(conv({integers("dilations", {1, -2})}) == "node \"c\": its attribute dilations has a -2; numbers from 1 to 4096 are possible.");
    CHECK(conv({integers("pads", {0, -1, 0, 0})}) == "node \"c\": its attribute pads has a -1; numbers from 0 to 1048576 are possible.");
    CHECK(conv({integers("pads", {0, 0, 0, kHuge})}) ==
          "node \"c\": its attribute pads has a 4611686018427387904; numbers from 0 to 1048576 are possible.");
    CHECK(conv({integers("pads", {1, 1})}) == "node \"c\": its attribute pads has 2 numbers; its input needs 4.");
    CHECK(conv({integers("strides", {2})}) == "node \"c\": its attribute strides has 1 numbers; its input needs 2.");
    CHECK(conv({integer("strides", 2)}) == "node \"c\": its attribute strides must be a list of whole numbers.");
    CHECK(conv({integers("kernel_shape", {3, 2})}) == "node \"c\": its kernel_shape is 3 × 2, but its weights \"w\" are 2 × 4 × 3 × 3.");
    CHECK(conv({integers("pads", {4096, 4096, 4096, 4096})}) ==
          "node \"c\": its input has 268796024 cells with padding; at most 1048576 are possible.");
    CHECK(conv({text("auto_pad", "SAME")}) == "node \"c\": its auto_pad is \"SAME\"; it may be NOTSET, VALID, SAME_UPPER or SAME_LOWER.");
    CHECK(conv({integer("auto_pad", 1)}) == "node \"c\": its attribute auto_pad must be a text.");
    CHECK(conv({text("auto_pad", "SAME_UPPER"), integers("pads", {1, 1, 1, 1})}) == "node \"c\": it has both pads and auto_pad.");
    CHECK(conv({text("auto_pad", "SAME_UPPER"), integers("pads", {0, 0, 0, 0})}) == "");
    CHECK(conv({integer("output_padding", 1)}) == "node \"c\": attribute \"output_padding\" of operator Conv is not supported.");
    CHECK(conv({integer("group", 1), integer("group", 2)}) == "node \"c\": attribute \"group\" is given twice.");
}

TEST_CASE("poolings that are not possible are refused in a sentence") {
    CHECK(pool({}) == "node \"p\": its kernel_shape is missing.");
    CHECK(pool({integers("kernel_shape", {2})}) == "node \"p\": its window has 1 dimensions where its input needs 2.");
    CHECK(pool({integers("kernel_shape", {4, 4})}) ==
          "node \"p\": its window reaches over 4 × 4 cells, but its input has only 3 × 4 with padding.");
    CHECK(pool({integers("kernel_shape", {-2, 2})}) == "node \"p\": its window has a size of -2; 1 to 4096 are possible.");
    CHECK(pool({integers("kernel_shape", {2, 2}), integers("pads", {2, 0, 0, 0})}) ==
          "layer 2 (\"p\"): a pooling window lies wholly in the padding.");
    CHECK(pool({integers("kernel_shape", {2, 2}), integer("ceil_mode", 2)}) == "node \"p\": ceil_mode = 2 must be 0 or 1.");
    CHECK(pool({integers("kernel_shape", {2, 2}), integers("strides", {2, 2}), integers("pads", {0, 0, 0, 1}), integer("ceil_mode", 1),
                integer("count_include_pad", 1)},
               "AveragePool") ==
          "node \"p\": count_include_pad = 1 with a last window that ceil_mode lets hang over the padding is not supported.");
    for (const Sizes& axes : {Sizes{0}, Sizes{-4, 2}, Sizes{4}})
        CHECK(after(node("ReduceMean", "p", {"z"}, {"y"}, {integers("axes", axes)})) ==
              "node \"p\": its axes must be ones behind the batch axis.");
    CHECK(after(node("ReduceMax", "p", {"z"}, {"y"})) == "node \"p\": it goes over all axes, the batch's among them.");
    CHECK(with({node("MaxPool", "p", {"x"}, {"z", "i"}, {integers("kernel_shape", {2, 2})}), node("Relu", "r", {"i"}, {"y"})}) ==
          "node \"p\": of its outputs only the first may be read, not \"i\".");
    CHECK(with({node("Flatten", "f", {"x"}, {"z"}), node("MaxPool", "p", {"z"}, {"y"}, {integers("kernel_shape", {2})})}) ==
          "node \"p\": its input is N × 120; operator MaxPool takes N × channels × width or N × channels × height × width.");
}

TEST_CASE("batch norms with statistics that are not possible are refused") {
    CHECK(norm(statistics({1, 2, 3})) == "node \"n\": its input \"v\" is 3 where 2 is needed.");
    CHECK(norm(statistics({1, -0.5})) == "node \"n\": its variances must be positive.");
    CHECK(norm(statistics({1, 0}), {number("epsilon", 0)}) == "node \"n\": its variances must be positive.");
    CHECK(norm(statistics(), {number("epsilon", -1e-3f)}) == "node \"n\": its epsilon is negative.");
    CHECK(norm(statistics(), {integer("training_mode", 1)}) == "node \"n\": it is in training mode; export the model in evaluation mode.");
    CHECK(norm(statistics(), {integer("spatial", 0)}) == "node \"n\": its input \"g\" is 2 where 2 × 3 × 4 is needed.");
    auto infinite = statistics();
    infinite[0] = tensor("g", {2}, {1, INFINITY});
    CHECK(norm(infinite) == "tensor \"g\": number 2 is not finite.");
    CHECK(after(node("BatchNormalization", "n", {"z", "g", "h", "m", "v"}, {"y", "mean", "var"}), statistics()) ==
          "node \"n\": it has 3 outputs, as in training; export the model in evaluation mode.");
}

TEST_CASE("scales that multiply beyond what numbers hold are refused") {
    std::vector<Message> nodes{node("Conv", "c", {"x", "w"}, {"v0"})};
    for (int i = 0; i < 3; ++i)
        nodes.push_back(node("Mul", "m" + std::to_string(i), {"v" + std::to_string(i), "huge"}, {"v" + std::to_string(i + 1)}));
    nodes.push_back(node("Relu", "r", {"v3"}, {"y"}));
    CHECK(with(nodes, {tensor("huge", {}, {1e37})}) ==
          "node \"m2\": with it the scales of the network multiply to more than numbers can hold.");
    CHECK(after(node("Div", "d", {"z", "zero"}, {"y"}), {tensor("zero", {}, {0})}) == "node \"d\": it divides by 0.");
}

TEST_CASE("constants that would enlarge what they meet are refused") {
    const auto add = [](Sizes dims) {
        double count = 1;
        for (std::int64_t dim : dims) count *= static_cast<double>(dim);
        return after(node("Add", "a", {"z", "k"}, {"y"}), {tensor("k", dims, Numbers(static_cast<std::size_t>(count), 1))});
    };
    CHECK(add({2, 1, 1}) == "");
    CHECK(add({1, 2, 3, 4}) == "");
    CHECK(add({2}) == "node \"a\": \"k\" is 2, which does not broadcast to N × 2 × 3 × 4.");
    CHECK(add({3, 2, 3, 4}) == "node \"a\": \"k\" is 3 × 2 × 3 × 4, which does not broadcast to N × 2 × 3 × 4.");
    CHECK(add({1, 1, 2, 3, 4}) == "node \"a\": \"k\" is 1 × 1 × 2 × 3 × 4, which does not broadcast to N × 2 × 3 × 4.");
    CHECK(after(node("PRelu", "a", {"z", "k"}, {"y"}), {tensor("k", {2}, {1, 2})}) ==
          "node \"a\": \"k\" is 2, which does not broadcast to N × 2 × 3 × 4.");
}

TEST_CASE("reshapes that would touch the batch or the order of the numbers are refused") {
    CHECK(reshape({2, -1}) == "node \"r\": it makes the model's output, 2 × 12, which does not have the batch axis in front.");
    CHECK(reshape({-1, -1}) == "node \"r\": its target [-1, -1] does not keep the batch axis in front.");
    CHECK(reshape({0, 23}) ==
          "node \"r\": its target [0, 23] does not keep the batch axis in front and the 24 numbers of a sample behind it.");
    CHECK(reshape({0, 5, -1}) ==
          "node \"r\": its target [0, 5, 4] does not keep the batch axis in front and the 24 numbers of a sample behind it.");
    CHECK(reshape({0, kHuge, 4}).find("node \"r\": its target") == 0);
    CHECK(reshape({0, -7}) == "node \"r\": a target size of -7 is not possible.");
    CHECK(reshape({0, 2, 3, 4, 1}) == "");
    CHECK(reshape({}) == "node \"r\": it leaves one number without an axis.");
    CHECK(reshape({24}) == "node \"r\": it makes the model's output, 24, which does not have the batch axis in front.");
    CHECK(reshape({0, -1}, {integer("allowzero", 1)}) == "node \"r\": a target size of 0 is not possible.");
    for (const Sizes& perm : {Sizes{0, 1, 2}, Sizes{0, 1, 1, 3}, Sizes{0, 1, 2, 9}})
        CHECK(after(node("Transpose", "t", {"z"}, {"y"}, {integers("perm", perm)})).find("does not name every axis once.") !=
              std::string::npos);
    CHECK(after(node("Transpose", "t", {"z"}, {"y"}, {integers("perm", {1, 0, 2, 3})})) ==
          "node \"t\": it makes the model's output, 2 × 1 × 3 × 4, which does not have the batch axis in front.");
    CHECK(after(node("Transpose", "t", {"z"}, {"y"})) == "node \"t\": its perm [] does not name every axis once.");
    CHECK(after(node("Squeeze", "s", {"z"}, {"y"}, {integers("axes", {1})})) == "node \"s\": axis 1 has 2 entries and cannot be squeezed.");
    for (const Message& squeeze : {node("Squeeze", "s", {"z"}, {"y"}, {integers("axes", {0})}), node("Squeeze", "s", {"z"}, {"y"})})
        CHECK(after(squeeze) == "node \"s\": it makes the model's output, 2 × 3 × 4, which does not have the batch axis in front.");
    CHECK(after(node("Squeeze", "s", {"z"}, {"y"}, {integers("axes", {7})})) ==
          "node \"s\": its axes [7] must be different ones behind the batch axis.");
    CHECK(after(node("Unsqueeze", "s", {"z"}, {"y"}, {integers("axes", {2})})) == "");
}

TEST_CASE("transposed convolutions and blocks of pixels that are not possible are refused") {
    const auto up = [](const Sizes& kernel, const std::vector<Message>& attributes) {
        double count = 1;
        for (const auto size : kernel) count *= static_cast<double>(size);
        return after(node("ConvTranspose", "u", {"z", "k"}, {"y"}, attributes),
                     {tensor("k", kernel, Numbers(static_cast<std::size_t>(count), 1))});
    };
    CHECK(up({2, 3, 2, 2}, {integers("strides", {2, 2})}) == "");
    CHECK(up({2, 3, 2}, {}) == "node \"u\": its weights \"k\" are 2 × 3 × 2 for an input of N × 2 × 3 × 4.");
    CHECK(up({3, 3, 2, 2}, {}) == "node \"u\": its weights \"k\" take 3 channels, but 2 come from below.");
    CHECK(up({2, 3, 2, 2}, {integer("group", 3)}) == "node \"u\": 2 channels cannot be shared out to 3 groups.");
    CHECK(up({2, 3, 2, 2}, {integers("pads", {2, 0, 0, 0})}) == "node \"u\": its pads are wider than its kernel reaches.");
    CHECK(up({2, 3, 2, 2}, {integers("output_padding", {1, 0})}) == "node \"u\": its output_padding is too large.");
    CHECK(up({2, 3, 2, 2}, {integers("output_shape", {6, 8})}) == "node \"u\": a stated output_shape is not supported; pads are.");
    CHECK(up({2, 3, 2, 2}, {integers("strides", {4000, 4000})}).find("node \"u\": it makes") == 0);
    const auto blocks = [](const char* type, std::int64_t size) {
        return after(node(type, "d", {"z"}, {"y"}, {integer("blocksize", size)}));
    };
    CHECK(blocks("DepthToSpace", 1) == "");
    CHECK(blocks("DepthToSpace", 2) == "node \"d\": blocks of 2 do not fit N × 2 × 3 × 4.");
    CHECK(blocks("SpaceToDepth", 2) == "node \"d\": blocks of 2 do not fit N × 2 × 3 × 4.");
    CHECK(blocks("SpaceToDepth", -1) == "node \"d\": blocks of -1 do not fit N × 2 × 3 × 4.");
    const auto product = [](const std::string& equation) {
        return after(node("Einsum", "e", {"z", "z"}, {"y"}, {text("equation", equation)}));
    };
    CHECK(product("nchw,nchv->nchwv") == "");
    for (const char* wrong :
         {"", "nchw", "nchw,nchw,nchw->n", "ncwh...,nchw->n", "nnhw,nchw->n", "nchw,nchw->z", "nchw->nchw,n", "nchw,nchw"}) {
        CAPTURE(wrong);
        CHECK(product(wrong).find("is not supported; two operands may be multiplied, with one letter an axis.") != std::string::npos);
    }
    CHECK(product("nchw,nhcw->n") == "node \"e\": its equation does not fit N × 2 × 3 × 4.");
    CHECK(product("nch,nch->nch") == "node \"e\": its equation does not fit N × 2 × 3 × 4.");
    CHECK(product("nchw,nchv->nchv") == "node \"e\": it sums over an axis of one operand alone, which is not supported.");
}

TEST_CASE("lists of whole numbers are read from either form of storage and checked") {
    for (Storage storage : {Storage::Raw, Storage::Packed})
        CHECK(after(node("Reshape", "r", {"z", "s"}, {"y"}), {integerTensor("s", {2}, {0, 24}, kInt64, storage)}) == "");
    CHECK(after(node("Reshape", "r", {"z", "s"}, {"y"}), {tensor("s", {2}, {0, 24})}) ==
          "tensor \"s\": it holds FLOAT where whole numbers are needed.");
    CHECK(after(node("Reshape", "r", {"z", "s"}, {"y"}), {integerTensor("s", {3}, {0, 24})}) ==
          "tensor \"s\": its shape 3 does not go with the numbers that it holds, or they are not stored raw.");
    CHECK(after(node("Reshape", "r", {"z", "s"}, {"y"}), {integerTensor("s", {kHuge}, {0, 24})}) ==
          "tensor \"s\": its shape 4611686018427387904 is not that of a list of up to 8.");
    CHECK(after(node("Reshape", "r", {"z", "s"}, {"y"}), {integerTensor("s", {-1}, {})}) ==
          "tensor \"s\": a dimension of -1 is not possible.");
    CHECK(after(node("Reshape", "r", {"z", "s"}, {"y"}), {integerTensor("s", {1, 2}, {0, 24})}) ==
          "tensor \"s\": its shape 1 × 2 is not that of a list of up to 8.");
}

TEST_CASE("Dropout and Softmax are read as in inference, or refused") {
    CHECK(after(node("Dropout", "d", {"z", "", "t"}, {"y"}), {integerTensor("t", {}, {0}, kBool)}) == "");
    CHECK(after(node("Dropout", "d", {"z", "", "t"}, {"y"}), {integerTensor("t", {}, {1}, kBool)}) ==
          "node \"d\": it is in training mode; export the model in evaluation mode.");
    const Message on = integerTensor("t", {}, {1}, kBool);
    CHECK(after(node("Dropout", "d", {"z", "r", "t"}, {"y"}), {on, tensor("r", {}, {0})}) == "");
    CHECK(after(node("Dropout", "d", {"z", "r", "t"}, {"y"}), {on, tensor("r", {}, {0.5})}) ==
          "node \"d\": it is in training mode; export the model in evaluation mode.");
    CHECK(with({node("Dropout", "d", {"x"}, {"z", "mask"}), node("Relu", "r", {"mask"}, {"y"})}) ==
          "node \"d\": of its outputs only the first may be read, not \"mask\".");
    CHECK(with({node("LogSoftmax", "s", {"x"}, {"z"}), node("Conv", "c", {"z", "w"}, {"y"})}) ==
          "node \"s\": operator LogSoftmax is supported only as the last node.");
}

TEST_CASE("operator sets that are too old or not known yet are refused") {
    Model m{{node("Conv", "c", {"x", "w"}, {"y"})},
            {tensor("w", {2, 4, 3, 3}, Numbers(72, 0.5))},
            {valueInfo("x", {-1, 4, 5, 6})},
            {valueInfo("y", {-1, 2, 3, 4})}};
    for (std::int64_t version : {5, 23}) {
        m.operatorSet = version;
        const auto file = m.file();
        CHECK(refusal([&] { readOnnx(file); }) ==
              "The model uses version " + std::to_string(version) + " of the ONNX operators; 6 to 22 are supported.");
    }
    for (std::int64_t version : {6, 7, 17, 22}) {
        m.operatorSet = version;
        const auto file = m.file();
        CHECK(refusal([&] { readOnnx(file); }) == "");
    }
}

TEST_CASE("sizes of the input that are not stated are refused with the dimension's name") {
    const auto input = [](Sizes dims) { return with({node("Conv", "c", {"x", "w"}, {"y"})}, {}, std::move(dims)); };
    CHECK(input({1, 4, -1, 6}) ==
          "input \"x\": dimension 3 (\"batch\") has no fixed size; export the model with the size of its input stated.");
    CHECK(input({1, 4, 5, -2}) == "input \"x\": dimension 4 has no fixed size; export the model with the size of its input stated.");
    CHECK(input({1, 4, kHuge, 6}) == "input \"x\": a dimension of 4611686018427387904 is not possible.");
    CHECK(input({0, 4, 5, 6}) == "");
}

TEST_CASE("a small file cannot ask for unbounded work or memory") {
    std::vector<Message> nodes{node("Conv", "c", {"x", "k"}, {"v0"})};
    for (int i = 0; i < 40; ++i)
        nodes.push_back(node("Relu", "r" + std::to_string(i), {"v" + std::to_string(i)}, {i == 39 ? "y" : "v" + std::to_string(i + 1)}));
    const std::vector<Message> one{tensor("k", {1, 1, 1, 1}, {1})};
    CHECK(with(nodes, one, {1, 1, 512, 512}) == "node \"r15\": with it the layers have more than 4194304 units in all.");
    nodes = {node("Conv", "c", {"x", "k"}, {"z"}),
             node("MaxPool", "p", {"z"}, {"y"}, {integers("kernel_shape", {256, 256}), integers("pads", {128, 128, 127, 127})})};
    CHECK(with(nodes, one, {1, 1, 512, 512}) ==
          "node \"p\": with it one pass through the network takes more than 2000000000 multiplications.");
    // A constant added to a convolution makes no layer, only work.
    nodes = {node("Conv", "c", {"x", "k"}, {"v0"})};
    for (int i = 0; i < 4000; ++i)
        nodes.push_back(
            node("Add", "a" + std::to_string(i), {"v" + std::to_string(i), "k"}, {i == 3999 ? "y" : "v" + std::to_string(i + 1)}));
    CHECK(with(nodes, one, {1, 1, 512, 512}) == "node \"a256\": with it constants and moves meet more than 67108864 units in all.");
}
