#include "core/capacity/capacity_network.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace kappaflow {
namespace {

using Vector = std::vector<double>;

/// Neumaier's sum: exact to the last bit or two however many terms there are.
void addTo(double& sum, double& rest, double term) {
    const double t = sum + term;
    rest += std::abs(sum) >= std::abs(term) ? (sum - t) + term : (term - t) + sum;
    sum = t;
}

void checkSize(std::size_t have, std::size_t want) {
    if (have != want)
        throw InputError("The capacity has " + std::to_string(have) + " units where the layer has " + std::to_string(want) + ".");
}

}  // namespace

std::vector<double> propagate(const CapacityLayer& D, const std::vector<double>& above, double& unattributed) {
    checkSize(above.size(), D.outputs);
    std::vector<double> below(D.inputs), rest(D.inputs);
    double lostRest = 0;
    for (std::size_t j = 0; j < D.outputs; ++j) {
        addTo(unattributed, lostRest, D.lost[j] * above[j]);
        if (above[j] == 0) continue;
        for (std::size_t e = D.start[j]; e < D.start[j + 1]; ++e) {
            const auto i = D.entries[e].input;
            addTo(below[i], rest[i], D.entries[e].share * above[j]);
        }
    }
    for (std::size_t i = 0; i < D.inputs; ++i) below[i] += rest[i];
    unattributed += lostRest;
    return below;
}

CapacityLayer mixWithIdentity(const CapacityLayer& D, double stay) {
    checkSize(D.inputs, D.outputs);
    CapacityLayer mixed{D.inputs, D.outputs, {0}, {}, {}, D.scale};
    mixed.entries.reserve(D.entries.size() + D.outputs);
    for (std::size_t j = 0; j < D.outputs; ++j) {
        const bool dead = D.start[j] == D.start[j + 1];
        const double kept = dead ? 1 : stay;
        bool placed = kept == 0;
        mixed.lost.push_back(0);
        for (std::size_t e = D.start[j]; e < D.start[j + 1]; ++e) {
            auto entry = D.entries[e];
            entry.share *= 1 - stay;
            if (!placed && entry.input == j && entry.offset == 0) {
                entry.share += kept;
                placed = true;
            }
            mixed.entries.push_back(entry);
        }
        if (!placed) mixed.entries.push_back({static_cast<std::uint32_t>(j), 0, kept});
        if (!dead) mixed.lost.back() = (1 - stay) * D.lost[j];
        mixed.start.push_back(mixed.entries.size());
    }
    return mixed;
}

CapacityLayer compose(const CapacityLayer& below, const CapacityLayer& above) {
    checkSize(below.outputs, above.inputs);
    CapacityLayer product{below.inputs, above.outputs, {0}, {}, {}, below.scale * above.scale};
    std::vector<double> column(below.inputs);
    std::vector<float> offset(below.inputs);
    std::vector<std::uint32_t> touched;
    for (std::size_t j = 0; j < above.outputs; ++j) {
        product.lost.push_back(above.lost[j]);
        for (std::size_t a = above.start[j]; a < above.start[j + 1]; ++a) {
            const auto& up = above.entries[a];
            product.lost.back() += up.share * below.lost[up.input];
            for (std::size_t b = below.start[up.input]; b < below.start[up.input + 1]; ++b) {
                const auto& down = below.entries[b];
                if (column[down.input] == 0) {
                    touched.push_back(down.input);
                    offset[down.input] = static_cast<float>(below.scale * up.offset + down.offset);
                }
                column[down.input] += up.share * down.share;
            }
        }
        if (static_cast<double>(product.entries.size() + touched.size()) > kMaxCapacityEntries)
            throw InputError("A block joins more than ten million pairs of units, too many to follow its capacity.");
        for (const auto i : touched) {
            product.entries.push_back({i, offset[i], column[i]});
            column[i] = 0;
        }
        touched.clear();
        product.start.push_back(product.entries.size());
    }
    return product;
}

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// Weights that differ by rounding alone count as equal.
constexpr double kTie = 1e-9;

}  // namespace

PathStatistics::PathStatistics(std::size_t units, std::size_t top) : best_(units, Best{kNever, 0}), mass_(units), entropy_(units) {
    best_[top] = {0, 0};
    mass_[top] = 1;
}

