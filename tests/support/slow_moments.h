#pragma once
#include <cmath>
#include <functional>

#include "core/linalg/decompositions.h"
#include "core/moments/moment_propagation.h"

namespace kappaflow {

/// A tensor [sample][y][x][channel]; a line has one row, a vector one cell.
struct SlowTensor {
    std::size_t samples = 1, rows = 1, columns = 1, channels = 1;
    std::vector<double> values;

    SlowTensor(std::size_t m, std::size_t h, std::size_t w, std::size_t c)
        : samples(m), rows(h), columns(w), channels(c), values(m * h * w * c) {}
    double& at(std::size_t m, std::size_t y, std::size_t x, std::size_t c) { return values[((m * rows + y) * columns + x) * channels + c]; }
    std::size_t points() const { return samples * rows * columns; }
    double entry(std::size_t point, std::size_t c) const { return values[point * channels + c]; }

    SlowTensor mapped(const std::function<double(double)>& f) const {
        SlowTensor t = *this;
        for (double& v : t.values) v = f(v);
        return t;
    }
    SlowTensor combined(const SlowTensor& other, const std::function<double(double, double)>& f) const {
        SlowTensor t = *this;
        for (std::size_t i = 0; i < values.size(); ++i) t.values[i] = f(values[i], other.values[i]);
        return t;
    }
};

inline SlowTensor slowTensor(const PointValues& p) {
    const std::size_t rows = p.dimensions == 2 ? p.extent : 1, columns = p.dimensions == 0 ? 1 : p.extent;
    SlowTensor t(p.samples, rows, columns, p.channels());
    t.values = p.values.values;
    return t;
}

/// E over points of a function of one channel.
inline double slowMean(const SlowTensor& t, std::size_t c, const std::function<double(double)>& f) {
    double sum = 0;
    for (std::size_t p = 0; p < t.points(); ++p) sum += f(t.entry(p, c));
    return sum / static_cast<double>(t.points());
}
/// E_c of a function of the channel.
inline double slowOverChannels(const SlowTensor& t, const std::function<double(std::size_t)>& f) {
    double sum = 0;
    for (std::size_t c = 0; c < t.channels; ++c) sum += f(c);
    return sum / static_cast<double>(t.channels);
}
inline double slowNu(const SlowTensor& t, int p) {
    return slowOverChannels(t, [&](std::size_t c) { return slowMean(t, c, [&](double v) { return std::pow(v, p); }); });
}
inline double slowNuAbsolute(const SlowTensor& t) {
    return slowOverChannels(t, [&](std::size_t c) { return slowMean(t, c, [](double v) { return std::abs(v); }); });
}
inline SlowTensor slowCentred(const SlowTensor& t) {
    SlowTensor centred = t;
    for (std::size_t c = 0; c < t.channels; ++c) {
        const double mean = slowMean(t, c, [](double v) { return v; });
        for (std::size_t p = 0; p < t.points(); ++p) centred.values[p * t.channels + c] -= mean;
    }
    return centred;
}
inline double slowMu(const SlowTensor& t, int p) { return slowNu(slowCentred(t), p); }
inline double slowSplit(const SlowTensor& t) {
    return slowOverChannels(t, [&](std::size_t c) {
        return slowMean(t, c, [](double v) { return v > 0 ? v : 0; }) * slowMean(t, c, [](double v) { return v < 0 ? -v : 0; });
    });
}
inline double slowRank(const SlowTensor& t) {
    Matrix covariance(t.channels, t.channels);
    double trace = 0;
    for (std::size_t i = 0; i < t.channels; ++i)
        for (std::size_t j = 0; j < t.channels; ++j)
            for (std::size_t p = 0; p < t.points(); ++p) covariance(i, j) += t.entry(p, i) * t.entry(p, j);
    for (std::size_t i = 0; i < t.channels; ++i) trace += covariance(i, i);
    return trace / symmetricEigen(covariance).values.back();
}

/// Value at a cell that may lie outside, one case a boundary.
inline double slowCell(SlowTensor& t, Padding padding, std::size_t m, int y, int x, std::size_t c) {
    const int h = static_cast<int>(t.rows), w = static_cast<int>(t.columns);
    if (padding == Padding::Zero && (y < 0 || y >= h || x < 0 || x >= w)) return 0;
    if (padding == Padding::Periodic) y = (y + 10 * h) % h, x = (x + 10 * w) % w;
    if (padding == Padding::Reflect) {
        if (y < 0) y = -y;
        if (x < 0) x = -x;
        if (y >= h) y = 2 * (h - 1) - y;
        if (x >= w) x = 2 * (w - 1) - x;
    }
    return t.at(m, static_cast<std::size_t>(y), static_cast<std::size_t>(x), c);
}

inline SlowTensor slowConvolution(const MomentWeights& w, Padding padding, SlowTensor in, bool withBias) {
    const int s = static_cast<int>(w.stride), K = static_cast<int>(w.taps);
    const int kernelRows = in.rows > 1 ? K : 1, kernelColumns = in.columns > 1 ? K : 1;
    SlowTensor out(in.samples, (in.rows + w.stride - 1) / w.stride, (in.columns + w.stride - 1) / w.stride, w.out);
    for (std::size_t m = 0; m < out.samples; ++m)
        for (std::size_t y = 0; y < out.rows; ++y)
            for (std::size_t x = 0; x < out.columns; ++x)
                for (std::size_t o = 0; o < w.out; ++o) {
                    double sum = withBias && !w.bias.empty() ? w.bias[o] : 0;
                    for (int i = 0; i < kernelRows; ++i)
                        for (int j = 0; j < kernelColumns; ++j)
                            for (std::size_t c = 0; c < w.in; ++c) {
                                const int fromY = s * static_cast<int>(y) + i - (kernelRows - 1) / 2;
                                const int fromX = s * static_cast<int>(x) + j - (kernelColumns - 1) / 2;
                                const std::size_t tap = static_cast<std::size_t>(i * kernelColumns + j);
                                sum += slowCell(in, padding, m, fromY, fromX, c) * w.values[(tap * w.in + c) * w.out + o];
                            }
                    out.at(m, y, x, o) = sum;
                }
    return out;
}

/// P3's dilution law, from the growth Π_h (δχ^{l,h})² of a unit's branch, the branch's variance and the skip's s²·μ₂: written the other way
/// round than the core has it.
inline double slowDilution(double growth, double branch, double skip) { return std::sqrt(1 + (growth - 1) * branch / (skip + branch)); }

/// A net's layers by its definition, a tensor at a time; noise as it grows.
class SlowMoments {
public:
    struct State {
        SlowTensor signal, noise;
        double chiRaw() const { return std::sqrt(slowNu(noise, 2) / slowMu(signal, 2)); }
    };
    /// What went into a layer, its normalised pre-activation, its activation, and what came out; of a unit, inner layer by inner layer.
    struct Step {
        State before, normalised, activated, after;
    };
    struct Layer {
        std::vector<Step> steps;
        State out;
    };

