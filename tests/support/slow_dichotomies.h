#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>
#include <vector>

#include "core/expressivity/curve_layer.h"

namespace kappaflow {

/// A network with one turning layer, run value by value: what the exact sweep is compared with.
struct SlowTurning {
    std::vector<CurveLayer> layers;
    std::size_t swept = 0;
    std::vector<double> second;  ///< [in][out] of the swept layer
    std::vector<double> readout;
    std::vector<std::vector<double>> samples;

    double value(std::size_t sample, double t) const {
        const double c = std::cos(t), s = std::sin(t);
        std::vector<double> z = samples[sample];
        for (std::size_t l = 0; l < layers.size(); ++l) {
            const CurveLayer& layer = layers[l];
            std::vector<double> h = layer.bias;
            for (std::size_t i = 0; i < layer.in; ++i)
                for (std::size_t j = 0; j < layer.out; ++j) {
                    const double w = layer.weights[i * layer.out + j];
                    h[j] += z[i] * (l == swept ? w * c + second[i * layer.out + j] * s : w);
                }
            z.clear();
            for (const double x : h) z.push_back(activate(layer.kind, x, layer.slope));
        }
        double sum = 0;
        for (std::size_t j = 0; j < z.size(); ++j) sum += readout[j] * z[j];
        return sum;
    }
};

struct SlowDichotomies {
    std::vector<std::vector<double>> flips;  ///< [sample]
    std::size_t dichotomies = 0;
};

/// Labels at `points` angles, every change closed in by bisection, label vectors read off the network in the middle between neighbouring
/// flips of any sample. Misses pairs of flips between two points.
inline SlowDichotomies slowDichotomies(const SlowTurning& net, int points) {
    SlowDichotomies found;
    std::vector<double> all{0, 2 * std::numbers::pi};
    for (std::size_t s = 0; s < net.samples.size(); ++s) {
        found.flips.emplace_back();
        bool before = net.value(s, 0) > 0;
        for (int i = 1; i <= points; ++i) {
            double low = 2 * std::numbers::pi * (i - 1) / points, high = 2 * std::numbers::pi * i / points;
            const bool label = net.value(s, high) > 0;
            if (label == before) continue;
            for (int n = 0; n < 60; ++n) {
                const double middle = (low + high) / 2;
                ((net.value(s, middle) > 0) == before ? low : high) = middle;
            }
            found.flips.back().push_back(high);
            all.push_back(high);
            before = label;
        }
    }
    std::sort(all.begin(), all.end());
    std::set<std::vector<bool>> seen;
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (all[i] - all[i - 1] < 1e-9) continue;
        std::vector<bool> labels;
        for (std::size_t s = 0; s < net.samples.size(); ++s) labels.push_back(net.value(s, (all[i] + all[i - 1]) / 2) > 0);
        seen.insert(labels);
    }
    found.dichotomies = seen.size();
    return found;
}

}  // namespace kappaflow
