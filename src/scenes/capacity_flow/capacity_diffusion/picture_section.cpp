// A section through all layers: one row or column of each, the output on top, in positions of the input.
#include <algorithm>
#include <cmath>

#include "scenes/capacity_flow/capacity_diffusion/picture_grid.h"

namespace kappaflow::diffusion {
namespace {

std::vector<double> cutThrough(const GridReport& grid, const Section& section, std::size_t layer) {
    const std::size_t line = section.line(grid, layer);
    std::vector<double> values(section.alongX ? grid.cols(layer) : grid.rows(layer));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = section.alongX ? grid.capacity(layer, line, i) : grid.capacity(layer, i, line);
    return values;
}

}  // namespace

void drawSectionView(GridFrame& g, const Section& section, Rect rect) {
    PictureFrame& f = g.f;
    const std::size_t layers = g.grid.layers(), count = section.alongX ? g.grid.cols(0) : g.grid.rows(0);
    const std::string axis = section.alongX ? "*x*" : "*y*", across = section.alongX ? "*y*" : "*x*";
    Plot plot(f.painter, f.theme, "section", rect,
              {.label = "position " + axis, .lo = -0.5, .hi = static_cast<double>(count) - 0.5, .whole = true},
              {.label = "layer *l*", .lo = -0.5, .hi = static_cast<double>(layers) + 0.5, .whole = true}, zoomOf(f, "section"));
    std::vector<std::vector<double>> kept;  // until the plot is finished
    for (std::size_t l = 0; l <= layers;) {
        if (g.grid.isVector(l)) {  // no row or column to cut
            ++l;
            continue;
        }
        std::size_t end = l;  // layers of equal width make one field
        std::vector<double> cells;
        const std::size_t width = cutThrough(g.grid, section, l).size();
        for (; end <= layers && !g.grid.isVector(end); ++end) {
            const auto cut = cutThrough(g.grid, section, end);
            if (cut.size() != width) break;
            cells.insert(cells.end(), cut.begin(), cut.end());
        }
        std::vector<double> xs(width), ys(end - l);
        for (std::size_t i = 0; i < width; ++i)
            xs[i] = (static_cast<double>(i) + 0.5) * static_cast<double>(count) / static_cast<double>(width) - 0.5;
        for (std::size_t i = 0; i < ys.size(); ++i) ys[i] = static_cast<double>(l + i);
        kept.push_back(std::move(cells));
        plot.heat("section/field/" + std::to_string(l), xs, ys,
                  {ys.size(), width, kept.back(), g.grid.low(), g.grid.high(), true, ColorMap::Capacity});
        l = end;
    }
    plot.horizontal("section/now", g.at, {f.theme.accent.withAlpha(0.7f), Dash::Solid, 1, ""});
    finishPlot(f, plot, "section", "section at " + across + " = " + inWords(static_cast<double>(section.line(g.grid, 0)), 6));
}

}  // namespace kappaflow::diffusion
