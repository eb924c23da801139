#include "core/capacity/parcels.h"

#include <algorithm>

namespace kappaflow {
namespace {

using Units = std::vector<std::int64_t>;
using Size = std::size_t;

/// Where a number in [0, total of all shares) falls; the last live one when rounding takes it past the end.
template <class ShareOf>
std::int64_t chosen(Size count, double place, const ShareOf& shareOf) {
    std::int64_t last = Parcels::kLost;
    for (Size i = 0; i < count; ++i) {
        const double share = shareOf(i);
        if (!(share > 0)) continue;
        last = static_cast<std::int64_t>(i);
        if ((place -= share) < 0) break;
    }
    return last;
}

/// Down one column; what its entries leave of 1 is lost.
std::int64_t fallen(std::span<const CapacityLayer::Entry> column, double lost, double place) {
    if (column.empty() || place >= 1 - lost) return Parcels::kLost;
    const auto entry = chosen(column.size(), place, [&](Size e) { return column[e].share; });
    return entry < 0 ? Parcels::kLost : static_cast<std::int64_t>(column[static_cast<Size>(entry)].input);
}

void walk(const Layer&, Units&, std::vector<Rng>&);

void walk(const std::vector<Layer>& sequence, Units& units, std::vector<Rng>& draws) {
    const auto layers = weightLayerParts(sequence);
    Layer scratch;
    for (Size l = layers.size(); l > 0; --l) walk(layers[l - 1].folded(scratch), units, draws);
}

/// Each parcel takes the skip connection or the branch.
void walkResidual(const Layer& layer, Units& units, std::vector<Rng>& draws) {
    const ResidualShares shares = residualShares(layer);
    Units skip(units.size(), Parcels::kLost), branch = skip;
    for (Size n = 0; n < units.size(); ++n) {
        if (units[n] < 0) continue;
        const auto j = static_cast<Size>(units[n]);
        if (shares.skip[j] + shares.branch[j] == 0) continue;
        (draws[n].uniform() < shares.skip[j] ? skip : branch)[n] = units[n];
    }
    walk(layer.skip, skip, draws);
    walk(layer.branch, branch, draws);
    for (Size n = 0; n < units.size(); ++n) units[n] = std::max(skip[n], branch[n]);
}

void walk(const Layer& layer, Units& units, std::vector<Rng>& draws) {
    if (layer.kind == LayerKind::Residual) return walkResidual(layer, units, draws);
    std::vector<std::pair<std::int64_t, Size>> waiting;  // by unit
    for (Size n = 0; n < units.size(); ++n)
        if (units[n] >= 0) waiting.emplace_back(units[n], n);
    std::sort(waiting.begin(), waiting.end());
    visitColumns(layer, [&](Size unit, std::span<const CapacityLayer::Entry> column, double) {
        const auto at = static_cast<std::int64_t>(unit);
        for (auto next = std::lower_bound(waiting.begin(), waiting.end(), std::pair<std::int64_t, Size>{at, 0});
             next != waiting.end() && next->first == at; ++next)
            units[next->second] = fallen(column, 0, draws[next->second].uniform());
    });
}

}  // namespace

Parcels::Parcels(const std::vector<double>& top, std::uint64_t seed, const std::vector<std::uint64_t>& numbers) {
    double total = 0;
    for (const double share : top) total += share;
    for (const std::uint64_t number : numbers) {
        Rng& draw = draws_.emplace_back(seed, Purpose::Parcels, number);
        units_.push_back(chosen(top.size(), draw.uniform() * total, [&](Size i) { return top[i]; }));
    }
}

void Parcels::descend(const CapacityKernel& K) {
    const Size positions = K.outPositions(), outs = static_cast<Size>(K.outChannels), ins = static_cast<Size>(K.inChannels);
    std::vector<double> shares(K.taps.size() * ins);
    for (Size n = 0; n < units_.size(); ++n) {
        if (units_[n] < 0) continue;
        const Size position = static_cast<Size>(units_[n]) % positions, out = static_cast<Size>(units_[n]) / positions;
        double total = 0;
        for (Size k = 0; k < K.taps.size(); ++k) {
            const bool exists = K.inputAt(position, k) >= 0;
            for (Size in = 0; in < ins; ++in) total += shares[k * ins + in] = exists ? K.tapShares(position, k)[in * outs + out] : 0;
        }
        double place = draws_[n].uniform();
        if (K.mixes) {
            if (!(total > 0) || place < K.stay) continue;
            place = (place - K.stay) / (1 - K.stay);
        }
        const auto found = chosen(shares.size(), place * total, [&](Size i) { return shares[i]; });
        units_[n] = found < 0 ? kLost
                              : static_cast<std::int64_t>(static_cast<Size>(found) % ins * K.inPositions() +
                                                          static_cast<Size>(K.inputAt(position, static_cast<Size>(found) / ins)));
    }
}

void Parcels::descend(const CapacityLayer& D) {
    for (Size n = 0; n < units_.size(); ++n) {
        if (units_[n] < 0) continue;
        const auto j = static_cast<Size>(units_[n]);
        units_[n] = fallen({D.entries.data() + D.start[j], D.start[j + 1] - D.start[j]}, D.lost[j], draws_[n].uniform());
    }
}

void Parcels::descend(const Layer& layer) { walk(layer, units_, draws_); }

}  // namespace kappaflow
