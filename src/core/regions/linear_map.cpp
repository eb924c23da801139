#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "core/net/network.h"
#include "core/regions/program.h"

namespace kappaflow {
namespace {

using Entries = std::vector<LinearMap::Entry>;

std::size_t padded(std::size_t outputs) { return (outputs + 7) / 8 * 8 + 8; }

/// Where the compiler can choose at start-up: with registers of four doubles the same sums, without fused products, in half the time.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define KF_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define KF_WIDE
#endif

typedef double Four __attribute__((vector_size(32)));

/// y += the columns of `weights` from its first on, times the inputs; `count` outputs, a multiple of eight. Sixteen at a time, written
/// out: at -O2 sums in an array would live in memory.
KF_WIDE void addProducts(const double* weights, const LinearMap::Inputs& inputs, std::size_t stride, std::size_t count, double* y) {
    const std::uint32_t* const index = inputs.index.data();
    const double* const value = inputs.value.data();
    const std::size_t inner = inputs.count;
    std::size_t o = 0;
    for (; o + 16 <= count; o += 16) {
        Four a, b, c, d, p, q, r, s;
        std::memcpy(&a, y + o, sizeof a);
        std::memcpy(&b, y + o + 4, sizeof b);
        std::memcpy(&c, y + o + 8, sizeof c);
        std::memcpy(&d, y + o + 12, sizeof d);
        for (std::size_t k = 0; k < inner; ++k) {
            const double* row = weights + o + index[k] * stride;
            const double x = value[k];
            std::memcpy(&p, row, sizeof p);
            std::memcpy(&q, row + 4, sizeof q);
            std::memcpy(&r, row + 8, sizeof r);
            std::memcpy(&s, row + 12, sizeof s);
            a += x * p;
            b += x * q;
            c += x * r;
            d += x * s;
        }
        std::memcpy(y + o, &a, sizeof a);
        std::memcpy(y + o + 4, &b, sizeof b);
        std::memcpy(y + o + 8, &c, sizeof c);
        std::memcpy(y + o + 12, &d, sizeof d);
    }
    if (o == count) return;
    Four a, b, p, q;
    std::memcpy(&a, y + o, sizeof a);
    std::memcpy(&b, y + o + 4, sizeof b);
    for (std::size_t k = 0; k < inner; ++k) {
        const double* row = weights + o + index[k] * stride;
        std::memcpy(&p, row, sizeof p);
        std::memcpy(&q, row + 4, sizeof q);
        a += value[k] * p;
        b += value[k] * q;
    }
    std::memcpy(y + o, &a, sizeof a);
    std::memcpy(y + o + 4, &b, sizeof b);
}

}  // namespace

LinearMap::LinearMap(std::size_t inputs, const std::vector<std::vector<Entry>>& rows, std::vector<double> bias)
    : inputs_(inputs), outputs_(rows.size()), stride_(padded(rows.size())), bias_(std::move(bias)) {
    for (const auto& row : rows) {
        start_.push_back(entries_.size());
        entries_.insert(entries_.end(), row.begin(), row.end());
    }
    start_.push_back(entries_.size());
    bias_.resize(stride_);
    setNorms();
}

LinearMap::LinearMap(std::size_t inputs, std::size_t outputs, const std::vector<double>& weights, std::vector<double> bias)
    : inputs_(inputs), outputs_(outputs), stride_(padded(outputs)), dense_(inputs * padded(outputs)), bias_(std::move(bias)) {
    for (std::size_t o = 0; o < outputs; ++o)
        for (std::size_t i = 0; i < inputs; ++i) dense_[i * stride_ + o] = weights[o * inputs + i];
    bias_.resize(stride_);
    setNorms();
}

void LinearMap::setNorms() {
    norm_.assign(stride_, 0.0);
    if (thin()) {
        for (std::size_t o = 0; o < outputs_; ++o)
            for (std::size_t e = start_[o]; e < start_[o + 1]; ++e) norm_[o] += std::abs(entries_[e].weight);
        return;
    }
    for (std::size_t i = 0; i < inputs_; ++i)
        for (std::size_t o = 0; o < outputs_; ++o) norm_[o] += std::abs(dense_[i * stride_ + o]);
}

bool LinearMap::isDiagonal() const {
    if (!thin()) return false;
    for (std::size_t o = 0; o < outputs_; ++o)
        if (start_[o + 1] - start_[o] > 1) return false;
    return true;
}

void LinearMap::gather(const double* x, Inputs& found) const {
    if (found.index.size() < inputs_) {
        found.index.resize(inputs_);
        found.value.resize(inputs_);
    }
    std::size_t count = 0;
    double even = 0, odd = 0;
    std::size_t i = 0;
    const auto take = [&](std::size_t at) {
        found.index[count] = static_cast<std::uint32_t>(at);
        found.value[count] = x[at];
        count += x[at] != 0;
    };
    for (; i + 2 <= inputs_; i += 2) {
        take(i);
        take(i + 1);
        even = std::max(even, std::abs(x[i]));
        odd = std::max(odd, std::abs(x[i + 1]));
    }
    if (i < inputs_) {
        take(i);
        even = std::max(even, std::abs(x[i]));
    }
    found.count = count;
    found.largest = std::max(even, odd);
}

void LinearMap::apply(const double* x, const Inputs& inputs, std::size_t begin, std::size_t end, double* y, bool withBias) const {
    if (!thin()) return applyDense(inputs, begin, end, y, withBias);
    for (std::size_t o = begin; o < end; ++o) {
        double sum = withBias ? bias_[o] : 0;
        for (std::size_t e = start_[o]; e < start_[o + 1]; ++e) sum += entries_[e].weight * x[entries_[e].input];
        y[o - begin] = sum;
    }
}

void LinearMap::applyDense(const Inputs& inputs, std::size_t begin, std::size_t end, double* y, bool withBias) const {
    const std::size_t count = (end - begin + 7) / 8 * 8;
    if (withBias)
        std::copy_n(&bias_[begin], count, y);
    else
        std::fill_n(y, count, 0.0);
    addProducts(&dense_[begin], inputs, stride_, count, y);
}

void LinearMap::accumulate(const double* x, std::size_t begin, std::size_t end, double* y) const {
    if (!thin()) {
        for (std::size_t i = begin; i < end; ++i)
            if (x[i - begin] != 0)
                for (std::size_t o = 0; o < outputs_; ++o) y[o] += x[i - begin] * dense_[i * stride_ + o];
        return;
    }
    for (std::size_t o = 0; o < outputs_; ++o)
        for (std::size_t e = start_[o]; e < start_[o + 1]; ++e)
            if (entries_[e].input >= begin && entries_[e].input < end) y[o] += entries_[e].weight * x[entries_[e].input - begin];
}

std::vector<double> LinearMap::operator()(const std::vector<double>& x, bool withBias) const {
    Inputs found;
    gather(x.data(), found);
    std::vector<double> y(stride_);
    apply(x.data(), found, 0, outputs_, y.data(), withBias);
    y.resize(outputs_);
    return y;
}

double LinearMap::weightAt(std::size_t output, std::size_t input) const {
    if (!thin()) return dense_[input * stride_ + output];
    for (std::size_t e = start_[output]; e < start_[output + 1]; ++e)
        if (entries_[e].input == input) return entries_[e].weight;
    return 0;
}

LinearMap composed(const LinearMap& after, const LinearMap& before) {
    std::vector<double> bias(before.bias_.begin(), before.bias_.begin() + static_cast<std::ptrdiff_t>(before.outputs_));
    bias = after(bias);
    const std::size_t inputs = before.inputs_;
    if (after.isDiagonal()) {
        if (!before.thin()) {
            std::vector<double> weights(after.outputs_ * inputs);
            for (std::size_t o = 0; o < after.outputs_; ++o)
                for (std::size_t e = after.start_[o]; e < after.start_[o + 1]; ++e)
                    for (std::size_t i = 0; i < inputs; ++i)
                        weights[o * inputs + i] = after.entries_[e].weight * before.dense_[i * before.stride_ + after.entries_[e].input];
            return {inputs, after.outputs_, weights, std::move(bias)};
        }
        std::vector<std::vector<LinearMap::Entry>> rows(after.outputs_);
        for (std::size_t o = 0; o < after.outputs_; ++o)
            for (std::size_t e = after.start_[o]; e < after.start_[o + 1]; ++e) {
                const std::size_t from = after.entries_[e].input;
                for (std::size_t b = before.start_[from]; b < before.start_[from + 1]; ++b)
                    rows[o].push_back({before.entries_[b].input, after.entries_[e].weight * before.entries_[b].weight});
            }
        return {inputs, rows, std::move(bias)};
    }
    std::vector<double> weights(after.outputs_ * inputs), column(before.outputs_);
    for (std::size_t i = 0; i < inputs; ++i) {
        for (std::size_t o = 0; o < column.size(); ++o) column[o] = before.weightAt(o, i);
        const std::vector<double> image = after(column, false);
        for (std::size_t o = 0; o < image.size(); ++o) weights[o * inputs + i] = image[o];
    }
    return {inputs, after.outputs_, weights, std::move(bias)};
}

double LinearMap::bytes() const {
    return 8.0 * (static_cast<double>(dense_.size()) + static_cast<double>(start_.size()) + 2.0 * static_cast<double>(entries_.size()) +
                  2.0 * static_cast<double>(stride_));
}

namespace {

/// In the order of inputs, repeats (a ring wound twice) added up.
Entries sorted(Entries row) {
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.input < b.input; });
    Entries merged;
    for (const auto& entry : row) {
        if (!merged.empty() && merged.back().input == entry.input)
            merged.back().weight += entry.weight;
        else
            merged.push_back(entry);
    }
    return merged;
}

