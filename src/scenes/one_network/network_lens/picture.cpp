// One network under four lenses: capacity from a chosen output, activation regions of a slice, a trajectory, sensitivity and ranks.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "scenes/one_network/network_lens/picture_view.h"

namespace kappaflow {
namespace lens {
namespace {

void drawLens(Scene& s, Lens lens, Rect rect) {
    s.painter().pushClip(rect);
    switch (lens) {
        case Lens::Capacity:
            drawCapacity(s, rect);
            break;
        case Lens::Regions:
            drawRegions(s, rect);
            break;
        case Lens::Trajectory:
            drawTrajectory(s, rect);
            break;
        case Lens::Sensitivity:
            drawSensitivity(s, rect);
            break;
    }
    s.painter().popClip();
}

/// The lens that stands alone; none while all four are shown.
std::optional<Lens> aloneIn(const PictureFrame& f) {
    for (const Lens lens : kLenses)
        if (f.state.params.is("lens", keyOf(lens))) return lens;
    return std::nullopt;
}

void choose(PictureFrame& f, std::size_t index) {
    f.changes.push_back(Change::param("lens", std::string(index == 0 ? "all" : keyOf(kLenses[index - 1]))));
}

/// The lenses by name, one of them shown; `all`: a first tab that shows all four.
void drawTabs(Scene& s, Rect row, Lens shown, bool all) {
    PictureFrame& f = s.f;
    const std::size_t first = all ? 0 : 1, count = all ? 5 : 4;
    const double width = row.width() / static_cast<double>(count), value = static_cast<double>(shown) + 1;
    const auto indexAt = [&](Vec2 p) {
        return static_cast<double>(first) + std::clamp(std::floor((p.x - row.lo.x) / width), 0.0, static_cast<double>(count) - 1);
    };
    const auto grip = f.handles.offer({"lens", "lens shown", nameOf(shown), value, static_cast<double>(first), 4, 1, row}, indexAt);
    if (grip.moved) choose(f, static_cast<std::size_t>(std::round(grip.value)));
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t index = first + i;
        const bool own = static_cast<double>(index) == value,
                   over = grip.hovered && indexAt(f.handles.pointer().at) == static_cast<double>(index);
        const Rect tab{{row.lo.x + width * static_cast<double>(i) + 2, row.lo.y},
                       {row.lo.x + width * static_cast<double>(i + 1) - 2, row.hi.y}};
        s.painter().rect("tabs/tab", tab, own ? s.theme().accent.withAlpha(0.16f) : s.theme().panel.withAlpha(over ? 1.0f : 0.6f), 5);
        s.painter().text("tabs/name", tab.centre(), index == 0 ? "All four" : nameOf(kLenses[index - 1]),
                         {.color = own || over ? s.theme().text : s.theme().muted,
                          .size = width < 84 ? s.theme().tinySize : s.theme().smallSize,
                          .h = AlignH::Centre,
                          .v = AlignV::Middle,
                          .bold = own});
    }
}

/// Why the network is not trained, where the strip has no room to say it; returns the height that took.
double drawUntrained(Scene& s, Rect rect) {
    const std::string* why = s.report().note("training");
    if (!why || rect.height() < 300) return 0;
    const TextStyle style{.color = s.theme().warning, .size = s.theme().tinySize};
    const auto lines = wrapText(s.painter(), *why, style, rect.width() - 12, 3);
    double y = rect.lo.y + 10;
    for (const auto& line : lines) {
        s.painter().text("strip/training", {rect.lo.x + 6, y}, line, style);
        y += style.size * 1.4;
    }
    return y - rect.lo.y + 2;
}

/// The strip, tabs, and one lens.
void drawAlone(Scene& s, Lens lens, bool narrow) {
    Rect a = s.f.area;
    const double strip = a.height() < 260 ? 0 : narrow ? 58 : std::clamp(0.17 * a.height(), 70.0, 118.0);
    if (strip > 0) drawStrip(s, {{a.lo.x + 4, a.lo.y + 2}, {a.hi.x - 4, a.lo.y + strip}});
    a.lo.y += strip + 4;
    drawTabs(s, {a.lo, {a.hi.x, a.lo.y + 26}}, lens, !narrow);
    a.lo.y += 32;
    if (narrow) a.lo.y += drawUntrained(s, a);
    drawLens(s, lens, a);
}

void drawGrid(Scene& s) {
    const Rect a = s.f.area;
    const double strip = std::clamp(0.19 * a.height(), 84.0, 132.0), gap = 16, top = a.lo.y + strip + 8;
    drawStrip(s, {{a.lo.x + 4, a.lo.y + 2}, {a.hi.x - 4, a.lo.y + strip}});
    const double middleX = std::round(a.centre().x), middleY = std::round((top + a.hi.y) / 2);
    s.painter().line("panel/rule", Vec2{a.lo.x, top - 2}, Vec2{a.hi.x, top - 2}, {s.theme().line, 1});
    const Rect cells[] = {{{a.lo.x, top + 4}, {middleX - gap / 2, middleY - 4}},
                          {{middleX + gap / 2, top + 4}, {a.hi.x, middleY - 4}},
                          {{a.lo.x, middleY + 4}, {middleX - gap / 2, a.hi.y}},
                          {{middleX + gap / 2, middleY + 4}, a.hi}};
    // Regions before the trajectory: the curve lies on the slice first.
    for (const Lens lens : kLenses) drawLens(s, lens, cells[static_cast<std::size_t>(lens)]);
}

class LensPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The network is being laid under the lenses.");
        fillCache(cache_, f, view);
        Scene scene{f, view, cache_, {}, {}, {}, {}};
        const bool narrow = f.compact || f.area.width() < 600 || f.area.height() < 420;
        const auto alone = aloneIn(f);
        if (narrow || alone)
            drawAlone(scene, alone.value_or(Lens::Regions), narrow);
        else
            drawGrid(scene);
        drawHover(scene);
    }

private:
    Cache cache_;
};

}  // namespace
}  // namespace lens

PictureEntry network_lens_picture() {
    return {"network-lens", [] { return std::unique_ptr<Picture>(std::make_unique<lens::LensPicture>()); }};
}

}  // namespace kappaflow
