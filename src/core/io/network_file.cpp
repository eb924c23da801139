#include "core/io/network_file.h"

#include <cstring>

#include "core/base/errors.h"
#include "core/io/file_limits.h"
#include "core/io/named_tensors.h"
#include "core/io/onnx.h"
#include "core/io/printable.h"
#include "core/io/zip.h"
#include "sampleBytes.h"

namespace kappaflow {
namespace {

using Bytes = std::span<const unsigned char>;

bool starts(Bytes bytes, std::string_view signature) {
    return bytes.size() >= signature.size() && std::memcmp(bytes.data(), signature.data(), signature.size()) == 0;
}

bool ends(std::string_view name, std::string_view with) {
    if (name.size() < with.size()) return false;
    for (std::size_t i = 0; i < with.size(); ++i) {
        const char c = name[name.size() - with.size() + i];
        if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c) != with[i]) return false;
    }
    return true;
}

enum class Format { Onnx, Safetensors, Npz };

Format formatOf(Bytes bytes, std::string_view name) {
    if (starts(bytes, "\x89HDF"))
        throw InputError("The file is HDF5 (Keras); save the weights as npz or safetensors, or the model as ONNX.");
    if (starts(bytes, "\x93NUMPY")) throw InputError("The file is one array (.npy); save all of a network's with numpy.savez, as .npz.");
    if (looksLikeZip(bytes)) return Format::Npz;
    if (looksLikeSafetensors(bytes)) return Format::Safetensors;
    if (ends(name, ".npz")) return Format::Npz;
    return ends(name, ".safetensors") ? Format::Safetensors : Format::Onnx;
}

Network readAny(Bytes bytes, std::string_view name, std::vector<std::string>& notes) {
    if (bytes.size() > fileLimits().bytes)
        throw InputError("The file has " + std::to_string(bytes.size()) + " bytes; at most " + std::to_string(fileLimits().bytes) +
                         " are read.");
    switch (formatOf(bytes, name)) {
        case Format::Npz:
            return tensors::networkOf(readNpz(bytes), notes);
        case Format::Safetensors:
            return tensors::networkOf(readSafetensors(bytes), notes);
        case Format::Onnx:
            break;
    }
    return readOnnx(bytes, {}, &notes);
}

}  // namespace

Network readNetwork(Bytes bytes, std::string_view fileName, std::vector<std::string>* notes) {
    std::vector<std::string> told;
    try {
        Network network = readAny(bytes, fileName, told);
        if (notes) notes->insert(notes->end(), told.begin(), told.end());
        return network;
    } catch (const InputError& error) {
        if (fileName.empty()) throw;
        throw InputError(withFileName(error.what(), fileName));
    }
}

double weightsAtMost(Bytes bytes) {
    if (looksLikeZip(bytes)) return numbersAtMost(bytes);
    return static_cast<double>(bytes.size()) / (looksLikeSafetensors(bytes) ? 2 : 4);
}

const std::vector<SampleNetwork>& sampleNetworks() {
    static const std::vector<SampleNetwork> samples = {
        {"shapes-classifier", "Shapes classifier",
         "A dense 64-32-24-16-10 network with ReLU, trained to tell ten shapes drawn on 8 × 8 pixels apart (99.7 % right)."},
        {"strokes-cnn", "CNN on strokes",
         "A plain CNN of eight 3 × 3 convolutions, a max and an average pooling and a sparse dense layer, trained to tell ten digits drawn "
         "with strokes on 24 × 24 pixels apart (98.0 % right)."},
        {"strokes-resnet", "Residual CNN on strokes",
         "A residual CNN of six blocks on 24 × 24, 12 × 12 and 6 × 6 positions with batch norm and global average pooling, trained to tell "
         "ten digits drawn with strokes on 24 × 24 pixels apart (99.3 % right)."},
    };
    return samples;
}

std::span<const unsigned char> sampleNetworkBytes(std::string_view id) {
    std::string known;
    for (const SampleNetwork& sample : sampleNetworks()) {
        if (sample.id == id) return sampleBytes(sample.id + ".onnx");
        known += (known.empty() ? "" : ", ") + sample.id;
    }
    throw InputError("There is no sample network \"" + std::string(id) + "\": it is one of " + known + ".");
}

}  // namespace kappaflow