/// Calls visit(tap, row and column of the cell it reads) for the taps of the window at output (y, x) that read a cell.
template <class Visit>
void forEachTap(const Layer& layer, int y, int x, Visit visit) {
    const Window& w = layer.window;
    for (int ky = 0; ky < w.size[0]; ++ky)
        for (int kx = 0; kx < w.size[1]; ++kx) {
            const int sy = paddedSource(y * w.stride[0] + ky * w.dilation[0] - w.before[0], layer.in.height, w.padding);
            const int sx = paddedSource(x * w.stride[1] + kx * w.dilation[1] - w.before[1], layer.in.width, w.padding);
            if (sy >= 0 && sx >= 0) visit(static_cast<std::size_t>(ky) * w.size[1] + kx, sy, sx);
        }
}

std::uint32_t unitAt(const Shape& shape, int channel, int y, int x) {
    return static_cast<std::uint32_t>((static_cast<std::size_t>(channel) * shape.height + y) * shape.width + x);
}

LinearMap convolution(const Layer& layer) {
    const std::size_t inputs = static_cast<std::size_t>(layer.in.channels / layer.groups);
    const int outputs = layer.out.channels / layer.groups;
    const std::size_t taps = static_cast<std::size_t>(layer.window.size[0]) * layer.window.size[1];
    std::vector<Entries> rows;
    std::vector<double> bias;
    for (int o = 0; o < layer.out.channels; ++o)
        for (int y = 0; y < layer.out.height; ++y)
            for (int x = 0; x < layer.out.width; ++x) {
                const std::size_t position = layer.shared ? 0 : static_cast<std::size_t>(y) * layer.out.width + x;
                const std::size_t kernel = (position * layer.out.channels + o) * inputs;
                Entries row;
                for (std::size_t i = 0; i < inputs; ++i)
                    forEachTap(layer, y, x, [&](std::size_t tap, int sy, int sx) {
                        const int channel = o / outputs * static_cast<int>(inputs) + static_cast<int>(i);
                        row.push_back({unitAt(layer.in, channel, sy, sx), layer.weights[(kernel + i) * taps + tap]});
                    });
                rows.push_back(sorted(std::move(row)));
                bias.push_back(layer.bias.empty() ? 0 : layer.bias[static_cast<std::size_t>(o)]);
            }
    return {layer.in.units(), rows, std::move(bias)};
}

