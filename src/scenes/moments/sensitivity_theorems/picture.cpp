// Theorems 2–4 of P3 beside what is measured: increments, their product, the units behind them, and a badge with the verdict.
#include <algorithm>
#include <cmath>

#include "scenes/moments/picture_step.h"
#include "scenes/moments/sensitivity_theorems/picture_view.h"

namespace kappaflow {

namespace sensitivity_theorems {

bool readView(const PictureFrame& f, View& view) {
    const Array* increments = f.report.array("deltaChi");
    if (!increments) return false;
    view.net = f.report.params.text("net");
    view.layers = increments->axes[0].values.back();
    view.at = std::clamp(f.state.params.number("at"), 1.0, view.layers);
    return true;
}

std::vector<double> curveOf(const PictureFrame& f, const char* name) {
    const Array* array = f.report.array(name);
    return array ? array->values : std::vector<double>{};
}

void offerLayer(PictureFrame& f, const View& view, Plot& plot, const std::string& id) {
    const std::string text = std::string(view.step()) + " " + std::to_string(view.nearest());
    random_nets::offerStep(f, plot, {id, id + "-layer", text, view.at, 1, view.layers});
}

namespace {

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return drawIncrements(f, view, a);
    const double badge = a.lo.y + 44, split = badge + (a.hi.y - badge) * 0.58;
    drawBadge(f, view, {a.lo, {a.hi.x, badge}});
    drawIncrements(f, view, {{a.lo.x, badge}, {a.hi.x, split - 4}});
    drawSwitching(f, view, {{a.lo.x, split + 4}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const double right = a.hi.x - std::clamp(a.width() * 0.4, 250.0, 460.0), split = a.lo.y + a.height() * 0.56;
    const bool tall = a.height() > 420;
    const double badge = a.lo.y + (tall ? 96.0 : 44.0);
    drawIncrements(f, view, {{a.lo.x, a.lo.y + 4}, {right - 12, tall ? split - 6 : a.hi.y}});
    if (tall) drawCumulative(f, view, {{a.lo.x, split + 6}, {right - 12, a.hi.y}});
    drawBadge(f, view, {{right, a.lo.y + 4}, {a.hi.x, badge}});
    const bool two = tall && view.residual();
    const double middle = badge + (a.hi.y - badge) / 2;
    drawSwitching(f, view, {{right, badge + 6}, {a.hi.x, two ? middle - 4 : a.hi.y}});
    if (two) drawBranches(f, view, {{right, middle + 8}, a.hi});
}

class TheoremsPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "Networks are being drawn.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace sensitivity_theorems

PictureEntry sensitivity_theorems_picture() {
    return {"sensitivity-theorems", [] { return std::unique_ptr<Picture>(std::make_unique<sensitivity_theorems::TheoremsPicture>()); }};
}

}  // namespace kappaflow
