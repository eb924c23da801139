#include "core/capacity/capacity_kernel.h"

#include <algorithm>
#include <cassert>

namespace kappaflow {
namespace {

using Size = std::size_t;

/// Σ_in of the shares, [position, unless shared][tap][out].
std::vector<double> tapTotals(const CapacityKernel& K) {
    const auto ins = static_cast<Size>(K.inChannels), outs = static_cast<Size>(K.outChannels);
    std::vector<double> totals(K.shares.size() / ins);
    for (Size t = 0; t < totals.size() / outs; ++t)
        for (Size in = 0; in < ins; ++in)
            for (Size out = 0; out < outs; ++out) totals[t * outs + out] += K.shares[(t * ins + in) * outs + out];
    return totals;
}

/// inputAt for every output position of a tap, without a division for each.
std::vector<int> tapCells(const CapacityKernel& K, int tap) {
    std::vector<int> cells(static_cast<Size>(K.outWidth));
    int at = K.ring ? K.inputAt(0, tap) : K.displacement(tap);
    for (int& cell : cells) {
        cell = at >= 0 && at < K.inWidth ? at : -1;
        at += K.stride;
        while (K.ring && at >= K.inWidth) at -= K.inWidth;
    }
    return cells;
}

/// Factor for every column, [out][x]: (1 − stay) over the sum of the taps that exist; 0 where none does. A column with all its
/// taps sums to 1 already and is left alone.
std::vector<double> columnFactors(const CapacityKernel& K) {
    const auto n = static_cast<Size>(K.outWidth), outs = static_cast<Size>(K.outChannels), taps = static_cast<Size>(K.taps);
    const auto totals = tapTotals(K);
    std::vector<double> sums(n * outs);
    std::vector<char> whole(n, 1);
    for (Size k = 0; k < taps; ++k) {
        const auto cells = tapCells(K, static_cast<int>(k));
        for (Size x = 0; x < n; ++x) {
            if (cells[x] < 0) whole[x] = 0;
            for (Size out = 0; out < outs && cells[x] >= 0; ++out)
                sums[out * n + x] += totals[((K.shared ? 0 : x) * taps + k) * outs + out];
        }
    }
    const double moving = K.mixes ? 1 - K.stay : 1;
    for (Size out = 0; out < outs; ++out)
        for (Size x = 0; x < n; ++x)
            if (sums[out * n + x] > 0) sums[out * n + x] = moving / (whole[x] ? 1 : sums[out * n + x]);
    return sums;
}

OffsetMoments zeros(Size units) { return {std::vector<double>(units), std::vector<double>(units), std::vector<double>(units)}; }

/// row[x] = Σ_out D[x][out]·a[out][x], for one tap and input channel.
void gather(const CapacityKernel& K, int tap, int in, const std::vector<double>& a, std::vector<double>& row) {
    const auto n = static_cast<Size>(K.outWidth), outs = static_cast<Size>(K.outChannels);
    std::fill(row.begin(), row.end(), 0.0);
    if (K.shared) {
        const double* D = K.tapShares(0, tap) + static_cast<Size>(in) * outs;
        for (Size out = 0; out < outs; ++out)
            for (Size x = 0; x < n; ++x) row[x] += D[out] * a[out * n + x];
        return;
    }
    for (Size x = 0; x < n; ++x) {
        const double* D = K.tapShares(static_cast<int>(x), tap) + static_cast<Size>(in) * outs;
        for (Size out = 0; out < outs; ++out) row[x] += D[out] * a[out * n + x];
    }
}

/// Moments about the new origin: u = stride·u + displacement, weighted by the column factors.
OffsetMoments shifted(const OffsetMoments& above, const std::vector<double>& factors, double stride, double d) {
    auto moved = above;
    for (Size j = 0; j < factors.size(); ++j) {
        const double m = factors[j] * above.mass[j], f = factors[j] * above.first[j], s = factors[j] * above.second[j];
        moved.mass[j] = m;
        moved.first[j] = stride * f + d * m;
        moved.second[j] = stride * stride * s + 2 * stride * d * f + d * d * m;
    }
    return moved;
}

/// What stays on the identity connection, and what dead units keep for ever.
void addStaying(const CapacityKernel& K, const OffsetMoments& above, const std::vector<double>& factors, OffsetMoments& below,
                double& unattributed, KernelTransfers* transfers) {
    const auto n = static_cast<Size>(K.outWidth);
    if (transfers) transfers->stayed.assign(n, 0);
    for (Size j = 0; j < factors.size(); ++j) {
        if (!K.mixes) {
            if (factors[j] == 0) unattributed += above.mass[j];
            continue;
        }
        const double stay = factors[j] == 0 ? 1 : K.stay;
        below.mass[j] += stay * above.mass[j];
        below.first[j] += stay * above.first[j];
        below.second[j] += stay * above.second[j];
        if (transfers) transfers->stayed[j % n] += stay * above.mass[j];
    }
}

}  // namespace

int CapacityKernel::inputAt(int x, int tap) const {
    const int at = x * stride + displacement(tap);
    if (ring) return ((at % inWidth) + inWidth) % inWidth;
    return at >= 0 && at < inWidth ? at : -1;
}

const double* CapacityKernel::tapShares(int x, int tap) const {
    const auto row = static_cast<Size>(inChannels) * static_cast<Size>(outChannels);
    return shares.data() + ((shared ? 0 : static_cast<Size>(x)) * static_cast<Size>(taps) + static_cast<Size>(tap)) * row;
}

OffsetMoments propagate(const CapacityKernel& K, const OffsetMoments& above, double& unattributed, KernelTransfers* transfers) {
    const auto n = static_cast<Size>(K.outWidth), inWidth = static_cast<Size>(K.inWidth), ins = static_cast<Size>(K.inChannels);
    assert(above.mass.size() == n * static_cast<Size>(K.outChannels));
    auto below = zeros(inWidth * ins);
    const auto factors = columnFactors(K);
    if (transfers) transfers->byTap.assign(n * static_cast<Size>(K.taps), 0);
    std::vector<double> mass(n), first(n), second(n);
    for (int k = 0; k < K.taps; ++k) {
        const auto moved = shifted(above, factors, K.stride, K.displacement(k));
        const auto cells = tapCells(K, k);
        for (Size in = 0; in < ins; ++in) {
            gather(K, k, static_cast<int>(in), moved.mass, mass);
            gather(K, k, static_cast<int>(in), moved.first, first);
            gather(K, k, static_cast<int>(in), moved.second, second);
            for (Size x = 0; x < n; ++x) {
                if (cells[x] < 0) continue;
                const Size i = in * inWidth + static_cast<Size>(cells[x]);
                below.mass[i] += mass[x];
                below.first[i] += first[x];
                below.second[i] += second[x];
                if (transfers) transfers->byTap[static_cast<Size>(k) * n + x] += mass[x];
            }
        }
    }
    addStaying(K, above, factors, below, unattributed, transfers);
    return below;
}

OffsetMoments propagate(const CapacityLayer& D, const OffsetMoments& above, double& unattributed) {
    OffsetMoments below = zeros(D.inputs);
    below.mass = propagate(D, above.mass, unattributed);
    for (Size j = 0; j < D.outputs; ++j) {
        for (Size e = D.start[j]; e < D.start[j + 1]; ++e) {
            const auto& entry = D.entries[e];
            const double d = entry.offset, m = above.mass[j], f = D.scale * above.first[j];
            below.first[entry.input] += entry.share * (f + d * m);
            below.second[entry.input] += entry.share * (D.scale * D.scale * above.second[j] + 2 * d * f + d * d * m);
        }
    }
    return below;
}

CapacityLayer explicitLayer(const CapacityKernel& K) {
    const auto n = static_cast<Size>(K.outWidth), outs = static_cast<Size>(K.outChannels);
    const auto factors = columnFactors(K);
    CapacityLayer D{static_cast<Size>(K.inWidth) * static_cast<Size>(K.inChannels), n * outs, {0}, {}, {}, static_cast<double>(K.stride)};
    for (Size j = 0; j < n * outs; ++j) {
        const int x = static_cast<int>(j % n);
        for (int k = 0; k < K.taps; ++k) {
            const int at = K.inputAt(x, k);
            for (int in = 0; in < K.inChannels && at >= 0; ++in) {
                const double share = factors[j] * K.tapShares(x, k)[static_cast<Size>(in) * outs + j / n];
                if (share > 0)
                    D.entries.push_back({static_cast<std::uint32_t>(in * K.inWidth + at), static_cast<float>(K.displacement(k)), share});
            }
        }
        const double kept = !K.mixes ? 0 : factors[j] == 0 ? 1 : K.stay;
        if (kept > 0) D.entries.push_back({static_cast<std::uint32_t>(j), 0, kept});
        D.lost.push_back(!K.mixes && factors[j] == 0 ? 1 : 0);
        D.start.push_back(D.entries.size());
    }
    return D;
}

std::vector<double> kernelShares(const CapacityKernel& K) {
    const auto totals = tapTotals(K);
    const auto taps = static_cast<Size>(K.taps), outs = static_cast<Size>(K.outChannels);
    std::vector<double> shares(taps);
    double columns = 0;
    for (Size t = 0; t < totals.size(); ++t) {
        shares[t / outs % taps] += totals[t];
        columns += totals[t];
    }
    // Live columns sum to 1 each: their total counts them.
    for (double& share : shares) share = columns > 0 ? share / columns : 0;
    return shares;
}

KernelDiffusion kernelDiffusion(const std::vector<double>& shares, int dilation, bool mixes, double stay) {
    KernelDiffusion result{mixes ? 1 - stay : 1, 0, 0};
    double square = 0;
    for (Size k = 0; k < shares.size(); ++k) {
        const double d = (static_cast<double>(k) - static_cast<double>((shares.size() - 1) / 2)) * dilation;
        result.drift += d * shares[k];
        square += d * d * shares[k];
    }
    result.diffusion = 0.5 * std::max(0.0, mixes ? square : square - result.drift * result.drift);
    return result;
}

}  // namespace kappaflow
