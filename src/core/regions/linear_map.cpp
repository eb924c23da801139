#include "core/regions/linear_map.h"

#include <algorithm>
#include <cmath>

#include "core/regions/pair.h"

namespace kappaflow {
namespace {

std::size_t padded(std::size_t outputs) { return (outputs + 7) / 8 * 8 + 8; }

/// Eight outputs; written out, since at -O2 sums in an array would live in memory.
inline void eightOutputs(const double* const weights, const LinearMap::Inputs& inputs, std::size_t stride, double* y) {
    Pair a = loadPair(y), b = loadPair(y + 2), c = loadPair(y + 4), d = loadPair(y + 6);
    for (std::size_t k = 0; k < inputs.count; ++k) {
        const double* row = weights + inputs.index[k] * stride;
        const Pair x = bothOf(inputs.value[k]);
        a += x * loadPair(row);
        b += x * loadPair(row + 2);
        c += x * loadPair(row + 4);
        d += x * loadPair(row + 6);
    }
    storePair(y, a);
    storePair(y + 2, b);
    storePair(y + 4, c);
    storePair(y + 6, d);
}

inline void sixteenOutputs(const double* const weights, const LinearMap::Inputs& inputs, std::size_t stride, double* y) {
    Pair a = loadPair(y), b = loadPair(y + 2), c = loadPair(y + 4), d = loadPair(y + 6);
    Pair e = loadPair(y + 8), f = loadPair(y + 10), g = loadPair(y + 12), h = loadPair(y + 14);
    for (std::size_t k = 0; k < inputs.count; ++k) {
        const double* row = weights + inputs.index[k] * stride;
        const Pair x = bothOf(inputs.value[k]);
        a += x * loadPair(row);
        b += x * loadPair(row + 2);
        c += x * loadPair(row + 4);
        d += x * loadPair(row + 6);
        e += x * loadPair(row + 8);
        f += x * loadPair(row + 10);
        g += x * loadPair(row + 12);
        h += x * loadPair(row + 14);
    }
    storePair(y, a);
    storePair(y + 2, b);
    storePair(y + 4, c);
    storePair(y + 6, d);
    storePair(y + 8, e);
    storePair(y + 10, f);
    storePair(y + 12, g);
    storePair(y + 14, h);
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
    std::size_t o = 0;
    for (; o + 16 <= count; o += 16) sixteenOutputs(&dense_[begin + o], inputs, stride_, y + o);
    if (o < count) eightOutputs(&dense_[begin + o], inputs, stride_, y + o);
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

}  // namespace kappaflow
