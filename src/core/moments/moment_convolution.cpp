#include "core/moments/moment_convolution.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/linalg/ordered_product.h"

namespace kappaflow {
namespace {

constexpr std::ptrdiff_t kOutside = -1;

/// Numbers of one block of receptive fields: small enough for the second cache, tall enough that packing the weights is lost beside it.
constexpr std::size_t kBlockNumbers = 1 << 15;

/// Where a tap at `cell` reads on an axis of n cells.
std::ptrdiff_t source(std::ptrdiff_t cell, std::ptrdiff_t n, Padding padding) {
    if (cell >= 0 && cell < n) return cell;
    if (padding == Padding::Zero) return kOutside;
    if (padding == Padding::Periodic) return ((cell % n) + n) % n;
    const std::ptrdiff_t mirrored = cell < 0 ? -cell : 2 * (n - 1) - cell;
    if (mirrored < 0 || mirrored >= n)
        throw InputError("A reflecting boundary needs more than " + std::to_string(n) + " positions for a kernel this wide.");
    return mirrored;
}

/// Input positions that every output position reads, [output position][tap].
struct ReceptiveFields {
    std::size_t extent = 1, taps = 1;  ///< outputs a dimension; taps of all dimensions
    std::vector<std::ptrdiff_t> cells;
};

std::vector<std::ptrdiff_t> lineOfFields(const MomentWeights& w, Padding padding, std::size_t extent) {
    const std::size_t outputs = (extent + w.stride - 1) / w.stride;
    std::vector<std::ptrdiff_t> cells;
    for (std::size_t a = 0; a < outputs; ++a)
        for (std::size_t k = 0; k < w.taps; ++k)
            cells.push_back(source(static_cast<std::ptrdiff_t>(a * w.stride + k) - static_cast<std::ptrdiff_t>((w.taps - 1) / 2),
                                   static_cast<std::ptrdiff_t>(extent), padding));
    return cells;
}

ReceptiveFields receptiveFields(const MomentWeights& w, Padding padding, const PointValues& in) {
    if (in.dimensions == 0) return {1, 1, {0}};
    const std::vector<std::ptrdiff_t> line = lineOfFields(w, padding, in.extent);
    const std::size_t outputs = line.size() / w.taps;
    if (in.dimensions == 1) return {outputs, w.taps, line};
    ReceptiveFields fields{outputs, w.taps * w.taps, {}};
    for (std::size_t a = 0; a < outputs; ++a)
        for (std::size_t b = 0; b < outputs; ++b)
            for (std::size_t k = 0; k < w.taps; ++k)
                for (std::size_t m = 0; m < w.taps; ++m) {
                    const std::ptrdiff_t y = line[a * w.taps + k], x = line[b * w.taps + m];
                    const bool inside = y != kOutside && x != kOutside;
                    fields.cells.push_back(inside ? y * static_cast<std::ptrdiff_t>(in.extent) + x : kOutside);
                }
    return fields;
}

/// Receptive field of output point `point` as one row.
void copyField(const PointValues& in, const ReceptiveFields& fields, std::size_t point, double* row) {
    const std::size_t outputs = fields.cells.size() / fields.taps, inputs = in.points() / in.samples, channels = in.channels();
    const std::ptrdiff_t* cells = fields.cells.data() + point % outputs * fields.taps;
    const double* sample = in.values.row(point / outputs * inputs);
    for (std::size_t k = 0; k < fields.taps; ++k, row += channels) {
        if (cells[k] == kOutside)
            std::fill_n(row, channels, 0.0);
        else
            std::memcpy(row, sample + static_cast<std::size_t>(cells[k]) * channels, channels * sizeof(double));
    }
}

void requireFit(const MomentWeights& w, const SignalAndNoise& in) {
    const auto& x = in.signal;
    const auto& dx = in.noise;
    if (x.samples == 0 || x.points() % x.samples != 0 || x.points() != dx.points() || x.channels() != dx.channels())
        throw InputError("Signal and noise must have the same points and channels.");
    double kernel = 1;
    for (int d = 0; d < x.dimensions; ++d) kernel *= static_cast<double>(w.taps);
    if (w.taps % 2 == 0 || w.stride == 0) throw InputError("A convolution needs an odd number of taps and a stride of at least 1.");
    if (x.channels() != w.in || static_cast<double>(w.values.size()) != kernel * static_cast<double>(w.in) * static_cast<double>(w.out) ||
        (!w.bias.empty() && w.bias.size() != w.out))
        throw InputError("The weights of a layer do not fit the " + std::to_string(x.channels()) + " channels that it takes.");
}

/// Shape of the outputs, their old memory kept.
void reshape(PointValues& out, const PointValues& in, const ReceptiveFields& fields, std::size_t channels) {
    out.samples = in.samples, out.dimensions = in.dimensions, out.extent = fields.extent;
    out.values.rows = in.samples * (fields.cells.size() / fields.taps), out.values.columns = channels;
    out.values.values.resize(out.values.rows * channels);
}

}  // namespace

void PointConvolution::apply(const MomentWeights& w, Padding padding, const SignalAndNoise& in, SignalAndNoise& out) {
    requireFit(w, in);
    const ReceptiveFields fields = receptiveFields(w, padding, in.signal);
    const std::size_t R = fields.taps * w.in, N = w.out;
    reshape(out.signal, in.signal, fields, N);
    reshape(out.noise, in.signal, fields, N);
    out.logScale = in.logScale;
    const std::size_t points = out.signal.points(), block = std::clamp<std::size_t>(kBlockNumbers / (2 * R), 16, 256);
    rows_.resize(2 * std::min(block, points) * R);
    products_.resize(2 * std::min(block, points) * N);
    for (std::size_t first = 0; first < points; first += block) {
        const std::size_t count = std::min(block, points - first);
        for (std::size_t p = 0; p < count; ++p) {
            copyField(in.signal, fields, first + p, rows_.data() + p * R);
            copyField(in.noise, fields, first + p, rows_.data() + (count + p) * R);
        }
        orderedProduct(MatrixView(rows_.data(), 2 * count, R), MatrixView(w.values.data(), R, N), products_.data());
        std::memcpy(out.signal.values.row(first), products_.data(), count * N * sizeof(double));
        std::memcpy(out.noise.values.row(first), products_.data() + count * N, count * N * sizeof(double));
    }
    if (w.bias.empty()) return;
    for (std::size_t p = 0; p < points; ++p)
        for (std::size_t c = 0; c < N; ++c) out.signal.values(p, c) += w.bias[c];
}

SignalAndNoise convolved(const MomentWeights& w, Padding padding, const SignalAndNoise& in) {
    SignalAndNoise out;
    PointConvolution().apply(w, padding, in, out);
    return out;
}

SignalAndNoise throughStem(const MomentNet& net, const SignalAndNoise& in, const MomentWeights& w) {
    SignalAndNoise out = convolved(w, net.boundary, in);
    const bool fits = out.signal.dimensions == net.dimensions && out.signal.extent == net.extent && w.out == net.inputs;
    if (!fits)
        throw InputError("The stem leaves " + std::to_string(w.out) + " channels at " + std::to_string(out.signal.extent) +
                         " positions a dimension, where the network takes " + std::to_string(net.inputs) + " at " +
                         std::to_string(net.extent) + ".");
    return out;
}

}  // namespace kappaflow
