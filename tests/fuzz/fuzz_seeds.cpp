// Writes the files that the fuzzers start from: every model of tests/data/onnx_operators.json into <folder>, the files of tensor_files.json
// into <folder>_npz and <folder>_safetensors, and requests for every scene, some with one of the networks, into <folder>_requests.
// fuzz_seeds <folder>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "scene/scene.h"
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

/// Requests as fuzz_requests reads them: of each scene by its defaults, and with a file as one of its first params' options.
bool writeRequests(const std::string& folder) {
    constexpr unsigned kOptions = 6;
    const std::size_t scenes = kappaflow::declarations().size();
    const auto bytes = kappaflow::testData("onnx_operators.json");
    const auto document = nlohmann::json::parse(bytes.begin(), bytes.end());
    const auto write = [&](const std::string& name, const std::vector<unsigned char>& head, const std::vector<unsigned char>& file) {
        std::ofstream out(folder + "/" + name, std::ios::binary);
        for (const auto* part : {&head, &file})
            out.write(reinterpret_cast<const char*>(part->data()), static_cast<std::streamsize>(part->size()));
        return static_cast<bool>(out);
    };
    bool written = true;
    for (unsigned char scene = 0; scene < scenes; ++scene) {
        written = write("scene" + std::to_string(scene), {scene, 0, 0, 0}, {}) && written;
        written = write("again" + std::to_string(scene), {scene, 1, 0, 9}, {}) && written;
        for (unsigned char option = 0; option < kOptions; ++option) {
            const auto& cases = document["cases"];
            const auto file = kappaflow::bytesOfBase64(cases[(scene * kOptions + option) % cases.size()]["model"].get<std::string>());
            written = write("file" + std::to_string(scene * kOptions + option), {scene, 0, 1, 0, 0, option, 0, 0, 0}, file) && written;
        }
    }
    return written;
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
    return writeFiles("onnx_operators.json", "model", one) && writeFiles("tensor_files.json", "file", byFormat) &&
                   writeRequests(folder + "_requests")
               ? 0
               : 1;
}
