#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/net/layer_rows.h"
#include "core/regions/program.h"

namespace kappaflow {
namespace {

using Entries = std::vector<LinearMap::Entry>;

std::size_t padded(std::size_t outputs) { return (outputs + 7) / 8 * 8 + 8; }

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

}  // namespace

std::vector<std::vector<std::uint32_t>> poolingWindows(const Layer& layer) {
    std::vector<std::vector<std::uint32_t>> windows(layer.out.units());
    forEachPool(layer,
                [&](std::size_t output, const std::vector<std::size_t>& units) { windows[output].assign(units.begin(), units.end()); });
    return windows;
}

LinearMap linearMap(const Layer& layer) {
    if (const auto* dense = layer.getIf<Dense>()) return {layer.in.units(), layer.out.units(), dense->weights, dense->bias};
    LinearRows of(layer);
    std::vector<Entries> rows(layer.out.units());
    std::vector<double> bias;
    for (std::size_t unit = 0; unit < rows.size(); ++unit) {
        Entries row;
        of.visit(unit, [&](std::size_t input, std::size_t, double weight) { row.push_back({static_cast<std::uint32_t>(input), weight}); });
        rows[unit] = sorted(std::move(row));
        bias.push_back(of.bias(unit));
    }
    return {layer.in.units(), rows, std::move(bias)};
}

double linearMapBytes(const Layer& layer) {
    const double in = static_cast<double>(layer.in.units()), out = static_cast<double>(layer.out.units());
    if (layer.is<Dense>()) return 8 * in * (out + 16);
    // Rows as they are made and the map itself.
    if (const auto* conv = layer.getIf<Conv>())
        return out * (64 + 32 * static_cast<double>(tapsOf(conv->window)) * layer.in.channels / conv->groups);
    if (const auto* pooling = layer.getIf<Pooling>()) return out * (64 + 40 * static_cast<double>(tapsOf(pooling->window)));
    if (layer.is<GlobalAveragePool>()) return 32 * in + 64 * out;
    if (layer.is<Block>()) return 0;  // its layers are counted
    if (layer.is<Concat>()) return 128 * out * static_cast<double>(layer.reads.size());
    return 128 * std::max(in, out);
}

}  // namespace kappaflow
