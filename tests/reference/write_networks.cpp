// write_networks FOLDER: networks of every kind of layer as ONNX files, and beside each an input and the output that the program computes,
// for written_networks.py.
#include <cstdio>

#include "core/io/network_file.h"
#include "core/io/onnx.h"
#include "support/random_networks.h"

namespace {

using namespace kappaflow;

void writeBytes(const std::string& path, const void* bytes, std::size_t size) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    const bool written = file && std::fwrite(bytes, 1, size, file) == size;
    if (file) std::fclose(file);
    if (!written) throw std::runtime_error("cannot write " + path);
}

std::string listText(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) {
        char digits[40];
        std::snprintf(digits, sizeof digits, "%s%.17g", text.empty() ? "" : ",", value);
        text += digits;
    }
    return "[" + text + "]";
}

/// Debian's checker does not know the operator sets of GELU, Mish and group norm: softplus and a norm over all groups in their place.
void leaveOutYoung(std::vector<Layer>& layers) {
    eachLayer(layers, [](Layer& layer) {
        auto* f = layer.getIf<Pointwise>();
        if (f && (f->activation == Activation::Gelu || f->activation == Activation::GeluTanh || f->activation == Activation::Mish))
            f->activation = Activation::Softplus;
        if (auto* norm = layer.getIf<LayerNorm>()) norm->groups = 1;
    });
}

void write(Network network, const std::string& path) {
    leaveOutYoung(network.layers);
    const std::vector<unsigned char> file = writeOnnx(network);
    const std::vector<double> input = gaussians(network.input.units(), 5);
    const std::string json = "{\"input\":" + listText(input) + ",\"output\":" + listText(forward(network, input).back()) + "}";
    writeBytes(path + ".onnx", file.data(), file.size());
    writeBytes(path + ".json", json.data(), json.size());
}

/// Means over cells that lie apart need an operator set that Debian's checker does not know yet, kernels of their own none has.
bool isChecked(const Layer& layer) {
    const bool apart = layer.is<AveragePool>() && layer.as<Pooling>().window.dilation != std::array{1, 1};
    return !apart && (!layer.is<Conv>() || layer.as<Conv>().shared);
}

}  // namespace

int main(int count, char** words) {
    if (count != 2) return 2;
    const std::string folder = std::string(words[1]) + "/";
    for (const bool single : {true, false}) {
        RandomNetworks random(single ? 21 : 22, single);
        for (int i = 0; i < 150; ++i) write(random.next(), folder + (single ? "single" : "double") + std::to_string(i));
    }
    RandomNetworks identities(23, true, true);
    for (int i = 0; i < 100; ++i) write(identities.next(), folder + "identities" + std::to_string(i));
    int number = 0;
    for (const Layer& layer : layersOfEveryKind())
        if (isChecked(layer)) write({layer.in, {layer}}, folder + "layer" + std::to_string(++number));
    for (const auto& sample : sampleNetworks()) write(readNetwork(sampleNetworkBytes(sample.id)), folder + sample.id);
}
