#include "app/file_content.h"

#include <algorithm>
#include <string>

#include "core/io/image_layout.h"

namespace kappaflow {
namespace {

using Bytes = std::span<const unsigned char>;

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

bool endsInOneOf(std::string_view name, std::initializer_list<std::string_view> ends) {
    return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace

FileContent contentOf(std::string_view fileName, Bytes bytes) {
    const std::string name = lowerCase(fileName);
    if (countOfIdx(bytes)) return looksLikeIdxLabels(bytes) ? FileContent::Labels : FileContent::Images;
    // Those of other programs too: the reader of networks says how to save one so that it can be read.
    if (endsInOneOf(name, {".onnx", ".safetensors", ".npz", ".pt", ".pth", ".ckpt", ".h5", ".keras", ".tflite", ".pb"}))
        return FileContent::Network;
    if (endsInOneOf(name, {".csv", ".tsv", ".txt"})) return FileContent::Points;
    // A data set as it is downloaded, packed or cut short, is still one: its reader says what to do.
    for (const char* part : {"idx3", "idx1", "cifar", "mnist", "data_batch", "test_batch"})
        if (name.find(part) != name.npos) return FileContent::Images;
    return endsInOneOf(name, {".bin"}) || isWholeCifar(bytes, 1) || isWholeCifar(bytes, 2) ? FileContent::Images : FileContent::Network;
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

std::vector<unsigned char> withLabels(Bytes images, Bytes labels) {
    const Bytes alone = imagesOfIdx(images);
    std::vector<unsigned char> both(alone.begin(), alone.end());
    both.insert(both.end(), labels.begin(), labels.end());
    return both;
}

}  // namespace kappaflow
