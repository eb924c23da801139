#include "core/regions/partition.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/base/errors.h"
#include "core/regions/pair.h"
#include "core/regions/partition_state.h"
#include "core/regions/program.h"

namespace kappaflow {
namespace {

constexpr std::size_t kWidestOutput = 64;

}  // namespace

Partition::Partition() : state_(std::make_unique<State>()) {}
Partition::~Partition() = default;
Partition::Partition(Partition&&) noexcept = default;
Partition& Partition::operator=(Partition&&) noexcept = default;

void Partition::start(const Network& network, const Slice& slice, const Polygon& window, const PartitionOptions& options) {
    Program program = lowered(network, sliceMap(slice, network.input.units()), options.outputs ? kWidestOutput : 0);
    state_->start(std::move(program), checkedWindow(window), options);
}

bool Partition::step() { return state_->step(); }

void Partition::finish() {
    while (state_->step()) {
    }
}

double Partition::progress() const { return state_->progress(); }
int Partition::depths() const { return static_cast<int>(state_->program.depths.size()); }
int Partition::exactDepth() const { return static_cast<int>(state_->records.size()); }
int Partition::reusedDepths() const { return state_->reused; }
std::size_t Partition::unitsOf(int depth) const { return state_->program.depths[static_cast<std::size_t>(depth) - 1].units; }

const Certificate& Partition::certificate() const {
    assert(state_->done);
    if (!state_->certificate) state_->certificate = state_->certify();
    return *state_->certificate;
}

const RegionMesh& Partition::mesh() const {
    assert(state_->done);
    if (!state_->regionMesh) state_->regionMesh = state_->handedOut();
    return *state_->regionMesh;
}

std::vector<std::uint16_t> Partition::pattern(std::size_t face, int depth) const {
    std::size_t at = face;
    for (int d = exactDepth(); d > depth; --d) at = state_->records[static_cast<std::size_t>(d) - 1].parent[at];
    const std::size_t d = static_cast<std::size_t>(depth);
    return statesOf(state_->program, state_->records[d - 1], d, at);
}

namespace {

constexpr double kBytesPerFace = 400;  ///< mesh, patterns, snapshots and what is handed out
constexpr double kOperationsPerFace = 400;

/// Follows the layers with the most faces there can be: k lines cut a convex face into at most 1 + k + k(k − 1)/2.
class CostSum {
public:
    explicit CostSum(const PartitionOptions& options) : options_(options) {}
    /// Adds a layer; a block itself costs nothing, its inner layers are added one by one.
    void add(const Layer& layer) {
        const double units = static_cast<double>(layer.out.units()), bytes = linearMapBytes(layer);
        if (layer.is<Block>()) return;
        if (const auto* f = layer.getIf<Pointwise>()) {
            if (f->activation != Activation::Identity)
                cut(units, isPiecewiseLinear(layer) ? piecewiseLinear(layer, 0).thresholds.size() : 0);
        } else if (const auto* pool = layer.getIf<MaxPool>()) {
            for (int round = 1; round < pool->window.size[0] * pool->window.size[1] && round < 64; ++round) cut(units, 1);
        } else {
            maps_ += bytes;
            operations_ += 2 * faces_ * bytes / 8;
            rows_ = std::max(rows_, 16 * faces_ * units);
        }
    }
    Cost cost(double outputs) const {
        const double mesh = faces_ * kBytesPerFace + 16 * faces_ * outputs;
        return {operations_ + kOperationsPerFace * faces_,
                maps_ * 3 + std::min(options_.byteBudget + options_.snapshotBytes, rows_) + mesh};
    }

private:
    void cut(double units, std::size_t breakpoints) {
        const double lines = units * static_cast<double>(std::max<std::size_t>(1, breakpoints));
        faces_ = std::max(1.0, std::min(options_.regionBudget, faces_ * (1 + lines + lines * (lines - 1) / 2)));
        operations_ += 16 * faces_ * units;
        rows_ = std::max(rows_, 32 * faces_ * units);
    }

