// Writes the files that the fuzzer starts from: every model of tests/data/onnx_operators.json.   fuzz_seeds <folder>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "support/base64.h"
#include "testData.h"

int main(int count, char** arguments) {
    if (count != 2) {
        std::cerr << "usage: fuzz_seeds <folder>\n";
        return 2;
    }
    const auto bytes = kappaflow::testData("onnx_operators.json");
    const auto document = nlohmann::json::parse(bytes.begin(), bytes.end());
    int number = 0;
    for (const auto& entry : document["cases"]) {
        const auto file = kappaflow::bytesOfBase64(entry["model"].get<std::string>());
        std::ofstream out(arguments[1] + ("/operator" + std::to_string(++number)), std::ios::binary);
        out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
        if (!out) return 1;
    }
    std::cout << number << " seeds\n";
}
