#include "scenes/capacity_diffusion/model_totals.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kappaflow::diffusion {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double sumOf(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

void addTo(std::vector<double>& sums, const std::vector<double>& values) {
    if (sums.empty()) sums.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

}  // namespace

Totals::Totals(const Setup& setup, const Chain& chain) : widths_(chain.shape().widths), local_(setup.local()) {
    const auto& shape = chain.shape();
    width_ = static_cast<std::size_t>(*std::max_element(widths_.begin(), widths_.end()));
    const std::size_t channels = shape.units.back() / static_cast<std::size_t>(widths_.back());
    for (std::size_t c = 0; c < channels; ++c) {
        for (std::size_t x = 0; x < setup.start.profile.size(); ++x) {
            topUnits_.push_back(setup.start.profile[x] / static_cast<double>(channels));
            topOffset_.push_back(setup.start.offset[x]);
        }
    }
    kernelShares.resize(shape.geometry.size());
    shares.resize(shape.geometry.size());
    flow.resize(shape.geometry.size());
    binSize = flowBinSize(shape.geometry, kMaxFlowEdges);
    double entries = 0;
    for (const auto& g : shape.geometry) entries += static_cast<double>(g.inWidth) * g.outWidth;
    wantsShares = !local_ && entries <= kMaxShares;
}

Descent Totals::begin() const {
    Descent descent;
    auto& top = descent.state;
    top.mass = topUnits_;
    for (std::size_t i = 0; i < topUnits_.size() && local_; ++i) {
        top.first.push_back(topUnits_[i] * topOffset_[i]);
        top.second.push_back(topUnits_[i] * topOffset_[i] * topOffset_[i]);
    }
    descent.capacity.assign(rows() * width_, kNothing);
    for (auto* perLayer : {&descent.total, &descent.unattributed, &descent.first, &descent.second}) perLayer->assign(rows(), 0);
    descent.kernelShares.resize(kernelShares.size());
    descent.shares.resize(shares.size());
    descent.flow.resize(flow.size());
    storeRow(descent, rows() - 1, 0);
    return descent;
}

void Totals::storeRow(Descent& descent, std::size_t l, double unattributed) const {
    const auto row = byPosition(descent.state.mass, widths_[l]);
    std::copy(row.begin(), row.end(), descent.capacity.begin() + static_cast<std::ptrdiff_t>(l * width_));
    descent.total[l] = sumOf(descent.state.mass);
    descent.unattributed[l] = unattributed;
    if (!local_ || descent.total[l] <= 0) return;
    descent.first[l] = sumOf(descent.state.first) / descent.total[l];
    descent.second[l] = sumOf(descent.state.second) / descent.total[l];
}

void Totals::descend(Chain& chain, int l, std::uint64_t draw, Descent& descent) {
    const auto below = static_cast<std::size_t>(l) - 1;
    FlowLayer edges(binSize, widths_[below]);
    double unattributed = descent.unattributed[below + 1];
    descent.state = chain.stepDown(l, draw, descent.state, unattributed,
                                   {&edges, &descent.kernelShares[below], wantsShares ? &descent.shares[below] : nullptr});
    storeRow(descent, below, unattributed);
    descent.flow[below] = edges.finish();
}

void Totals::add(Descent&& descent) {
    capacity.add(descent.capacity);
    total.add(descent.total);
    unattributed.add(descent.unattributed);
    first.push_back(std::move(descent.first));
    second.push_back(std::move(descent.second));
    for (std::size_t l = 0; l < shares.size(); ++l) {
        addTo(kernelShares[l], descent.kernelShares[l]);
        addTo(shares[l], descent.shares[l]);
        if (flow[l].from.empty()) {
            flow[l] = std::move(descent.flow[l]);
        } else {
            addTo(flow[l].amount, descent.flow[l].amount);
        }
    }
}

void Totals::addGradient(const std::vector<double>& values, std::vector<double> sampleError) {
    gradient.add(values);
    gradientSampleError = std::move(sampleError);
}

std::vector<double> Totals::rowOf(const std::vector<double>& array, std::size_t l) const {
    const auto first = array.begin() + static_cast<std::ptrdiff_t>(l * width_);
    return {first, first + widths_[l]};
}

}  // namespace kappaflow::diffusion
