#include "core/regions/program.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

constexpr double kLoweredBytes = 5e8;
constexpr std::size_t kWidestPool = 1024;

std::string placeOf(std::size_t index, const std::string& above, const Layer& layer) {
    return above + "layer " + std::to_string(index + 1) + (layer.name.empty() ? "" : " (\"" + layer.name + "\")");
}

[[noreturn]] void refuse(std::string place, const std::string& what) {
    place[0] = 'L';
    throw InputError(place + " is " + what);
}

[[noreturn]] void refuseSmooth(const std::string& place, Activation activation) {
    refuse(place, std::string(activationKey(activation)) +
                      ", which is not piecewise linear, so that there are no regions to draw: the scene trajectory-length shows what "
                      "smooth activations do to a curve.");
}

[[noreturn]] void refuseCurved(const std::string& place, const char* what, const char* scenes) {
    refuse(place, std::string(what) + ", so that there are no regions with straight sides to draw: the scenes " + scenes + " take it.");
}

UnitFunctions functionsOf(const Layer& layer) {
    const auto& f = layer.as<Pointwise>();
    if (f.activation != Activation::LeakyRelu || f.slopes.empty()) return {{piecewiseLinear(layer, 0)}, {}};
    UnitFunctions functions;
    for (std::size_t i = 0; i < layer.in.units(); ++i) {
        const LinearPieces pieces = piecewiseLinear(layer, i);
        const auto known = std::find(functions.kinds.begin(), functions.kinds.end(), pieces);
        functions.kindOf.push_back(static_cast<std::uint32_t>(known - functions.kinds.begin()));
        if (known == functions.kinds.end()) functions.kinds.push_back(pieces);
    }
    if (functions.kinds.size() == 1) functions.kindOf.clear();
    return functions;
}

class Lowering {
public:
    Lowering(const Network& network, LinearMap input) : width_{input.inputs()} {
        const std::size_t first = append({.kind = Operation::Kind::Map, .map = std::move(input)}, network.input.units());
        program_.output = chain(network.layers, first, "");
        program_.outputWidth = network.output().units();
    }
    Program finished(std::size_t widestOutput);

private:
    std::size_t append(Operation op, std::size_t width);
    std::size_t chain(const std::vector<Layer>&, std::size_t source, const std::string& above);
    std::size_t layer(const Layer&, const std::vector<std::size_t>& sources, const std::string& place);
    std::size_t weightedSum(const Sum&, const std::vector<std::size_t>& sources);
    std::size_t concatenation(const Shape& out, const std::vector<std::size_t>& sources);
    std::size_t map(LinearMap, std::size_t source);
    std::size_t sum(std::size_t a, double scale, std::size_t b, double otherScale) {
        return append({.kind = Operation::Kind::Sum, .source = a, .other = b, .scale = scale, .otherScale = otherScale}, width_[a]);
    }
    std::size_t activation(const Layer&, std::size_t source, const std::string& place);
    std::size_t maxPool(const Layer&, std::size_t source, const std::string& place);
    std::size_t cut(std::size_t source, UnitFunctions, const std::vector<std::size_t>& states);
    void makeBlocks(Operation&, const std::vector<std::size_t>& states);

    Program program_;
    std::vector<std::size_t> width_;
    int pooling_ = 0;  ///< depth of the max pooling that is being lowered
};

std::size_t Lowering::append(Operation op, std::size_t width) {
    op.target = program_.registers++;
    op.width = width;
    op.pools = pooling_;
    width_.push_back(width);
    program_.operations.push_back(std::move(op));
    return program_.registers - 1;
}

std::size_t Lowering::chain(const std::vector<Layer>& layers, std::size_t source, const std::string& above) {
    std::vector<std::size_t> at{source};
    for (std::size_t l = 0; l < layers.size(); ++l) {
        std::vector<std::size_t> sources;
        for (std::size_t k = 0; k < std::max<std::size_t>(1, layers[l].reads.size()); ++k) sources.push_back(at[operandOf(layers, l, k)]);
        at.push_back(layer(layers[l], sources, placeOf(l, above, layers[l])));
    }
    return at.back();
}