LinearMap batchNorm(const Layer& layer) {
    const std::size_t run = layer.in.units() / layer.weights.size();
    std::vector<Entries> rows;
    std::vector<double> bias;
    for (std::size_t i = 0; i < layer.in.units(); ++i) {
        const std::size_t s = i / run;
        const double slope = layer.weights[s] / std::sqrt(layer.variance[s] + layer.batchNormEpsilon);
        rows.push_back({{static_cast<std::uint32_t>(i), slope}});
        bias.push_back((layer.bias.empty() ? 0 : layer.bias[s]) - slope * layer.mean[s]);
    }
    return {layer.in.units(), rows, std::move(bias)};
}

LinearMap averagePool(const Layer& layer) {
    const double counted = static_cast<double>(layer.window.size[0]) * layer.window.size[1];
    std::vector<Entries> rows;
    for (const auto& window : poolingWindows(layer)) {
        const double share = 1 / (layer.countsPadding ? counted : static_cast<double>(window.size()));
        Entries row;
        for (std::uint32_t unit : window) row.push_back({unit, share});
        rows.push_back(sorted(std::move(row)));
    }
    return {layer.in.units(), rows, {}};
}

LinearMap globalAveragePool(const Layer& layer) {
    const std::size_t positions = layer.in.units() / layer.out.units();
    std::vector<Entries> rows(layer.out.units());
    for (std::size_t i = 0; i < layer.in.units(); ++i)
        rows[i / positions].push_back({static_cast<std::uint32_t>(i), 1 / static_cast<double>(positions)});
    return {layer.in.units(), rows, {}};
}

}  // namespace

