#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/net/network.h"
#include "core/regions/partition.h"
#include "core/regions/program.h"

namespace kappaflow {

/// The partition into activation regions in integers alone, cell by cell and unit by unit: cells are clipped against a line, vertices are
/// where two lines meet. For small networks of dense layers, convolutions, max pooling and residual layers (scales 1) whose numbers are
/// integers over 8 and activations ReLU, leaky ReLU of slope 1/2, |z| or hard-tanh, on a slice of such numbers, with a window of integer
/// corners: at most three layers of six units stay within 128 bits.
class ExactPartition {
public:
    using Integer = __int128;
    /// a·x + b·y + c.
    struct Line {
        Integer a = 0, b = 0, c = 0;
    };
    /// (x : y : w) with w > 0, without common factors.
    using Point = std::tuple<Integer, Integer, Integer>;
    /// A convex polygon by the lines of its sides, counterclockwise: corner i is where side i begins.
    struct Cell {
        std::vector<Line> sides;
        std::vector<Point> corners;
        std::vector<Line> values;             ///< of the current layer, times `scale`
        std::vector<std::vector<Line>> kept;  ///< of the block around it: its input and what its layers made
        std::vector<int> pattern;
    };

    ExactPartition(const Network& network, const Polygon& window) : ExactPartition(network, window, 1, {{1, 0, 0}, {0, 1, 0}}) {}
    ExactPartition(const Network& network, const Slice& slice, const Polygon& window)
        : ExactPartition(network, window, 8, inputsOn(slice)) {}

    std::vector<Cell> cells;
    std::vector<DepthCounts> counts;  ///< after every layer

private:
    Integer scale = 1;
    std::vector<Integer> scales;  ///< of what is kept

    ExactPartition(const Network& network, const Polygon& window, Integer scaleOfInputs, std::vector<Line> inputs) : scale(scaleOfInputs) {
        Cell cell;
        for (std::size_t i = 0; i < window.size(); ++i) cell.sides.push_back(through(window[i], window[(i + 1) % window.size()]));
        setCorners(cell);
        cell.values = std::move(inputs);
        cells = {cell};
        apply(network.layers);
    }

    static std::vector<Line> inputsOn(const Slice& slice) {
        std::vector<Line> inputs;
        for (std::size_t i = 0; i < slice.origin.size(); ++i)
            inputs.push_back({over8(slice.u[i]), over8(slice.v[i]), over8(slice.origin[i])});
        return inputs;
    }
    static Integer positive(Integer x) { return x < 0 ? -x : x; }
    static Integer divisor(Integer a, Integer b) {
        for (a = positive(a), b = positive(b); b != 0;) a = std::exchange(b, a % b);
        return a;
    }
    static Integer over8(double x) { return static_cast<Integer>(x * 8); }
    static Line through(Vec2 p, Vec2 q) {
        const auto px = static_cast<Integer>(p.x), py = static_cast<Integer>(p.y), qx = static_cast<Integer>(q.x),
                   qy = static_cast<Integer>(q.y);
        return {py - qy, qx - px, px * qy - py * qx};
    }
    static Point meet(const Line& l, const Line& m) {
        Integer x = l.b * m.c - l.c * m.b, y = l.c * m.a - l.a * m.c, w = l.a * m.b - l.b * m.a;
        const Integer common = divisor(divisor(x, y), w) * (w < 0 ? -1 : 1);
        return {x / common, y / common, w / common};
    }
    static int sign(const Line& l, const Point& p) {
        const Integer value = l.a * std::get<0>(p) + l.b * std::get<1>(p) + l.c * std::get<2>(p);
        return (value > 0) - (value < 0);
    }
    static void setCorners(Cell& cell) {
        cell.corners.clear();
        for (std::size_t i = 0; i < cell.sides.size(); ++i)
            cell.corners.push_back(meet(cell.sides[(i + cell.sides.size() - 1) % cell.sides.size()], cell.sides[i]));
    }

    void apply(const std::vector<Layer>& layers) {
        for (const Layer& layer : layers) apply(layer);
    }

    void block(const std::vector<Layer>& layers) {
        keep();
        for (std::size_t l = 0; l < layers.size(); ++l) {
            if (layers[l].is<Join>()) {
                join(layers, l);
            } else {
                const std::size_t from = operandOf(layers, l);
                for (Cell& cell : cells) cell.values = cell.kept[from];
                scale = scales[from];
                apply(layers[l]);
            }
            keep();
        }
        scales.clear();
        for (Cell& cell : cells) cell.kept.clear();
    }

    /// What stands here, for those that read it later.
    void keep() {
        scales.push_back(scale);
        for (Cell& cell : cells) cell.kept.push_back(cell.values);
    }

