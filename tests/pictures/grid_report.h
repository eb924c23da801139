#pragma once
#include <cmath>
#include <functional>
#include <vector>

#include "scene/state.h"

namespace kappaflow {

/// A hand-made report of a diffusion in two dimensions: what the picture is drawn from, made the slow way.
struct HandMadeGrid {
    std::size_t layers = 12, side = 21;
    double shareX = 1.0 / 3, shareY = 1.0 / 3;     ///< of the step to either side along each axis
    std::vector<std::size_t> heights{}, widths{};  ///< empty: all `side`
};

inline Array arrayOf(std::string name, std::vector<Axis> axes, std::vector<double> values) {
    Array array;
    array.name = std::move(name), array.axes = std::move(axes), array.values = std::move(values);
    array.mayBeUndefined = true;
    return array;
}

inline Axis counted(std::string name, std::size_t n) {
    Axis axis{std::move(name), {}, {}};
    for (std::size_t i = 0; i < n; ++i) axis.values.push_back(static_cast<double>(i));
    return axis;
}

/// One step of a separable three-tap kernel on a torus.
inline std::vector<double> diffused(const std::vector<double>& from, std::size_t n, double shareX, double shareY) {
    std::vector<double> to(n * n, 0.0);
    const auto tap = [](double share, int k) { return k == 0 ? 1 - 2 * share : share; };
    for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c < n; ++c)
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                    to[(r + n + static_cast<std::size_t>(dy + 1) - 1) % n * n + (c + n + static_cast<std::size_t>(dx + 1) - 1) % n] +=
                        from[r * n + c] * tap(shareY, dy) * tap(shareX, dx);
    return to;
}

inline Report handMade(const HandMadeGrid& made) {
    const std::size_t states = made.layers + 1, n = made.side, cells = n * n;
    std::vector<double> capacity(states * cells, 0.0), gaussian(states * cells, std::nan("")), variance(2 * states), deviation(2 * states);
    std::vector<double> layer(cells, 0.0);
    layer[(n / 2) * n + n / 2] = 1;
    for (std::size_t i = 0; i < states; ++i) {
        const std::size_t l = made.layers - i;
        std::copy(layer.begin(), layer.end(), capacity.begin() + static_cast<std::ptrdiff_t>(l * cells));
        const double sy = 2 * made.shareY * static_cast<double>(i), sx = 2 * made.shareX * static_cast<double>(i),
                     middle = std::floor(static_cast<double>(n) / 2);
        variance[2 * l] = sy, variance[2 * l + 1] = sx;
        for (const std::size_t axis : {0, 1}) deviation[2 * l + axis] = std::sqrt(variance[2 * l + axis]);
        for (std::size_t k = 0; i > 0 && k < cells; ++k) {
            const double y = std::floor(static_cast<double>(k) / static_cast<double>(n)) - middle, x = static_cast<double>(k % n) - middle;
            gaussian[l * cells + k] = std::exp(-0.5 * (x * x / sx + y * y / sy)) / (2 * M_PI * std::sqrt(sx * sy));
        }
        layer = diffused(layer, n, made.shareX, made.shareY);
    }
    Report report;
    report.scene = "capacity-diffusion";
    report.status = Status::Ok;
    report.params = initialState("capacity-diffusion").params;
    const Axis overLayers = counted("layer", states);
    const Axis axis{"axis", {}, {"y", "x"}};
    const auto sizes = [&](const std::vector<std::size_t>& given) {
        std::vector<double> values(states, static_cast<double>(n));
        for (std::size_t l = 0; l < given.size(); ++l) values[l] = static_cast<double>(given[l]);
        return values;
    };
    const auto heights = sizes(made.heights), widths = sizes(made.widths);
    for (std::size_t l = 0; l < states; ++l)
        for (std::size_t k = 0; k < cells; ++k)
            if (static_cast<double>(k / n) >= heights[l] || static_cast<double>(k % n) >= widths[l])
                capacity[l * cells + k] = gaussian[l * cells + k] = std::nan("");
    report.arrays = {arrayOf("capacity", {overLayers, counted("y", n), counted("x", n)}, capacity),
                     arrayOf("gaussian", {overLayers, counted("y", n), counted("x", n)}, gaussian),
                     arrayOf("total", {overLayers}, std::vector<double>(states, 1.0)),
                     arrayOf("heights", {overLayers}, heights),
                     arrayOf("widths", {overLayers}, widths),
                     arrayOf("variance", {overLayers, axis}, variance),
                     arrayOf("standardDeviation", {overLayers, axis}, deviation),
                     arrayOf("standardDeviationPredicted", {overLayers, axis}, deviation)};
    return report;
}

}  // namespace kappaflow
