#include <doctest/doctest.h>

#include "core/base/rng.h"
#include "core/io/onnx.h"
#include "support/complete_set.h"
#include "support/onnx_writer.h"

using namespace kappaflow;
using namespace kappaflow::onnx_writer;

namespace {

using File = std::vector<unsigned char>;

/// Every operator in some 700 bytes, most of them structure, so that random changes hit it.
File smallFile() {
    Model m;
    m.nodes = {
        node("Identity", "i", {"x"}, {"x1"}),
        node("Flatten", "f", {"x1"}, {"x2"}),
        node("Gemm", "g", {"x2", "w", "b"}, {"z1"}, {integer("transB", 1), number("alpha", 0.5)}),
        node("Clip", "c", {"z1", "lo", "hi"}, {"y1"}),
        node("Constant", "k", {}, {"v"}, {tensorAttribute("value", tensor("", {3, 2}, {1, 2, 3, 4, 5, 6}, kDouble, Storage::Packed))}),
        node("MatMul", "m", {"y1", "v"}, {"z2"}),
        node("Add", "a", {"z2", "d"}, {"z3"}),
        node("LeakyRelu", "l", {"z3"}, {"y2"}, {number("alpha", 0.1f)}),
        node("Softmax", "s", {"y2"}, {"y"})};
    m.tensors = {tensor("w", {3, 4}, std::vector<double>(12, 0.5)), tensor("b", {3}, {1, 2, 3}, kFloat, Storage::Packed),
                 tensor("d", {2}, {1, 2}, kFloat, Storage::Unpacked), tensor("lo", {}, {-1}), tensor("hi", {}, {1})};
    m.inputs = {valueInfo("x", {-1, 1, 2, 2})};
    m.outputs = {valueInfo("y", {-1, 2})};
    return m.file();
}

/// A residual block of convolutions with most of what a picture's network has, in some 1300 bytes.
File smallConvolutions() {
    Model m;
    m.operatorSet = 13;
    m.nodes = {
        node("Conv", "c1", {"x", "w1", "b1"}, {"z1"}, {integers("pads", {1, 1, 1, 1}), integers("kernel_shape", {3, 3})}),
        node("BatchNormalization", "n", {"z1", "g", "h", "m", "v"}, {"z2"}, {number("epsilon", 0.25)}),
        node("PRelu", "p", {"z2", "s"}, {"z3"}),
        node("Conv", "c2", {"z3", "w2"}, {"z4"}, {text("auto_pad", "SAME_LOWER"), integer("group", 2)}),
        node("Add", "sum", {"z4", "z3"}, {"z5"}),
        node("MaxPool", "pool", {"z5"}, {"z6"}, {integers("kernel_shape", {2, 2}), integers("strides", {2, 2}), integer("ceil_mode", 1)}),
        node("AveragePool", "mean", {"z6"}, {"z7"}, {integers("kernel_shape", {2, 1}), integer("count_include_pad", 1)}),
        node("Reshape", "flat", {"z7", "target"}, {"z8"}),
        node("MatMul", "fc", {"z8", "w3"}, {"y"})};
    m.tensors = {tensor("w1", {2, 1, 3, 3}, std::vector<double>(18, 0.5)),
                 tensor("b1", {2}, {1, 2}),
                 tensor("g", {2}, {1, 2}),
                 tensor("h", {2}, {0, 1}),
                 tensor("m", {2}, {0.5, 1}),
                 tensor("v", {2}, {1, 4}, kFloat, Storage::Packed),
                 tensor("s", {2, 1, 1}, {0.25, 0.5}),
                 tensor("w2", {2, 1, 2, 2}, std::vector<double>(8, -0.5)),
                 integerTensor("target", {2}, {0, -1}),
                 tensor("w3", {6, 1}, std::vector<double>(6, 0.25))};
    m.inputs = {valueInfo("x", {-1, 1, 4, 5})};
    m.outputs = {valueInfo("y", {-1, 1})};
    return m.file();
}

/// Norms, channels that come last, a written-out GELU, and padding that is computed as PyTorch does, in some 1800 bytes.
File smallExport() {
    Model m;
    m.operatorSet = 17;
    m.nodes = {node("ConstantOfShape", "k0", {"four"}, {"zeros"}, {tensorAttribute("value", integerTensor("", {1}, {0}))}),
               node("Concat", "k1", {"two", "zeros"}, {"all"}, {integer("axis", 0)}),
               node("Reshape", "k2", {"all", "pairs"}, {"paired"}),
               node("Slice", "k3", {"paired", "last", "far", "zero", "last"}, {"back"}),
               node("Transpose", "k4", {"back"}, {"turned"}, {integers("perm", {1, 0})}),
               node("Reshape", "k5", {"turned", "last"}, {"flat"}),
               node("Cast", "k6", {"flat"}, {"pads"}, {integer("to", kInt64)}),
               node("Pad", "p", {"x", "pads", ""}, {"z1"}, {text("mode", "constant")}),
               node("Conv", "c", {"z1", "w1"}, {"z2"}, {integers("dilations", {2})}),
               node("Transpose", "t1", {"z2"}, {"z3"}, {integers("perm", {0, 2, 1})}),
               node("LayerNormalization", "n", {"z3", "g", "h"}, {"z4"}, {integer("axis", -1), number("epsilon", 0.25F)}),
               node("MatMul", "mm", {"z4", "w2"}, {"z5"}),
               node("Div", "e1", {"z5", "root"}, {"z6"}),
               node("Erf", "e2", {"z6"}, {"z7"}),
               node("Add", "e3", {"z7", "one"}, {"z8"}),
               node("Mul", "e4", {"z5", "z8"}, {"z9"}),
               node("Mul", "e5", {"z9", "half"}, {"z10"}),
               node("Transpose", "t2", {"z10"}, {"z11"}, {integers("perm", {0, 2, 1})}),
               node("Add", "sum", {"z2", "z11"}, {"z12"}),
               node("ReduceMean", "m1", {"z12"}, {"z13"}, {integers("axes", {1, 2})}),
               node("Sub", "m2", {"z12", "z13"}, {"z14"}),
               node("Pow", "m3", {"z14", "square"}, {"z15"}),
               node("ReduceMean", "m4", {"z15"}, {"z16"}, {integers("axes", {1, 2})}),
               node("Add", "m5", {"z16", "half"}, {"z17"}),
               node("Sqrt", "m6", {"z17"}, {"z18"}),
               node("Div", "m7", {"z14", "z18"}, {"y"})};
    m.tensors = {integerTensor("four", {1}, {4}),
                 integerTensor("two", {2}, {2, 0}),
                 integerTensor("pairs", {2}, {-1, 2}),
                 integerTensor("last", {1}, {-1}),
                 integerTensor("far", {1}, {-9223372036854775807}),
                 integerTensor("zero", {1}, {0}),
                 tensor("w1", {2, 1, 2}, {1, -1, 0.5, 2}),
                 tensor("g", {2}, {1, 2}),
                 tensor("h", {2}, {0, 1}),
                 tensor("w2", {2, 2}, {1, 2, 3, 4}),
                 tensor("root", {}, {1.41421356}),
                 tensor("one", {}, {1}),
                 tensor("half", {}, {0.5}),
                 tensor("square", {}, {2})};
    m.inputs = {valueInfo("x", {-1, 1, 4})};
    m.outputs = {valueInfo("y", {-1, 2, 4})};
    return m.file();
}

/// A valid network, or an InputError with something to say; anything else escapes and fails the test.
bool isRead(const File& file) {
    try {
        validate(readOnnx(file));
        return true;
    } catch (const InputError& error) {
        REQUIRE(std::string(error.what()).size() > 10);
        REQUIRE(std::string(error.what()).size() < 1000);
        return false;
    }
}

File mutated(File file, Rng& rng) {
    for (std::uint64_t changes = 1 + rng.below(4); changes > 0; --changes) {
        const std::size_t at = rng.below(file.size());
        switch (rng.below(5)) {
            case 0:
                file[at] ^= static_cast<unsigned char>(1u << rng.below(8));
                break;
            case 1:
                file[at] = static_cast<unsigned char>(rng.bits());
                break;
            case 2:
                file[at] = rng.below(2) ? 0xFF : 0x80;
                break;
            case 3:
                if (file.size() > 1) file.erase(file.begin() + static_cast<std::ptrdiff_t>(at));
                break;
            default:
                file.insert(file.begin() + static_cast<std::ptrdiff_t>(at), static_cast<unsigned char>(rng.bits()));
        }
    }
    return file;
}

void checkMutations(const File& file, int count, std::uint64_t seed) {
    REQUIRE(isRead(file));
    Rng rng(seed, Purpose::Data);
    int refused = 0;
    for (int i = 0; i < count; ++i) refused += !isRead(mutated(file, rng));
    // The loop must have met both: harmless changes (of a weight or a name) and harmful ones.
    CHECK(refused > 0);
    CHECK(refused < count);
}

void checkTruncations(const File& file) {
    REQUIRE(isRead(file));
    for (std::size_t length = 0; length < file.size(); ++length) {
        CAPTURE(length);
        // What follows the graph (the operator set's version) is not needed; the graph is.
        if (length + 16 < file.size()) REQUIRE_FALSE(isRead(File(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length))));
    }
}

