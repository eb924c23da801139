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
#include "jobs/export.h"

namespace kappaflow {
namespace {

using Dims = std::vector<std::int64_t>;

/// Numbers that are printed at most; about 25 bytes of text each.
constexpr double kMaxOutputs = 1 << 22;

std::string_view kindOf(const Layer& layer) {
    switch (layer.kind) {
        case LayerKind::Dense:
            return "dense";
        case LayerKind::Conv:
            return "convolution";
        case LayerKind::BatchNorm:
            return "batch-norm";
        case LayerKind::LayerNorm:
            return "layer-norm";
        case LayerKind::Activation:
            return "activation";
        case LayerKind::MaxPool:
            return "max-pool";
        case LayerKind::AveragePool:
            return "average-pool";
        case LayerKind::GlobalAveragePool:
            return "global-average-pool";
        case LayerKind::Flatten:
            return "flatten";
        case LayerKind::Route:
            return "route";
        case LayerKind::Softmax:
            return "softmax";
        case LayerKind::Sum:
            return "sum";
        case LayerKind::Product:
            return "product";
        case LayerKind::Concat:
            return "concatenation";
        case LayerKind::MatMul:
            return "matrix-product";
        case LayerKind::Block:
            return "block";
    }
    return "";
}

std::string_view activationOf(const Layer& layer) {
    return layer.kind == LayerKind::Activation ? activationKey(layer.activation) : std::string_view();
}

/// "2 × 24 × 24"; of a vector its length.
std::string textOf(const Shape& s) {
    return shapeText(s.channels == 1 && s.height == 1 ? Dims{s.width} : Dims{s.channels, s.height, s.width});
}

/// A layer and where it stands.
struct Place {
    const Layer* layer;
    std::string number;  ///< "3", inside that block "3.1"
    std::size_t depth;
};

void addPlaces(const std::vector<Layer>& layers, const std::string& above, std::size_t depth, std::vector<Place>& places) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const std::string number = above + std::to_string(l + 1);
        places.push_back({&layers[l], number, depth});
        addPlaces(layers[l].inner, number + ".", depth + 1, places);
    }
}

/// Numbers of a layer, or sums over all.
struct Counts {
    double weights = 0, biases = 0, multiplyAdds = 0;
};

/// Its own: those of layers inside it are theirs.
Counts countsOf(const Layer& layer) {
    return {static_cast<double>(layer.weights.size()), static_cast<double>(layer.bias.size()), multiplyAdds(layer)};
}

/// All that is shown of a file.
struct Described {
    std::string file;
    Network network;
    std::vector<Place> places;  ///< every layer, those of a block behind it
    Counts sums;
    std::vector<std::string> warnings;
    bool ran = false;
    std::vector<double> outputs;  ///< [sample][unit]
};

void readLayers(Described& described, const Attachment& file) {
    described.file = file.name;
    described.network = readNetwork(file.bytes, file.name, &described.warnings);
    addPlaces(described.network.layers, "", 0, described.places);
    for (const Place& place : described.places) {
        const Counts counts = countsOf(*place.layer);
        described.sums.weights += counts.weights;
        described.sums.biases += counts.biases;
        described.sums.multiplyAdds += counts.multiplyAdds;
    }
}

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

