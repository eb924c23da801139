#include "core/regions/partition.h"

#include <algorithm>
#include <cassert>

#include "core/regions/partition_state.h"
#include "core/regions/region_maps.h"

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
const std::string& Partition::layerName(int depth) const { return state_->program.depths[static_cast<std::size_t>(depth) - 1].name; }
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

bool Partition::pools(int depth) const { return state_->program.depths[static_cast<std::size_t>(depth) - 1].pools(); }
std::uint32_t Partition::pooledInput(int depth, std::size_t window, std::size_t input) const {
    return state_->program.depths[static_cast<std::size_t>(depth) - 1].windows[window][input];
}

std::vector<std::uint16_t> Partition::pattern(std::size_t face, int depth) const {
    std::size_t at = face;
    for (int d = exactDepth(); d > depth; --d) at = state_->records[static_cast<std::size_t>(d) - 1].parent[at];
    const std::size_t d = static_cast<std::size_t>(depth);
    return statesOf(state_->program, state_->records[d - 1], d, at);
}

}  // namespace kappaflow
