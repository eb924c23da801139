#pragma once
#include <string>

#include "scenes/capacity_flow/capacity_diffusion/picture_space.h"

namespace kappaflow::diffusion {

/// One plane of the stack as it is drawn: a whole layer, or the one that moves with the timeline.
struct Sheet {
    double layer;
    const GridLayer* field;
    double reached;  ///< 0 … 1: how far the flow from the top has filled it
    bool current;
};

/// The stack in one frame.
struct StackFrame {
    GridFrame& g;
    const StackSpace& space;
    const Section& section;
    std::vector<Sheet> sheets;  ///< from the input up
    Rect panel, room;           ///< of everything, and of the planes
    const Sheet& current() const;
    double height(const Sheet& sheet) const { return space.height(sheet.layer); }
    Vec2 seen(const Sheet& sheet, Vec2 colRow) const { return space.seen(sheet.field->rows, sheet.field->cols, colRow, height(sheet)).at; }
    std::vector<Vec2> seen(const Sheet&, const std::vector<Vec2>& loop) const;
};

/// The label of a layer's number, "7".
std::string layerNumber(double layer);

void drawSheets(StackFrame&);
void drawStackNames(StackFrame&);
void drawStackTooltip(StackFrame&);

/// Everything that can be pulled about: the layer shown, the unit where the capacity starts, the section, the camera. Drawn where they
/// are held.
void offerLayer(StackFrame&);
void offerStart(StackFrame&);
void offerSection(StackFrame&);
void offerCamera(StackFrame&);

}  // namespace kappaflow::diffusion