    PartitionOptions options_;
    double faces_ = 1, operations_ = 0, maps_ = 0, rows_ = 0;
};

}  // namespace

Cost partitionCost(const Network& network, const PartitionOptions& options) {
    validate(network);
    CostSum sum(options);
    eachLayer(network.layers, [&](const Layer& layer) { sum.add(layer); });
    return sum.cost(std::min(64.0, static_cast<double>(network.output().units())));
}

namespace {

/// What a sum's rounding may come to, relative to its terms; the last bits of a boundary's own distance.
constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
/// A sum's tolerance over the rounding of its terms: what interpolation adds to that of a line that several units share.
constexpr double kTermRounding = 4;
constexpr double kLargest = 1e150;

[[noreturn]] void refuseOverflow() {
    throw InputError("The network's values on this window grow beyond 10¹⁵⁰: smaller weights or a smaller window are needed.");
}

/// y[0 … end − begin) = columns begin … end − 1 of what the operation makes.
void makeRow(const Operation& op, const Registers& registers, std::size_t vertex, std::size_t begin, std::size_t end, double* y,
             LinearMap::Inputs& inputs) {
    const double* x = registers[op.source]->row(vertex);
    if (op.kind == Operation::Kind::Map) {
        op.map.gather(x, inputs);
        if (!(inputs.largest < kLargest)) refuseOverflow();
        return op.map.apply(x, inputs, begin, end, y);
    }
    if (op.kind == Operation::Kind::Larger) {
        const double* other = registers[op.other]->row(vertex);
        for (std::size_t i = begin; i < end; ++i) y[i - begin] = std::max(x[i], other[i]);
        return;
    }
    const bool sum = op.kind == Operation::Kind::Sum;
    const double* other = sum ? registers[op.other]->row(vertex) : x;
    const double otherScale = sum ? op.otherScale : 0;
    for (std::size_t i = begin; i < end; ++i) {
        const double a = op.scale * x[i], b = otherScale * other[i];
        y[i - begin] = sum ? a + b : x[i];
        if (!(std::abs(a) + std::abs(b) < kLargest * kLargest)) refuseOverflow();
    }
}

/// The common activations in place, on whole rows; an odd count takes the number behind it along.
bool applyUniform(const LinearPieces& f, double* z, std::size_t count) {
    if (f.thresholds.size() == 1 && f.thresholds[0] == 0 && f.offsets[0] == 0 && f.offsets[1] == 0) {
        const Pair below = bothOf(f.slopes[0]), above = bothOf(f.slopes[1]);
        for (std::size_t i = 0; i < count; i += 2) {
            const Pair x = loadPair(z + i);
            storePair(z + i, whereAbove(x, above, below) * x);
        }
        return true;
    }
    if (f.thresholds.size() != 2 || f.slopes[0] != 0 || f.slopes[2] != 0) return false;
    const double lo = f.thresholds[0], hi = f.thresholds[1], slope = f.slopes[1], offset = f.offsets[1];
    for (std::size_t i = 0; i < count; ++i) z[i] = slope * std::min(std::max(z[i], lo), hi) + offset;
    return true;
}

}  // namespace

void Partition::State::fillRows(std::size_t begin, std::size_t end) {
    ValueRows& rows = *registers[op().target];
    for (std::size_t v = begin; v < end; ++v) {
        makeRow(op(), registers, v, 0, op().width, rows.row(v), inputs);
        largestInput = std::max(largestInput, inputs.largest);
    }
}

double Partition::State::termRounding(std::size_t unit) const {
    const Operation& now = op();
    const double first = rounding[now.source][unit];
    if (now.kind == Operation::Kind::Copy) return first;
    const double second = rounding[now.other][unit];
    return now.kind == Operation::Kind::Larger ? std::max(first, second) : std::abs(now.scale) * first + std::abs(now.otherScale) * second;
}

/// Of a map that of its sums; what its inputs bring along counts only where a pooling picks them.
void Partition::State::noteRounding() {
    const Operation& now = op();
    if (now.intoNext) {  // nothing is cut any more
        const Operation& next = program.operations[operation + 1];
        rounding[next.target].assign(next.width, 0.0);
    }
    std::vector<double>& units = rounding[now.target];
    if (now.kind == Operation::Kind::Map && now.pools != 0) {
        units = now.map(rounding[now.source], false);
        return;
    }
    units.resize(now.width);
    for (std::size_t i = 0; i < now.width; ++i)
        units[i] = now.kind == Operation::Kind::Map ? kRounding * (now.map.norm()[i] * largestInput + std::abs(now.map.bias()[i]))
                                                    : termRounding(i);
}

/// A sign is zero where the value is within its rounding: error bounds of dot products, |fl(Σ wx) − Σ wx| <= n ε Σ |w||x|, with the
/// largest input of any vertex so far for all of them and without the n, which never shows.
void Partition::State::setTolerances() {
    const CutBlock& b = currentBlock();
    const std::size_t columns = b.end - b.begin;
    toleranceSlope.assign(columns + 8, 0.0);
    toleranceOffset.assign(columns + 8, 0.0);
    tolerance.assign(columns + 8, 0.0);
    for (std::size_t i = 0; i < columns; ++i) {
        if (op().kind != Operation::Kind::Map) {
            toleranceOffset[i] = kTermRounding * termRounding(b.begin + i);
            continue;
        }
        if (!(op().map.norm()[b.begin + i] < kLargest)) refuseOverflow();
        toleranceSlope[i] = kRounding * op().map.norm()[b.begin + i];
        toleranceOffset[i] = kRounding * std::abs(op().map.bias()[b.begin + i]);
    }
}

void Partition::State::fillBlock(std::size_t begin, std::size_t end) {
    const CutBlock& b = currentBlock();
    for (std::size_t v = begin; v < end; ++v) {
        double* z = target->row(v) + targetOffset;
        makeRow(op(), registers, v, b.begin, b.end, z, inputs);
        largestInput = std::max(largestInput, inputs.largest);
        signs[v] = signsOf(z, toleranceSlope.data(), largestInput, toleranceOffset.data());
    }
    noteTolerances(largestInput);
}

void Partition::State::noteTolerances(double scale) {
    for (std::size_t i = 0; i < tolerance.size(); ++i)
        tolerance[i] = std::max(tolerance[i], toleranceSlope[i] * scale + toleranceOffset[i]);
}

/// Sets values that count as being on a boundary to its threshold.
VertexSigns Partition::State::signsOf(double* z, const double* slope, double scale, const double* offset) const {
    const CutBlock& b = currentBlock();
    const std::size_t columns = b.end - b.begin, bits = b.bits.size();
    VertexSigns s;
    const auto toleranceOf = [&](const CutBlock::Bit& bit) {
        return slope[bit.column] * scale + offset[bit.column] + kRounding * std::abs(bit.threshold);
    };
    if (b.regular && columns % 2 == 0) {
        for (std::size_t i = 0; i < bits; i += 2) {
            const std::size_t column = b.bits[i].column;
            const Pair y = loadPair(z + column) - bothOf(b.bits[i].threshold);
            const Pair t =
                loadPair(slope + column) * bothOf(scale) + loadPair(offset + column) + bothOf(kRounding * std::abs(b.bits[i].threshold));
            s.above |= signBits(t - y) << i;
            s.below |= signBits(t + y) << i;
        }
    } else {
        for (std::size_t i = 0; i < bits; ++i) {
            const double y = z[b.bits[i].column] - b.bits[i].threshold, t = toleranceOf(b.bits[i]);
            s.above |= std::uint64_t{y > t} << i;
            s.below |= std::uint64_t{y < -t} << i;
        }
    }
    const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    for (std::uint64_t on = all & ~(s.above | s.below); on != 0; on &= on - 1) {
        const auto& bit = b.bits[static_cast<std::size_t>(__builtin_ctzll(on))];
        z[bit.column] = bit.threshold;
    }
    return s;
}

void Partition::State::applyFunctions(std::size_t begin, std::size_t end) {
    const CutBlock& b = currentBlock();
    const UnitFunctions& functions = op().functions;
    ValueRows* sum = op().intoNext ? registers[program.operations[operation + 1].target].get() : nullptr;
    for (std::size_t v = begin; v < end; ++v) {
        double* z = target->row(v) + targetOffset;
        if (!functions.kindOf.empty() || !applyUniform(functions.kinds[0], z, b.end - b.begin))
            for (std::size_t i = b.begin; i < b.end; ++i) z[i - b.begin] = functions.of(i).valueOf(z[i - b.begin]);
        if (sum) program.operations[operation + 1].map.accumulate(z, b.begin, b.end, sum->row(v));
    }
}

}  // namespace kappaflow
