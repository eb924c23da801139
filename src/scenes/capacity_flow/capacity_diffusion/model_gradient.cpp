#include "scenes/capacity_flow/capacity_diffusion/model_gradient.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/rng.h"
#include "core/capacity/mean_squared_gradient.h"

namespace kappaflow::diffusion {

GradientRun::GradientRun(const Setup& setup, const Chain& chain, std::uint64_t draw)
    : setup_(setup), draw_(draw), network_(chain.network(draw)), states_(chain.states()) {
    const auto& shape = chain.shape();
    first_.push_back(0);
    for (std::size_t l = 0; l < shape.units.size(); ++l) {
        positions_.push_back(shape.positions(l));
        first_.push_back(first_.back() + positions_.back());
    }
    const auto& profile = setup.start.profile;
    const std::size_t units = shape.units.back();
    for (std::size_t i = 0; i < units; ++i)
        top_.push_back(profile[i % profile.size()] * static_cast<double>(profile.size()) / static_cast<double>(units));
}

void GradientRun::sample() {
    Rng rng(setup_.drawn.seed, Purpose::Inputs, (draw_ << 32) | static_cast<std::uint64_t>(mean_.count()));
    const auto squares = squaredGradient(*network_, top_, rng);
    std::vector<double> rows;
    for (std::size_t l = 0; l < positions_.size(); ++l) {
        const auto row = byPosition(squares[states_[l]], positions_[l]);
        rows.insert(rows.end(), row.begin(), row.end());
    }
    addComoments(rows);
}

void GradientRun::addComoments(const std::vector<double>& rows) {
    std::vector<double> totals;
    for (std::size_t l = 0; l < positions_.size(); ++l)
        totals.push_back(std::accumulate(&rows[first_[l]], &rows[first_[l]] + positions_[l], 0.0));
    const auto before = mean_.count() > 0 ? mean_.mean() : rows;
    mean_.add(rows);
    total_.add(totals);
    comoments_.resize(rows.size());
    for (std::size_t l = 0; l < positions_.size(); ++l)
        for (auto i = first_[l]; i < first_[l + 1]; ++i) comoments_[i] += (rows[i] - before[i]) * (totals[l] - total_.mean()[l]);
}

void GradientRun::finish(Totals& totals) const {
    const double n = mean_.count(), pairs = std::max(1.0, n * (n - 1));
    const auto error = mean_.standardError(), totalError = total_.standardError();
    auto rows = totals.undefinedRows(), errors = rows;
    for (std::size_t l = 0; l < positions_.size(); ++l) {
        const double total = total_.mean()[l], variance = totalError[l] * totalError[l];
        std::vector<double> shares, shareErrors;
        for (auto i = first_[l]; i < first_[l + 1] && total > 0; ++i) {
            const double share = mean_.mean()[i] / total;
            shares.push_back(share);
            const double square = error[i] * error[i] - 2 * share * comoments_[i] / pairs + share * share * variance;
            // A share that never varies leaves only the rounding of the three terms, whose root would look like an error.
            shareErrors.push_back(square > 1e-13 * error[i] * error[i] ? std::sqrt(square) / total : 0);
        }
        totals.setRow(rows, l, shares);
        totals.setRow(errors, l, shareErrors);
    }
    totals.addGradient(rows, std::move(errors));
}

}  // namespace kappaflow::diffusion
