#pragma once
#include <cmath>
#include <vector>

#include "core/expressivity/curve_layer.h"

namespace kappaflow {

/// Everything along a curve from points alone: states, signs and lengths between a grid's points, changes found by halving until the
/// grid is as fine as `finest`. Slow, obvious, and blind to what comes and goes between two neighbours of the grid.
class SlowTrajectory {
public:
    struct Layer {
        double transitions = 0, signs = 0, length = 0;
        std::size_t pieces = 1;
    };

    SlowTrajectory(const std::vector<CurveLayer>& layers, const CurvePieces& start, std::size_t grid, double finest = 1e-9)
        : layers_(layers), start_(start), finest_(finest), result_(layers.size()) {
        const double from = start.ends.front(), width = (start.ends.back() - from) / static_cast<double>(grid);
        Point before = at(from + width * 0.5 / static_cast<double>(grid));
        for (std::size_t i = 1; i <= grid; ++i) {
            const Point after = at(from + width * (static_cast<double>(i) - 0.5 / static_cast<double>(grid)));
            between(before, after);
            before = after;
        }
    }
    /// Behind layer l >= 1: index l − 1.
    const std::vector<Layer>& layers() const { return result_; }

private:
    struct Point {
        double t = 0;
        std::vector<std::vector<double>> values;
        std::vector<std::vector<int>> states, signs;
    };

    Point at(double t) const {
        Point point{t, {}, {}, {}};
        std::vector<double> z = curveAt(start_, t);
        for (const CurveLayer& layer : layers_) {
            std::vector<double> next(layer.out);
            std::vector<int> states(layer.out), signs(layer.out);
            for (std::size_t u = 0; u < layer.out; ++u) {
                double h = layer.bias[u];
                for (std::size_t j = 0; j < layer.in; ++j) h += layer.weights[j * layer.out + u] * z[j];
                states[u] = layer.activation.stateOf(h);
                signs[u] = h > 0;
                next[u] = activate(layer.kind, h, layer.slope);
            }
            z = next;
            point.values.push_back(std::move(next));
            point.states.push_back(std::move(states));
            point.signs.push_back(std::move(signs));
        }
        return point;
    }

    void between(const Point& a, const Point& b) {
        if ((a.states == b.states && a.signs == b.signs) || b.t - a.t < finest_) return count(a, b);
        const Point middle = at((a.t + b.t) / 2);
        between(a, middle);
        between(middle, b);
    }

    void count(const Point& a, const Point& b) {
        bool changed = false;
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            double square = 0;
            for (std::size_t u = 0; u < layers_[l].out; ++u) {
                result_[l].transitions += std::abs(a.states[l][u] - b.states[l][u]);
                result_[l].signs += std::abs(a.signs[l][u] - b.signs[l][u]);
                square += (a.values[l][u] - b.values[l][u]) * (a.values[l][u] - b.values[l][u]);
            }
            result_[l].length += std::sqrt(square);
            changed = changed || a.states[l] != b.states[l];
            result_[l].pieces += changed;
        }
    }

    const std::vector<CurveLayer>& layers_;
    const CurvePieces& start_;
    double finest_;
    std::vector<Layer> result_;
};

}  // namespace kappaflow
