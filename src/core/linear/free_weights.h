#pragma once
#include <vector>

#include "core/linear/linear_model.h"

namespace kappaflow {

/// The weights of some layers of a model, one after the other, between those of the others, which stay.
class FreeWeights {
public:
    /// `freeLayers` empty: all layers.
    FreeWeights(const LinearModel& model, std::vector<double> weights, const std::vector<std::size_t>& freeLayers)
        : all_(std::move(weights)) {
        for (std::size_t l = 0; l < model.layers().size(); ++l)
            if (freeLayers.empty()) blocks_.push_back(model.layers()[l]);
        for (std::size_t l : freeLayers) blocks_.push_back(model.layers().at(l));
        for (const WeightBlock& block : blocks_) count_ += block.count;
    }
    std::size_t count() const { return count_; }
    /// All weights, with these values of the free ones.
    const std::vector<double>& with(const std::vector<double>& values) {
        std::size_t at = 0;
        for (const WeightBlock& block : blocks_)
            for (std::size_t i = 0; i < block.count; ++i) all_[block.first + i] = values[at++];
        return all_;
    }
    /// Of something that has an entry a weight, the free ones' entries.
    void pick(const std::vector<double>& ofAll, std::vector<double>& picked) const {
        picked.clear();
        for (const WeightBlock& block : blocks_)
            picked.insert(picked.end(), ofAll.begin() + static_cast<std::ptrdiff_t>(block.first),
                          ofAll.begin() + static_cast<std::ptrdiff_t>(block.first + block.count));
    }
    std::vector<double> values() const {
        std::vector<double> picked;
        pick(all_, picked);
        return picked;
    }
    /// The free ones' columns of a Jacobian.
    Matrix columnsOf(const Matrix& jacobian) const {
        Matrix columns(jacobian.rows, count_);
        for (std::size_t r = 0; r < jacobian.rows; ++r) {
            double* out = columns.row(r);
            for (const WeightBlock& block : blocks_)
                for (std::size_t i = 0; i < block.count; ++i) *out++ = jacobian(r, block.first + i);
        }
        return columns;
    }

private:
    std::vector<double> all_;
    std::vector<WeightBlock> blocks_;
    std::size_t count_ = 0;
};

}  // namespace kappaflow
