#pragma once
#include <optional>
#include <vector>

#include "scenes/picture.h"

/// What pictures of capacity on its way back through a network share.
namespace kappaflow::capacity_flow {

/// Ink of a capacity is logarithmic over so many decades below the largest, so that both a single unit on top and the spread at the
/// bottom show their shape.
inline constexpr double kDecades = 3;
/// 0 … 1.
double ink(double capacity, double largest, double decades = kDecades);

/// One edge of the flow between layer l+1 (from) and layer l (to), placed inside the bars of its two units.
struct Edge {
    float from = 0, to = 0;      ///< positions (units of the layer)
    float fromAt = 0, toAt = 0;  ///< centre of the edge inside the unit's bar, in amount, relative to the bar's middle
    float amount = 0;            ///< capacity that moves along it
};

/// edges[l]: what flows from layer l+1 to layer l, stacked side by side at either end (what leaves a unit is what arrives), from the
/// arrays flowFrom, flowTo, flowAmount [edge] and flowOffsets [layer]. `binSize` [layer]: units in one bin of the flow.
std::vector<std::vector<Edge>> stackFlow(const std::vector<double>& from, const std::vector<double>& to, const std::vector<double>& amount,
                                         const std::vector<double>& offsets, const std::vector<double>& binSize);

/// The colour of the flow.
Color flowColor(const Theme&);
/// An edge so many pixels wide; none when it is too thin to be seen. Edges finer than a line can be pale with the square root of
/// their width: thousands of them still make a dense layer's web.
std::optional<Ribbon> ribbonOf(Vec2 from, Vec2 to, double width, Color, double opacity, double phase);

}  // namespace kappaflow::capacity_flow
