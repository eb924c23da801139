#include "core/capacity/capacity_kernel.h"

#include <algorithm>
#include <cassert>
#include <span>

#include "core/linalg/matrix.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

/// Input row of every output row and input column of every output column that a tap reads, −1 beyond the edges.
struct TapCells {
    std::vector<int> y, x;
};

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

/// Where all columns of a channel are alike and whole.
std::vector<double> alikeFactors(const CapacityKernel& K, const std::vector<double>& totals) {
    const Size n = K.outPositions(), outs = static_cast<Size>(K.outChannels);
    std::vector<double> factors;
    for (Size out = 0; out < outs; ++out) {
        double sum = 0;
        for (Size k = 0; k < K.taps.size(); ++k) sum += totals[k * outs + out];
        factors.insert(factors.end(), n, sum > 0 ? (K.mixes ? 1 - K.stay : 1) : 0);
    }
    return factors;
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

namespace {

TapCells tapCells(const CapacityKernel& K, Size tap) {
    const Tap d = K.displacement(tap);
    return {axisCells(K.outHeight, K.stride, d.y, K.inHeight, K.periodic), axisCells(K.outWidth, K.stride, d.x, K.inWidth, K.periodic)};
}

/// Σ_in of the shares, [position, unless shared][tap][out].
std::vector<double> tapTotals(const CapacityKernel& K) {
    const auto ins = static_cast<Size>(K.inChannels), outs = static_cast<Size>(K.outChannels);
    std::vector<double> totals(K.shares.size() / ins);
    for (Size t = 0; t < totals.size() / outs; ++t)
        for (Size in = 0; in < ins; ++in)
            for (Size out = 0; out < outs; ++out) totals[t * outs + out] += K.shares[(t * ins + in) * outs + out];
    return totals;
}

/// Factor for every column, [out][position]: (1 − stay) over the sum of the taps that exist; 0 where none does. A column with all
/// its taps sums to 1 already and is left alone.
std::vector<double> columnFactors(const CapacityKernel& K) {
    const Size n = K.outPositions(), outs = static_cast<Size>(K.outChannels), taps = K.taps.size();
    const auto width = static_cast<Size>(K.outWidth);
    const auto totals = tapTotals(K);
    if (K.shared && K.periodic) return alikeFactors(K, totals);
    std::vector<double> sums(n * outs);
    std::vector<char> whole(n, 1), exists(n);
    for (Size k = 0; k < taps; ++k) {
        const auto cells = tapCells(K, k);
        for (Size x = 0; x < n; ++x) {
            exists[x] = cells.y[x / width] >= 0 && cells.x[x % width] >= 0;
            if (!exists[x]) whole[x] = 0;
        }
        for (Size out = 0; out < outs; ++out)
            for (Size x = 0; x < n; ++x)
                if (exists[x]) sums[out * n + x] += totals[((K.shared ? 0 : x) * taps + k) * outs + out];
    }
    const double moving = K.mixes ? 1 - K.stay : 1;
    for (Size out = 0; out < outs; ++out)
        for (Size x = 0; x < n; ++x)
            if (sums[out * n + x] > 0) sums[out * n + x] = moving / (whole[x] ? 1 : sums[out * n + x]);
    return sums;
}

}  // namespace

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

namespace {

/// Output positions taken at once, in whole rows: enough for a product, few enough to stay in the cache.
constexpr Size kPositionsAtOnce = 64;

/// Neighbouring output columns that arrive at neighbouring input columns.
struct Run {
    Size from, to, length;
};

std::vector<Run> runsOf(const std::vector<int>& cells) {
    std::vector<Run> runs;
    for (Size x = 0; x < cells.size();) {
        const int to = cells[x];
        Size end = x + 1;
        while (to >= 0 && end < cells.size() && cells[end] == to + static_cast<int>(end - x)) ++end;
        if (to >= 0) runs.push_back({x, static_cast<Size>(to), end - x});
        x = end;
    }
    return runs;
}

/// Adds what some taps of a kernel bring down, block of rows by block of rows. All vectors are channel-major.
class Spreading {
public:
    Spreading(const CapacityKernel& K, Size firstTap, Size lastTap) : K_(K), first_(firstTap), last_(lastTap) {
        for (Size k = first_; k < last_; ++k) {
            const auto cells = tapCells(K, k);
            rows_.push_back(cells.y);
            runs_.push_back(runsOf(cells.x));
        }
    }

    /// below[in][cell of x] += Σ_out D[x][tap][in][out]·factor[out][x]·above[out][x].
    void add(const std::vector<double>& above, const std::vector<double>& factors, std::vector<double>& below) {
        const auto height = static_cast<Size>(K_.outHeight), width = static_cast<Size>(K_.outWidth);
        const Size rows = std::max<Size>(1, kPositionsAtOnce / width);
        for (Size y = 0; y < height; y += rows) {
            const Size count = std::min(rows, height - y);
            if (!pack(above, factors, y * width, count * width)) continue;
            for (Size k = first_; k < last_; ++k) addTap(k, y, count, below);
        }
    }

private:
    /// block_[out][position of the block]; false when it is all zeros, as far from a single start it is.
    bool pack(const std::vector<double>& above, const std::vector<double>& factors, Size from, Size count) {
        const auto outs = static_cast<Size>(K_.outChannels);
        block_.resize(outs * count);
        bool any = false;
        for (Size out = 0; out < outs; ++out) {
            const Size first = out * K_.outPositions() + from;
            for (Size x = 0; x < count; ++x) any |= (block_[out * count + x] = factors[first + x] * above[first + x]) != 0;
        }
        return any;
    }

    void addTap(Size tap, Size y, Size rows, std::vector<double>& below) {
        const auto ins = static_cast<Size>(K_.inChannels), outs = static_cast<Size>(K_.outChannels), width = static_cast<Size>(K_.outWidth);
        arriving_.resize(ins * rows * width);
        if (K_.shared)
            smallProduct({K_.tapShares(0, tap), ins * outs}, block_, outs, arriving_);
        else
            multiplyByPosition(tap, y * width, rows * width);
        for (Size in = 0; in < ins; ++in)
            for (Size r = 0; r < rows; ++r) addRow(tap - first_, y + r, in, arriving_.data() + (in * rows + r) * width, below);
    }

    void multiplyByPosition(Size tap, Size from, Size count) {
        const auto ins = static_cast<Size>(K_.inChannels), outs = static_cast<Size>(K_.outChannels);
        for (Size x = 0; x < count; ++x) {
            const double* D = K_.tapShares(from + x, tap);
            for (Size in = 0; in < ins; ++in, D += outs) {
                double sum = 0;
                for (Size out = 0; out < outs; ++out) sum += D[out] * block_[out * count + x];
                arriving_[in * count + x] = sum;
            }
        }
    }

    void addRow(Size tap, Size y, Size in, const double* arriving, std::vector<double>& below) const {
        const int to = rows_[tap][y];
        if (to < 0) return;
        double* row = below.data() + in * K_.inPositions() + static_cast<Size>(to) * static_cast<Size>(K_.inWidth);
        for (const Run& run : runs_[tap]) addScaled(row + run.to, 1, arriving + run.from, 1, run.length, 1);
    }

    const CapacityKernel& K_;
    Size first_, last_;
    std::vector<std::vector<int>> rows_;
    std::vector<std::vector<Run>> runs_;
    std::vector<double> block_, arriving_;
};

/// What stays on the identity connection, and what dead units keep for ever.
void addStaying(const CapacityKernel& K, const std::vector<double>& above, const std::vector<double>& factors, std::vector<double>& below) {
    for (Size j = 0; j < factors.size() && K.mixes; ++j) below[j] += (factors[j] == 0 ? 1 : K.stay) * above[j];
}

double kept(const CapacityKernel& K, const std::vector<double>& above, const std::vector<double>& factors) {
    double sum = 0;
    for (Size j = 0; j < factors.size() && !K.mixes; ++j)
        if (factors[j] == 0) sum += above[j];
    return sum;
}

std::vector<double> spreadMass(const CapacityKernel& K, const std::vector<double>& above, const std::vector<double>& factors) {
    std::vector<double> below(K.inPositions() * static_cast<Size>(K.inChannels));
    Spreading(K, 0, K.taps.size()).add(above, factors, below);
    addStaying(K, above, factors, below);
    return below;
}

/// One of the moments: Σ u, or Σ u w of two offsets.
struct Moment {
    std::vector<double> OffsetMoments::*sum, OffsetMoments::*u, OffsetMoments::*w;
    bool uIsY, wIsY;
};
/// The two along x first.
constexpr Moment kMoments[] = {{&OffsetMoments::first, &OffsetMoments::first, nullptr, false, false},
                               {&OffsetMoments::second, &OffsetMoments::first, &OffsetMoments::first, false, false},
                               {&OffsetMoments::firstY, &OffsetMoments::firstY, nullptr, true, true},
                               {&OffsetMoments::secondY, &OffsetMoments::firstY, &OffsetMoments::firstY, true, true},
                               {&OffsetMoments::product, &OffsetMoments::firstY, &OffsetMoments::first, true, false}};

/// s·u + d, or (s·u + d)(s·w + e) from Σ 1, Σ u, Σ w, Σ u w.
std::vector<double> moved(const OffsetMoments& above, const Moment& moment, double s, double d, double e) {
    const std::vector<double>&m = above.mass, &u = above.*moment.u, &sum = above.*moment.sum;
    std::vector<double> result(m.size());
    if (!moment.w) {
        for (Size j = 0; j < m.size(); ++j) result[j] = s * u[j] + d * m[j];
        return result;
    }
    const std::vector<double>& w = above.*moment.w;
    for (Size j = 0; j < m.size(); ++j) result[j] = s * s * sum[j] + s * (e * u[j] + d * w[j]) + d * e * m[j];
    return result;
}

}  // namespace

std::vector<double> propagate(const CapacityKernel& K, const std::vector<double>& above, double& unattributed) {
    assert(above.size() == K.outPositions() * static_cast<Size>(K.outChannels));
    const auto factors = columnFactors(K);
    unattributed += kept(K, above, factors);
    return spreadMass(K, above, factors);
}

OffsetMoments propagate(const CapacityKernel& K, const OffsetMoments& above, double& unattributed) {
    const auto factors = columnFactors(K);
    const std::span<const Moment> moments(kMoments, above.product.empty() ? 2 : 5);
    OffsetMoments below;
    below.mass = spreadMass(K, above.mass, factors);
    unattributed += kept(K, above.mass, factors);
    for (const Moment& moment : moments) (below.*moment.sum).resize(below.mass.size());
    for (Size k = 0; k < K.taps.size(); ++k) {
        const double y = K.displacement(k).y, x = K.displacement(k).x;
        Spreading tap(K, k, k + 1);
        for (const Moment& moment : moments)
            tap.add(moved(above, moment, K.stride, moment.uIsY ? y : x, moment.wIsY ? y : x), factors, below.*moment.sum);
    }
    for (const Moment& moment : moments) addStaying(K, above.*moment.sum, factors, below.*moment.sum);
    return below;
}

OffsetMoments propagate(const CapacityLayer& D, const OffsetMoments& above, double& unattributed) {
    OffsetMoments below;
    below.mass = propagate(D, above.mass, unattributed);
    below.first.resize(D.inputs);
    below.second.resize(D.inputs);
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

}  // namespace kappaflow
