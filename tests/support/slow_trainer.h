#pragma once
#include <cmath>
#include <numeric>
#include <vector>

#include "core/net/trainer.h"

namespace kappaflow {

/// Training as its formulas read: one sample at a time through core/net's forward and backward, the library's exponentials, Adam and
/// momentum written out number by number.
class SlowTrainer {
public:
    SlowTrainer(Network network, TrainingData data, TrainingSpec spec)
        : network_(std::move(network)), data_(std::move(data)), spec_(std::move(spec)) {
        for (const Layer& layer : network_.layers) first_.push_back({{zeros(weightsOf(layer).weights), zeros(weightsOf(layer).bias)}});
        second_ = first_;
    }

    const Network& network() const { return network_; }

    void step() {
        std::vector<LayerParameters> sum;
        for (const Layer& layer : network_.layers) sum.push_back({{zeros(weightsOf(layer).weights), zeros(weightsOf(layer).bias)}});
        const auto samples = batchOf(steps_);
        for (const std::size_t s : samples) addGradient(s, sum);
        ++steps_;
        for (std::size_t l = 0; l < network_.layers.size(); ++l) {
            if (!spec_.frozen.empty() && spec_.frozen[l]) continue;
            const double share = 1.0 / static_cast<double>(samples.size());
            auto* const own = network_.layers[l].getIf<Weights>();
            if (!own) continue;
            change(own->weights, sum[l].weights, first_[l].weights, second_[l].weights, share);
            change(own->bias, sum[l].bias, first_[l].bias, second_[l].bias, share);
        }
    }

    /// The samples of step t.
    std::vector<std::size_t> batchOf(std::uint64_t t) const {
        const std::size_t n = data_.inputs.columns, batch = std::min(spec_.batch, n);
        std::size_t perEpoch = 0;
        for (std::size_t from = 0; from < n; from += batch) ++perEpoch;
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        Rng rng(spec_.seed, Purpose::Training, t / perEpoch);
        for (std::size_t i = n - 1; i >= 1; --i) std::swap(order[i], order[rng.below(i + 1)]);
        std::vector<std::size_t> samples;
        for (std::size_t i = (t % perEpoch) * batch; i < n && samples.size() < batch; ++i) samples.push_back(order[i]);
        return samples;
    }

private:
    using Numbers = std::vector<double>;
    static Numbers zeros(const Numbers& like) { return Numbers(like.size()); }
    static Numbers column(const Matrix& m, std::size_t s) {
        Numbers x(m.rows);
        for (std::size_t i = 0; i < m.rows; ++i) x[i] = m(i, s);
        return x;
    }

    /// ∂loss/∂output of one sample.
    Numbers slope(const Numbers& y, const Numbers& t) const {
        Numbers g(y.size());
        double total = 0;
        for (const double value : y) total += std::exp(value);
        for (std::size_t i = 0; i < y.size(); ++i) {
            if (spec_.loss == Loss::MeanSquare)
                g[i] = y[i] - t[i];
            else
                g[i] = (y.size() == 1 ? 1 / (1 + std::exp(-y[i])) : std::exp(y[i]) / total) - t[i];
        }
        return g;
    }

    void addGradient(std::size_t s, std::vector<LayerParameters>& sum) const {
        const auto states = forward(network_, column(data_.inputs, s));
        const auto gradients = backward(network_, states, slope(states.back(), column(data_.targets, s)));
        for (std::size_t l = 0; l < network_.layers.size(); ++l) {
            if (!network_.layers[l].is<Dense>()) continue;
            const Numbers &x = states[l], &g = gradients[l + 1];
            for (std::size_t i = 0; i < g.size(); ++i) {
                for (std::size_t j = 0; j < x.size(); ++j) sum[l].weights[i * x.size() + j] += g[i] * x[j];
                if (!sum[l].bias.empty()) sum[l].bias[i] += g[i];
            }
        }
    }

    void change(Numbers& w, const Numbers& g, Numbers& m, Numbers& s, double share) const {
        const OptimiserSpec& o = spec_.optimiser;
        const double t = static_cast<double>(steps_);
        for (std::size_t i = 0; i < w.size(); ++i) {
            const double slope = g[i] * share;
            if (o.kind == Optimiser::Momentum) {
                m[i] = o.momentum * m[i] + slope;
                w[i] -= o.learningRate * m[i];
                continue;
            }
            m[i] = o.beta1 * m[i] + (1 - o.beta1) * slope;
            s[i] = o.beta2 * s[i] + (1 - o.beta2) * slope * slope;
            w[i] -= o.learningRate * (m[i] / (1 - std::pow(o.beta1, t))) / (std::sqrt(s[i] / (1 - std::pow(o.beta2, t))) + o.epsilon);
        }
    }

    Network network_;
    TrainingData data_;
    TrainingSpec spec_;
    std::vector<LayerParameters> first_, second_;
    std::uint64_t steps_ = 0;
};

}  // namespace kappaflow
