#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "core/capacity/capacity_kernel.h"
#include "core/capacity/capacity_network.h"
#include "scene/scene.h"

namespace kappaflow {
namespace shattering {
namespace {

/// A request read once and for all.
struct Setup {
    std::vector<std::string> kinds;  ///< "residual", "uniform"
    int layers = 50, taps = 3, extent = 65, strands = 120;
    std::vector<double> epsilon;  ///< [weight layer 1 … L − 1] share a residual unit hands on
    std::uint64_t seed = 1;
    std::vector<std::string> warnings;
};

/// All paths of one kind of layers from the middle unit down, and some of them to draw: the heaviest, and others met by walking down
/// with the probabilities D, so that as many pass a unit as it has capacity; heaviest first.
class PathRun {
public:
    PathRun(const Setup&, std::string kind);
    /// One layer down; false when the input is reached.
    bool descend();

    std::vector<double> logMaxWeight, entropy, total;  ///< [layer 0 … L]
    std::vector<std::vector<double>> capacity;         ///< [layer][position]
    struct Strand {
        std::vector<double> position, logWeight;  ///< [layer], position counted from the start and unwrapped
    };
    std::vector<Strand> strands;  ///< once the input is reached

private:
    struct Walker {
        Rng rng;
        Strand strand;
        std::size_t unit;
    };
    void record(int l);
    void walk(const CapacityLayer&);
    void finish();

    const Setup& setup_;
    std::string kind_;
    int layer_;
    PathStatistics statistics_;
    std::vector<Walker> walkers_;
    std::vector<std::vector<CapacityLayer::Entry>> column_;  ///< [layer from the top] a column's entries, the same for every unit
};

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

/// D of weight layer l (1 … L) on the ring: (1 − ε_l) I + ε_l Q, or 1/r everywhere in the window.
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

/// Entries of D visited in one slice, a logarithm each: a few milliseconds.
constexpr double kSliceEntries = 2e5;

std::vector<double> counted(int n, double first) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i) values.push_back(first + i);
    return values;
}

std::vector<double> powers(std::vector<double> logs, double base) {
    for (double& value : logs) value = std::pow(base, value);
    return logs;
}

/// Theory of one kind: logarithm of the heaviest weight, and entropy, [layer].
struct Prediction {
    std::vector<double> logMaxWeight, entropy;
};

Prediction predict(const Setup& setup, const std::string& kind) {
    const auto rows = static_cast<std::size_t>(setup.layers) + 1;
    Prediction p{std::vector<double>(rows), std::vector<double>(rows)};
    for (std::size_t l = rows - 1; l > 0; --l) {
        const double e = setup.epsilon[l - 1];
        const bool residual = kind == "residual";
        p.logMaxWeight[l - 1] = p.logMaxWeight[l] - (residual ? e : std::log(setup.taps));
        p.entropy[l - 1] = p.entropy[l] + (!residual ? std::log(setup.taps) : e > 0 ? e * (1 + std::log((setup.taps - 1) / e)) : 0);
    }
    return p;
}

class Builder {
public:
    explicit Builder(const Setup& setup) : setup_(setup) {}

    void add(const std::string& name, std::vector<Axis> axes, std::vector<double> values) {
        const auto& fields = findDeclaration("shattering")->fields;
        const auto& field = *std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
        report.arrays.push_back({name, std::move(axes), std::move(values), field.symbol, field.about, field.role, {}, false});
    }
    void addLimit(double value) {
        const auto& fields = findDeclaration("shattering")->fields;
        const auto& field = *std::find_if(fields.begin(), fields.end(), [](const Field& f) { return f.name == "limit"; });
        report.scalars.push_back({"limit", value, field.symbol, field.about, {}, 0});
    }
    Axis kinds() const { return {"kind", {}, setup_.kinds}; }
    Axis layers() const { return {"layer", counted(setup_.layers + 1, 0), {}}; }
    Axis weightLayers() const { return {"weightLayer", counted(setup_.layers, 1), {}}; }
    Axis positions() const { return {"position", counted(setup_.extent, -(setup_.extent / 2)), {}}; }
    Axis strands() const { return {"strand", counted(setup_.strands, 0), {}}; }