File sampleFile() {
    const auto bytes = sampleNetworkBytes("shapes-classifier");
    return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("a file cut off anywhere is refused") {
    checkTruncations(smallFile());
    checkTruncations(smallConvolutions());
    checkTruncations(smallExport());
    checkTruncations(sampleFile());
}

TEST_CASE("a file with changed bytes is a valid network or is refused") {
    const int share = completeSet() ? 1 : 4;  // fuzzers do the same, guided, every day
    checkMutations(smallFile(), 20000 / share, 1);
    checkMutations(smallConvolutions(), 20000 / share, 4);
    checkMutations(smallExport(), 20000 / share, 5);
    checkMutations(sampleFile(), 5000 / share, 2);
}

TEST_CASE("a file with any one bit changed, or any byte inverted, is a valid network or is refused") {
    for (File file : {smallConvolutions(), smallExport()}) {
        int taken = 0, refused = 0;
        constexpr int kChanges[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xFF};
        for (std::size_t at = 0; at < file.size(); ++at)
            for (std::size_t c = 0; c < std::size(kChanges); ++c) {
                if (!completeSet() && c % 3 != at % 3) continue;  // three of nine a day, others at the next byte
                const auto change = static_cast<unsigned char>(kChanges[c]);
                file[at] ^= change;
                (isRead(file) ? taken : refused) += 1;
                file[at] ^= change;
            }
        CHECK(taken > 100);
        CHECK(refused > 100);
    }
}

TEST_CASE("random bytes are refused") {
    Rng rng(3, Purpose::Data);
    for (int i = 0; i < 5000; ++i) {
        File file(rng.below(300));
        for (unsigned char& byte : file) byte = static_cast<unsigned char>(rng.bits());
        REQUIRE_FALSE(isRead(file));
    }
}