void run(Described& described, const Attachment& file, const CommandLineHost& host) {
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

/// Rows of outputs as lines.
std::string outputLines(const Described& described, std::string (*text)(double), std::string_view separator) {
    const std::size_t width = described.network.output().units();
    std::string lines;
    for (std::size_t i = 0; i < described.outputs.size(); ++i) {
        lines += text(described.outputs[i]);
        lines += (i + 1) % width == 0 ? "\n" : separator;
    }
    return lines;
}

/// "9", "3", "9".
std::vector<std::string> cellsOf(const Counts& counts) { return {whole(counts.weights), whole(counts.biases), whole(counts.multiplyAdds)}; }

std::string asText(const Described& described) {
    std::vector<std::vector<std::string>> rows{{"layer", "name", "kind", "output", "weights", "biases", "multiply-adds", "activation"}};
    const auto add = [&](std::vector<std::string> row, const Counts& counts, std::string_view activation) {
        for (const auto& count : cellsOf(counts)) row.push_back(count);
        row.emplace_back(activation);
        rows.push_back(std::move(row));
    };
    for (const Place& place : described.places) {
        const Layer& layer = *place.layer;
        add({std::string(2 * place.depth, ' ') + place.number, printable(layer.name), std::string(kindOf(layer)), textOf(layer.out)},
            countsOf(layer), activationOf(layer));
    }
    add({"sum", "", "", ""}, described.sums, "");
    std::string text = printable(described.file) + " takes " + textOf(described.network.input) + "\n\n" + alignedColumns(rows, "");
    if (described.ran) text += "\n" + outputLines(described, formatNumber, "  ");
    return text;
}

std::string asCsv(const Described& described) {
    std::string text;
    if (described.ran) {
        for (std::size_t i = 0; i < described.network.output().units(); ++i)
            text += (i == 0 ? "output" : ",output") + std::to_string(i + 1);
        return text + "\n" + outputLines(described, csvNumber, ",");
    }
    text = "layer,name,kind,channels,height,width,weights,biases,multiplyAdds,activation\n";
    for (const Place& place : described.places) {
        const Layer& layer = *place.layer;
        text += place.number + "," + csvCell(printable(layer.name)) + "," + std::string(kindOf(layer));
        for (const int extent : {layer.out.channels, layer.out.height, layer.out.width}) text += "," + std::to_string(extent);
        for (const auto& count : cellsOf(countsOf(layer))) text += "," + count;
        text += "," + std::string(activationOf(layer)) + "\n";
    }
    return text;
}

void writeShape(JsonText& json, std::string_view name, const Shape& s) {
    json.name(name).open('[').number(s.channels).number(s.height).number(s.width).close(']');
}

void writeCounts(JsonText& json, const Counts& counts) {
    json.number("weights", counts.weights).number("biases", counts.biases).number("multiplyAdds", counts.multiplyAdds);
}

std::string asJson(const Described& described) {
    JsonText json(false);
    json.open('{').text("kappaflow", KAPPAFLOW_VERSION).text("file", described.file);
    json.name("warnings").texts(described.warnings);
    writeShape(json, "input", described.network.input);
    json.name("layers").open('[');
    for (const Place& place : described.places) {
        const Layer& layer = *place.layer;
        json.open('{').text("layer", place.number).text("name", printable(layer.name)).text("kind", kindOf(layer));
        writeShape(json, "output", layer.out);
        writeCounts(json, countsOf(layer));
        json.text("activation", activationOf(layer)).close('}');
    }
    json.close(']');
    writeCounts(json, described.sums);
    if (described.ran) {
        json.name("outputs").open('[');
        const auto width = static_cast<std::ptrdiff_t>(described.network.output().units());
        for (auto row = described.outputs.begin(); row != described.outputs.end(); row += width) json.numbers({row, row + width});
        json.close(']');
    }
    return std::move(json.close('}')).take();
}

}  // namespace

int describeNetwork(const CommandOptions& options, const CommandLineHost& host) {
    const std::string format = options.format.empty() ? "text" : options.format;
    if (format != "text" && format != "json" && format != "csv")
        throw InputError("--format takes text, json or csv, not " + quote(format) + ".");
    Described described;
    readLayers(described, *readAttachment(options.network));
    if (!options.out.empty()) checkWritable(options.out);
    if (!options.input.empty()) run(described, *readAttachment(options.input), host);
    if (format != "json") warn(host, described.warnings);
    deliver(host, options.out, format == "json" ? asJson(described) : format == "csv" ? asCsv(described) : asText(described));
    return 0;
}

}  // namespace kappaflow
