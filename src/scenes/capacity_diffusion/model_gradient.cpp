#include "scenes/capacity_diffusion/model_gradient.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/rng.h"
#include "core/capacity/mean_squared_gradient.h"

namespace kappaflow::diffusion {

GradientRun::GradientRun(const Setup& setup, const Chain& chain, std::uint64_t draw)
    : setup_(setup), draw_(draw), network_(chain.network(draw)), states_(chain.states()), widths_(chain.shape().widths) {
    width_ = static_cast<std::size_t>(*std::max_element(widths_.begin(), widths_.end()));
    const auto& profile = setup.start.profile;
    const std::size_t units = chain.shape().units.back();
    for (std::size_t i = 0; i < units; ++i)
        top_.push_back(profile[i % profile.size()] * static_cast<double>(profile.size()) / static_cast<double>(units));
}

void GradientRun::sample() {
    Rng rng(setup_.drawn.seed, Purpose::Inputs, (draw_ << 32) | static_cast<std::uint64_t>(mean_.count()));
    const auto squares = squaredGradient(network_, top_, rng);
    std::vector<double> rows(widths_.size() * width_, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t l = 0; l < widths_.size(); ++l) {
        const auto row = byPosition(squares[states_[l]], widths_[l]);
        std::copy(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(l * width_));
    }
    addComoments(rows);
}

void GradientRun::addComoments(const std::vector<double>& rows) {
    std::vector<double> totals;
    for (std::size_t l = 0; l < widths_.size(); ++l) {
        const auto row = rows.begin() + static_cast<std::ptrdiff_t>(l * width_);
        totals.push_back(std::accumulate(row, row + widths_[l], 0.0));
    }
    const auto before = mean_.count() > 0 ? mean_.mean() : rows;
    mean_.add(rows);
    total_.add(totals);
    comoments_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) comoments_[i] += (rows[i] - before[i]) * (totals[i / width_] - total_.mean()[i / width_]);
}

void GradientRun::finish(Totals& totals) const {
    const double n = mean_.count(), pairs = std::max(1.0, n * (n - 1));
    const auto error = mean_.standardError(), totalError = total_.standardError();
    std::vector<double> rows(mean_.mean().size(), std::numeric_limits<double>::quiet_NaN()), errors = rows;
    for (std::size_t l = 0; l < widths_.size(); ++l) {
        const double total = total_.mean()[l], variance = totalError[l] * totalError[l];
        const auto first = l * width_, last = first + static_cast<std::size_t>(widths_[l]);
        for (auto i = first; i < last && total > 0; ++i) {
            const double share = mean_.mean()[i] / total;
            rows[i] = share;
            const double square = error[i] * error[i] - 2 * share * comoments_[i] / pairs + share * share * variance;
            // A share that never varies leaves only the rounding of the three terms, whose root would look like an error.
            errors[i] = square > 1e-13 * error[i] * error[i] ? std::sqrt(square) / total : 0;
        }
    }
    totals.addGradient(rows, std::move(errors));
}

}  // namespace kappaflow::diffusion
