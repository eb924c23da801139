#include "scenes/capacity_diffusion/model_gradient.h"

#include <algorithm>
#include <limits>

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
    mean_.add(rows);
}

void GradientRun::finish(Totals& totals) const {
    auto rows = mean_.mean(), errors = mean_.standardError();
    for (std::size_t l = 0; l < widths_.size(); ++l) {
        const auto first = l * width_, last = first + static_cast<std::size_t>(widths_[l]);
        double total = 0;
        for (auto i = first; i < last; ++i) total += rows[i];
        for (auto i = first; i < last; ++i) {
            rows[i] = total > 0 ? rows[i] / total : std::numeric_limits<double>::quiet_NaN();
            errors[i] = total > 0 ? errors[i] / total : std::numeric_limits<double>::quiet_NaN();
        }
    }
    totals.addGradient(rows, std::move(errors));
}

}  // namespace kappaflow::diffusion
