// kappaflow network: tables of layers, and outputs for samples.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/capture.h"
#include "core/io/network_file.h"
#include "core/io/onnx.h"
#include "support/networks.h"
#include "support/tensor_files.h"
#include "testData.h"

using namespace kappaflow;

namespace {

using Json = nlohmann::json;
using Numbers = std::vector<double>;
using Rows = std::vector<Numbers>;
using tensor_files::Bytes;

template <class Range>
std::string textOf(const Range& bytes) {
    return {bytes.begin(), bytes.end()};
}

std::string writeNetwork(const TemporaryFolder& folder, const Network& network) {
    return folder.write("net.onnx", textOf(writeOnnx(network)));
}

/// Two inputs, three units, one output: by hand 6 + 3 weights.
Network smallDense() {
    Layer first = denseLayer(2, 3), last = denseLayer(3, 1);
    first.as<Weights>().weights = {1, 2, 3, 4, 5, -6};
    first.as<Weights>().bias = {0, 0, 1};
    last.as<Weights>().weights = {1, 1, 1};
    return {{1, 1, 2}, {first, activationLayer({1, 1, 3}, Activation::Relu), last}};
}

/// A row of the table.
struct Wanted {
    std::string place, kind;
    double weights, biases, multiplyAdds;
};

CommandResult network(std::vector<std::string> words) {
    words.insert(words.begin(), "network");
    return runCommand(words);
}

Json jsonOf(std::vector<std::string> words) {
    words.insert(words.end(), {"--format", "json"});
    const auto result = network(words);
    REQUIRE_MESSAGE(result.status == 0, result.err);
    return Json::parse(result.out);
}

std::vector<std::string> splitLines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::vector<std::string> cellsOf(const std::string& line) {
    std::vector<std::string> cells{""};
    for (const char c : line)
        if (c == ',')
            cells.emplace_back();
        else
            cells.back() += c;
    return cells;
}

std::string csvOf(const Rows& rows) {
    std::string text;
    char digits[40];
    for (const Numbers& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) {
            std::snprintf(digits, sizeof digits, "%.17g", row[i]);
            text += digits + std::string(i + 1 < row.size() ? "," : "\n");
        }
    return text;
}

/// Numbers of `width` bytes each.
Bytes bytesOf(const Rows& rows, std::size_t width, bool bigEndian) {
    Bytes bytes;
    for (const Numbers& row : rows)
        for (const double x : row) {
            unsigned char part[8];
            const auto single = static_cast<float>(x);
            std::memcpy(part, width == 8 ? static_cast<const void*>(&x) : &single, width);
            if (bigEndian) std::reverse(part, part + width);
            bytes.insert(bytes.end(), part, part + width);
        }
    return bytes;
}

std::string complaintOf(const CommandResult& result) {
    CHECK(result.status == 2);
    CHECK_MESSAGE(isComplaint(result), result.err);
    return result.err;
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

bool endsInSoftmax(const std::string& name) { return name == "mlp_batchnorm" || name == "lenet_tanh"; }

/// What a last Softmax or LogSoftmax, which the reader leaves out, makes of the outputs.
Numbers throughLast(const std::string& name, Numbers y) {
    if (!endsInSoftmax(name)) return y;
    double sum = 0;
    for (const double value : y) sum += std::exp(value);
    for (double& value : y) value = name == "lenet_tanh" ? std::exp(value) / sum : value - std::log(sum);
    return y;
}

}  // namespace

TEST_CASE("every network that PyTorch exported makes PyTorch's outputs, whatever file the samples come in") {
    const std::filesystem::path data = std::filesystem::path(KAPPAFLOW_SOURCE_DIR) / "tests/data/networks";
    const TemporaryFolder folder;
    int cases = 0;
    for (const auto& entry : std::filesystem::directory_iterator(data)) {
        if (entry.path().extension() != ".json") continue;
        const std::string name = entry.path().stem().string(), file = (data / (name + ".onnx")).string();
        CAPTURE(name);
        const Json expected = Json::parse(readText(entry.path().string()));
        Rows inputs = expected["inputs"].get<Rows>();
        for (Numbers& row : inputs)
            for (double& x : row) x = static_cast<float>(x);
        const Shape in = readNetwork(testData(name + ".onnx")).input;
        const auto count = static_cast<std::int64_t>(inputs.size());
        const Json described = jsonOf({file, "--input", folder.write("x.csv", csvOf(inputs))}), fromCsv = described["outputs"];
        CHECK(described["warnings"].size() == (endsInSoftmax(name) ? 1 : 0));
        REQUIRE(fromCsv.size() == expected["outputs"].size());
        for (std::size_t s = 0; s < fromCsv.size(); ++s) {
            const Numbers y = throughLast(name, fromCsv[s].get<Numbers>()), wanted = expected["outputs"][s].get<Numbers>();
            REQUIRE(y.size() == wanted.size());
            double largest = 0, error = 0;
            for (std::size_t i = 0; i < y.size(); ++i) {
                largest = std::max(largest, std::abs(wanted[i]));
                error = std::max(error, std::abs(y[i] - wanted[i]));
            }
            CHECK(error < 1e-5 * largest);
        }
        std::vector<std::vector<std::int64_t>> shapes{{count, static_cast<std::int64_t>(in.units())}};
        shapes.push_back({count, in.channels, in.height, in.width});
        if (in.height == 1) shapes.push_back({count, in.channels, in.width});
        for (const auto& shape : shapes)
            for (const std::string type : {"<f4", ">f4", "<f8", ">f8"}) {
                const Bytes npy = tensor_files::npy(type, shape, bytesOf(inputs, type[2] == '8' ? 8 : 4, type[0] == '>'));
                CHECK(jsonOf({file, "--input", folder.write("x.npy", textOf(npy))})["outputs"] == fromCsv);
            }
        ++cases;
    }
    CHECK(cases >= 14);
}

TEST_CASE("weights and multiply-adds of a dense network are those counted by hand") {
    const TemporaryFolder folder;
    const Json json = jsonOf({writeNetwork(folder, smallDense())});
    CHECK(json["file"] == "net.onnx");
    CHECK(json["input"] == Json{1, 1, 2});
    REQUIRE(json["layers"].size() == 3);
    CHECK(json["layers"][0]["kind"] == "dense");
    CHECK(json["layers"][0]["weights"] == 6);
    CHECK(json["layers"][0]["biases"] == 3);
    CHECK(json["layers"][0]["multiplyAdds"] == 6);
    CHECK(json["layers"][0]["activation"] == "");
    CHECK(json["layers"][1]["kind"] == "activation");
    CHECK(json["layers"][1]["activation"] == "relu");
    CHECK(json["layers"][1]["multiplyAdds"] == 0);
    CHECK(json["layers"][2]["output"] == Json{1, 1, 1});
    CHECK(json["weights"] == 9);
    CHECK(json["biases"] == 3);
    CHECK(json["multiplyAdds"] == 9);
    CHECK_FALSE(json.contains("outputs"));
}

TEST_CASE("those of convolutions in groups, pooling and blocks are too, and layers inside stand behind their block") {
    // Two channels of 4 × 5; 3 × 3 with a cell of padding in two groups: 4 channels · 1 · 9 = 36 weights, 80 units · 9 = 720 multiply-adds.
    Window same;
    same.size = {3, 3};
    same.before = same.after = {1, 1};
    Layer conv = windowLayer<Conv>({2, 4, 5}, 4, same);
    conv.as<Conv>().groups = 2;
    conv.as<Weights>().weights.assign(36, 0.5);
    conv.as<Weights>().bias.assign(4, 1);
    // Its skip 1 × 1: 16 weights, 20 positions · 16 = 320. The branch 3 × 3: 144 weights, 2880, then a batch norm: 4 and 80.
    Layer inner = withNumbers(windowLayer<Conv>({4, 4, 5}, 4, same), 1), norm = withNumbers(layerOf<BatchNorm>({4, 4, 5}, {4, 4, 5}), 2);
    inner.as<Weights>().bias.clear();
    Layer skip = withNumbers(windowLayer<Conv>({4, 4, 5}, 4, {}), 3);
    skip.as<Weights>().bias.clear();
    const Layer sum = residualBlock({4, 4, 5}, {inner, norm}, {skip});
    Window halves;
    halves.size = halves.stride = {2, 2};
    const Layer pool = windowLayer<MaxPool>({4, 4, 5}, 4, halves);
    const TemporaryFolder folder;
    const Network made{{2, 4, 5}, {conv, sum, pool}};
    const std::string file = writeNetwork(folder, made);
    const Json json = jsonOf({file});
    const std::vector<Wanted> wanted{{"1", "convolution", 36, 4, 720},
                                     {"2", "block", 0, 0, 0},
                                     {"2.1", "convolution", 144, 0, 2880},
                                     {"2.2", "batch-norm", 4, 4, 80},
                                     {"2.3", "convolution", 16, 0, 320},
                                     {"2.4", "sum", 0, 0, 0},
                                     {"3", "max-pool", 0, 0, 0}};
    REQUIRE(json["layers"].size() == wanted.size());
    for (std::size_t l = 0; l < wanted.size(); ++l) {
        const Json& layer = json["layers"][l];
        CHECK(layer["layer"] == wanted[l].place);
        CHECK(layer["kind"] == wanted[l].kind);
        CHECK(layer["weights"] == wanted[l].weights);
        CHECK(layer["biases"] == wanted[l].biases);
        CHECK(layer["multiplyAdds"] == wanted[l].multiplyAdds);
    }
    CHECK(json["layers"][6]["output"] == Json{4, 2, 2});
    CHECK(json["weights"] == 200);
    CHECK(json["multiplyAdds"] == 4000);
    const auto lines = splitLines(network({file}).out);
    CHECK(lines[0] == "net.onnx takes 2 × 4 × 5");
    CHECK(lines[4].find("2 ") == 0);
    CHECK(lines[5].find("  2.1 ") == 0);
}

TEST_CASE("text, json and csv say the same of every layer") {
    const TemporaryFolder folder;
    for (const auto& sample : sampleNetworks()) {
        const std::string file = folder.write("sample.onnx", textOf(sampleNetworkBytes(sample.id)));
        const Json json = jsonOf({file});
        const auto csv = splitLines(network({file, "--format", "csv"}).out), text = splitLines(network({file}).out);
        const auto& layers = json["layers"];
        REQUIRE(csv.size() == layers.size() + 1);
        REQUIRE(text.size() == layers.size() + 4);
        double weights = 0, multiplyAdds = 0;
        for (std::size_t l = 0; l < layers.size(); ++l) {
            const Json& layer = layers[l];
            const auto cells = cellsOf(csv[l + 1]);
            REQUIRE(cells.size() == 10);
            const auto digits = [](const Json& number) { return std::to_string(number.get<std::int64_t>()); };
            const std::vector<std::string> wanted{layer["layer"],
                                                  layer["name"],
                                                  layer["kind"],
                                                  digits(layer["output"][0]),
                                                  digits(layer["output"][1]),
                                                  digits(layer["output"][2]),
                                                  digits(layer["weights"]),
                                                  digits(layer["biases"]),
                                                  digits(layer["multiplyAdds"]),
                                                  layer["activation"]};
            CHECK(cells == wanted);
            auto words = wordsOf(text[l + 3]);
            CHECK(words.front() == cells[0]);
            const std::string end = " " + cells[6] + " " + cells[7] + " " + cells[8] + (cells[9].empty() ? "" : " " + cells[9]);
            std::string joined;
            for (const auto& word : words) joined += " " + word;
            CHECK(joined.substr(joined.size() - end.size()) == end);
            CHECK(holds(joined, " " + cells[2] + " "));
            weights += layer["weights"].get<double>();
            multiplyAdds += layer["multiplyAdds"].get<double>();
        }
        CHECK(weights == json["weights"].get<double>());
        CHECK(multiplyAdds == json["multiplyAdds"].get<double>());
        const auto sums = wordsOf(text.back());
        CHECK(sums[0] == "sum");
        CHECK(std::stod(sums[1]) == weights);
        CHECK(std::stod(sums[3]) == multiplyAdds);
    }
}

TEST_CASE("text, json and csv say the same outputs, by hand; csv can be read as samples again") {
    const TemporaryFolder folder;
    const std::string net = writeNetwork(folder, smallDense()), samples = folder.write("x.csv", "first,second\n1,0.25\n-1, 1e-1\n\n0,-0\n");
    // (1 + 0.5) + (3 + 1) + (5 − 1.5 + 1) = 10; all below zero; 1.
    CHECK(jsonOf({net, "--input", samples})["outputs"] == Json{{10}, {0}, {1}});
    const auto csv = network({net, "--input", samples, "--format", "csv"});
    CHECK(csv.out == "output1\n10\n0\n1\n");
    const std::string text = network({net, "--input", samples}).out;
    CHECK(text == network({net}).out + "\n10\n0\n1\n");
    Network identity{{1, 1, 1}, {withNumbers(denseLayer(1, 1), 1)}};
    identity.layers[0].as<Weights>().weights = {1};
    identity.layers[0].as<Weights>().bias = {0};
    const std::string same = folder.write("same.onnx", textOf(writeOnnx(identity)));
    CHECK(network({same, "--input", folder.write("y.csv", csv.out), "--format", "csv"}).out == csv.out);
    const std::string out = folder.path("out.csv");
    const auto written = network({net, "--input", samples, "--format", "csv", "--out", out});
    CHECK(written.status == 0);
    CHECK(written.out.empty());
    CHECK(readText(out) == csv.out);
}

TEST_CASE("safetensors and npz are described too, with what was assumed") {
    const TemporaryFolder folder;
    const std::vector<tensor_files::Tensor> tensors{{"0.weight", {3, 2}, Numbers(6, 1)}, {"2.weight", {1, 3}, Numbers(3, 1)}};
    const std::string safe = folder.write("a.safetensors", textOf(tensor_files::safetensors(tensors)));
    const Json json = jsonOf({safe});
    CHECK(json["weights"] == 9);
    REQUIRE(json["warnings"].size() == 1);
    const auto text = network({safe});
    CHECK(text.status == 0);
    CHECK(text.err == "kappaflow: " + json["warnings"][0].get<std::string>() + "\n");
    std::vector<tensor_files::Entry> entries;
    for (const auto& tensor : tensors)
        entries.push_back({tensor.name + ".npy", tensor_files::npy("<f8", tensor.dims, tensor_files::doubles(tensor.values))});
    Json other = jsonOf({folder.write("a.npz", textOf(tensor_files::npz(entries)))});
    CHECK(other["layers"] == json["layers"]);
}

TEST_CASE("outputs beyond what a double can hold are null and told") {
    Network network{{1, 1, 1}, {}};
    for (int l = 0; l < 8; ++l) {
        network.layers.push_back(denseLayer(1, 1));
        network.layers.back().as<Weights>().weights = {1e38};
    }
    const TemporaryFolder folder;
    const std::string net = writeNetwork(folder, network), samples = folder.write("x.csv", "1e100\n0\n");
    const Json json = jsonOf({net, "--input", samples});
    CHECK(json["outputs"] == Json{{nullptr}, {0}});
    CHECK(json["warnings"].size() == 1);
    const auto csv = runCommand({"network", net, "--input", samples, "--format", "csv"});
    CHECK(csv.status == 0);
    CHECK(csv.out == "output1\n\n0\n");
    CHECK(holds(csv.err, "Of the outputs 1 "));
}

TEST_CASE("wrong requests are one sentence") {
    const TemporaryFolder folder;
    const std::string net = writeNetwork(folder, smallDense());
    complaintOf(network({}));
    complaintOf(network({""}));
    complaintOf(network({net, net}));
    complaintOf(network({net, "--input"}));
    complaintOf(network({net, "--input", ""}));
    CHECK(holds(complaintOf(network({net, "--format", "xml"})), "text, json or csv"));
    CHECK(holds(complaintOf(network({folder.path("none.onnx")})), "none.onnx"));
    CHECK(holds(complaintOf(network({net, "--input", folder.path("none.npy")})), "none.npy"));
    complaintOf(network({"/dev/null"}));
    complaintOf(network({net, "--input", "/dev/zero"}));
    complaintOf(network({net, "--out", "/nonexistent/a.txt"}));
    complaintOf(network({folder.write("empty.onnx", "")}));
    complaintOf(network({folder.write("cut.onnx", textOf(writeOnnx(smallDense())).substr(0, 60))}));
    CHECK(holds(complaintOf(network({folder.write("x.npy", textOf(tensor_files::npy("<f8", {1}, Bytes(8))))})), "one array"));
    CHECK(holds(complaintOf(runCommand("netwrk")), "did you mean network?"));
}

TEST_CASE("wrong samples are one sentence that says what is wrong") {
    const TemporaryFolder folder;
    const std::string net = writeNetwork(folder, smallDense());
    const auto csv = [&](const std::string& text) { return complaintOf(network({net, "--input", folder.write("x.csv", text)})); };
    const auto npy = [&](const Bytes& bytes) { return complaintOf(network({net, "--input", folder.write("x.npy", textOf(bytes))})); };
    using tensor_files::npyWith;
    CHECK(csv("1,2,3\n") == "kappaflow: A sample in \"x.csv\" has 3 numbers, but the network takes 2.\n");
    CHECK(holds(csv("1,2\n1,2,3\n"), "line 2 has 3 columns where the first has 2"));
    CHECK(holds(csv("1,2\n1,nan\n"), "line 2 has \"nan\" where a number is needed"));
    CHECK(holds(csv("nan,nan\n1,2\n"), "line 1 has \"nan\""));
    CHECK(holds(csv("a,2\n"), "\"a\" where a number is needed"));
    CHECK(holds(csv("1,1e999\n"), "too large"));
    CHECK(holds(csv("1,\n"), "where a number is needed"));
    CHECK(holds(csv(""), "no line with a sample"));
    CHECK(holds(csv("first,second\n"), "no line with a sample"));
    CHECK(holds(csv(std::string("1,2\0", 4)), "zero"));
    CHECK(holds(csv(std::string(1 << 20, ',')), "more than 262144 columns"));
    CHECK(holds(csv(std::string((8 << 20) + 1, '1')), "at most 8388608"));

    const Bytes two = tensor_files::doubles({1, 2}), six = tensor_files::doubles({1, 2, 3, 4, 5, 6});
    CHECK(npy(tensor_files::npy("<f8", {2, 3}, six)) == "kappaflow: A sample in \"x.npy\" has 3 numbers, but the network takes 2.\n");
    CHECK(npy(tensor_files::npy("<f8", {1, 3, 2}, six)) == "kappaflow: A sample in \"x.npy\" is 3 × 2, but the network takes 2.\n");
    CHECK(holds(npy(tensor_files::npy("<f8", {1, 2, 1, 3}, six)), "is 2 × 1 × 3, but"));
    CHECK(holds(npy(tensor_files::npy("<f8", {2}, two)), "read as [N, D]"));
    CHECK(holds(npy(tensor_files::npy("<f8", {1, 1, 1, 1, 2}, two)), "read as [N, D]"));
    CHECK(holds(npy(tensor_files::npy("<f8", {0, 2}, {})), "a dimension of 0"));
    CHECK(holds(npy(tensor_files::npy("<f8", {1, 2}, tensor_files::doubles({1}))), "needs 16 bytes, but the file holds 8"));
    CHECK(holds(npy(tensor_files::npy("<f8", {1000000, 1000000}, two)), "numbers that are possible"));
    CHECK(holds(npy(tensor_files::npy("<i8", {1, 2}, two)), "it holds \"<i8\""));
    CHECK(holds(npy(tensor_files::npy("|O", {1, 2}, two)), "it holds \"|O\""));
    CHECK(holds(npy(tensor_files::npy("<f8", {1, 2}, tensor_files::doubles({1, std::nan("")}))), "number 2 is not finite"));
    CHECK(holds(npy(npyWith(std::string(100, '('), two)), "makes no sense"));
    Bytes huge = npyWith("{", two);
    huge[8] = huge[9] = 0xFF;
    CHECK(holds(npy(huge), "cut off or far too long"));
    huge[6] = 2;
    huge[10] = huge[11] = 0xFF;
    CHECK(holds(npy(huge), "cut off or far too long"));
    CHECK(holds(npy({}), "no .npy file"));
    const Bytes whole = tensor_files::npy("<f8", {1, 2}, two);
    for (std::size_t length = 0; length < whole.size(); ++length)
        npy(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
}

TEST_CASE("more outputs than are printed are refused before they are computed") {
    const TemporaryFolder folder;
    Layer wide = denseLayer(1, 1 << 16);
    wide.as<Weights>().weights.assign(1 << 16, 1);
    const std::string net = writeNetwork(folder, {{1, 1, 1}, {wide}});
    std::string rows;
    for (int s = 0; s < 65; ++s) rows += "1\n";
    CHECK(holds(complaintOf(network({net, "--input", folder.write("x.csv", rows)})), "more than the 4194304 numbers"));
}

TEST_CASE("a width that does not fit a network on a grid is told with the grid") {
    const TemporaryFolder folder;
    const std::string net = folder.write("strokes.onnx", textOf(sampleNetworkBytes("strokes-cnn")));
    CHECK(complaintOf(network({net, "--input", folder.write("x.csv", "1,2\n")})) ==
          "kappaflow: A sample in \"x.csv\" has 2 numbers, but the network takes 576, 1 × 24 × 24.\n");
}
