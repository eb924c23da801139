#include "scenes/moments/picture_step.h"

#include <algorithm>

namespace kappaflow::random_nets {

void offerStep(PictureFrame& f, Plot& plot, const StepMark& mark) {
    plot.vertical(mark.plot + "/now", mark.at, {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (!(mark.last > mark.first)) return;
    const Rect inner = plot.inner();
    const double x = plot.toScreen(std::max(mark.at, 1e-9), 1).x;  // a logarithmic axis has no zero
    const Handle handle{mark.handle, "layer shown", mark.text, mark.at,
                        mark.first,  mark.last,     1,         {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return plot.toData(p).x; });
    drawKnob(f, mark.plot + "/knob", {x, inner.hi.y - 7}, grip);
    if (!grip.moved) return;
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(Change::param("at", grip.value));
}

}  // namespace kappaflow::random_nets
