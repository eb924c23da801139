#include "bindings/provided_files.h"

#include <map>
#include <span>
#include <string_view>

#include "bindings/convert.h"
#include "sampleBytes.h"

namespace kappaflow {
namespace {

using Files = std::map<std::string, std::vector<unsigned char>, std::less<>>;

Files& files() {
    static Files provided;
    return provided;
}

}  // namespace

emscripten::val provideFile(const std::string& name, const emscripten::val& bytes) {
    return guarded([&] {
        // What was handed in once may be in use.
        files().emplace(name, fromBytes(bytes));
        return emscripten::val::object();
    });
}

// Stands in for the embedded samples of native programs: this definition comes first, so the linker never looks into that library.
std::span<const unsigned char> sampleBytes(std::string_view fileName) {
    const std::string name = "samples/" + std::string(fileName);
    const auto found = files().find(name);
    if (found == files().end()) throw MissingFile(name);
    return found->second;
}

}  // namespace kappaflow
