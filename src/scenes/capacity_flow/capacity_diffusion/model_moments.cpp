#include "scenes/capacity_flow/capacity_diffusion/model_moments.h"

namespace kappaflow::diffusion {
namespace {

using Size = std::size_t;

void add(OffsetMoments& m, Size at, double mass, double y, double x, bool plane) {
    m.mass[at] += mass;
    m.first[at] += mass * x;
    m.second[at] += mass * x * x;
    if (!plane) return;
    m.firstY[at] += mass * y;
    m.secondY[at] += mass * y * y;
    m.product[at] += mass * y * x;
}

}  // namespace

OffsetMoments topOffsets(const Start& start, Size channels, Tracking tracking, bool plane) {
    OffsetMoments m;
    if (tracking != Tracking::Collapsed && tracking != Tracking::Units) return m;
    const Size positions = start.profile.size(), width = start.offset.size();
    const bool byUnit = tracking == Tracking::Units;
    const Size n = byUnit ? channels * positions : channels;
    for (auto* moments : {&m.mass, &m.first, &m.second}) moments->resize(n);
    for (auto* moments : {&m.firstY, &m.secondY, &m.product}) moments->resize(plane ? n : 0);
    for (Size c = 0; c < channels; ++c)
        for (Size i = 0; i < positions; ++i)
            add(m, byUnit ? c * positions + i : c, start.profile[i] / static_cast<double>(channels), start.offsetY[i / width],
                start.offset[i % width], plane);
    return m;
}

LayerMoments momentsOf(const ChainShape& shape, Size l, const Start& start, Tracking tracking, const OffsetMoments& offsets,
                       const std::vector<double>& capacity) {
    const double total = tracking == Tracking::Positions ? sumOf(capacity) : sumOf(offsets.mass);
    if (!(total > 0)) return {};
    if (tracking != Tracking::Positions)
        return {sumOf(offsets.firstY) / total, sumOf(offsets.first) / total, sumOf(offsets.secondY) / total, sumOf(offsets.second) / total,
                sumOf(offsets.product) / total};
    LayerMoments m;
    const auto width = static_cast<Size>(shape.widths[l]);
    const double y0 = shape.scale[l] * start.originY, x0 = shape.scale[l] * start.origin;
    for (Size i = 0; i < capacity.size(); ++i) {
        const double y = static_cast<double>(i / width) - y0, x = static_cast<double>(i % width) - x0, share = capacity[i] / total;
        m.firstY += share * y;
        m.first += share * x;
        m.secondY += share * y * y;
        m.second += share * x * x;
        m.product += share * y * x;
    }
    return m;
}

}  // namespace kappaflow::diffusion