    void apply(const Layer& layer) {
        if (layer.is<Flatten>()) return;
        if (layer.is<Block>()) {
            block(layer.as<Block>().inner);
        } else if (layer.is<Pointwise>()) {
            activate(layer);
            counts.push_back(count());
        } else if (layer.is<MaxPool>()) {
            pool(layer);
        } else {
            applyLinear(layer);
        }
    }

    /// Values times 8·scale.
    void applyLinear(const Layer& layer) {
        struct Row {
            std::vector<std::pair<std::size_t, Integer>> weights;
            Integer bias = 0;
        };
        std::vector<double> x(layer.in.units());
        const std::vector<double> bias = applyLayer(layer, x);
        std::vector<Row> rows(bias.size());
        for (std::size_t o = 0; o < rows.size(); ++o) rows[o].bias = over8(bias[o]);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = 1;
            const std::vector<double> image = applyLayer(layer, x);
            x[i] = 0;
            for (std::size_t o = 0; o < rows.size(); ++o)
                if (image[o] != bias[o]) rows[o].weights.push_back({i, over8(image[o] - bias[o])});
        }
        for (Cell& cell : cells) {
            std::vector<Line> out;
            for (const Row& row : rows) {
                Line z{0, 0, row.bias * scale};
                for (const auto& [i, weight] : row.weights) {
                    z.a += weight * cell.values[i].a;
                    z.b += weight * cell.values[i].b;
                    z.c += weight * cell.values[i].c;
                }
                out.push_back(z);
            }
            cell.values = std::move(out);
        }
        scale *= 8;
    }

    /// A sum with whole scales, or a concatenation.
    void join(const std::vector<Layer>& layers, std::size_t l) {
        const Layer& layer = layers[l];
        scale = 1;
        for (std::size_t k = 0; k < layer.reads.size(); ++k) scale = std::max(scale, scales[operandOf(layers, l, k)]);
        for (Cell& cell : cells) {
            cell.values.clear();
            for (std::size_t k = 0; k < layer.reads.size(); ++k) {
                const std::size_t from = operandOf(layers, l, k);
                const bool adds = layer.is<Sum>();
                const Integer s = scale / scales[from] * (adds ? static_cast<Integer>(layer.as<Sum>().scales[k]) : 1);
                for (std::size_t i = 0; i < cell.kept[from].size(); ++i) {
                    const Line& z = cell.kept[from][i];
                    if (!adds || k == 0) cell.values.push_back({0, 0, 0});
                    Line& sum = adds ? cell.values[i] : cell.values.back();
                    sum = {sum.a + s * z.a, sum.b + s * z.b, sum.c + s * z.c};
                }
            }
        }
    }

    /// A cell for every input of a window that is the first of the largest somewhere.
    void pool(const Layer& layer) {
        const auto windows = poolingWindows(layer);
        const bool chooses = std::any_of(windows.begin(), windows.end(), [](const auto& w) { return w.size() > 1; });
        std::vector<std::vector<std::size_t>> winners(cells.size());
        for (const auto& window : windows) {
            std::vector<Cell> next;
            std::vector<std::vector<std::size_t>> nextWinners;
            for (std::size_t c = 0; c < cells.size(); ++c)
                for (std::size_t i = 0; i < window.size(); ++i) {
                    std::optional<Cell> part = whereLargest(cells[c], window, i);
                    if (!part) continue;
                    part->pattern.push_back(static_cast<int>(i));
                    next.push_back(std::move(*part));
                    nextWinners.push_back(winners[c]);
                    nextWinners.back().push_back(window[i]);
                }
            cells = std::move(next);
            winners = std::move(nextWinners);
        }
        for (std::size_t c = 0; c < cells.size(); ++c) {
            std::vector<Line> values;
            for (std::size_t i : winners[c]) values.push_back(cells[c].values[i]);
            cells[c].values = std::move(values);
        }
        if (chooses) counts.push_back(count());
    }

    static std::pair<bool, bool> aboveAndBelow(const Cell& cell, const Line& line) {
        std::pair<bool, bool> found{false, false};
        for (const Point& p : cell.corners) {
            const int s = sign(line, p);
            found.first = found.first || s > 0;
            found.second = found.second || s < 0;
        }
        return found;
    }

    /// The part of the cell on which the window's input i is larger than those before it and no other is larger.
    static std::optional<Cell> whereLargest(const Cell& cell, const std::vector<std::uint32_t>& window, std::size_t i) {
        std::vector<Line> lines;
        for (std::size_t j = 0; j < window.size(); ++j) {
            if (j == i) continue;
            const Line &x = cell.values[window[i]], &y = cell.values[window[j]];
            const Line line{x.a - y.a, x.b - y.b, x.c - y.c};
            const auto [above, below] = aboveAndBelow(cell, line);
            if (!above && (below || j < i)) return std::nullopt;
            if (below) lines.push_back(line);
        }
        std::optional<Cell> part = cell;
        for (const Line& line : lines) {
            const auto [above, below] = aboveAndBelow(*part, line);
            if (!above) return std::nullopt;
            if (below) part = clipped(*part, line, 1);
        }
        return part;
    }

