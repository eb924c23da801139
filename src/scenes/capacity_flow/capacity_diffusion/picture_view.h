#pragma once
#include <vector>

#include "scenes/capacity_flow/picture_flow.h"
#include "scenes/picture_support.h"

namespace kappaflow::diffusion {

using capacity_flow::Edge;

/// What the report says, in the shapes the picture needs.
struct View {
    const Array* capacity = nullptr;
    const Array* gaussian = nullptr;  ///< theory, null where none applies
    const Array* gradient = nullptr;
    const Array* variance = nullptr;
    const Array* total = nullptr;
    const Array* centres = nullptr;  ///< ensembles: [network, layer] offset from the start; null for one network
    const Array* wander = nullptr;   ///< and their standard deviation over networks, [layer]
    const Array* within = nullptr;   ///< and the width of one network about its own centre, [layer]
    const Array* unattributed = nullptr;
    std::size_t layers = 0;           ///< L: rows 0 … L
    std::vector<std::size_t> widths;  ///< units of each layer
    double at = 0;                    ///< where the timeline stands, a layer
    bool evenWidths = true;
    bool ordered = true;         ///< positions mean something (ring, line)
    double largestCapacity = 1;  ///< over all layers, for the colour scale

    std::size_t widest() const;
};
View readView(const PictureFrame&);

/// edges[l]: what flows from layer l+1 to layer l.
std::vector<std::vector<Edge>> flowOf(const Report&, std::size_t layers);

/// Screen places of the network panel: columns follow the profile's axis below it, rows the layers, the output on top.
struct Grid {
    Rect rows;           ///< from the output layer's line to the input layer's line
    double left, right;  ///< of position 0's left edge and the last position's right edge, where all layers are equally wide
    std::size_t layers;
    double y(double layer) const {
        return rows.hi.y - (rows.hi.y - rows.lo.y) * layer / static_cast<double>(std::max<std::size_t>(layers, 1));
    }
    double x(double position, std::size_t width) const { return left + (right - left) * (position + 0.5) / static_cast<double>(width); }
    double cell(std::size_t width) const { return (right - left) / static_cast<double>(width); }
    double rowHeight() const { return (rows.hi.y - rows.lo.y) / static_cast<double>(std::max<std::size_t>(layers, 1)); }
};

/// Ensembles: the way of every network's centre, and the band in which two thirds of them wander.
void drawCentres(PictureFrame&, const View&, const Grid&);
/// Ensembles: width of the average, of one network about its own centre, and of the wandering of centres, against depth.
void drawWidths(PictureFrame&, const View&, Rect);
void drawNetwork(PictureFrame&, const View&, const Grid&, Rect panel, const std::vector<std::vector<Edge>>&);
/// The strip above the output layer: where the capacity starts; dragged, clicked or painted.
void drawStart(PictureFrame&, const View&, const Grid&, Rect strip);

}  // namespace kappaflow::diffusion
