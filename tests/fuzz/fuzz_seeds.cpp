// Writes the files that the fuzzers start from: every model of tests/data/onnx_operators.json into <folder>, the files of tensor_files.json
// into <folder>_npz and <folder>_safetensors.   fuzz_seeds <folder>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "support/base64.h"
#include "testData.h"

namespace {

/// The files of a list of cases, told apart by their number; false when one cannot be written.
template <class FolderOf>
bool writeFiles(const char* data, const char* key, FolderOf folderOf) {
    const auto bytes = kappaflow::testData(data);
    const auto document = nlohmann::json::parse(bytes.begin(), bytes.end());
    int number = 0;
    for (const auto& entry : document["cases"]) {
        const auto file = kappaflow::bytesOfBase64(entry[key].get<std::string>());
        std::ofstream out(folderOf(file) + "/seed" + std::to_string(++number), std::ios::binary);
        out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
        if (!out) return false;
    }
    std::cout << number << " seeds\n";
    return true;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::cerr << "usage: fuzz_seeds <folder>\n";
        return 2;
    }
    const std::string folder = arguments[1];
    const auto one = [&](const auto&) { return folder; };
    const auto byFormat = [&](const auto& file) { return folder + (file.at(0) == 'P' ? "_npz" : "_safetensors"); };
    return writeFiles("onnx_operators.json", "model", one) && writeFiles("tensor_files.json", "file", byFormat) ? 0 : 1;
}
