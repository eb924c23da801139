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

TEST_CASE("a directory that lies about places, sizes or counts is refused") {
    const Entry good{"0.weight.npy", goodArray()};
    const Bytes second = npy("<f8", {1}, doubles({1}));
    const std::uint32_t length = static_cast<std::uint32_t>(npz({good}, {}).size());
    const auto with = [](Entry entry, auto change) {
        change(entry);
        return entry;
    };
    // The second entry is the first one's file under another name.
    CHECK(refused(npz({good, with({"0.bias.npy", goodArray()}, [](Entry& e) { e.place = 0; })})) ==
          "entry \"0.bias.npy\": it overlaps \"0.weight.npy\".");
    CHECK(refused(npz({good, {"0.bias.npy", second}})) == "");
    CHECK(refused(npz({with(good, [&](Entry& e) { e.packed = e.size = length; })})) ==
          "entry \"0.weight.npy\": it reaches beyond the end of the archive.");
    CHECK(refused(npz({with(good, [&](Entry& e) { e.place = length - 10; })})) ==
          "entry \"0.weight.npy\": it is not where the archive's directory says.");
    CHECK(refused(npz({good}, {.part = 1})) == "The file is a ZIP archive in several parts.");
    CHECK(refused(npz({good}, {.count = 2})) == "The file is a ZIP archive in several parts.");
    CHECK(refused(npz({good}, {.start = length})) == "The file is a ZIP archive with a damaged directory.");
    CHECK(refused(npz({good}, {.length = 20})) == "The file is a ZIP archive with a damaged directory.");
    CHECK(refused(npz({good}, {.start = 0xFFFFFFFF})) == "The file is a ZIP archive in the ZIP64 form, which only larger ones need.");
    CHECK(refused(npz(std::vector<Entry>(4097, {"a.npy", {}}))) == "The file is a ZIP archive of 4097 entries; at most 4096 are read.");
}

TEST_CASE("ZIP64's sizes of a small entry are read, and refused where they are missing or too large") {
    const std::uint64_t length = goodArray().size();
    const auto large = [&](const std::vector<std::uint64_t>& sizes, std::uint64_t stated) {
        Entry entry{"0.weight.npy", goodArray(), 0, 0xFFFFFFFF};
        entry.packed = 0xFFFFFFFF;
        add(entry.extra, 1, 2);
        add(entry.extra, stated, 2);
        for (const std::uint64_t size : sizes) add(entry.extra, size, 8);
        return refused(npz({entry}));
    };
    CHECK(large({length, length}, 16) == "");
    CHECK(large({length}, 8) == "entry \"0.weight.npy\": its ZIP64 sizes are missing.");
    CHECK(large({length, length}, 20) == "entry \"0.weight.npy\": it is larger than an archive of this size can hold.");
    CHECK(large({length, std::uint64_t{1} << 40}, 16) == "entry \"0.weight.npy\": it is larger than an archive of this size can hold.");
    Entry without{"0.weight.npy", goodArray(), 0, 0xFFFFFFFF};
    CHECK(refused(npz({without})) == "entry \"0.weight.npy\": it is larger than an archive of this size can hold.");
}

TEST_CASE("more arrays, longer names or longer facts than any network has are refused before they cost time") {
    const auto header = [](std::size_t count, const std::string& prefix) {
        Json all = Json::object();
        for (std::size_t i = 0; i < count; ++i)
            all[prefix + std::to_string(i) + ".weight"] = {{"dtype", "F16"}, {"shape", {1, 1}}, {"data_offsets", {2 * i, 2 * i + 2}}};
        return refusedHeader(all.dump(), 2 * count);
    };
    CHECK(header(4096, "") == "");
    CHECK(header(4097, "") == "tensor \"4096.weight\": with it the file has more than 4096 arrays.");
    CHECK(header(1, std::string(248, 'a')) == "");
    CHECK(header(1, std::string(249, 'a')).find("its name is longer than 256 bytes.") != std::string::npos);
    std::string many = "relu";
    while (many.size() < 70000) many += ",relu";
    CHECK(refused(safetensors({{"0.weight", {1, 1}, {1}}, {"1.weight", {1, 1}, {1}}}, {{"activation", many}})) ==
          "The file's \"activation\" makes no sense: it is longer than 65536 characters.");
}

TEST_CASE("an input wider than what is read is refused by its layer") {
    Bytes halves(2 * 262145, 0);
    const auto wide = [&](const std::string& width) {
        halves.resize(2 * std::stoul(width));
        return refused(safetensorsOf(
            R"({"0.weight":{"dtype":"F16","shape":[1,)" + width + R"(],"data_offsets":[0,)" + std::to_string(halves.size()) + "]}}",
            halves));
    };
    CHECK(wide("262145") == "layer \"0\": it takes 262145 units; at most 262144 are possible.");
    CHECK(wide("262144") == "");
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
    CHECK(fact(npy("|i1", {}, {2})) == "");
    CHECK(fact(npy("|i1", {}, {0xFF})) == "The file's \"input\" makes no sense: \"-1\" is no whole number from 1 to 999999.");
    CHECK(fact(npy(">i2", {}, {0x80, 0})) == "The file's \"input\" makes no sense: \"-32768\" is no whole number from 1 to 999999.");
    CHECK(fact(npy("<u8", {}, Bytes(8, 0xFF))) ==
          "The file's \"input\" makes no sense: \"18446744073709551615\" is no whole number from 1 to 999999.");
    CHECK(fact(npy("<i3", {}, {2, 0, 0})) == "tensor \"input\": it holds \"<i3\" where a text or numbers are needed.");
    CHECK(fact(npy("|f1", {}, {2})) == "tensor \"input\": it holds \"|f1\" where a text or numbers are needed.");
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