std::size_t Lowering::layer(const Layer& layer, const std::vector<std::size_t>& sources, const std::string& place) {
    const std::size_t source = sources[0];
    const auto refuseProduct = [&]() -> std::size_t {
        refuseCurved(place, "a product of two computed values", "measured-capacity and moments");
    };
    return layer.visit(
        [&](const Linear auto&) {
            if (weightCount(layer) > 0 && weightsOf(layer).weights.empty())
                throw InputError("The network has no weights at " + place + ".");
            return map(linearMap(layer), source);
        },
        [&](const Flatten&) { return source; }, [&](const Pointwise&) { return activation(layer, source, place); },
        [&](const MaxPool&) { return maxPool(layer, source, place); },
        [&](const Block& block) { return chain(block.inner, source, place + ", inner "); },
        [&](const Sum& op) { return weightedSum(op, sources); }, [&](const Concat&) { return concatenation(layer.out, sources); },
        [&](const LayerNorm&) -> std::size_t {
            refuseCurved(place, "a layer norm, which divides by what it finds in each sample", "capacity-diffusion and moments");
        },
        [&](const Softmax&) -> std::size_t {
            refuseCurved(place, "a softmax, which is not piecewise linear", "measured-capacity and moments");
        },
        [&](const Product&) { return refuseProduct(); }, [&](const MatMul&) { return refuseProduct(); });
}

std::size_t Lowering::weightedSum(const Sum& op, const std::vector<std::size_t>& sources) {
    std::size_t result = sources[0];
    for (std::size_t k = 1; k < sources.size(); ++k) result = sum(result, k == 1 ? op.scales[0] : 1, sources[k], op.scales[k]);
    return result;
}

/// The sum of the operands, each put among zeros: x + 0 is x to the last bit.
std::size_t Lowering::concatenation(const Shape& out, const std::vector<std::size_t>& sources) {
    std::size_t result = 0, first = 0;
    for (std::size_t k = 0; k < sources.size(); ++k) {
        const std::size_t width = width_[sources[k]];
        std::vector<std::vector<LinearMap::Entry>> rows(out.units());
        for (std::size_t i = 0; i < width; ++i) rows[first + i] = {{static_cast<std::uint32_t>(i), 1.0}};
        first += width;
        const std::size_t part = append({.kind = Operation::Kind::Map, .source = sources[k], .map = {width, rows, {}}}, out.units());
        result = k == 0 ? part : sum(result, 1, part, 1);
    }
    return result;
}

/// Maps of the slice's two coordinates stay such maps; batch norm goes into the map before it. Nobody else reads the register of an
/// operation that was just appended, unless a block began there: then its first layer copies it.
std::size_t Lowering::map(LinearMap map, std::size_t source) {
    const Operation& last = program_.operations.back();
    const bool ofSlice = last.kind == Operation::Kind::Map && last.source == 0 && last.map.inputs() == 2;
    if (last.target == source && last.kind == Operation::Kind::Map && !last.cuts && last.pools == 0 && (ofSlice || map.isDiagonal())) {
        source = last.source;
        map = composed(map, last.map);
    }
    const std::size_t width = map.outputs();
    return append({.kind = Operation::Kind::Map, .source = source, .map = std::move(map)}, width);
}

/// `states`: what is added to a boundary's state (max pooling: the rounds before).
std::size_t Lowering::cut(std::size_t source, UnitFunctions functions, const std::vector<std::size_t>& states) {
    Operation op{.source = source,
                 .width = width_[source],
                 .cuts = true,
                 .functions = std::move(functions),
                 .depth = static_cast<int>(program_.depths.size())};
    makeBlocks(op, states);
    program_.depths.back().operations.push_back(program_.operations.size());
    return append(std::move(op), width_[source]);
}