    Report report;

private:
    const Setup& setup_;
};

/// Concatenates what `part` gives for every kind.
template <class Runs, class Part>
std::vector<double> joined(const Runs& runs, Part part) {
    std::vector<double> all;
    for (const auto& run : runs) {
        const std::vector<double> values = part(*run);
        all.insert(all.end(), values.begin(), values.end());
    }
    return all;
}

std::vector<double> scaled(std::vector<double> values, double factor) {
    for (double& value : values) value *= factor;
    return values;
}

std::string weightInWords(double log) {
    const double log10 = log / std::numbers::ln10;
    return log10 > -3 ? inWords(100 * std::exp(log)) + " % of the capacity" : powerInWords(log10) + " of the capacity";
}

std::string pathsInWords(double entropy) { return "about " + powerInWords(entropy / std::numbers::ln10); }

class ShatteringComputation final : public Computation {
public:
    explicit ShatteringComputation(const Request& request) : setup_(readSetup(request.params)) {
        for (const auto& kind : setup_.kinds) runs_.push_back(std::make_unique<PathRun>(setup_, kind));
    }

    bool step() override {
        double visited = 0;
        while (kind_ < runs_.size() && visited < kSliceEntries) {
            ++layersDone_;
            visited += static_cast<double>(setup_.extent) * (setup_.taps + 1) + setup_.strands;
            if (!runs_[kind_]->descend()) ++kind_;
        }
        return kind_ < runs_.size();
    }
    double progress() const override {
        return static_cast<double>(layersDone_) / (static_cast<double>(setup_.layers) * static_cast<double>(runs_.size()));
    }
    Report report() const override {
        Builder builder(setup_);
        auto& report = builder.report;
        report.warnings = setup_.warnings;
        report.status = kind_ < runs_.size() ? Status::Partial : Status::Ok;
        report.message = kind_ < runs_.size() ? "The paths are still on their way." : "";
        if (report.status == Status::Partial) return report;
        addMeasured(builder);
        addPredicted(builder);
        addStrands(builder);
        report.summary = summary();
        return report;
    }

private:
    void addMeasured(Builder& b) const {
        const std::vector<Axis> kindLayer{b.kinds(), b.layers()};
        const auto logs = joined(runs_, [](const PathRun& run) { return run.logMaxWeight; });
        b.add("maxPathWeight", kindLayer, powers(logs, std::numbers::e));
        b.add("log10MaxPathWeight", kindLayer, scaled(logs, 1 / std::numbers::ln10));
        b.add("pathEntropy", kindLayer, joined(runs_, [](const PathRun& run) { return run.entropy; }));
        b.add("total", kindLayer, joined(runs_, [](const PathRun& run) { return run.total; }));
        std::vector<double> capacity;
        for (const auto& run : runs_)
            for (const auto& row : run->capacity) capacity.insert(capacity.end(), row.begin(), row.end());
        b.add("capacity", {b.kinds(), b.layers(), b.positions()}, std::move(capacity));
    }
    void addPredicted(Builder& b) const {
        std::vector<double> logs, entropy, count;
        for (const auto& kind : setup_.kinds) {
            const auto p = predict(setup_, kind);
            logs.insert(logs.end(), p.logMaxWeight.begin(), p.logMaxWeight.end());
            entropy.insert(entropy.end(), p.entropy.begin(), p.entropy.end());
        }
        for (int l = 0; l <= setup_.layers; ++l) count.push_back((setup_.layers - l) * std::log10(setup_.taps));
        const std::vector<Axis> kindLayer{b.kinds(), b.layers()};
        b.add("maxPathWeightPredicted", kindLayer, powers(logs, std::numbers::e));
        b.add("log10MaxPathWeightPredicted", kindLayer, scaled(logs, 1 / std::numbers::ln10));
        b.add("pathEntropyPredicted", kindLayer, std::move(entropy));
        b.add("log10PathCount", {b.layers()}, std::move(count));
        if (setup_.kinds.front() != "residual") return;
        b.add("epsilonByLayer", {b.weightLayers()}, setup_.epsilon);
        b.addLimit(std::exp(predict(setup_, "residual").logMaxWeight.front()));
    }
    void addStrands(Builder& b) const {
        std::vector<double> position, weight, log10;
        for (const auto& run : runs_) {
            for (const auto& strand : run->strands) {
                position.insert(position.end(), strand.position.begin(), strand.position.end());
                for (const double log : strand.logWeight) weight.push_back(std::exp(log));
                log10.push_back(strand.logWeight.front() / std::numbers::ln10);
            }
        }
        b.add("strandPosition", {b.kinds(), b.strands(), b.layers()}, std::move(position));
        b.add("strandWeight", {b.kinds(), b.strands(), b.layers()}, std::move(weight));
        b.add("strandLog10Weight", {b.kinds(), b.strands()}, std::move(log10));
    }
    std::string summary() const {
        std::string text = "Through " + std::to_string(setup_.layers) + (setup_.layers == 1 ? " layer" : " layers");
        for (std::size_t k = 0; k < runs_.size(); ++k) {
            const bool residual = setup_.kinds[k] == "residual";
            text += std::string(k          ? ", and that of the plain"
                                : residual ? " the heaviest path of the residual"
                                           : " the heaviest path of the plain") +
                    " network " + (k ? "" : "carries ") + weightInWords(runs_[k]->logMaxWeight.front());
            if (residual) text += " (limit " + inWords(100 * std::exp(predict(setup_, "residual").logMaxWeight.front())) + " %)";
        }
        text += ".";
        for (std::size_t k = 0; k < runs_.size(); ++k)
            text += std::string(k                               ? ", in the plain one "
                                : setup_.kinds[k] == "residual" ? " In the residual network "
                                                                : " In the plain network ") +
                    pathsInWords(runs_[k]->entropy.front()) + (k ? "" : " paths matter");
        return text + ".";
    }

