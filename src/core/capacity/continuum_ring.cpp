#include "core/capacity/nu_continuum.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

/// Integers within `half` of 0, or all residues when those go round the ring.
struct Axis {
    int half, period;
    bool wraps() const { return 2 * half + 1 >= period; }
    int size() const { return wraps() ? period : 2 * half + 1; }
    int value(int index) const { return wraps() ? index : index - half; }
    int index(int value) const {
        const int rest = ((value % period) + period) % period;
        if (wraps()) return rest;
        const int near = rest > period / 2 ? rest - period : rest;
        return std::abs(near) <= half ? near + half : -1;
    }
    /// Where value(index) + shift stands on this axis, −1 when outside, for every index of `of`.
    std::vector<int> shifted(const Axis& of, int shift) const {
        std::vector<int> map(static_cast<Size>(of.size()));
        for (Size i = 0; i < map.size(); ++i) map[i] = index(of.value(static_cast<int>(i)) + shift);
        return map;
    }
};

/// B by k, a = j − k and b = k′ − k.
struct Replicas {
    Axis k, a, b;
    std::vector<double> values;
    Replicas(Axis kAxis, Axis aAxis, Axis bAxis)
        : k(kAxis), a(aAxis), b(bAxis), values(static_cast<Size>(k.size()) * static_cast<Size>(a.size()) * static_cast<Size>(b.size())) {}
    double* row(int i, int j) { return &values[static_cast<Size>(i * a.size() + j) * static_cast<Size>(b.size())]; }
    const double* row(int i, int j) const { return &values[static_cast<Size>(i * a.size() + j) * static_cast<Size>(b.size())]; }
};

/// Σ of the reaches of layers 1 … l.
int reachBelow(const ContinuumRing& ring, Size l) {
    int reach = 0;
    for (Size layer = 0; layer < l; ++layer) reach += static_cast<int>(ring.kernels[layer].size() / 2);
    return reach;
}

/// Windows of B_l: k has come from the top, a and b must be able to come to 0 below.
struct Windows {
    Axis k, a, b;
};
Windows windowsAt(const ContinuumRing& ring, Size l) {
    const int below = reachBelow(ring, l), above = reachBelow(ring, ring.kernels.size()) - below;
    // Past four reaches a ring is a line; a smaller one stands for it.
    const int period = std::min(ring.extent, 4 * (above + below) + 1);
    return {{above, period}, {2 * below, period}, {2 * std::min(above, below), period}};
}

Axis wider(Axis axis, int by) { return {axis.half + by, axis.period}; }

/// Σ_s′ w_s′ C_jk C_jk′ B[j,k,k′ − s′]: the second replica steps down.
Replicas stepSecond(const Replicas& B, const std::vector<double>& kernel, double nu, const Axis& b) {
    const int reach = static_cast<int>(kernel.size() / 2);
    Replicas out(B.k, B.a, b);
    const int zero = B.a.index(0);
    std::vector<double> weighted(static_cast<Size>(B.b.size()));
    std::vector<std::vector<int>> maps;
    for (int s = -reach; s <= reach; ++s) maps.push_back(b.shifted(B.b, s));
    for (int i = 0; i < B.k.size(); ++i)
        for (int j = 0; j < B.a.size(); ++j) {
            const double* in = B.row(i, j);
            for (int d = 0; d < B.b.size(); ++d) weighted[static_cast<Size>(d)] = (j == zero ? 1 : nu) * nu * in[d];
            const int meets = B.b.index(B.a.value(j));
            if (meets >= 0) weighted[static_cast<Size>(meets)] = (j == zero ? 1 : nu) * in[meets];
            double* target = out.row(i, j);
            for (Size s = 0; s < kernel.size(); ++s)
                for (Size d = 0; d < weighted.size(); ++d)
                    if (maps[s][d] >= 0) target[maps[s][d]] += kernel[s] * weighted[d];
        }
    return out;
}

/// Σ over the units j that read i: the path itself steps down, every tap alike.
Replicas stepPath(const Replicas& B, int reach, const Axis& a) {
    Replicas out(B.k, a, B.b);
    for (int t = -reach; t <= reach; ++t) {
        const auto map = a.shifted(B.a, t);
        for (int i = 0; i < B.k.size(); ++i)
            for (int j = 0; j < B.a.size(); ++j) {
                if (map[static_cast<Size>(j)] < 0) continue;
                const double* in = B.row(i, j);
                double* target = out.row(i, map[static_cast<Size>(j)]);
                for (int d = 0; d < B.b.size(); ++d) target[d] += in[d];
            }
    }
    return out;
}