std::vector<std::vector<std::uint32_t>> poolingWindows(const Layer& layer) {
    std::vector<std::vector<std::uint32_t>> windows;
    for (int c = 0; c < layer.out.channels; ++c)
        for (int y = 0; y < layer.out.height; ++y)
            for (int x = 0; x < layer.out.width; ++x) {
                windows.emplace_back();
                forEachTap(layer, y, x, [&](std::size_t, int sy, int sx) { windows.back().push_back(unitAt(layer.in, c, sy, sx)); });
            }
    return windows;
}

LinearMap linearMap(const Layer& layer) {
    switch (layer.kind) {
        case LayerKind::Dense:
            return {layer.in.units(), layer.out.units(), layer.weights, layer.bias};
        case LayerKind::Conv:
            return convolution(layer);
        case LayerKind::BatchNorm:
            return batchNorm(layer);
        case LayerKind::AveragePool:
            return averagePool(layer);
        case LayerKind::Route: {
            std::vector<std::vector<LinearMap::Entry>> rows(layer.out.units());
            for (std::size_t i = 0; i < rows.size(); ++i)
                if (layer.route[i] >= 0) rows[i] = {{static_cast<std::uint32_t>(layer.route[i]), 1.0}};
            return {layer.in.units(), rows, {}};
        }
        default:
            assert(layer.kind == LayerKind::GlobalAveragePool);
            return globalAveragePool(layer);
    }
}

double linearMapBytes(const Layer& layer) {
    const double in = static_cast<double>(layer.in.units()), out = static_cast<double>(layer.out.units());
    const double taps = static_cast<double>(layer.window.size[0]) * layer.window.size[1];
    switch (layer.kind) {
        case LayerKind::Dense:
            return 8 * in * (out + 16);
        case LayerKind::Conv:
            // Rows as they are made and the map itself.
            return out * (64 + 32 * taps * layer.in.channels / layer.groups);
        case LayerKind::AveragePool:
        case LayerKind::MaxPool:
            return out * (64 + 40 * taps);
        case LayerKind::GlobalAveragePool:
            return 32 * in + 64 * out;
        case LayerKind::Block:
            return 0;  // its layers are counted
        case LayerKind::Concat:
            return 128 * out * static_cast<double>(layer.reads.size());
        default:
            return 128 * std::max(in, out);
    }
}

}  // namespace kappaflow
