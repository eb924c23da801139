#include <doctest/doctest.h>

#include <cmath>

#include "core/base/rng.h"
#include "core/io/network_file.h"
#include "support/sentence.h"
#include "support/tensor_files.h"

using namespace kappaflow;
using namespace kappaflow::tensor_files;

namespace {

std::string refused(const Bytes& file) {
    return refusal([&] { readNetwork(file); });
}

std::string refusedHeader(const std::string& header, std::size_t dataBytes = 16) {
    return refused(safetensorsOf(header, Bytes(dataBytes)));
}

std::string oneTensor(const std::string& type, const std::string& shape, const std::string& offsets) {
    return R"({"0.weight":{"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

const Bytes& goodArray() {
    static const Bytes array = npy("<f8", {1, 2}, doubles({1, 2}));
    return array;
}

}  // namespace

TEST_CASE("a safetensors header that does not fit the file or itself is refused where it goes wrong") {
    CHECK(refusedHeader(oneTensor("F64", "[1,2]", "[0,16]")) == "");
    Bytes cut = safetensorsOf(oneTensor("F64", "[1,2]", "[0,16]"), Bytes(16));
    cut[0] = 0xFF;
    CHECK(refusal([&] { readNetwork(cut, "a.safetensors"); }) ==
          "The file \"a.safetensors\" claims a header of 255 bytes, but holds 80; it is cut off or no safetensors file.");
    CHECK(refusedHeader(oneTensor("F64", "[1,2]", "[0,24]")) == "tensor \"0.weight\": it reaches beyond the end of the file.");
    CHECK(refusedHeader(oneTensor("F64", "[1,2]", "[16,0]")) ==
          "tensor \"0.weight\": its data_offsets should be where it begins and where it ends.");
    CHECK(refusedHeader(oneTensor("F64", "[1,2]", "[0,8]"), 8) == "tensor \"0.weight\": its shape needs 16 bytes, but the file holds 8.");
    CHECK(refusedHeader(oneTensor("F64", "[1,2]", "[8,24]"), 24) ==
          "tensor \"0.weight\": there are bytes in front of it that belong to no tensor.");
    CHECK(refusedHeader(oneTensor("F64", "[1,2]", "[0,16]"), 24) == "The file has 8 bytes behind its tensors.");
    CHECK(refusedHeader(oneTensor("I8", "[1,2]", "[0,16]")) ==
          "tensor \"0.weight\": it holds \"I8\"; only F64, F32, F16 and BF16 are supported.");
    CHECK(refusedHeader(oneTensor("F64", "[0,2]", "[0,0]"), 0) == "tensor \"0.weight\": a dimension of 0 is not possible.");
    CHECK(refusedHeader(oneTensor("F64", "[99999,99999]", "[0,16]")) ==
          "tensor \"0.weight\": its shape is more than the 17000000 numbers that are possible.");
    CHECK(refusedHeader(oneTensor("F64", "[1,1,1,1,1,1,1,1,1]", "[0,8]")).find("a list is too long") != std::string::npos);
    CHECK(refusedHeader(oneTensor("F64", "[1,1234567890123456]", "[0,8]")).find("a number is too large") != std::string::npos);
    CHECK(refusedHeader(R"({"a":{},"a":{}})") == "The file's header makes no sense at byte 20: a name occurs twice.");
    CHECK(refusedHeader(R"({"a":{"shape":"x"}})") == "tensor \"a\": it should have dtype, shape and data_offsets, and nothing else.");
    CHECK(refusedHeader(R"({"a":{"dtype":[1],"shape":[1],"data_offsets":[0,8]}})") ==
          "tensor \"a\": its dtype is missing, or of another kind.");
    CHECK(refusedHeader(R"({"a":{"b":1.5}})") == "The file's header makes no sense at byte 18: a text should begin.");
    CHECK(refusedHeader(R"({"a":{"b":"\ud800"}})").find("half of a character is missing") != std::string::npos);
    CHECK(refusedHeader(R"({"a":{"b":"\x"}})").find("an escape is unknown") != std::string::npos);
    CHECK(refusedHeader(R"({"a":{}} x)").find("something follows its end") != std::string::npos);
    const std::string two =
        R"({"a.weight":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]},"b.weight":{"dtype":"F64","shape":[1,2],"data_offsets":[8,24]}})";
    CHECK(refusedHeader(two, 24) == "tensor \"b.weight\": it overlaps another tensor.");
}

TEST_CASE("names in a header may be escaped in every way that JSON knows") {
    const std::string header =
        R"({"\u0030.weigh\u0074":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]},"__metadata__":{"a\n\u00e9\ud83d\ude00":"b\/\\"}})";
    CHECK(refusedHeader(header) == "");
}

TEST_CASE("numbers that are not finite, or beyond a float, are refused by name and number") {
    const auto of = [](double value) { return refused(safetensors({{"0.weight", {1, 2}, {1, value}}})); };
    CHECK(of(std::nan("")) == "tensor \"0.weight\": number 2 is not finite.");
    CHECK(of(-INFINITY) == "tensor \"0.weight\": number 2 is not finite.");
    CHECK(of(1e39) == "tensor \"0.weight\": number 2 is too large.");
    CHECK(of(3e38) == "");
    CHECK(refused(npz({{"0.weight.npy", npy("<f2", {1, 1}, {0, 0x7C})}})) == "tensor \"0.weight\": number 1 is not finite.");
}

TEST_CASE("an archive that is damaged, encrypted or out to fill the memory is refused by the entry's name") {
    CHECK(refused(npz({{"0.weight.npy", goodArray()}})) == "");
    CHECK(refused(npz({{"0.weight.npy", goodArray(), 0, 0, 1}})) == "entry \"0.weight.npy\": it is damaged: its checksum is wrong.");
    CHECK(refused(npz({{"0.weight.npy", goodArray(), 0, 0, 0, 1}})) == "entry \"0.weight.npy\": it is encrypted.");
    CHECK(refused(npz({{"0.weight.npy", goodArray(), 12}})) ==
          "entry \"0.weight.npy\": its compression, number 12, is not supported; stored and deflated entries are.");
    CHECK(refused(npz({{"0.weight.npy", goodArray(), 0, 999}})) ==
          "entry \"0.weight.npy\": it is stored as it is, but with two different sizes.");
    CHECK(refused(npz({{"0.weight.npy", goodArray()}, {"0.weight.npy", goodArray()}})) ==
          "entry \"0.weight.npy\": the archive holds two entries of this name.");
    CHECK(refused(npz({{"0.weight.npy", {3, 0}, 8, 4000000000}})) ==
          "The file would be 4000000000 bytes unpacked; at most 137048576 are read.");
    CHECK(refused(npz({{"0.weight.npy", {3, 0}, 8, 100000000}})) ==
          "entry \"0.weight.npy\": the compressed data holds fewer than the 100000000 bytes that it should.");
    CHECK(refused(npz({{"readme.txt", goodArray()}})) ==
          "entry \"readme.txt\": it is no numpy array (.npy); only archives of those (.npz) are read.");
    CHECK(refused(npz({})) == "The file holds no weights.");
    Bytes file = npz({{"0.weight.npy", goodArray()}});
    Bytes moved = file;
    moved[file.size() - 22 - 4 - 12] = 7;  // of the directory's only entry: where it is
    CHECK(refused(moved) == "entry \"0.weight.npy\": it is not where the archive's directory says.");
    file.resize(file.size() - 1);
    CHECK(refused(file) == "The file is a ZIP archive without a directory: it is cut off or damaged.");
}

TEST_CASE("arrays of another format or type are refused by name") {
    const auto of = [](const Bytes& array) { return refused(npz({{"0.weight.npy", array}})); };
    CHECK(of({1, 2, 3}) == "tensor \"0.weight\": it is no .npy file of version 1 to 3.");
    CHECK(of(npy("<i8", {1, 2}, whole64({1, 2}))) ==
          "tensor \"0.weight\": it holds \"<i8\"; only floating-point numbers of 8, 4 and 2 bytes (f8, f4, f2) are supported.");
    CHECK(of(npy("|O", {1, 2}, whole64({1, 2}))).find("it holds \"|O\"") != std::string::npos);
    CHECK(of(npy("<f8", {1, 3}, doubles({1, 2}))) == "tensor \"0.weight\": its shape needs 24 bytes, but the file holds 16.");
    CHECK(of(npyWith("{'descr': [('a', '<f8')], }", doubles({1}))) == "tensor \"0.weight\": its header makes no sense at byte 10.");
    CHECK(of(npyWith("{'descr': '<f8', }", doubles({1}))) == "tensor \"0.weight\": its header makes no sense at byte 17.");
    CHECK(of(npyWith("{'shape': (1, 2L), 'fortran_order': False, 'descr': '<f8'}", doubles({1, 2}))) == "");
    const auto fact = [](const Bytes& array) { return refused(npz({{"0.weight.npy", goodArray()}, {"input.npy", array}})); };
    CHECK(fact(npy("|O", {1}, {1})) == "tensor \"input\": it holds \"|O\" where a text or numbers are needed.");
    CHECK(fact(npy("<U999999", {1}, {1})) == "tensor \"input\": its length is wrong, or far too large.");
    CHECK(fact(npy("<i8", {}, whole64({2}))) == "");
}

TEST_CASE("files changed at random are a network or are refused in a sentence") {
    const Tensor first{"0.weight", {3, 2}, std::vector<double>(6, 0.5)}, bias{"0.bias", {3}, {1, 2, 3}},
        second{"1.weight", {1, 3}, {1, 2, 3}};
    const std::vector<Bytes> seeds{safetensors({first, bias, second}, {{"activation", "tanh"}, {"input", "2"}}),
                                   npz({{"W1.npy", npy("<f4", {2, 3}, Bytes(24))},
                                        {"b1.npy", npy(">f2", {3}, Bytes(6))},
                                        {"W2.npy", npy("<f8", {3, 1}, doubles({1, 2, 3}), true)}})};
    for (const Bytes& seed : seeds) REQUIRE(refused(seed) == "");
    Rng rng(3, Purpose::Data);
    int read = 0;
    for (int i = 0; i < 20000; ++i) {
        Bytes file = seeds[rng.below(2)];
        for (std::uint64_t changes = 1 + rng.below(3); changes > 0; --changes) {
            const std::size_t at = rng.below(file.size());
            if (rng.below(8) == 0)
                file.resize(at + 1);
            else
                file[at] = static_cast<unsigned char>(rng.below(2) == 0 ? rng.below(256) : file[at] ^ 1u << rng.below(8));
        }
        const std::string sentence = refused(file);
        if (sentence.empty())
            ++read;
        else
            CHECK(sentence.size() < 1000);
    }
    CHECK(read > 100);
}