    /// The part of the cell on the side of the line where its sign is `side`.
    static Cell clipped(const Cell& cell, Line line, int side) {
        if (side < 0) line = {-line.a, -line.b, -line.c};
        Cell part = cell;
        part.sides.clear();
        const std::size_t n = cell.sides.size();
        for (std::size_t i = 0; i < n; ++i) {
            const int from = sign(line, cell.corners[i]), to = sign(line, cell.corners[(i + 1) % n]);
            if (from > 0 || to > 0) part.sides.push_back(cell.sides[i]);
            if (from > 0 && to <= 0) part.sides.push_back({line.a, line.b, line.c});
        }
        setCorners(part);
        return part;
    }

    /// Cuts every cell at value = threshold (both times scale); its pattern goes on with 1 above the line, 0 below and on it.
    void cut(std::size_t unit, Integer threshold) {
        std::vector<Cell> next;
        for (const Cell& cell : cells) {
            Line line = cell.values[unit];
            line.c -= threshold;
            bool above = false, below = false;
            for (const Point& p : cell.corners) {
                above = above || sign(line, p) > 0;
                below = below || sign(line, p) < 0;
            }
            if (above) {
                next.push_back(below ? clipped(cell, line, 1) : cell);
                next.back().pattern.push_back(1);
            }
            if (below || !above) {
                next.push_back(above ? clipped(cell, line, -1) : cell);
                next.back().pattern.push_back(0);
            }
        }
        cells = std::move(next);
    }

    void activate(const Layer& layer) {
        const std::size_t units = layer.in.units();
        const Activation activation = layer.as<Pointwise>().activation;
        const bool tanh = activation == Activation::HardTanh;
        for (std::size_t u = 0; u < units; ++u) {
            cut(u, tanh ? -scale : 0);
            if (tanh) cut(u, scale);
        }
        for (Cell& cell : cells) {
            const int* bits = cell.pattern.data() + cell.pattern.size() - units * (tanh ? 2 : 1);
            for (std::size_t u = 0; u < units; ++u) {
                Line& z = cell.values[u];
                const auto times = [&](Integer s) { z = {z.a * s, z.b * s, z.c * s}; };
                if (tanh) {
                    const int state = bits[2 * u] + bits[2 * u + 1];
                    if (state != 1) z = {0, 0, state == 0 ? -scale : scale};
                } else if (activation == Activation::Relu) {
                    times(bits[u]);
                } else if (activation == Activation::Abs) {
                    times(bits[u] ? 1 : -1);
                } else {
                    times(bits[u] ? 2 : 1);
                }
            }
        }
        if (activation == Activation::LeakyRelu) scale *= 2;
    }

    bool between(const Point& a, const Point& b, const Point& p) const {
        const auto cross = [](const Point& x, const Point& y) {
            return std::array<Integer, 2>{std::get<0>(x) * std::get<2>(y) - std::get<0>(y) * std::get<2>(x),
                                          std::get<1>(x) * std::get<2>(y) - std::get<1>(y) * std::get<2>(x)};
        };
        // p − a and b − p point the same way (all known to be on one line).
        const auto from = cross(p, a), to = cross(b, p);
        const int axis = from[0] != 0 || to[0] != 0 ? 0 : 1;
        return (from[axis] > 0 && to[axis] > 0) || (from[axis] < 0 && to[axis] < 0);
    }

    /// Vertices are the corners of all cells; a side of a cell is as many edges as vertices on it make.
    DepthCounts count() const {
        std::set<Point> vertices;
        for (const Cell& cell : cells) vertices.insert(cell.corners.begin(), cell.corners.end());
        std::set<std::pair<Point, Point>> edges;
        for (const Cell& cell : cells)
            for (std::size_t i = 0; i < cell.sides.size(); ++i) {
                const Point &a = cell.corners[i], &b = cell.corners[(i + 1) % cell.sides.size()];
                std::vector<Point> chain{a, b};
                for (const Point& p : vertices)
                    if (p != a && p != b && sign(cell.sides[i], p) == 0 && between(a, b, p)) chain.push_back(p);
                // Along one line lexicographic order is the order of position once scaled alike: compare as fractions.
                std::sort(chain.begin(), chain.end(), [](const Point& x, const Point& y) {
                    const Integer dx = std::get<0>(x) * std::get<2>(y) - std::get<0>(y) * std::get<2>(x);
                    const Integer dy = std::get<1>(x) * std::get<2>(y) - std::get<1>(y) * std::get<2>(x);
                    return dx != 0 ? dx < 0 : dy < 0;
                });
                for (std::size_t k = 0; k + 1 < chain.size(); ++k) edges.insert({chain[k], chain[k + 1]});
            }
        return {cells.size(), edges.size(), vertices.size()};
    }
};

}  // namespace kappaflow
