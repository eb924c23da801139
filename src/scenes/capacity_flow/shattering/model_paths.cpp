#include "scenes/capacity_flow/shattering/model_paths.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/capacity/capacity_kernel.h"

namespace kappaflow::shattering {

Setup readSetup(const Values& values) {
    Setup setup;
    if (!values.is("kind", "uniform")) setup.kinds.push_back("residual");
    if (!values.is("kind", "residual")) setup.kinds.push_back("uniform");
    setup.layers = values.integer("layers");
    setup.taps = values.integer("taps");
    setup.extent = values.integer("extent");
    setup.strands = values.integer("strands");
    setup.seed = values.seed();
    const double mean = values.number("epsilon") < 0 ? 1.0 / setup.layers : values.number("epsilon");
    bool clamped = false;
    for (int l = 1; l <= setup.layers; ++l) {
        const double step = values.is("profile", "varying") ? mean * (2 * l - 1) / setup.layers : mean;
        clamped = clamped || step > 1;
        setup.epsilon.push_back(std::min(step, 1.0));
    }
    if (clamped && values.text("kind") != "uniform")
        setup.warnings.push_back("Layers near the output would hand on more than all they have: their step was lowered to 1.");
    return setup;
}

CapacityLayer layerOf(const Setup& setup, const std::string& kind, int l) {
    CapacityKernel K;
    K.inWidth = K.outWidth = setup.extent;
    K.taps = rowTaps(setup.taps);
    K.mixes = kind == "residual";
    K.stay = K.mixes ? 1 - setup.epsilon[static_cast<std::size_t>(l) - 1] : 0;
    K.shares.assign(K.taps.size(), 1.0 / (K.mixes ? setup.taps - 1 : setup.taps));
    if (K.mixes) K.shares[K.shares.size() / 2] = 0;
    return explicitLayer(K);
}

PathRun::PathRun(const Setup& setup, std::string kind)
    : setup_(setup),
      kind_(std::move(kind)),
      layer_(setup.layers),
      statistics_(static_cast<std::size_t>(setup.extent), static_cast<std::size_t>(setup.extent) / 2) {
    const auto rows = static_cast<std::size_t>(setup.layers) + 1;
    for (auto* perLayer : {&logMaxWeight, &entropy, &total}) perLayer->assign(rows, 0);
    capacity.resize(rows);
    const std::uint64_t group = kind_ == "residual" ? 0 : 1;
    // The heaviest path is one of the strands; the rest walk.
    for (int s = 1; s < setup.strands; ++s)
        walkers_.push_back({Rng(setup.seed, Purpose::MonteCarlo, (group << 32) | static_cast<std::uint64_t>(s)),
                            {std::vector<double>(rows), std::vector<double>(rows)},
                            static_cast<std::size_t>(setup.extent) / 2});
    record(layer_);
}

void PathRun::record(int l) {
    const auto row = static_cast<std::size_t>(l);
    capacity[row] = statistics_.capacity();
    total[row] = std::accumulate(capacity[row].begin(), capacity[row].end(), 0.0);
    logMaxWeight[row] = statistics_.logMaxWeight();
    entropy[row] = statistics_.entropy();
}

bool PathRun::descend() {
    const auto D = layerOf(setup_, kind_, layer_);
    statistics_.descend(D);
    walk(D);
    column_.emplace_back(D.entries.begin(), D.entries.begin() + static_cast<std::ptrdiff_t>(D.start[1]));
    record(--layer_);
    if (layer_ == 0) finish();
    return layer_ > 0;
}

void PathRun::walk(const CapacityLayer& D) {
    const auto above = static_cast<std::size_t>(layer_);
    for (auto& [rng, strand, unit] : walkers_) {
        double left = rng.uniform();
        std::size_t e = D.start[unit];
        while (e + 1 < D.start[unit + 1] && left >= D.entries[e].share) left -= D.entries[e++].share;
        strand.position[above - 1] = strand.position[above] + D.entries[e].offset;
        strand.logWeight[above - 1] = strand.logWeight[above] + std::log(D.entries[e].share);
        unit = D.entries[e].input;
    }
}

void PathRun::finish() {
    const auto path = statistics_.heaviestPath();
    const std::size_t rows = capacity.size();
    Strand heaviest{std::vector<double>(rows), std::vector<double>(rows)};
    for (std::size_t down = 0; down < path.size(); ++down) {
        const auto& entry = column_[down][path[down]];
        const std::size_t above = rows - 1 - down;
        heaviest.position[above - 1] = heaviest.position[above] + entry.offset;
        heaviest.logWeight[above - 1] = heaviest.logWeight[above] + std::log(entry.share);
    }
    std::stable_sort(walkers_.begin(), walkers_.end(),
                     [](const Walker& a, const Walker& b) { return a.strand.logWeight.front() > b.strand.logWeight.front(); });
    strands.push_back(std::move(heaviest));
    for (auto& walker : walkers_) strands.push_back(std::move(walker.strand));
    walkers_.clear();
}

}  // namespace kappaflow::shattering