void PathStatistics::descend(const CapacityLayer& D) {
    std::vector<Best> best(D.inputs, Best{kNever, 0});
    std::vector<Step> steps(D.inputs, Step{0, 0});
    std::vector<double> entropy(D.inputs);
    for (std::size_t j = 0; j < D.outputs; ++j) {
        if (mass_[j] == 0 && best_[j].logWeight == kNever) continue;
        for (std::size_t e = D.start[j]; e < D.start[j + 1]; ++e) {
            const auto& entry = D.entries[e];
            if (entry.share <= 0) continue;
            const double logShare = std::log(entry.share);
            entropy[entry.input] += entry.share * (entropy_[j] - mass_[j] * logShare);
            const Best way{best_[j].logWeight + logShare, best_[j].wander + std::abs(entry.offset)};
            auto& have = best[entry.input];
            const bool heavier = way.logWeight > have.logWeight + kTie;
            const bool straighter = std::abs(way.logWeight - have.logWeight) <= kTie && way.wander < have.wander;
            if (!heavier && !straighter) continue;
            have = {std::max(have.logWeight, way.logWeight), way.wander};
            steps[entry.input] = {static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(e - D.start[j])};
        }
    }
    double unattributed = 0;
    mass_ = propagate(D, mass_, unattributed);
    best_ = std::move(best);
    entropy_ = std::move(entropy);
    steps_.push_back(std::move(steps));
}

std::size_t PathStatistics::heaviestUnit() const {
    std::size_t unit = 0;
    for (std::size_t i = 1; i < best_.size(); ++i) {
        const double gain = best_[i].logWeight - best_[unit].logWeight;
        const bool straighter = std::abs(gain) <= kTie && best_[i].wander < best_[unit].wander;
        if (gain > kTie || straighter || best_[unit].logWeight == kNever) unit = i;
    }
    return unit;
}

double PathStatistics::logMaxWeight() const { return best_[heaviestUnit()].logWeight; }

double PathStatistics::entropy() const {
    double sum = 0;
    for (const double e : entropy_) sum += e;
    return sum;
}

std::vector<std::uint32_t> PathStatistics::heaviestPath() const {
    std::vector<std::uint32_t> path(steps_.size());
    std::size_t unit = heaviestUnit();
    for (std::size_t l = steps_.size(); l > 0; --l) {
        path[l - 1] = steps_[l - 1][unit].entry;
        unit = steps_[l - 1][unit].from;
    }
    return path;
}

namespace {

double estimatedEdges(const FlowGeometry& g, int size) {
    const double ins = (g.inWidth + size - 1) / size, outs = (g.outWidth + size - 1) / size;
    // Seen from a bin, a tap covers as many positions below as the bin maps to, hence up to ratio + 1 bins (+1 where a ring closes);
    // and all taps together never more than their window.
    const double ratio = static_cast<double>(g.inWidth) / g.outWidth;
    const double reach = size == 1 ? g.reach : std::min((std::ceil(ratio) + 1) * g.reach, g.span / size + ratio + 2) + 1;
    return outs * std::min(ins, reach);
}

}  // namespace

int flowBinSize(const std::vector<FlowGeometry>& layers, double limit) {
    int widest = 1;
    for (const auto& g : layers) widest = std::max({widest, g.inWidth, g.outWidth});
    for (int size = 1; size < widest; size += 1 + size / 16) {
        double edges = 0;
        for (const auto& g : layers) edges += estimatedEdges(g, size);
        if (edges <= limit) return size;
    }
    return widest;
}

FlowLayer::FlowLayer(int binSize, int inWidth) : binSize_(binSize), binBelow_(static_cast<std::size_t>(inWidth)) {
    for (std::size_t x = 0; x < binBelow_.size(); ++x) binBelow_[x] = static_cast<std::uint32_t>(x) / static_cast<std::uint32_t>(binSize);
    amount_.resize(binBelow_.back() + std::size_t{1});
    touched_.resize(amount_.size());
}

void FlowLayer::add(int from, int to, double amount) {
    if (from != from_) {
        assert(from > from_);
        from_ = from;
        const auto bin = static_cast<std::uint32_t>(from / binSize_);
        if (bin != bin_) closeBin();
        bin_ = bin;
    }
    const auto below = binBelow_[static_cast<std::size_t>(to)];
    if (!touched_[below]) {
        touched_[below] = 1;
        order_.push_back(below);
    }
    amount_[below] += amount;
}

void FlowLayer::closeBin() {
    for (const auto below : order_) {
        edges_.from.push_back(bin_);
        edges_.to.push_back(below);
        edges_.amount.push_back(amount_[below]);
        amount_[below] = 0;
        touched_[below] = 0;
    }
    order_.clear();
}

LayerEdges FlowLayer::finish() {
    closeBin();
    return std::move(edges_);
}

std::vector<std::vector<double>> squaredGradient(const Network& network, const std::vector<double>& top, Rng& rng) {
    std::vector<double> input(network.input.units());
    for (double& x : input) x = rng.gaussian();
    auto direction = top;
    for (double& d : direction) d = std::sqrt(d) * rng.sign();
    auto gradients = backward(network, forward(network, input), direction);
    for (auto& gradient : gradients)
        for (double& g : gradient) g *= g;
    return gradients;
}

}  // namespace kappaflow
