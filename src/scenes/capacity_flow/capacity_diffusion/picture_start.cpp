// Where the capacity starts: a strip above the output layer. A Dirac or block is dragged along it, a profile is painted on it.
#include <algorithm>
#include <cmath>

#include "scenes/capacity_flow/capacity_diffusion/picture_view.h"

namespace kappaflow::diffusion {
namespace {

// Painted profiles hold at most this many numbers (a link must stay short); they are stretched over the units.
constexpr std::size_t kPaintedLength = 65;

std::vector<double> paintedOn(const std::vector<double>& profile, std::size_t length) {
    std::vector<double> values(length, 0.0);
    for (std::size_t i = 0; i < length && !profile.empty(); ++i)
        values[i] = profile[std::min(i * profile.size() / length, profile.size() - 1)];
    return values;
}

void paint(PictureFrame& f, const Grid& grid, Rect strip, std::size_t width) {
    const Pointer p = f.handles.freePointer();
    if (!p.down || !p.inside || !strip.contains(p.at)) return;
    auto profile = paintedOn(f.state.params.list("profile"), std::min(width, kPaintedLength));
    const double n = static_cast<double>(profile.size());
    const auto at = static_cast<std::size_t>(std::clamp((p.at.x - grid.left) / (grid.right - grid.left) * n, 0.0, n - 1));
    const double height = std::clamp((strip.hi.y - p.at.y) / strip.height(), 0.0, 1.0);
    const double rounded = std::round(height * 100) / 100;
    if (profile[at] == rounded) return;
    profile[at] = rounded;
    f.changes.push_back(Change::param("profile", profile));
}

void drag(PictureFrame& f, const Grid& grid, Rect strip, std::size_t width) {
    const double last = static_cast<double>(width) - 1;
    const double index = f.state.params.number("topIndex");
    const double unit = index < 0 ? std::floor(static_cast<double>(width) / 2) : std::min(index, last);
    const Vec2 foot{grid.x(unit, width), strip.hi.y};
    const auto unitAt = [&](Vec2 p) { return std::clamp(std::floor((p.x - grid.left) / grid.cell(width)), 0.0, last); };
    const Handle handle{"top", "unit where the capacity starts",           "unit " + inWords(unit, 6), unit, 0, last,
                        1,     {foot + Vec2{-13, -26}, foot + Vec2{13, 2}}};
    const auto grip = f.handles.offer(handle, unitAt);
    double wanted = grip.moved ? std::round(grip.value) : unit;
    const Pointer p = f.handles.freePointer();
    if (p.pressed && p.inside && strip.contains(p.at)) wanted = unitAt(p.at);
    if (wanted != unit) f.changes.push_back(Change::param("topIndex", wanted));
    const bool lively = grip.hovered || grip.held || grip.focused;
    const double size = lively ? 8.5 : 7;
    const Vec2 arrow[] = {foot + Vec2{-size, -size * 1.5 - 2}, foot + Vec2{size, -size * 1.5 - 2}, foot + Vec2{0, -2}};
    f.painter.polygon("start/handle", arrow, f.theme.accent);
}

}  // namespace

void drawStart(PictureFrame& f, const View& view, const Grid& grid, Rect strip) {
    const std::size_t width = view.widths.back();
    const std::string& top = f.state.params.text("top");
    f.painter.rect("start/ground", strip, f.theme.grid.withAlpha(0.35f), 4);
    const auto start = definedRow(*view.capacity, view.layers);
    const double peak = largest(start, 1e-300);
    for (std::size_t i = 0; i < start.size(); ++i) {
        if (!(start[i] > 0)) continue;
        const double half = std::max(grid.cell(width) * 0.4, 0.5), x = grid.x(static_cast<double>(i), width);
        f.painter.rect("start/bar", {{x - half, strip.hi.y - (strip.height() - 3) * start[i] / peak}, {x + half, strip.hi.y}},
                       sample(ColorMap::Capacity, top == "dirac" ? 0.3 : 0.6, f.theme.dark));
    }
    const bool painted = top == "painted";
    const char* shortHint = top == "uniform" ? "all units" : f.kept ? "the start" : painted ? "paint the start" : "drag the start";
    const char* hint = top == "uniform" ? "capacity starts equally on all units"
                       : f.kept         ? "where the capacity starts"
                       : painted        ? "paint here where the capacity starts"
                                        : "drag where the capacity starts";
    // The hint keeps to the side where nothing is marked.
    const auto heaviest = static_cast<double>(std::max_element(start.begin(), start.end()) - start.begin());
    const bool right = top != "uniform" && heaviest < static_cast<double>(width) / 2;
    const TextStyle style{.color = f.theme.muted,
                          .size = f.theme.tinySize,
                          .h = right ? AlignH::Right : AlignH::Left,
                          .v = AlignV::Middle,
                          .halo = f.theme.ground};
    f.painter.text("start/hint", {right ? strip.hi.x - 6 : strip.lo.x + 6, strip.lo.y + 9}, strip.width() < 420 ? shortHint : hint, style);
    if (painted) paint(f, grid, strip, width);
    if (top == "dirac" || top == "block") drag(f, grid, strip, width);
}

}  // namespace kappaflow::diffusion
