// kappaflow network: the layers of a network file as a table, and what the network makes of samples.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/files.h"
#include "core/base/errors.h"
#include "core/io/csv.h"
#include "core/io/named_tensors.h"
#include "core/io/network_file.h"
#include "core/io/printable.h"
#include "core/io/stored_numbers.h"
#include "jobs/attachment.h"
#include "jobs/export.h"

namespace kappaflow {
namespace {

using Dims = std::vector<std::int64_t>;

/// Numbers that are printed at most; about 25 bytes of text each.
constexpr double kMaxOutputs = 1 << 22;

/// Throws InputError when an array of these dims holds no samples of this shape.
void requireFit(std::string_view file, const Dims& dims, const Shape& in) {
    if (dims.size() < 2 || dims.size() > 4)
        throw InputError("The array in " + quote(file) + " is " + shapeText(dims) +
                         "; samples are read as [N, D], [N, C, W] or [N, C, H, W].");
    const Dims sample(dims.begin() + 1, dims.end());
    const bool fits = dims.size() == 2   ? sample[0] == static_cast<std::int64_t>(in.units())
                      : dims.size() == 3 ? in.height == 1 && sample == Dims{in.channels, in.width}
                                         : sample == Dims{in.channels, in.height, in.width};
    if (fits) return;
    const bool flat = dims.size() == 2;
    const std::string units = std::to_string(in.units()), shape = textOf(in);
    throw InputError("A sample in " + quote(file) + (flat ? " has " : " is ") + shapeText(sample) + (flat ? " numbers" : "") +
                     ", but the network takes " + (!flat || shape == units ? shape : units + ", " + shape) + ".");
}

bool isNpy(const Attachment& file) {
    const std::string_view name = file.name, magic = "\x93NUMPY";
    if (name.size() >= 4 && name.substr(name.size() - 4) == ".npy") return true;
    return file.bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), file.bytes.begin(),
                                                           [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; });
}

/// [sample][unit]. Throws InputError when the file holds no samples that the network takes.
std::vector<double> readSamples(const Attachment& file, const Shape& in) {
    if (isNpy(file)) {
        tensors::NamedTensor array = readNpy(file.bytes, file.name);
        requireFit(file.name, array.dims, in);
        return std::move(array.values);
    }
    Matrix table = readNumbers(file.bytes, file.name);
    requireFit(file.name, {static_cast<std::int64_t>(table.rows), static_cast<std::int64_t>(table.columns)}, in);
    return std::move(table.values);
}

void run(DescribedNetwork& described, const Attachment& file, const CommandLineHost& host) {
    const std::vector<double> samples = readSamples(file, described.network.input);
    const std::size_t width = described.network.input.units(), count = samples.size() / width, outputs = described.network.output().units();
    if (static_cast<double>(count) * static_cast<double>(outputs) > kMaxOutputs)
        throw InputError("The " + std::to_string(count) + " samples in " + quote(file.name) + " with " + std::to_string(outputs) +
                         " outputs each make more than the " + whole(kMaxOutputs) + " numbers that are printed.");
    ProgressBar bar(host);
    for (std::size_t s = 0; s < count; ++s) {
        bar.tick(static_cast<double>(s) / static_cast<double>(count));
        const auto first = samples.begin() + static_cast<std::ptrdiff_t>(s * width);
        const auto y = forward(described.network, {first, first + static_cast<std::ptrdiff_t>(width)}).back();
        described.outputs.insert(described.outputs.end(), y.begin(), y.end());
    }
    described.ran = true;
    const auto lost = std::count_if(described.outputs.begin(), described.outputs.end(), [](double y) { return !std::isfinite(y); });
    if (lost > 0) described.warnings.push_back("Of the outputs " + std::to_string(lost) + " are beyond what a double can hold.");
}

}  // namespace

int describeNetwork(const CommandOptions& options, const CommandLineHost& host) {
    const std::string format = options.format.empty() ? "text" : options.format;
    if (format != "text" && format != "json" && format != "csv")
        throw InputError("--format takes text, json or csv, not " + quote(format) + ".");
    const auto file = readNetworkFile(options.network);
    DescribedNetwork described{.file = file->name, .network = {}, .warnings = {}};
    described.network = readNetwork(file->bytes, file->name, &described.warnings);
    if (!options.out.empty()) checkWritable(options.out);
    if (!options.input.empty()) run(described, *readAttachment(options.input), host);
    if (format != "json") warn(host, described.warnings);
    deliver(host, options.out,
            format == "json"  ? networkJson(described)
            : format == "csv" ? networkCsv(described)
                              : networkText(described));
    return 0;
}

}  // namespace kappaflow
