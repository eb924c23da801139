#include <algorithm>
#include <cassert>

#include "core/capacity/kernel_columns.h"
#include "core/linalg/linalg.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

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

/// One moment of degree two or less about the new origin, for one tap.
using Moved = std::vector<double>;
Moved movedFirst(const std::vector<double>& m, const std::vector<double>& f, double s, double d) {
    Moved moved(m.size());
    for (Size j = 0; j < m.size(); ++j) moved[j] = s * f[j] + d * m[j];
    return moved;
}
/// (s·u + d)(s·w + e), from Σ 1, Σ u, Σ w, Σ u w.
Moved movedSecond(const std::vector<double>& m, const std::vector<double>& u, const std::vector<double>& w, const std::vector<double>& uw,
                  double s, double d, double e) {
    Moved moved(m.size());
    for (Size j = 0; j < m.size(); ++j) moved[j] = s * s * uw[j] + s * (e * u[j] + d * w[j]) + d * e * m[j];
    return moved;
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
    const bool plane = !above.product.empty();
    const OffsetMoments& a = above;
    OffsetMoments below;
    below.mass = spreadMass(K, above.mass, factors);
    unattributed += kept(K, above.mass, factors);
    for (auto* moments : {&below.first, &below.second}) moments->resize(below.mass.size());
    for (auto* moments : {&below.firstY, &below.secondY, &below.product}) moments->resize(plane ? below.mass.size() : 0);
    const double s = K.stride;
    for (Size k = 0; k < K.taps.size(); ++k) {
        const double y = K.displacement(k).y, x = K.displacement(k).x;
        Spreading tap(K, k, k + 1);
        tap.add(movedFirst(a.mass, a.first, s, x), factors, below.first);
        tap.add(movedSecond(a.mass, a.first, a.first, a.second, s, x, x), factors, below.second);
        if (!plane) continue;
        tap.add(movedFirst(a.mass, a.firstY, s, y), factors, below.firstY);
        tap.add(movedSecond(a.mass, a.firstY, a.firstY, a.secondY, s, y, y), factors, below.secondY);
        tap.add(movedSecond(a.mass, a.firstY, a.first, a.product, s, y, x), factors, below.product);
    }
    addStaying(K, above.first, factors, below.first);
    addStaying(K, above.second, factors, below.second);
    if (!plane) return below;
    addStaying(K, above.firstY, factors, below.firstY);
    addStaying(K, above.secondY, factors, below.secondY);
    addStaying(K, above.product, factors, below.product);
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
