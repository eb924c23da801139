#pragma once
#include <vector>

#include "scenes/one_network/network_lens/picture_view.h"

namespace kappaflow::lens {

/// What stands in one column: a state of the network, and of the edited one where there is an edit.
struct Column {
    std::vector<double> units, before;  ///< capacity now (after an edit), and before it
    std::size_t rows = 0, columns = 0;  ///< of an image; 0: a list of units
    double x = 0, width = 0;            ///< on the screen
    Rect rect;
    bool dots = false;
    double spacing = 1;
    Vec2 at(std::size_t unit) const {
        return {x, rect.centre().y + spacing * (static_cast<double>(unit) - 0.5 * (static_cast<double>(units.size()) - 1))};
    }
    /// The unit under a height of a list.
    std::size_t unitAt(double y) const {
        const double place = (y - rect.centre().y) / spacing + 0.5 * (static_cast<double>(units.size()) - 1);
        return static_cast<std::size_t>(std::clamp(std::round(place), 0.0, static_cast<double>(units.size()) - 1));
    }
};

struct Flow {
    std::vector<Column> columns;
    bool edited = false;
    Rect rect;
    double largest = 1, decades = capacity_flow::kDecades;
};

/// Numbers of the columns, without places.
Flow readFlow(const View&);
/// One column beside the other in the rectangle, the input at the left.
void placeColumns(Flow&, Rect);

}  // namespace kappaflow::lens
