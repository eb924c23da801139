#include <doctest/doctest.h>

#include "core/base/rng.h"
#include "core/io/onnx.h"
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
    checkTruncations(sampleFile());
}

TEST_CASE("a file with changed bytes is a valid network or is refused") {
    checkMutations(smallFile(), 20000, 1);
    checkMutations(sampleFile(), 5000, 2);
}

TEST_CASE("random bytes are refused") {
    Rng rng(3, Purpose::Data);
    for (int i = 0; i < 5000; ++i) {
        File file(rng.below(300));
        for (unsigned char& byte : file) byte = static_cast<unsigned char>(rng.bits());
        REQUIRE_FALSE(isRead(file));
    }
}
