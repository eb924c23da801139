#include <algorithm>
#include <utility>

#include "core/regions/program.h"

namespace kappaflow {
namespace {

/// How many read each register.
std::vector<std::size_t> usesOf(const Program& program) {
    std::vector<std::size_t> uses(program.registers);
    for (const Operation& op : program.operations) {
        ++uses[op.source];
        if (op.kind == Operation::Kind::Sum) ++uses[op.other];
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
        if (ops[i].kind == Operation::Kind::Sum) read(ops[i].other);
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
