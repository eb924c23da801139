// The columns of units of the capacity's panel: what stands in them, and where.
#include "scenes/one_network/network_lens/picture_columns.h"

#include <algorithm>
#include <cmath>

namespace kappaflow::lens {
namespace {

std::vector<double> rowOf(const Array& array, std::size_t index) {
    return index < array.axes[0].size() ? definedRow(array, index) : std::vector<double>{};
}

/// Channels of an image laid over each other.
std::vector<double> flattened(const std::vector<double>& units, std::size_t pixels) {
    std::vector<double> sum(pixels, 0.0);
    for (std::size_t i = 0; i < units.size(); ++i) sum[i % pixels] += units[i];
    return sum;
}

}  // namespace

Flow readFlow(const View& view) {
    Flow flow;
    const Array *capacity = view.array("capacity"), *edited = view.array("editedCapacity"), *stateBefore = view.array("stateBefore");
    if (!capacity) return flow;
    flow.edited = edited && stateBefore;
    const Array& shown = flow.edited ? *edited : *capacity;
    for (std::size_t l = 0; l < shown.axes[0].size(); ++l) {
        Column column;
        column.units = rowOf(shown, l);
        if (flow.edited && l < stateBefore->values.size() && std::isfinite(stateBefore->values[l]))
            column.before = rowOf(*capacity, static_cast<std::size_t>(stateBefore->values[l]));
        const Array *heights = view.array("heights"), *wide = view.array("columns");
        if (!flow.edited && heights && wide && l < heights->values.size() && heights->values[l] > 1 && wide->values[l] > 1) {
            column.rows = static_cast<std::size_t>(heights->values[l]), column.columns = static_cast<std::size_t>(wide->values[l]);
            column.units = flattened(column.units, column.rows * column.columns);
        }
        flow.columns.push_back(std::move(column));
    }
    flow.largest = 1e-12;
    for (const Column& column : flow.columns) flow.largest = kappaflow::largest(column.units, flow.largest);
    // What hundreds of inputs share must not be as pale as nothing.
    double least = flow.largest;
    for (const Column& column : flow.columns) least = std::min(least, 1 / std::max(1.0, static_cast<double>(column.units.size())));
    flow.decades = std::clamp(std::log10(flow.largest / least) + 1.2, capacity_flow::kDecades, 6.0);
    return flow;
}

void placeColumns(Flow& flow, Rect rect) {
    flow.rect = rect;
    const double count = static_cast<double>(flow.columns.size()), gap = rect.width() / count;
    double most = 1;
    for (const Column& column : flow.columns) most = std::max(most, static_cast<double>(column.units.size()));
    for (std::size_t l = 0; l < flow.columns.size(); ++l) {
        Column& c = flow.columns[l];
        const auto units = static_cast<double>(std::max<std::size_t>(c.units.size(), 1));
        c.x = rect.lo.x + gap * (static_cast<double>(l) + 0.5);
        c.width = std::clamp(0.34 * gap, 4.0, 18.0);
        const double high = rect.height() * (0.4 + 0.6 * std::log1p(units) / std::log1p(most));
        c.spacing = std::min(high / units, 22.0);
        c.dots = c.rows == 0 && c.spacing >= 6;
        double height = c.spacing * units;
        if (c.rows > 0) {
            const double side = std::min({0.86 * gap, 0.9 * rect.height(), 130.0});
            const auto rows = static_cast<double>(c.rows), columns = static_cast<double>(c.columns), scale = side / std::max(rows, columns);
            c.width = scale * columns, height = scale * rows, c.spacing = height / units;
        }
        c.rect = {{c.x - c.width / 2, rect.centre().y - height / 2}, {c.x + c.width / 2, rect.centre().y + height / 2}};
    }
}

}  // namespace kappaflow::lens
