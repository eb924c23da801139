#include "core/capacity/parcels.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "core/capacity/drawn_network.h"
#include "support/random_networks.h"

using namespace kappaflow;
using Vector = std::vector<double>;

namespace {

constexpr std::size_t kMany = 20000;

std::vector<std::uint64_t> numbers() {
    std::vector<std::uint64_t> all(kMany);
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

/// A top where every third unit holds something.
Vector topOf(std::size_t units) {
    Vector top(units);
    double total = 0;
    for (std::size_t j = 0; j < units; j += 3) total += top[j] = 1 + static_cast<double>(j % 5);
    for (double& share : top) share /= total;
    return top;
}

/// Each unit's share of the parcels is its capacity within five standard errors and five parcels, since counts of a few spread wider than
/// a normal distribution, and so is the share of the lost ones.
void checkShares(const Parcels& parcels, const Vector& capacity, double lost) {
    Vector share(capacity.size() + 1);
    for (const auto unit : parcels.units()) share[unit < 0 ? capacity.size() : static_cast<std::size_t>(unit)] += 1.0 / kMany;
    for (std::size_t i = 0; i < share.size(); ++i) {
        const double expected = i < capacity.size() ? capacity[i] : lost;
        CHECK(std::abs(share[i] - expected) <= 5 * std::sqrt(expected * (1 - std::min(expected, 1.0)) / kMany) + 5.0 / kMany);
    }
}

}  // namespace

TEST_CASE("20 000 parcels stand where capacity does, through drawn layers of every kind") {
    for (const Space space : {Space::Ring, Space::Line, Space::Grid})
        for (const LayerType type : {LayerType::Plain, LayerType::Residual, LayerType::Differential})
            for (const bool shared : {true, false}) {
                DrawnNetwork n{.space = space, .type = type, .kernel = KernelType::Random, .shared = shared, .torus = false, .extent = 9};
                n.layers = 4, n.channels = 2, n.epsilon = 0.4;
                if (type == LayerType::Plain) n.stride = 2;
                const auto units = static_cast<std::size_t>(n.widthAt(4) * n.heightAt(4) * n.channels);
                Vector capacity = topOf(units);
                Parcels byKernel(capacity, 1, numbers()), byColumns = byKernel;
                double lost = 0;
                for (int l = n.layers; l > 0; --l) {
                    const auto K = capacityKernel(n, l, layerWeights(n, l, 0));
                    capacity = propagate(K, capacity, lost);
                    byKernel.descend(K);
                    byColumns.descend(explicitLayer(K));
                }
                checkShares(byKernel, capacity, lost);
                checkShares(byColumns, capacity, lost);
            }
}

TEST_CASE("20 000 parcels stand where capacity does, through the layers of 60 random networks, residual blocks and dead units included") {
    double mostLost = 0;
    int blocks = 0;
    RandomNetworks random(1, false);
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Network network = random.next();
        for (Layer& layer : network.layers)  // a dead unit, or a dead channel
            if (seed % 2 == 0 && (layer.is<Dense, Conv>())) {
                const auto outputs = layer.is<Dense>() ? layer.out.units() : static_cast<std::size_t>(layer.out.channels);
                std::fill_n(layer.as<Weights>().weights.begin(), layer.as<Weights>().weights.size() / outputs, 0.0);
            }
        const auto layers = weightLayerParts(network.layers);
        if (layers.empty()) continue;
        Layer scratch;
        Vector capacity = topOf(layers.back().layer->out.units());
        Parcels parcels(capacity, seed, numbers());
        double lost = 0;
        for (std::size_t l = layers.size(); l > 0; --l) {
            const Layer& layer = layers[l - 1].folded(scratch);
            blocks += layer.is<Block>();
            capacity = propagate(layer, capacity, lost);
            parcels.descend(layer);
        }
        checkShares(parcels, capacity, lost);
        mostLost = std::max(mostLost, lost);
    }
    CHECK(blocks > 5);
    CHECK(mostLost > 0);
}

TEST_CASE("a parcel's way depends on its number and the seed alone") {
    DrawnNetwork n;
    Vector top(static_cast<std::size_t>(n.extent));
    top[30] = 1;
    Parcels all(top, 7, {0, 1, 2, 3}), two(top, 7, {3, 1}), other(top, 8, {3});
    bool differs = false;
    for (int l = n.layers; l > 0; --l) {
        const auto K = capacityKernel(n, l, layerWeights(n, l, 0));
        for (Parcels* parcels : {&all, &two, &other}) parcels->descend(K);
        CHECK(two.units() == std::vector<std::int64_t>{all.units()[3], all.units()[1]});
        differs = differs || other.units()[0] != all.units()[3];
    }
    CHECK(differs);
}

TEST_CASE("20 000 parcels stand where capacity does, through blocks whose layers read several values") {
    for (const Layer& block : blocksOfEveryJoin()) {
        if (block.name == "attention") continue;
        CAPTURE(block.name);
        const Vector top = topOf(block.out.units());
        double lost = 0;
        const Vector capacity = propagate(block, top, lost);
        Parcels parcels(top, 3, numbers()), byColumns = parcels;
        parcels.descend(block);
        byColumns.descend(capacityLayer(block));
        checkShares(parcels, capacity, lost);
        checkShares(byColumns, capacity, lost);
    }
}
