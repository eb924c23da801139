#include "core/net/batch_layers.h"

#include <algorithm>
#include <cstring>

#include "core/linalg/matrix.h"
#include "core/net/layer_rows.h"

namespace kappaflow {
namespace {

/// Numbers of a block of columns: what a nearer cache holds.
constexpr std::size_t kBlockNumbers = 1u << 16;

/// Cell of a channel that a tap reads at an output position; −1: a padded zero.
std::ptrdiff_t cellAt(const Layer& layer, const Window& w, std::size_t position, std::size_t tap) {
    const int y = static_cast<int>(position) / layer.out.width, x = static_cast<int>(position) % layer.out.width;
    const int ky = static_cast<int>(tap) / w.size[1], kx = static_cast<int>(tap) % w.size[1];
    const int sy = paddedSource(y * w.stride[0] + ky * w.dilation[0] - w.before[0], layer.in.height, w.padding);
    const int sx = paddedSource(x * w.stride[1] + kx * w.dilation[1] - w.before[1], layer.in.width, w.padding);
    return sy < 0 || sx < 0 ? -1 : static_cast<std::ptrdiff_t>(sy) * layer.in.width + sx;
}

/// One group of channels at some neighbouring positions, as a matrix product sees it.
struct Part {
    std::size_t group, from, to;  ///< positions from … to − 1
};

/// A convolution as products: weights [outputs][taps of all inputs] of a group by columns [taps of all inputs][positions · samples].
class Columns {
public:
    Columns(const Layer& layer, std::size_t samples)
        : layer_(layer),
          conv_(layer.as<Conv>()),
          samples_(samples),
          inputs_(static_cast<std::size_t>(layer.in.channels / conv_.groups)),
          outputs_(static_cast<std::size_t>(layer.out.channels / conv_.groups)),
          inner_(inputs_ * tapsOf(conv_.window)) {}

    template <class Visit>
    void forEachPart(Visit visit) const {
        const std::size_t positions = cellsOf(layer_.out);
        const std::size_t many = conv_.shared ? std::max<std::size_t>(1, kBlockNumbers / std::max<std::size_t>(1, inner_ * samples_)) : 1;
        for (std::size_t group = 0; group < static_cast<std::size_t>(conv_.groups); ++group)
            for (std::size_t from = 0; from < positions; from += many) visit(Part{group, from, std::min(from + many, positions)});
    }

    std::size_t width(const Part& b) const { return (b.to - b.from) * samples_; }
    std::size_t inner() const { return inner_; }
    std::size_t outputs() const { return outputs_; }

    /// First of the weights that the block's outputs have.
    std::size_t weightsAt(const Part& b) const {
        const std::size_t own = conv_.shared ? 0 : b.from * static_cast<std::size_t>(layer_.out.channels);
        return (own + b.group * outputs_) * inner_;
    }
    MatrixView weights(const Part& b) const { return {conv_.weights.data() + weightsAt(b), outputs_, inner_}; }

    /// The block's outputs, or their gradients, where they lie in a batch.
    MatrixView outputsIn(const Batch& batch, const Part& b) const {
        MatrixView view(batch.row(outputUnit(b, 0)), outputs_, width(b));
        view.rowStride = cellsOf(layer_.out) * samples_;
        return view;
    }
    std::size_t outputUnit(const Part& b, std::size_t output) const { return (b.group * outputs_ + output) * cellsOf(layer_.out) + b.from; }

    void gather(const Batch& x, const Part& b, Matrix& columns) const {
        columns.rows = inner_, columns.columns = width(b);
        columns.values.resize(inner_ * width(b));
        forEachCell(b, columns, [&](double* column, std::ptrdiff_t unit) {
            if (unit < 0)
                std::fill_n(column, samples_, 0.0);
            else
                std::memcpy(column, x.row(static_cast<std::size_t>(unit)), samples_ * sizeof(double));
        });
    }
    void scatter(Matrix& columns, const Part& b, Batch& pulled) const {
        forEachCell(b, columns, [&](const double* column, std::ptrdiff_t unit) {
            if (unit < 0) return;
            double* row = pulled.row(static_cast<std::size_t>(unit));
            for (std::size_t s = 0; s < samples_; ++s) row[s] += column[s];
        });
    }

private:
    /// visit(samples of one tap at one position, input unit that it reads).
    template <class Visit>
    void forEachCell(const Part& b, Matrix& columns, Visit visit) const {
        const std::size_t taps = tapsOf(conv_.window), cells = cellsOf(layer_.in);
        for (std::size_t tap = 0; tap < taps; ++tap)
            for (std::size_t position = b.from; position < b.to; ++position) {
                const std::ptrdiff_t cell = cellAt(layer_, conv_.window, position, tap);
                for (std::size_t i = 0; i < inputs_; ++i) {
                    const auto channel = static_cast<std::ptrdiff_t>((b.group * inputs_ + i) * cells);
                    visit(columns.row(i * taps + tap) + (position - b.from) * samples_, cell < 0 ? cell : channel + cell);
                }
            }
    }