void Lowering::makeBlocks(Operation& op, const std::vector<std::size_t>& states) {
    std::size_t most = 1;
    for (const auto& f : op.functions.kinds) most = std::max(most, f.thresholds.size());
    const std::size_t columns = std::max<std::size_t>(8, 64 / most / 8 * 8);
    for (std::size_t begin = 0; begin < op.width; begin += columns) {
        CutBlock block;
        block.begin = begin;
        block.end = std::min(op.width, begin + columns);
        block.regular = op.functions.kinds.size() == 1;
        block.firstBoundary = static_cast<std::uint32_t>(program_.boundaries.size());
        for (std::size_t state = 0; state < most; ++state)
            for (std::size_t unit = begin; unit < block.end; ++unit) {
                const auto& thresholds = op.functions.of(unit).thresholds;
                if (state >= thresholds.size()) continue;
                block.bits.push_back({static_cast<std::uint32_t>(unit - begin), thresholds[state]});
                program_.boundaries.push_back({op.depth, static_cast<std::int32_t>(unit),
                                               static_cast<std::int32_t>(state + (states.empty() ? 0 : states[unit])), thresholds[state]});
            }
        op.blocks.push_back(std::move(block));
    }
}

std::size_t Lowering::activation(const Layer& layer, std::size_t source, const std::string& place) {
    const Activation bend = layer.as<Pointwise>().activation;
    if (bend == Activation::Identity) return source;
    if (!isPiecewiseLinear(bend)) refuseSmooth(place, bend);
    DepthInfo depth;
    depth.units = layer.in.units();
    depth.functions = functionsOf(layer);
    program_.depths.push_back(depth);
    const std::size_t target = cut(source, depth.functions, {});
    program_.operations.back().endsDepth = true;
    return target;
}

/// One input of every window after the other is compared with the largest before it, m: round i's bit says that x_i > m, so the last
/// bit set names the first of the largest inputs. m is chosen, not summed up: what is equal stays equal to the last bit.
std::size_t Lowering::maxPool(const Layer& layer, std::size_t source, const std::string& place) {
    DepthInfo depth;
    depth.windows = poolingWindows(layer);
    depth.units = depth.windows.size();
    std::size_t rounds = 1;
    for (const auto& window : depth.windows) rounds = std::max(rounds, window.size());
    if (rounds > kWidestPool)
        throw InputError("The max pooling at " + place + " looks at " + std::to_string(rounds) +
                         " units at once: regions can be cut for up to " + std::to_string(kWidestPool) + ".");
    if (rounds > 1) {
        program_.depths.push_back(depth);
        pooling_ = static_cast<int>(program_.depths.size());
    }
    const auto inputs = [&](std::size_t round) {
        std::vector<std::vector<LinearMap::Entry>> rows;
        for (const auto& window : depth.windows) rows.push_back({{window[round < window.size() ? round : 0], 1.0}});
        return append({.kind = Operation::Kind::Map, .source = source, .map = {width_[source], rows, {}}}, depth.units);
    };
    std::size_t largest = inputs(0);
    for (std::size_t round = 1; round < rounds; ++round) {
        const std::size_t input = inputs(round);
        cut(sum(input, 1, largest, -1), {{LinearPieces{{0}, {0, 1}, {0, 0}}}, {}}, std::vector<std::size_t>(depth.units, round - 1));
        program_.operations.back().endsDepth = round + 1 == rounds;
        largest = append({.kind = Operation::Kind::Larger, .source = largest, .other = input}, depth.units);
    }
    if (rounds > 1) {
        program_.depths.back().source = source;
        program_.depths.back().target = largest;
    }
    pooling_ = 0;
    return largest;
}

Program Lowering::finished(std::size_t widestOutput) {
    if (program_.outputWidth > widestOutput) program_.outputWidth = 0;
    fuse(program_);
    setReleases(program_);
    return std::move(program_);
}

double bytesOf(const std::vector<Layer>& layers) {
    double bytes = 0;
    eachLayer(layers, [&](const Layer& layer) { bytes += linearMapBytes(layer); });
    return bytes;
}

}  // namespace

