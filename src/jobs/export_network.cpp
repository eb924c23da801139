#include <cstdint>
#include <string_view>

#include "core/io/named_tensors.h"
#include "core/io/printable.h"
#include "jobs/export.h"

namespace kappaflow {
namespace {

using Dims = std::vector<std::int64_t>;

std::string_view activationOf(const Layer& layer) {
    const auto* f = layer.getIf<Pointwise>();
    return f ? activationKey(f->activation) : std::string_view();
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
        if (const auto* block = layers[l].getIf<Block>()) addPlaces(block->inner, number + ".", depth + 1, places);
    }
}

/// Numbers of a layer, or sums over all.
struct Counts {
    double weights = 0, biases = 0, multiplyAdds = 0;
};

/// Its own: those of layers inside it are theirs.
Counts countsOf(const Layer& layer) {
    const Weights& own = weightsOf(layer);
    return {static_cast<double>(own.weights.size()), static_cast<double>(own.bias.size()), multiplyAdds(layer)};
}

struct Table {
    std::vector<Place> places{};  ///< every layer, those of a block behind it
    Counts sums{};
};

Table tableOf(const Network& network) {
    Table table;
    addPlaces(network.layers, "", 0, table.places);
    for (const Place& place : table.places) {
        const Counts counts = countsOf(*place.layer);
        table.sums.weights += counts.weights;
        table.sums.biases += counts.biases;
        table.sums.multiplyAdds += counts.multiplyAdds;
    }
    return table;
}

/// Rows of outputs as lines.
std::string outputLines(const DescribedNetwork& described, std::string (*text)(double), std::string_view separator) {
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

void writeShape(JsonText& json, std::string_view name, const Shape& s) {
    json.name(name).open('[').number(s.channels).number(s.height).number(s.width).close(']');
}

void writeCounts(JsonText& json, const Counts& counts) {
    json.number("weights", counts.weights).number("biases", counts.biases).number("multiplyAdds", counts.multiplyAdds);
}

}  // namespace

std::string textOf(const Shape& s) {
    return shapeText(s.channels == 1 && s.height == 1 ? Dims{s.width} : Dims{s.channels, s.height, s.width});
}

std::string networkText(const DescribedNetwork& described) {
    const Table table = tableOf(described.network);
    std::vector<std::vector<std::string>> rows{{"layer", "name", "kind", "output", "weights", "biases", "multiply-adds", "activation"}};
    const auto add = [&](std::vector<std::string> row, const Counts& counts, std::string_view activation) {
        for (const auto& count : cellsOf(counts)) row.push_back(count);
        row.emplace_back(activation);
        rows.push_back(std::move(row));
    };
    for (const Place& place : table.places) {
        const Layer& layer = *place.layer;
        add({std::string(2 * place.depth, ' ') + place.number, printable(layer.name), std::string(traitsOf(layer).key), textOf(layer.out)},
            countsOf(layer), activationOf(layer));
    }
    add({"sum", "", "", ""}, table.sums, "");
    std::string text = printable(described.file) + " takes " + textOf(described.network.input) + "\n\n" + alignedColumns(rows, "");
    if (described.ran) text += "\n" + outputLines(described, formatNumber, "  ");
    return text;
}

std::string networkCsv(const DescribedNetwork& described) {
    const Table table = tableOf(described.network);
    std::string text;
    if (described.ran) {
        for (std::size_t i = 0; i < described.network.output().units(); ++i)
            text += (i == 0 ? "output" : ",output") + std::to_string(i + 1);
        return text + "\n" + outputLines(described, csvNumber, ",");
    }
    text = "layer,name,kind,channels,height,width,weights,biases,multiplyAdds,activation\n";
    for (const Place& place : table.places) {
        const Layer& layer = *place.layer;
        text += place.number + "," + csvCell(printable(layer.name)) + "," + std::string(traitsOf(layer).key);
        for (const int extent : {layer.out.channels, layer.out.height, layer.out.width}) text += "," + std::to_string(extent);
        for (const auto& count : cellsOf(countsOf(layer))) text += "," + count;
        text += "," + std::string(activationOf(layer)) + "\n";
    }
    return text;
}

std::string networkJson(const DescribedNetwork& described) {
    const Table table = tableOf(described.network);
    JsonText json(false);
    json.open('{').text("kappaflow", KAPPAFLOW_VERSION).text("file", described.file);
    json.name("warnings").texts(described.warnings);
    writeShape(json, "input", described.network.input);
    json.name("layers").open('[');
    for (const Place& place : table.places) {
        const Layer& layer = *place.layer;
        json.open('{').text("layer", place.number).text("name", printable(layer.name)).text("kind", traitsOf(layer).key);
        writeShape(json, "output", layer.out);
        writeCounts(json, countsOf(layer));
        json.text("activation", activationOf(layer)).close('}');
    }
    json.close(']');
    writeCounts(json, table.sums);
    if (described.ran) {
        json.name("outputs").open('[');
        const auto width = static_cast<std::ptrdiff_t>(described.network.output().units());
        for (auto row = described.outputs.begin(); row != described.outputs.end(); row += width) json.numbers({row, row + width});
        json.close(']');
    }
    return std::move(json.close('}')).take();
}

}  // namespace kappaflow
