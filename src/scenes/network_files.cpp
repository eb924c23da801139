#include "core/io/csv.h"
#include "core/io/onnx.h"
#include "scenes/chosen_network.h"

namespace kappaflow {

std::optional<Network> read(const NetworkFile& file, std::vector<std::string>& warnings, const TakesFile& takes) {
    if (takes && !takes({static_cast<double>(file.bytes.size()), weightsAtMost(file.bytes)})) return std::nullopt;
    return readNetwork(file.bytes, file.name, &warnings);
}

std::vector<unsigned char> tableOf(const Attachment& file) {
    const std::string table = pointsAsTable(file.bytes, file.name);
    return {table.begin(), table.end()};
}

std::vector<unsigned char> networkFile(const Network& network) { return writeOnnx(network); }

}  // namespace kappaflow
