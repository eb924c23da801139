// Remaining depth (survey Fig 6): one curve a trained layer, of samples learnt from and of new ones, and their order at one epoch.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/remaining_depth/picture_view.h"

namespace kappaflow {
namespace remaining_depth {

bool readView(const PictureFrame& f, View& view) {
    view.train = f.report.array("trainAccuracy");
    view.test = f.report.array("testAccuracy");
    if (!view.train || !view.test) return false;
    view.layers = view.train->axes[0].size();
    view.epochs = view.train->axes[1].size() - 1;
    if (std::isnan(view.train->row(view.layers - 1)[0])) return false;
    while (view.known < view.epochs && !std::isnan(view.train->row(view.layers - 1)[view.known + 1])) ++view.known;
    const double at = std::round(f.state.params.number("at"));
    view.now = static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(view.known)));
    return true;
}

Color layerColor(const Theme& theme, std::size_t layer, std::size_t layers) {
    const double share = layers > 1 ? static_cast<double>(layer) / static_cast<double>(layers - 1) : 0;
    // Blue, through purple and red, to orange: hue and lightness both say how far up.
    const double hue = 265 + 160 * share;
    return theme.dark ? fromLch(64 + 14 * share, 58, hue) : fromLch(38 + 22 * share, 62, hue);
}

namespace {

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return drawEpochs(f, view, *view.train, "train", "learnt from", a);
    const double split = a.lo.y + a.height() * 0.54;
    drawEpochs(f, view, *view.train, "train", "samples learnt from", {a.lo, {a.hi.x, split - 4}});
    drawOrder(f, view, {{a.lo.x, split + 4}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const bool tall = a.height() > 420;
    const double middle = a.lo.x + a.width() / 2, split = tall ? a.lo.y + a.height() * 0.62 : a.hi.y;
    drawEpochs(f, view, *view.train, "train", "samples learnt from", {{a.lo.x, a.lo.y + 4}, {middle - 6, split - 4}});
    drawEpochs(f, view, *view.test, "test", "samples held out", {{middle + 6, a.lo.y + 4}, {a.hi.x, split - 4}});
    if (tall) drawOrder(f, view, {{a.lo.x, split + 4}, a.hi});
}

class DepthPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The networks are about to be trained.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace remaining_depth

PictureEntry remaining_depth_picture() {
    return {"remaining-depth", [] { return std::unique_ptr<Picture>(std::make_unique<remaining_depth::DepthPicture>()); }};
}

}  // namespace kappaflow