    const Layer& layer_;
    const Conv& conv_;
    std::size_t samples_, inputs_, outputs_, inner_;
};

}  // namespace

void findLargest(const Batch& x, const std::vector<std::size_t>& units, std::vector<std::size_t>& largest) {
    largest.assign(x.columns, units.front());
    for (const std::size_t unit : units)
        for (std::size_t s = 0; s < x.columns; ++s)
            if (x(unit, s) > x(largest[s], s)) largest[s] = unit;
}

void applyConvBatch(const Layer& layer, const Batch& x, Batch& y) {
    const Columns of(layer, x.columns);
    const std::size_t positions = cellsOf(layer.out);
    Matrix columns;
    std::vector<double> made;
    of.forEachPart([&](const Part& b) {
        of.gather(x, b, columns);
        made.resize(of.outputs() * of.width(b));
        orderedProduct(of.weights(b), columns, made.data());
        for (std::size_t o = 0; o < of.outputs(); ++o)
            std::memcpy(y.row(of.outputUnit(b, o)), &made[o * of.width(b)], of.width(b) * sizeof(double));
    });
    const std::vector<double>& bias = layer.as<Conv>().bias;
    for (std::size_t i = 0; i < y.rows && !bias.empty(); ++i)
        for (std::size_t s = 0; s < y.columns; ++s) y(i, s) += bias[i / positions];
}

void pullConvBatch(const Layer& layer, const Batch& g, Batch& pulled) {
    const Columns of(layer, g.columns);
    std::fill(pulled.values.begin(), pulled.values.end(), 0.0);
    Matrix columns;
    of.forEachPart([&](const Part& b) {
        columns.rows = of.inner(), columns.columns = of.width(b);
        columns.values.resize(columns.rows * columns.columns);
        orderedProduct(of.weights(b).transposed(), of.outputsIn(g, b), columns.values.data());
        of.scatter(columns, b, pulled);
    });
}

void convGradient(const Layer& layer, const Batch& x, const Batch& g, LayerParameters& gradient) {
    const Columns of(layer, x.columns);
    const auto& conv = layer.as<Conv>();
    gradient.weights.assign(conv.weights.size(), 0.0);
    Matrix columns;
    std::vector<double> part(of.outputs() * of.inner());
    of.forEachPart([&](const Part& b) {
        of.gather(x, b, columns);
        orderedProduct(of.outputsIn(g, b), MatrixView(columns).transposed(), part.data());
        double* weights = gradient.weights.data() + of.weightsAt(b);
        for (std::size_t i = 0; i < part.size(); ++i) weights[i] += part[i];
    });
    gradient.bias.assign(conv.bias.size(), 0.0);
    const std::size_t positions = cellsOf(layer.out);
    for (std::size_t i = 0; i < g.rows && !conv.bias.empty(); ++i)
        for (std::size_t s = 0; s < g.columns; ++s) gradient.bias[i / positions] += g(i, s);
}

void applyPoolBatch(const Layer& layer, const Batch& x, Batch& y) {
    const bool takesLargest = layer.is<MaxPool>();
    std::vector<std::size_t> largest;
    forEachPool(layer, [&](std::size_t output, const std::vector<std::size_t>& units) {
        double* row = y.row(output);
        if (takesLargest) {
            findLargest(x, units, largest);
            for (std::size_t s = 0; s < x.columns; ++s) row[s] = x(largest[s], s);
            return;
        }
        std::fill_n(row, x.columns, 0.0);
        for (const std::size_t unit : units)
            for (std::size_t s = 0; s < x.columns; ++s) row[s] += x(unit, s);
        const double divisor = poolDivisor(layer, units.size());
        for (std::size_t s = 0; s < x.columns; ++s) row[s] /= divisor;
    });
}

void pullPoolBatch(const Layer& layer, const Batch& x, const Batch& g, Batch& pulled) {
    std::fill(pulled.values.begin(), pulled.values.end(), 0.0);
    const bool takesLargest = layer.is<MaxPool>();
    std::vector<std::size_t> largest;
    forEachPool(layer, [&](std::size_t output, const std::vector<std::size_t>& units) {
        if (takesLargest) {
            findLargest(x, units, largest);
            for (std::size_t s = 0; s < g.columns; ++s) pulled(largest[s], s) += g(output, s);
            return;
        }
        const double divisor = poolDivisor(layer, units.size());
        for (const std::size_t unit : units)
            for (std::size_t s = 0; s < g.columns; ++s) pulled(unit, s) += g(output, s) / divisor;
    });
}

}  // namespace kappaflow
