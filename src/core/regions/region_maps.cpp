#include "core/regions/region_maps.h"

#include <algorithm>

namespace kappaflow {

std::vector<std::uint16_t> statesOf(const Program& program, const DepthRecord& record, std::size_t depth, std::size_t face) {
    const DepthInfo& info = program.depths[depth - 1];
    const std::uint64_t* words = &record.words[face * record.wordsPerFace];
    std::vector<std::uint16_t> states(info.units);
    if (info.pools()) {
        for (std::size_t w = 0; w < info.units; ++w) states[w] = static_cast<std::uint16_t>(words[w / 4] >> (w % 4 * 16));
        return states;
    }
    const Operation& cut = program.operations[info.operations[0]];
    for (std::size_t b = 0; b < cut.blocks.size(); ++b)
        for (std::size_t i = 0; i < cut.blocks[b].bits.size(); ++i) {
            auto& state = states[cut.blocks[b].begin + cut.blocks[b].bits[i].column];
            state = static_cast<std::uint16_t>(state + (words[b] >> i & 1));
        }
    return states;
}

RegionMaps::RegionMaps(const Program& program, const std::vector<DepthRecord>& records)
    : program_(program), records_(records), coordinates_(program.operations.empty() ? 0 : program.operations[0].map.inputs()) {}

RegionMaps::Registers RegionMaps::begin() const {
    Registers registers(program_.registers);
    registers[0].assign(rows() * coordinates_, 0.0);
    for (std::size_t i = 0; i < coordinates_; ++i) registers[0][(1 + i) * coordinates_ + i] = 1;
    return registers;
}

void RegionMaps::everyFace(std::size_t shown, const Visit& visit) {
    start_.assign(records_.size(), {});
    children_.assign(records_.size(), {});
    std::size_t parents = 1;
    for (std::size_t d = 0; d < records_.size(); ++d) {
        const auto& parent = records_[d].parent;
        start_[d].assign(parents + 1, 0);
        for (std::uint32_t p : parent) ++start_[d][p + 1];
        for (std::size_t p = 0; p < parents; ++p) start_[d][p + 1] += start_[d][p];
        children_[d].resize(parent.size());
        std::vector<std::uint32_t> next(start_[d].begin(), start_[d].end() - 1);
        for (std::uint32_t f = 0; f < parent.size(); ++f) children_[d][next[parent[f]]++] = f;
        parents = parent.size();
    }
    only_.clear();
    shown_ = shown;
    descend(0, 0, 0, begin(), visit);
}

void RegionMaps::oneFace(std::uint32_t face, std::size_t shown, const Visit& visit) {
    shown_ = shown;
    only_.assign(records_.size() + 1, face);
    for (std::size_t d = records_.size(); d > 0; --d) only_[d - 1] = records_[d - 1].parent[only_[d]];
    descend(0, 0, 0, begin(), visit);
}

/// Operations up to the next that cuts; from there once for every child.
void RegionMaps::descend(std::size_t operation, std::size_t depth, std::uint32_t face, Registers registers, const Visit& visit) {
    const auto& ops = program_.operations;
    while (operation < ops.size() && !ops[operation].cuts && ops[operation].pools == 0) make(ops[operation++], registers);
    if (operation == ops.size() || depth == records_.size()) return visit(face, registers[shown_]);

    const DepthInfo& info = program_.depths[depth];
    const Operation& cut = ops[operation];
    std::size_t next = operation + 1;
    if (info.pools())
        while (next < ops.size() && ops[next].pools == cut.pools) ++next;
    else
        make(cut, registers);
    const auto child = [&](std::uint32_t f) {
        Registers own = registers;
        if (info.pools())
            pool(info, depth + 1, f, own);
        else
            applyStates(cut, own[cut.target], depth + 1, f);
        descend(next, depth + 1, f, std::move(own), visit);
    };
    if (!only_.empty()) return child(only_[depth + 1]);
    for (std::uint32_t i = start_[depth][face]; i < start_[depth][face + 1]; ++i) child(children_[depth][i]);
}

void RegionMaps::make(const Operation& op, Registers& registers) {
    const std::size_t stride = op.width;
    Register made(rows() * stride + 8);
    const std::size_t sourceWidth = registers[op.source].size() / rows();
    for (std::size_t row = 0; row < rows(); ++row) {
        const double* x = &registers[op.source][row * sourceWidth];
        double* y = &made[row * stride];
        if (op.kind == Operation::Kind::Map) {
            op.map.gather(x, inputs_);
            op.map.apply(x, inputs_, 0, op.width, y, row == 0);
        } else if (op.kind == Operation::Kind::Sum) {
            const double* other = &registers[op.other][row * sourceWidth];
            for (std::size_t i = 0; i < op.width; ++i) y[i] = op.scale * x[i] + op.otherScale * other[i];
        } else {
            std::copy_n(x, op.width, y);
        }
    }
    made.resize(rows() * stride);
    for (std::size_t r : op.release)
        if (r != shown_) registers[r].clear();
    registers[op.target] = std::move(made);
}

void RegionMaps::applyStates(const Operation& op, Register& z, std::size_t depth, std::uint32_t face) const {
    const auto states = statesOf(program_, records_[depth - 1], depth, face);
    for (std::size_t i = 0; i < op.width; ++i) {
        const LinearPieces& f = op.functions.of(i);
        for (std::size_t row = 0; row < rows(); ++row) z[row * op.width + i] *= f.slopes[states[i]];
        z[i] += f.offsets[states[i]];
    }
}

void RegionMaps::pool(const DepthInfo& info, std::size_t depth, std::uint32_t face, Registers& registers) const {
    const auto states = statesOf(program_, records_[depth - 1], depth, face);
    const Register& x = registers[info.source];
    const std::size_t width = x.size() / rows();
    Register largest(rows() * info.units);
    for (std::size_t row = 0; row < rows(); ++row)
        for (std::size_t w = 0; w < info.units; ++w) largest[row * info.units + w] = x[row * width + info.windows[w][states[w]]];
    registers[info.target] = std::move(largest);
}

}  // namespace kappaflow
