#include "core/io/network_file.h"

#include <cstring>

#include "core/base/errors.h"
#include "core/io/npz.h"
#include "core/io/onnx.h"
#include "core/io/printable.h"
#include "core/io/safetensors.h"
#include "core/io/zip.h"

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
    if (bytes.size() > kMaxNetworkFileBytes)
        throw InputError("The file has " + std::to_string(bytes.size()) + " bytes; at most " + std::to_string(kMaxNetworkFileBytes) +
                         " are read.");
    switch (formatOf(bytes, name)) {
        case Format::Npz:
            return tensors::networkOf(readNpz(bytes), notes);
        case Format::Safetensors:
            return tensors::networkOf(readSafetensors(bytes), notes);
        case Format::Onnx:
            break;
    }
    return readOnnx(bytes);
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

}  // namespace kappaflow
