#include "scenes/capacity_flow/capacity_diffusion/model_totals.h"

#include <algorithm>
#include <limits>

namespace kappaflow::diffusion {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

void addTo(std::vector<double>& sums, const std::vector<double>& values) {
    if (sums.empty()) sums.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

}  // namespace

Totals::Totals(const Setup& setup, const Chain& chain) : setup_(setup), shape_(chain.shape()), tracking_(chain.tracking()) {
    height_ = static_cast<std::size_t>(*std::max_element(shape_.heights.begin(), shape_.heights.end()));
    width_ = static_cast<std::size_t>(*std::max_element(shape_.widths.begin(), shape_.widths.end()));
    // A file's start speaks of its output units, a drawn network's of positions.
    const std::size_t channels = shape_.units.back() / setup.start.profile.size();
    for (std::size_t c = 0; c < channels; ++c)
        for (const double share : setup.start.profile) top_.capacity.push_back(share / static_cast<double>(channels));
    top_.offsets = topOffsets(setup.start, channels, tracking_, shape_.plane);
    kernelShares.resize(shape_.work.size());
    shares.resize(shape_.work.size());
    flow.resize(shape_.geometry.size());
    binSize = flowBinSize(shape_.geometry, kMaxFlowEdges);
    double entries = 0;
    for (const auto& g : shape_.geometry) entries += static_cast<double>(g.inWidth) * g.outWidth;
    wantsShares = !setup.local() && !shape_.plane && entries <= kMaxShares;
}

Descent Totals::begin() const {
    Descent descent;
    descent.state = top_;
    descent.capacity = undefinedRows();
    if (setup_.channel >= 0) descent.channel = undefinedRows();
    for (auto* perLayer : {&descent.total, &descent.unattributed}) perLayer->assign(rows(), 0);
    descent.moments.resize(rows());
    descent.kernelShares.resize(kernelShares.size());
    descent.shares.resize(shares.size());
    descent.flow.resize(flow.size());
    storeRow(descent, rows() - 1, 0);
    return descent;
}

void Totals::storeRow(Descent& descent, std::size_t l, double unattributed) const {
    const auto& units = descent.state.capacity;
    const std::size_t positions = shape_.positions(l), channel = static_cast<std::size_t>(std::max(0, setup_.channel));
    const auto row = byPosition(units, positions);
    setRow(descent.capacity, l, row);
    if (!descent.channel.empty() && channel < shape_.channels(l)) {
        const auto first = units.begin() + static_cast<std::ptrdiff_t>(channel * positions);
        setRow(descent.channel, l, {first, first + static_cast<std::ptrdiff_t>(positions)});
    }
    descent.total[l] = sumOf(units);
    descent.unattributed[l] = unattributed;
    if (tracking_ != Tracking::None) descent.moments[l] = momentsOf(shape_, l, setup_.start, tracking_, descent.state.offsets, row);
}

void Totals::descend(Chain& chain, int l, std::uint64_t draw, Descent& descent) {
    const auto below = static_cast<std::size_t>(l) - 1;
    FlowLayer edges(binSize, shape_.plane ? 1 : shape_.widths[below]);
    double unattributed = descent.unattributed[below + 1];
    const StepRecord record{shape_.plane ? nullptr : &edges, &descent.kernelShares[below], wantsShares ? &descent.shares[below] : nullptr};
    descent.state = chain.stepDown(l, draw, descent.state, unattributed, record);
    storeRow(descent, below, unattributed);
    if (!shape_.plane) descent.flow[below] = edges.finish();
}

void Totals::add(Descent&& descent) {
    capacity.add(descent.capacity);
    total.add(descent.total);
    unattributed.add(descent.unattributed);
    if (!descent.channel.empty()) channel.add(descent.channel);
    moments.push_back(std::move(descent.moments));
    for (std::size_t l = 0; l < shares.size(); ++l) {
        addTo(kernelShares[l], descent.kernelShares[l]);
        addTo(shares[l], descent.shares[l]);
    }
    for (std::size_t l = 0; l < flow.size(); ++l) {
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
    const auto height = static_cast<std::size_t>(shape_.heights[l]), width = static_cast<std::size_t>(shape_.widths[l]);
    std::vector<double> row;
    for (std::size_t y = 0; y < height; ++y) {
        const auto first = array.begin() + static_cast<std::ptrdiff_t>((l * height_ + y) * width_);
        row.insert(row.end(), first, first + static_cast<std::ptrdiff_t>(width));
    }
    return row;
}

void Totals::setRow(std::vector<double>& array, std::size_t l, const std::vector<double>& values) const {
    const auto width = static_cast<std::size_t>(shape_.widths[l]);
    for (std::size_t i = 0; i < values.size(); ++i) array[(l * height_ + i / width) * width_ + i % width] = values[i];
}

std::vector<double> Totals::undefinedRows() const { return std::vector<double>(rows() * width(), kNothing); }

}  // namespace kappaflow::diffusion
