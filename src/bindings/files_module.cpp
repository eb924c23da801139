// The bundle that reads and writes network files for those that compute: fetched when a reader opens or saves the first one.
#include <emscripten/bind.h>

#include "bindings/convert.h"
#include "core/base/cost.h"
#include "core/base/errors.h"
#include "core/io/csv.h"
#include "core/io/network_file.h"
#include "core/io/onnx.h"
#include "jobs/codec.h"

namespace kappaflow {
namespace {

std::vector<unsigned char> found(const std::vector<unsigned char>& bytes, const std::string& name) {
    FoundNetwork found;
    try {
        found.fileBytes = static_cast<double>(bytes.size());
        found.fileWeights = weightsAtMost(bytes);
        found.network = readNetwork(bytes, name, &found.notes);
    } catch (const InputError& error) {
        found.refusal = error.what();
    }
    return encodeFound(found);
}

std::vector<unsigned char> written(const std::vector<unsigned char>& encoded) {
    WrittenNetwork written;
    try {
        written.file = writeOnnx(decodeFound(encoded).network);
    } catch (const InputError& error) {
        written.refusal = error.what();
    }
    return encodeWritten(written);
}

/// A zero byte before a refusal.
std::vector<unsigned char> table(const std::vector<unsigned char>& bytes, const std::string& name) {
    std::string made;
    try {
        made = pointsAsTable(bytes, name);
    } catch (const InputError& error) {
        made = std::string(1, '\0') + error.what();
    }
    return {made.begin(), made.end()};
}

/// The file that another bundle misses, by the kind and name that it has for it:
///   networks/FINGERPRINT/NAME   the encoded network of a file called NAME, or why it is refused
///   tables/FINGERPRINT/NAME     the points of a file called NAME as a table in text, or why they are refused
///   onnx/FINGERPRINT            the ONNX file of an encoded network, or why there is none
/// {error} when there is no memory for it.
emscripten::val makeFile(const std::string& name, const emscripten::val& source) {
    return guarded([&] {
        const auto bytes = fromBytes(source, kMaxHandedBytes);
        if (name.starts_with("onnx/")) return toBytes(written(bytes));
        const std::string fileName = name.substr(name.find('/', name.find('/') + 1) + 1);
        return toBytes(name.starts_with("tables/") ? table(bytes, fileName) : found(bytes, fileName));
    });
}

EMSCRIPTEN_BINDINGS(kappaflow_files) {
    setMemoryRoom(kFileRoom);
    emscripten::function("makeFile", &makeFile);
}

}  // namespace
}  // namespace kappaflow