/// The first replica steps down: k moves by s, hence a and b by −s.
Replicas stepFirst(const Replicas& B, const std::vector<double>& kernel, const Windows& windows) {
    const int reach = static_cast<int>(kernel.size() / 2);
    Replicas out(windows.k, windows.a, windows.b);
    for (Size tap = 0; tap < kernel.size(); ++tap) {
        const double w = kernel[tap];
        const int s = static_cast<int>(tap) - reach;
        const auto k = out.k.shifted(B.k, s), a = out.a.shifted(B.a, -s), b = out.b.shifted(B.b, -s);
        for (Size i = 0; i < k.size(); ++i)
            for (Size j = 0; j < a.size(); ++j) {
                if (k[i] < 0 || a[j] < 0) continue;
                const double* in = B.row(static_cast<int>(i), static_cast<int>(j));
                double* target = out.row(k[i], a[j]);
                for (Size d = 0; d < b.size(); ++d)
                    if (b[d] >= 0) target[b[d]] += w * in[d];
            }
    }
    return out;
}

void rescale(std::vector<double>& values) {
    double largest = 0;
    for (double value : values) largest = std::max(largest, std::abs(value));
    for (double& value : values) value = largest > 0 ? value / largest : 0;
}

void requireRing(const ContinuumRing& ring, double nu) {
    if (ring.extent < 1) throw InputError("A ring needs at least one position.");
    for (const auto& kernel : ring.kernels)
        if (kernel.size() % 2 == 0 || kernel.size() > static_cast<Size>(ring.extent))
            throw InputError("A kernel on a ring needs an odd number of taps, at most as many as there are positions.");
    if (!(nu >= 0 && nu <= 1)) throw InputError("A decoupling coefficient lies between 0 and 1.");
    if (continuumRingOperations(ring) > kMaxRingOperations)
        throw InputError("Following all paths of this ring takes too long; use fewer layers, fewer taps or a smaller ring.");
}

/// B[i,i,i] over its sum.
RingCapacity centred(const ContinuumRing& ring, const Replicas& B) {
    RingCapacity result{std::vector<double>(static_cast<Size>(ring.extent)), 0, 0};
    const int a = B.a.index(0), b = B.b.index(0);
    double total = 0;
    for (int i = 0; i < B.k.size(); ++i) total += B.row(i, a)[b];
    const Axis places{ring.extent, ring.extent};
    for (int i = 0; i < B.k.size(); ++i) {
        const double share = total > 0 ? B.row(i, a)[b] / total : 0;
        // Within half a ring of the top: residues above half go back by a turn.
        int offset = B.k.value(i);
        if (B.k.wraps() && offset > B.k.period / 2) offset -= B.k.period;
        result.capacity[static_cast<Size>(places.index(ring.extent / 2 + offset))] += share;
        result.mean += offset * share;
        result.variance += static_cast<double>(offset) * offset * share;
    }
    result.variance -= result.mean * result.mean;
    return result;
}

/// B_l from B_{l+1}.
Replicas layerBelow(const ContinuumRing& ring, double nu, Size l, const Replicas& B) {
    const auto& kernel = ring.kernels[l];
    const int reach = static_cast<int>(kernel.size() / 2);
    const auto windows = windowsAt(ring, l);
    // The first replica's step moves a and b once more, so both are kept a reach wider until it is taken.
    const auto second = stepSecond(B, kernel, nu, wider(windows.b, reach));
    Replicas below = stepFirst(stepPath(second, reach, wider(windows.a, reach)), kernel, windows);
    rescale(below.values);
    return below;
}

}  // namespace

std::vector<RingCapacity> continuumRing(const ContinuumRing& ring, double nu, const std::function<void()>& tick) {
    requireRing(ring, nu);
    Size l = ring.kernels.size();
    const auto top = windowsAt(ring, l);
    Replicas B(top.k, top.a, top.b);
    std::fill(B.values.begin(), B.values.end(), 1.0);
    std::vector<RingCapacity> layers(l + 1);
    layers[l] = centred(ring, B);
    while (l-- > 0) {
        B = layerBelow(ring, nu, l, B);
        layers[l] = centred(ring, B);
        tick();
    }
    return layers;
}

double continuumRingOperations(const ContinuumRing& ring) {
    double operations = 0;
    for (Size l = 0; l < ring.kernels.size(); ++l) {
        const auto at = windowsAt(ring, l + 1);
        const double cells = static_cast<double>(at.k.size()) * at.a.size() * wider(at.b, 1).size();
        operations += 6 * cells * static_cast<double>(ring.kernels[l].size());
    }
    return operations;
}

}  // namespace kappaflow