double loweredBytes(const Network& network) { return bytesOf(network.layers); }

LinearMap sliceMap(const Slice& slice, std::size_t inputs) {
    validate(slice, inputs);
    std::vector<double> weights;
    for (std::size_t i = 0; i < inputs; ++i) {
        weights.push_back(slice.u[i]);
        weights.push_back(slice.v[i]);
    }
    return {2, inputs, weights, slice.origin};
}

Program lowered(const Network& network, LinearMap input, std::size_t widestOutput) {
    validate(network);
    if (loweredBytes(network) > kLoweredBytes)
        throw InputError("The network is too large to be unrolled on a slice: its maps alone would take more than 500 MB.");
    return Lowering(network, std::move(input)).finished(widestOutput);
}

namespace {

/// How many read each register.
std::vector<std::size_t> usesOf(const Program& program) {
    std::vector<std::size_t> uses(program.registers);
    for (const Operation& op : program.operations) {
        ++uses[op.source];
        if (op.readsOther()) ++uses[op.other];
    }
    if (program.keepsOutput()) ++uses[program.output];
    return uses;
}

}  // namespace

void fuse(Program& program) {
    auto& ops = program.operations;
    for (auto& op : ops) op.release.clear();
    for (bool changed = true; changed;) {
        changed = false;
        const auto use = usesOf(program);
        for (std::size_t i = 0; i < ops.size() && !changed; ++i) {
            const bool wanted = ops[i].cuts || use[ops[i].target] > 0;
            const bool intoCut = i + 1 < ops.size() && !ops[i].cuts && ops[i + 1].cuts && ops[i].pools == ops[i + 1].pools &&
                                 ops[i + 1].kind == Operation::Kind::Copy && ops[i + 1].source == ops[i].target && use[ops[i].target] == 1;
            if (intoCut) {
                Operation& cut = ops[i + 1];
                cut.kind = ops[i].kind;
                cut.source = ops[i].source;
                cut.other = ops[i].other;
                cut.scale = ops[i].scale;
                cut.otherScale = ops[i].otherScale;
                cut.map = std::move(ops[i].map);
            }
            if (!wanted || intoCut) {
                ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i));
                changed = true;
            }
        }
    }
    for (auto& depth : program.depths) depth.operations.clear();
    for (std::size_t i = 0; i < ops.size(); ++i)
        if (ops[i].cuts) program.depths[static_cast<std::size_t>(ops[i].depth) - 1].operations.push_back(i);
}

void setReleases(Program& program) {
    auto& ops = program.operations;
    std::vector<bool> later(program.registers);
    later[0] = true;
    if (program.keepsOutput()) {
        later[program.output] = true;
        if (!program.depths.empty()) {
            const DepthInfo& last = program.depths.back();
            const Operation& cut = ops[last.operations.back()];
            if (cut.blocks.size() == 1) program.lastActivation = last.pools() ? last.target : cut.target;
            later[program.lastActivation] = true;
        }
    }
    for (std::size_t i = ops.size(); i-- > 0;) {
        ops[i].keepsTarget = later[ops[i].target];
        const auto read = [&](std::size_t source) {
            if (!later[source]) ops[i].release.push_back(source);
            later[source] = true;
        };
        read(ops[i].source);
        if (ops[i].readsOther()) read(ops[i].other);
    }
    // A wide layer that only one narrower map reads, with nothing to cut after it.
    for (std::size_t i = 0; i + 1 < ops.size(); ++i) {
        Operation &op = ops[i], &next = ops[i + 1];
        const bool last =
            std::none_of(ops.begin() + static_cast<std::ptrdiff_t>(i) + 1, ops.end(), [](const Operation& o) { return o.cuts; });
        const bool only = next.kind == Operation::Kind::Map && !next.cuts && next.source == op.target &&
                          std::count(next.release.begin(), next.release.end(), op.target) == 1;
        op.intoNext = op.cuts && op.blocks.size() > 1 && last && only && next.width <= 64;
    }
}

}  // namespace kappaflow
