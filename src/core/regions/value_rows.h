#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>

namespace kappaflow {

/// Rows of doubles, one a vertex, that grow at the end. New rows hold what they hold: nothing is cleared. The width is padded to
/// eight, so that kernels may write whole groups.
class ValueRows {
public:
    explicit ValueRows(std::size_t width) : width_(width), stride_(strideOf(width)) {}

    static std::size_t strideOf(std::size_t width) { return (width + 7) / 8 * 8; }

    std::size_t width() const { return width_; }
    std::size_t stride() const { return stride_; }
    std::size_t capacity() const { return capacity_; }
    double* row(std::size_t r) { return data_.get() + r * stride_; }
    const double* row(std::size_t r) const { return data_.get() + r * stride_; }

    /// At least `rows` rows, the first `used` of them kept.
    void reserve(std::size_t rows, std::size_t used) {
        if (rows <= capacity_) return;
        std::unique_ptr<double[]> larger(new double[rows * stride_]);
        if (used > 0) std::copy_n(data_.get(), used * stride_, larger.get());
        data_ = std::move(larger);
        capacity_ = rows;
    }
    /// Another width in the same memory, contents lost.
    void reshape(std::size_t width) {
        const std::size_t numbers = capacity_ * stride_;
        width_ = width;
        stride_ = strideOf(width);
        capacity_ = numbers / stride_;
    }

private:
    std::size_t width_, stride_, capacity_ = 0;
    std::unique_ptr<double[]> data_;
};

}  // namespace kappaflow