    SlowMoments(const MomentNet& net, const SignalAndNoise& input, const std::vector<MomentWeights>& weights)
        : net_(net), weights_(weights), input{slowTensor(input.signal), slowTensor(input.noise)} {
        State state = this->input;
        for (std::size_t l = 0; l < net.layers; ++l) {
            layers.push_back(net.residual() ? unit(l, state) : feedforward(l, state));
            state = layers.back().out;
        }
    }

private:
    State convolve(std::size_t index, const State& s) const {
        return {slowConvolution(weights_[index], net_.boundary, s.signal, true),
                slowConvolution(weights_[index], net_.boundary, s.noise, false)};
    }
    State normalise(const State& s) const {
        if (!net_.normalised()) return s;
        State z{slowCentred(s.signal), s.noise};
        for (std::size_t c = 0; c < s.signal.channels; ++c) {
            const double root = std::sqrt(slowMean(z.signal, c, [](double v) { return v * v; }) + net_.epsilon);
            for (std::size_t p = 0; p < s.signal.points(); ++p)
                z.signal.values[p * s.signal.channels + c] /= root, z.noise.values[p * s.signal.channels + c] /= root;
        }
        return z;
    }
    State activate(const State& s) const {
        const Activation phi = net_.activation;
        const auto value = [phi](double y) {
            return phi == Activation::Relu ? std::max(y, 0.0) : phi == Activation::Tanh ? std::tanh(y) : y;
        };
        const auto slope = [phi](double y) {
            return phi == Activation::Relu ? (y > 0 ? 1.0 : 0.0) : phi == Activation::Tanh ? 1 / (std::cosh(y) * std::cosh(y)) : 1;
        };
        return {s.signal.mapped(value), s.signal.combined(s.noise, [slope](double y, double dy) { return slope(y) * dy; })};
    }
    Layer feedforward(std::size_t l, const State& in) const {
        const State y = convolve(l, in), z = normalise(y), x = activate(z);
        return {{{in, z, x, x}}, x};
    }
    Layer unit(std::size_t l, const State& in) const {
        std::vector<Step> steps;
        State y = in;
        for (std::size_t h = 0; h < net_.inner; ++h) {
            const State z = normalise(y), x = activate(z), next = convolve(l * net_.inner + h, x);
            steps.push_back({y, z, x, next});
            y = next;
        }
        const auto add = [this](double skip, double branch) { return net_.skipScale * skip + branch; };
        return {steps, {in.signal.combined(y.signal, add), in.noise.combined(y.noise, add)}};
    }

    const MomentNet net_;
    const std::vector<MomentWeights> weights_;

public:
    State input;
    std::vector<Layer> layers;
};

}  // namespace kappaflow
