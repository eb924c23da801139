#include "scenes/moments/picture_step.h"

#include <algorithm>

namespace kappaflow::random_nets {

void offerStep(PictureFrame& f, Plot& plot, const StepMark& mark) {
    plot.vertical(mark.plot + "/now", mark.at, {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (!(mark.last > mark.first)) return;
    const auto moved = dragAlong(f, plot,
                                 {.id = mark.handle,
                                  .label = "layer shown",
                                  .valueText = mark.text,
                                  .value = mark.at,
                                  .min = mark.first,
                                  .max = mark.last,
                                  .step = 1,
                                  .x = std::max(mark.at, 1e-9),  // a logarithmic axis has no zero
                                  .line = mark.plot});
    if (!moved) return;
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(Change::param("at", *moved));
}

}  // namespace kappaflow::random_nets
