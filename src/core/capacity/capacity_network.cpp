#include "core/capacity/capacity_network.h"

#include <cmath>

namespace kappaflow {
namespace {

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
            throw InputError("A residual branch joins more than ten million pairs of units, too many to follow its capacity.");
        for (const auto i : touched) {
            product.entries.push_back({i, offset[i], column[i]});
            column[i] = 0;
        }
        touched.clear();
        product.start.push_back(product.entries.size());
    }
    return product;
}

CapacityFlow capacityFlow(const Network& network, const std::vector<double>& top) {
    const auto layers = weightLayerParts(network.layers);
    Layer scratch;
    CapacityFlow flow;
    flow.capacity.assign(layers.size() + 1, {});
    flow.unattributed.assign(layers.size() + 1, 0);
    checkSize(top.size(), network.output().units());
    flow.capacity.back() = top;
    for (std::size_t l = layers.size(); l > 0; --l) {
        flow.unattributed[l - 1] = flow.unattributed[l];
        flow.capacity[l - 1] = propagate(layers[l - 1].folded(scratch), flow.capacity[l], flow.unattributed[l - 1]);
    }
    return flow;
}

}  // namespace kappaflow
