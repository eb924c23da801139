#include <algorithm>

#include "scenes/capacity_flow/capacity_diffusion/picture_planes.h"

namespace kappaflow::diffusion {
namespace {

struct Panels {
    Rect stack, plane, section, spread, colors;  ///< empty where there is no room
};

// A rectangle whose plot has cells as wide as they are high: what is left after axes and names.
Rect squareFor(const GridLayer& layer, Rect room) {
    const double besides = 62, above = 24, below = 40;
    const double ratio = layer.isVector() ? 1.2 : static_cast<double>(layer.cols) / static_cast<double>(layer.rows);
    const double width = std::min(room.width() - besides, (room.height() - above - below) * ratio);
    return {room.lo, room.lo + Vec2{width + besides, width / ratio + above + below}};
}

// Narrow: the stack, and below it the plane and the spread side by side.
Panels stacked(Rect area, const GridLayer& current) {
    Panels p;
    const double low = std::clamp(area.height() * 0.36, 110.0, 190.0);
    p.stack = {area.lo, {area.hi.x, area.hi.y - low}};
    const Rect row{{area.lo.x, area.hi.y - low + 4}, area.hi};
    p.plane = squareFor(current, {row.lo, {row.lo.x + 0.48 * row.width(), row.hi.y}});
    p.spread = {{p.plane.hi.x + 2, row.lo.y}, row.hi};
    return p;
}

Panels beside(Rect area, const GridLayer& current, bool section) {
    section = section && area.height() >= 480;
    Panels p;
    const bool low = area.height() < 330;
    const double right = low ? area.width() * 0.54 : std::clamp(area.width() * 0.36, 230.0, 400.0);
    p.stack = {area.lo, {area.hi.x - right, area.hi.y}};
    const Rect rest{{area.hi.x - right + 12, area.lo.y}, area.hi};
    if (low) {
        p.plane = squareFor(current, {rest.lo, {rest.centre().x, rest.hi.y}});
        p.spread = {{rest.centre().x + 6, rest.lo.y}, rest.hi};
        return p;
    }
    const double colors = 64;
    const double planeHeight = std::min((section ? 0.42 : 0.5) * rest.height(), rest.width());
    p.plane = squareFor(current, {rest.lo, {rest.hi.x - colors, rest.lo.y + planeHeight}});
    p.colors = {{p.plane.hi.x + 8, p.plane.lo.y + 24}, {std::min(p.plane.hi.x + 8 + colors, rest.hi.x), p.plane.hi.y - 40}};
    const double left = rest.hi.y - p.plane.hi.y - 8, each = section ? 0.5 * left : left;
    if (section) p.section = {{rest.lo.x, p.plane.hi.y + 8}, {rest.hi.x, p.plane.hi.y + 4 + each}};
    p.spread = {{rest.lo.x, rest.hi.y - each + 4}, rest.hi};
    return p;
}

}  // namespace

bool GridPicture::draw(PictureFrame& f) {
    if (!report_.read(f.report, f.reportVersion)) return false;
    const double at = std::clamp(f.state.params.number("at"), 0.0, static_cast<double>(report_.layers()));
    const GridLayer current = report_.at(at);
    GridFrame g{f, report_, at, current};
    const Section section = readSection(f, report_);
    const Panels panels = f.area.width() < 600 ? stacked(f.area, current) : beside(f.area, current, section.shown);
    drawStack(g, section, panels.stack);
    drawPlaneView(g, section, panels.plane);
    if (panels.section.height() > 0) drawSectionView(g, section, panels.section);
    drawSpreadBothAxes(g, panels.spread);
    if (panels.colors.height() > 0)
        colorBar(f.painter, f.theme, "plane/colors", panels.colors, ColorMap::Capacity,
                 {.label = "*κ*^{*l*}", .lo = report_.low(), .hi = report_.high(), .scale = Scale::Log});
    return true;
}

}  // namespace kappaflow::diffusion
