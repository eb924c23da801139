#include <algorithm>
#include <cassert>

#include "core/capacity/kernel_columns.h"
#include "core/linalg/linalg.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

/// Output positions that one matrix product takes, in whole rows: enough to fill it, few enough to stay in the cache.
constexpr Size kPositionsAtOnce = 64;

/// Adds what some taps of a kernel bring down, block of rows by block of rows. All vectors are channel-major.
class Spreading {
public:
    Spreading(const CapacityKernel& K, Size firstTap, Size lastTap) : K_(K), first_(firstTap), last_(lastTap) {
        for (Size k = first_; k < last_; ++k) cells_.push_back(tapCells(K, k));
    }

    /// below[in][cell of x] += Σ_out D[x][tap][in][out]·above[out][x], where above carries the column factors already.
    void add(const std::vector<double>& above, std::vector<double>& below) {
        const auto height = static_cast<Size>(K_.outHeight), width = static_cast<Size>(K_.outWidth);
        const Size rows = std::max<Size>(1, kPositionsAtOnce / width);
        for (Size y = 0; y < height; y += rows) {
            const Size count = std::min(rows, height - y);
            if (pack(above, y * width, count * width)) addBlock(y, count, below);
        }
    }

private:
    /// block_[out][position of the block]; false when it is all zeros, as far from a single start it is.
    bool pack(const std::vector<double>& above, Size from, Size count) {
        const auto outs = static_cast<Size>(K_.outChannels);
        block_.resize(outs * count);
        bool any = false;
        for (Size out = 0; out < outs; ++out) {
            const double* source = above.data() + out * K_.outPositions() + from;
            for (Size x = 0; x < count; ++x) any |= (block_[out * count + x] = source[x]) != 0;
        }
        return any;
    }

    void addBlock(Size y, Size rows, std::vector<double>& below) {
        const auto ins = static_cast<Size>(K_.inChannels), width = static_cast<Size>(K_.outWidth);
        const Size count = rows * width;
        arriving_.resize((last_ - first_) * ins * count);
        if (K_.shared) {
            const Size tapSize = ins * static_cast<Size>(K_.outChannels);
            matrixProduct({K_.shares.data() + first_ * tapSize, (last_ - first_) * tapSize}, block_, static_cast<Size>(K_.outChannels),
                          arriving_);
        } else {
            multiplyByPosition(y * width, count);
        }
        for (Size k = first_; k < last_; ++k)
            for (Size in = 0; in < ins; ++in)
                for (Size r = 0; r < rows; ++r)
                    addRow(cells_[k - first_], y + r, in, arriving_.data() + (((k - first_) * ins + in) * rows + r) * width, below);
    }

    void multiplyByPosition(Size from, Size count) {
        const auto ins = static_cast<Size>(K_.inChannels), outs = static_cast<Size>(K_.outChannels);
        for (Size k = first_; k < last_; ++k)
            for (Size x = 0; x < count; ++x) {
                const double* D = K_.tapShares(from + x, k);
                for (Size in = 0; in < ins; ++in, D += outs) {
                    double sum = 0;
                    for (Size out = 0; out < outs; ++out) sum += D[out] * block_[out * count + x];
                    arriving_[((k - first_) * ins + in) * count + x] = sum;
                }
            }
    }

    /// Runs of neighbours that arrive at neighbours are added as wholes.
    void addRow(const TapCells& cells, Size y, Size in, const double* arriving, std::vector<double>& below) const {
        if (cells.y[y] < 0) return;
        double* row = below.data() + in * K_.inPositions() + static_cast<Size>(cells.y[y]) * static_cast<Size>(K_.inWidth);
        const Size width = cells.x.size();
        for (Size x = 0; x < width;) {
            const int to = cells.x[x];
            Size end = x + 1;
            while (to >= 0 && end < width && cells.x[end] == to + static_cast<int>(end - x)) ++end;
            if (to >= 0) addScaled(row + to, 1, arriving + x, 1, end - x, 1);
            x = end;
        }
    }

    const CapacityKernel& K_;
    Size first_, last_;
    std::vector<TapCells> cells_;
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

std::vector<double> scaled(const std::vector<double>& values, const std::vector<double>& factors) {
    auto result = values;
    for (Size j = 0; j < factors.size(); ++j) result[j] *= factors[j];
    return result;
}

std::vector<double> spreadMass(const CapacityKernel& K, const std::vector<double>& above, const std::vector<double>& factors) {
    std::vector<double> below(K.inPositions() * static_cast<Size>(K.inChannels));
    Spreading(K, 0, K.taps.size()).add(scaled(above, factors), below);
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
    OffsetMoments a = above, below;
    below.mass = spreadMass(K, above.mass, factors);
    unattributed += kept(K, above.mass, factors);
    for (auto* moments : {&a.mass, &a.first, &a.second, &a.firstY, &a.secondY, &a.product})
        if (!moments->empty()) *moments = scaled(*moments, factors);
    for (auto* moments : {&below.first, &below.second}) moments->resize(below.mass.size());
    for (auto* moments : {&below.firstY, &below.secondY, &below.product}) moments->resize(plane ? below.mass.size() : 0);
    const double s = K.stride;
    for (Size k = 0; k < K.taps.size(); ++k) {
        const double y = K.displacement(k).y, x = K.displacement(k).x;
        Spreading tap(K, k, k + 1);
        tap.add(movedFirst(a.mass, a.first, s, x), below.first);
        tap.add(movedSecond(a.mass, a.first, a.first, a.second, s, x, x), below.second);
        if (!plane) continue;
        tap.add(movedFirst(a.mass, a.firstY, s, y), below.firstY);
        tap.add(movedSecond(a.mass, a.firstY, a.firstY, a.secondY, s, y, y), below.secondY);
        tap.add(movedSecond(a.mass, a.firstY, a.first, a.product, s, y, x), below.product);
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
