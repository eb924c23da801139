// Network files in a bundle of the page, which has no code to read or write them: the bundle of files does, and its work is handed in.
// These definitions come before those of the libraries, so that the linker takes no reader.
#include "bindings/convert.h"
#include "core/base/errors.h"
#include "jobs/codec.h"
#include "scenes/chosen_network.h"

namespace kappaflow {

/// A sample's encoded network, made when the page was built.
std::span<const unsigned char> sampleBytes(std::string_view fileName) {
    return providedFile("samples/" + std::string(fileName.substr(0, fileName.rfind('.'))) + ".network");
}

namespace {

FoundNetwork foundIn(const NetworkFile& file) {
    if (file.sample) return decodeFound(file.bytes);
    return decodeFound(providedFile("networks/" + std::to_string(fingerprint(file.bytes)) + "/" + file.name, file.bytes));
}

}  // namespace

std::optional<Network> read(const NetworkFile& file, std::vector<std::string>& warnings, const TakesFile& takes) {
    FoundNetwork found = foundIn(file);
    if (takes && !takes({found.fileBytes, found.fileWeights})) return std::nullopt;
    if (!found.refusal.empty()) throw InputError(found.refusal);
    warnings.insert(warnings.end(), found.notes.begin(), found.notes.end());
    return std::move(found.network);
}

std::vector<unsigned char> tableOf(const Attachment& file) {
    const auto& made = providedFile("tables/" + std::to_string(fingerprint(file.bytes)) + "/" + file.name, file.bytes);
    if (!made.empty() && made.front() == 0) throw InputError({made.begin() + 1, made.end()});
    return made;
}

std::vector<unsigned char> networkFile(const Network& network) {
    const auto encoded = encodeFound({.network = network});
    WrittenNetwork written = decodeWritten(providedFile("onnx/" + std::to_string(fingerprint(encoded)), encoded));
    if (!written.refusal.empty()) throw InputError(written.refusal);
    return std::move(written.file);
}

}  // namespace kappaflow
