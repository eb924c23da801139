#include "core/capacity/capacity_kernel.h"

#include <algorithm>
#include <cassert>

#include "core/capacity/kernel_columns.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

/// Cell of an axis, −1 beyond its ends.
int cellAt(int at, int extent, bool periodic) {
    if (periodic) return ((at % extent) + extent) % extent;
    return at >= 0 && at < extent ? at : -1;
}

std::vector<int> axisCells(int outputs, int stride, int displacement, int inputs, bool periodic) {
    std::vector<int> cells;
    for (int x = 0; x < outputs; ++x) cells.push_back(cellAt(x * stride + displacement, inputs, periodic));
    return cells;
}

template <class Keep>
std::vector<Tap> tapsWhere(int size, Keep keep) {
    const int reach = (size - 1) / 2;
    std::vector<Tap> taps;
    for (int y = -reach; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x)
            if (keep(y, x)) taps.push_back({y, x});
    return taps;
}

}  // namespace

std::vector<Tap> rowTaps(int size) {
    return tapsWhere(size, [](int y, int) { return y == 0; });
}
std::vector<Tap> squareTaps(int size) {
    return tapsWhere(size, [](int, int) { return true; });
}
std::vector<Tap> crossTaps(int size) {
    return tapsWhere(size, [](int y, int x) { return y == 0 || x == 0; });
}

TapCells tapCells(const CapacityKernel& K, Size tap) {
    const Tap d = K.displacement(tap);
    return {axisCells(K.outHeight, K.stride, d.y, K.inHeight, K.periodic), axisCells(K.outWidth, K.stride, d.x, K.inWidth, K.periodic)};
}

std::vector<double> tapTotals(const CapacityKernel& K) {
    const auto ins = static_cast<Size>(K.inChannels), outs = static_cast<Size>(K.outChannels);
    std::vector<double> totals(K.shares.size() / ins);
    for (Size t = 0; t < totals.size() / outs; ++t)
        for (Size in = 0; in < ins; ++in)
            for (Size out = 0; out < outs; ++out) totals[t * outs + out] += K.shares[(t * ins + in) * outs + out];
    return totals;
}

std::vector<double> columnFactors(const CapacityKernel& K) {
    const Size n = K.outPositions(), outs = static_cast<Size>(K.outChannels), taps = K.taps.size();
    const auto width = static_cast<Size>(K.outWidth);
    const auto totals = tapTotals(K);
    std::vector<double> sums(n * outs);
    std::vector<char> whole(n, 1);
    for (Size k = 0; k < taps; ++k) {
        const auto cells = tapCells(K, k);
        for (Size x = 0; x < n; ++x) {
            const bool exists = cells.y[x / width] >= 0 && cells.x[x % width] >= 0;
            if (!exists) whole[x] = 0;
            for (Size out = 0; out < outs && exists; ++out) sums[out * n + x] += totals[((K.shared ? 0 : x) * taps + k) * outs + out];
        }
    }
    const double moving = K.mixes ? 1 - K.stay : 1;
    for (Size out = 0; out < outs; ++out)
        for (Size x = 0; x < n; ++x)
            if (sums[out * n + x] > 0) sums[out * n + x] = moving / (whole[x] ? 1 : sums[out * n + x]);
    return sums;
}

int CapacityKernel::inputAt(Size position, Size tap) const {
    const Tap d = displacement(tap);
    const int at = static_cast<int>(position);
    const int y = cellAt(at / outWidth * stride + d.y, inHeight, periodic), x = cellAt(at % outWidth * stride + d.x, inWidth, periodic);
    return y < 0 || x < 0 ? -1 : y * inWidth + x;
}

const double* CapacityKernel::tapShares(Size position, Size tap) const {
    const auto row = static_cast<Size>(inChannels) * static_cast<Size>(outChannels);
    return shares.data() + ((shared ? 0 : position) * taps.size() + tap) * row;
}

CapacityKernel collapsed(const CapacityKernel& K) {
    assert(K.shared && K.periodic);
    auto point = K;
    point.inHeight = point.inWidth = point.outHeight = point.outWidth = 1;
    return point;
}

KernelTransfers transfers(const CapacityKernel& K, const std::vector<double>& above) {
    const Size n = K.outPositions(), outs = static_cast<Size>(K.outChannels), taps = K.taps.size(), width = static_cast<Size>(K.outWidth);
    const auto totals = tapTotals(K), factors = columnFactors(K);
    KernelTransfers moved{std::vector<double>(taps * n), std::vector<double>(n)};
    for (Size k = 0; k < taps; ++k) {
        const auto cells = tapCells(K, k);
        for (Size j = 0; j < n * outs; ++j) {
            const Size x = j % n;
            if (cells.y[x / width] < 0 || cells.x[x % width] < 0) continue;
            moved.byTap[k * n + x] += totals[((K.shared ? 0 : x) * taps + k) * outs + j / n] * factors[j] * above[j];
        }
    }
    for (Size j = 0; j < n * outs && K.mixes; ++j) moved.stayed[j % n] += (factors[j] == 0 ? 1 : K.stay) * above[j];
    return moved;
}

CapacityLayer explicitLayer(const CapacityKernel& K) {
    const Size n = K.outPositions(), outs = static_cast<Size>(K.outChannels);
    const auto factors = columnFactors(K);
    CapacityLayer D{K.inPositions() * static_cast<Size>(K.inChannels), n * outs, {0}, {}, {}, static_cast<double>(K.stride)};
    for (Size j = 0; j < n * outs; ++j) {
        for (Size k = 0; k < K.taps.size(); ++k) {
            const int at = K.inputAt(j % n, k);
            for (Size in = 0; in < static_cast<Size>(K.inChannels) && at >= 0; ++in) {
                const double share = factors[j] * K.tapShares(j % n, k)[in * outs + j / n];
                const Size input = in * K.inPositions() + static_cast<Size>(at);
                if (share > 0) D.entries.push_back({static_cast<std::uint32_t>(input), static_cast<float>(K.displacement(k).x), share});
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
    const Size taps = K.taps.size(), outs = static_cast<Size>(K.outChannels);
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

KernelDiffusion kernelDiffusion(const std::vector<double>& shares, const std::vector<Tap>& taps, int dilation, bool mixes, double stay) {
    KernelDiffusion result;
    result.time = mixes ? 1 - stay : 1;
    double xx = 0, yy = 0, yx = 0;
    for (Size k = 0; k < shares.size(); ++k) {
        const double y = static_cast<double>(taps[k].y) * dilation, x = static_cast<double>(taps[k].x) * dilation;
        result.drift += x * shares[k];
        result.driftY += y * shares[k];
        xx += x * x * shares[k];
        yy += y * y * shares[k];
        yx += y * x * shares[k];
    }
    const double own = mixes ? 0 : 1;
    result.diffusion = 0.5 * std::max(0.0, xx - own * result.drift * result.drift);
    result.diffusionY = 0.5 * std::max(0.0, yy - own * result.driftY * result.driftY);
    result.diffusionYX = 0.5 * (yx - own * result.driftY * result.drift);
    return result;
}

}  // namespace kappaflow
