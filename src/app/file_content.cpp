#include "app/file_content.h"

#include <algorithm>
#include <string>

namespace kappaflow {
namespace {

using Bytes = std::span<const unsigned char>;

constexpr std::size_t kIdxImages = 3, kIdxLabels = 1, kCifarRecord = 3073, kCifar100Record = 3074;

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

bool endsInOneOf(std::string_view name, std::initializer_list<std::string_view> ends) {
    return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return name.ends_with(end); });
}

/// Dimensions in the header of an IDX file of bytes; 0 for other files.
std::size_t idxDimensions(Bytes bytes) {
    const bool idx = bytes.size() >= 8 && bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 8 && bytes[3] >= 1 && bytes[3] <= 8;
    return idx ? bytes[3] : 0;
}

std::size_t bigEndian(Bytes bytes, std::size_t at) {
    return (std::size_t{bytes[at]} << 24) | (std::size_t{bytes[at + 1]} << 16) | (std::size_t{bytes[at + 2]} << 8) | bytes[at + 3];
}

bool hasRecords(Bytes bytes) { return !bytes.empty() && (bytes.size() % kCifarRecord == 0 || bytes.size() % kCifar100Record == 0); }

}  // namespace

FileContent contentOf(std::string_view fileName, Bytes bytes) {
    const std::string name = lowerCase(fileName);
    if (idxDimensions(bytes) == kIdxLabels) return FileContent::Labels;
    if (idxDimensions(bytes)) return FileContent::Images;
    // Those of other programs too: the reader of networks says how to save one so that it can be read.
    if (endsInOneOf(name, {".onnx", ".safetensors", ".npz", ".pt", ".pth", ".ckpt", ".h5", ".keras", ".tflite", ".pb"}))
        return FileContent::Network;
    if (endsInOneOf(name, {".csv", ".tsv", ".txt"})) return FileContent::Points;
    // A data set as it is downloaded, packed or cut short, is still one: its reader says what to do.
    for (const char* part : {"idx3", "idx1", "cifar", "mnist", "data_batch", "test_batch"})
        if (name.find(part) != name.npos) return FileContent::Images;
    return endsInOneOf(name, {".bin"}) || hasRecords(bytes) ? FileContent::Images : FileContent::Network;
}

bool takes(const Param& param, FileContent content) {
    if (param.kind == Kind::Network) return content == FileContent::Network;
    if (param.kind != Kind::Data || content == FileContent::Network) return false;
    return param.files == DataFiles::Either || (param.files == DataFiles::Points) == (content == FileContent::Points);
}

const char* invitation(const Param& param) {
    if (param.kind == Kind::Network) return "open a network of your own (ONNX, safetensors, npz)";
    switch (param.files) {
        case DataFiles::Points:
            return "open points of your own (CSV: x, y, class)";
        case DataFiles::Images:
            return "open images of your own (MNIST, CIFAR-10)";
        case DataFiles::Either:
            return "open images with labels (MNIST, CIFAR-10) or points (CSV) of your own";
    }
    return "";
}

std::optional<std::size_t> countOfIdx(Bytes bytes) { return idxDimensions(bytes) ? std::optional(bigEndian(bytes, 4)) : std::nullopt; }

std::vector<unsigned char> withLabels(Bytes images, Bytes labels) {
    std::size_t end = images.size();
    if (idxDimensions(images) == kIdxImages && end >= 16) {
        const auto side = [&](std::size_t at) { return static_cast<double>(bigEndian(images, at)); };
        const double promised = 16 + side(4) * side(8) * side(12);
        if (promised < static_cast<double>(end)) end = static_cast<std::size_t>(promised);
    }
    std::vector<unsigned char> both(images.begin(), images.begin() + static_cast<std::ptrdiff_t>(end));
    both.insert(both.end(), labels.begin(), labels.end());
    return both;
}

}  // namespace kappaflow