    Setup setup_;
    std::vector<std::unique_ptr<PathRun>> runs_;
    std::size_t kind_ = 0;
    int layersDone_ = 0;
};

Cost costOf(const Request& request) {
    const Values& v = request.params;
    const double kinds = v.is("kind", "both") ? 2 : 1, rows = v.number("layers") + 1, extent = v.number("extent");
    const double visits = rows * (extent * (v.number("taps") + 1) + v.number("strands"));
    // Ways back and capacity rows while computing; capacity, positions and weights in the report and once more to be sent.
    const double cells = rows * (extent * (8 + 8 * 3) + v.number("strands") * 16 * 3);
    return {kinds * visits * 90 + 1e6, kinds * cells + 1e6};
}

/// The param that saves most memory, always scarcer here than time, when it goes back to its default.
std::string costliestOf(const Request& request) {
    const auto defaults = findDeclaration(request.scene)->defaults();
    std::string worst = "layers";
    double least = costOf(request).bytes;
    for (const char* key : {"layers", "extent", "strands"}) {
        if (request.params.number(key) <= defaults.number(key)) continue;
        Request lower = request;
        lower.params.set(key, defaults.at(key));
        if (costOf(lower).bytes >= least) continue;
        least = costOf(lower).bytes;
        worst = key;
    }
    return worst;
}

std::unique_ptr<Computation> startShattering(const Request& request) { return std::make_unique<ShatteringComputation>(request); }

}  // namespace
}  // namespace shattering

Model shattering_model() { return {"shattering", shattering::costOf, shattering::costliestOf, shattering::startShattering}; }

}  // namespace kappaflow
