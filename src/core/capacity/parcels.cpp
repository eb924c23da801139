#include "core/capacity/parcels.h"

#include <algorithm>

#include "core/capacity/capacity_graph.h"

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

/// Down the columns of a layer that is no block.
void step(const Layer& layer, const ZeroUnits& zeros, Units& units, std::vector<Rng>& draws) {
    std::vector<std::pair<std::int64_t, Size>> waiting;  // by unit
    for (Size n = 0; n < units.size(); ++n)
        if (units[n] >= 0) waiting.emplace_back(units[n], n);
    std::sort(waiting.begin(), waiting.end());
    std::vector<Size> wanted;
    for (const auto& [unit, parcel] : waiting) wanted.push_back(static_cast<Size>(unit));
    visitColumns(
        layer,
        [&](Size unit, std::span<const CapacityLayer::Entry> column, double) {
            const auto at = static_cast<std::int64_t>(unit);
            for (auto next = std::lower_bound(waiting.begin(), waiting.end(), std::pair<std::int64_t, Size>{at, 0});
                 next != waiting.end() && next->first == at; ++next)
                units[next->second] = fallen(column, 0, draws[next->second].uniform());
        },
        zeros, &wanted);
}

/// Parcels on their way down a block: units of a place, of those that are there.
struct ParcelWalker {
    using State = Units;
    std::vector<Rng>& draws;
    void step(const Layer& layer, const ZeroUnits& zeros, Units& units) const { kappaflow::step(layer, zeros, units, draws); }
    std::vector<Units> split(const Units& above, const std::vector<std::vector<double>>& shares) const {
        std::vector<Units> parts(shares.size(), Units(above.size(), Parcels::kLost));
        for (Size n = 0; n < above.size(); ++n) {
            if (above[n] < 0) continue;
            const auto j = static_cast<Size>(above[n]);
            if (std::all_of(shares.begin(), shares.end(), [&](const auto& share) { return share[j] == 0; })) continue;
            const auto k = chosen(shares.size(), draws[n].uniform(), [&](Size operand) { return shares[operand][j]; });
            parts[static_cast<Size>(k)][n] = above[n];
        }
        return parts;
    }
    static Units piece(const Units& above, Size, Size first, Size count) {
        Units part(above.size(), Parcels::kLost);
        for (Size n = 0; n < above.size(); ++n)
            if (const auto unit = above[n] - static_cast<std::int64_t>(first); unit >= 0 && unit < static_cast<std::int64_t>(count))
                part[n] = unit;
        return part;
    }
    static void merge(Units& into, Units more) {
        if (into.empty()) return void(into = std::move(more));
        for (Size n = 0; n < into.size(); ++n) into[n] = std::max(into[n], more[n]);
    }
};

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

void Parcels::descend(const Layer& layer) {
    if (!layer.is<Block>()) return step(layer, {}, units_, draws_);
    ParcelWalker walker{draws_};
    units_ = CapacityGraph(layer).descend(walker, std::move(units_));
}

}  // namespace kappaflow
