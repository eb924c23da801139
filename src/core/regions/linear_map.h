#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// y = A·x + b. Dense maps are kept [input][output], so that a zero input (half of a ReLU's) costs nothing; thin ones (convolutions,
/// pooling, batch norm) as entries by output. Sums run in the order of inputs on every platform.
class LinearMap {
public:
    struct Entry {
        std::uint32_t input = 0;
        double weight = 0;
        friend bool operator==(const Entry&, const Entry&) = default;
    };

    LinearMap() = default;
    /// rows[output] in rising order of inputs, one entry an input.
    LinearMap(std::size_t inputs, const std::vector<std::vector<Entry>>& rows, std::vector<double> bias);
    /// weights [output][input].
    LinearMap(std::size_t inputs, std::size_t outputs, const std::vector<double>& weights, std::vector<double> bias);

    std::size_t inputs() const { return inputs_; }
    std::size_t outputs() const { return outputs_; }
    bool thin() const { return dense_.empty(); }
    const std::vector<double>& bias() const { return bias_; }
    /// Sum of |weights| of an output.
    const std::vector<double>& norm() const { return norm_; }
    /// At most one entry an output.
    bool isDiagonal() const;

    /// Inputs of one row that are not zero, and the largest of them: found once for all blocks of outputs.
    struct Inputs {
        std::vector<std::uint32_t> index;
        std::vector<double> value;
        std::size_t count = 0;
        double largest = 0;
    };
    void gather(const double* x, Inputs&) const;
    /// y[0 … end − begin) = outputs begin … end − 1; writes up to the next multiple of eight. `begin` even. withBias false: A·x alone.
    void apply(const double* x, const Inputs&, std::size_t begin, std::size_t end, double* y, bool withBias = true) const;
    /// y += the part of A·x of inputs begin … end − 1, x[0] being input `begin`; all outputs.
    void accumulate(const double* x, std::size_t begin, std::size_t end, double* y) const;
    std::vector<double> operator()(const std::vector<double>& x, bool withBias = true) const;

    /// after ∘ before for a `before` of few inputs (columns are mapped one by one) or an `after` with one entry an output.
    friend LinearMap composed(const LinearMap& after, const LinearMap& before);
    friend bool operator==(const LinearMap&, const LinearMap&) = default;
    double bytes() const;

private:
    void setNorms();
    void applyDense(const Inputs&, std::size_t begin, std::size_t end, double* y, bool withBias) const;
    double weightAt(std::size_t output, std::size_t input) const;

    std::size_t inputs_ = 0, outputs_ = 0, stride_ = 0;
    std::vector<double> dense_;  ///< [input][output up to stride]
    std::vector<std::size_t> start_;
    std::vector<Entry> entries_;
    std::vector<double> bias_, norm_;  ///< bias: padded like a row of dense_
};

/// The map of a dense, convolution, batch norm, pooling (average) or flatten layer with weights.
LinearMap linearMap(const Layer&);
/// For each output of a pooling layer the units under its window in the order of taps, padding left out.
std::vector<std::vector<std::uint32_t>> poolingWindows(const Layer&);
/// Upper estimate of the bytes and of the numbers that linearMap(layer) takes, from shapes alone.
double linearMapBytes(const Layer&);

}  // namespace kappaflow
