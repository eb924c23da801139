// Remaining depth (survey Fig 6): one curve a trained layer, of samples learnt from and of new ones, and their order at one epoch.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/picture.h"

namespace kappaflow {
namespace remaining_depth {
namespace {

/// What the panels read.
struct View {
    const Array *train, *test;
    std::size_t layers = 0, epochs = 0;  ///< trained layers, last epoch of the run
    std::size_t known = 0, now = 0;      ///< last epoch that all layers have, the one that stands out
    double weightLayer(std::size_t layer) const { return train->axes[0].values[layer]; }
};

// Accuracy over the epochs, and against the trained layer.

double errorOf(const Array& array, std::size_t layer, std::size_t epoch) {
    return array.standardError.empty() ? 0 : array.standardError[layer * array.rowLength() + epoch];
}

/// From a little below chance to a little above the best.
AxisSpec accuracyAxis(const View& view) {
    double lo = 1, hi = 0;
    for (const Array* array : {view.train, view.test})
        for (const double value : array->values)
            if (!std::isnan(value)) lo = std::min(lo, value), hi = std::max(hi, value);
    return {.label = "named rightly", .lo = std::max(0.0, lo - 0.04), .hi = std::min(1.04, hi * 1.06 + 0.02)};
}

void offerEpoch(PictureFrame& f, const View& view, Plot& plot, const std::string& id) {
    const double now = static_cast<double>(view.now);
    plot.vertical(id + "/now", now, {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.3, ""});
    if (id != "train" || view.known == 0) return;
    const Rect inner = plot.inner();
    const double x = plot.toScreen(now, 0).x;
    const Handle handle{"epoch",
                        "epoch",
                        "epoch " + numberText(now, 4),
                        now,
                        0,
                        static_cast<double>(view.known),
                        1,
                        {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return std::round(plot.toData(p).x); });
    drawKnob(f, "train/knob", {x, inner.hi.y - 7}, grip);
    if (!grip.moved) return;
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(Change::param("at", std::round(grip.value)));
}

/// From the lowest trained layer to the highest.
Color layerColor(const Theme& theme, std::size_t layer, std::size_t layers) {
    const double share = layers > 1 ? static_cast<double>(layer) / static_cast<double>(layers - 1) : 0;
    // Blue, through purple and red, to orange: hue and lightness both say how far up.
    const double hue = 265 + 160 * share;
    return theme.dark ? fromLch(64 + 14 * share, 58, hue) : fromLch(38 + 22 * share, 62, hue);
}

void drawBoth(PictureFrame& f, const View& view, Plot& plot, const Array& array, const std::string& id, const char* label, bool solid) {
    std::vector<double> layers, values, low, high;
    for (std::size_t l = 0; l < view.layers; ++l) {
        const double value = array.row(l)[view.now], error = errorOf(array, l, view.now);
        layers.push_back(view.weightLayer(l));
        values.push_back(value);
        low.push_back(value - error);
        high.push_back(value + error);
    }
    const Color color = solid ? f.theme.text : f.theme.muted;
    plot.band(id + "/error", layers, low, high, color.withAlpha(0.16f));
    plot.line(id, layers, values, {color, Dash::Solid, 1.8, label});
    for (std::size_t l = 0; l < view.layers; ++l) {
        const double x[] = {layers[l]}, y[] = {values[l]};
        plot.markers(id + "/layer", x, y, {layerColor(f.theme, l, view.layers), Dash::Solid, 1, ""},
                     solid ? MarkerShape::Circle : MarkerShape::Square, 4.6);
    }
}

std::string orderTitle(const PictureFrame& f, const View& view, bool wide) {
    const Scalar *train = f.report.scalar("inversionsTrain"), *test = f.report.scalar("inversionsTest");
    const std::string epoch = "epoch " + numberText(static_cast<double>(view.now), 4);
    if (!wide || !train || !test || view.now != view.known || view.layers < 2) return epoch;
    return epoch + ": " + numberText(train->value, 3) + " and " + numberText(test->value, 3) + " of " +
           numberText(static_cast<double>(view.layers - 1), 3) + " neighbours out of order";
}

/// One curve a trained layer, over the epochs.
void drawEpochs(PictureFrame& f, const View& view, const Array& array, const char* id, const char* title, Rect rect) {
    const std::string name = id;
    const double last = static_cast<double>(view.epochs);
    Plot plot(f.painter, f.theme, id, rect, {.label = "epoch", .lo = 0, .hi = last + std::max(0.3, 0.13 * last), .whole = true},
              accuracyAxis(view), zoomOf(f, name));
    const std::vector<double> epochs = countUp(view.epochs + 1);
    for (std::size_t l = view.layers; l-- > 0;) {
        const std::span row(array.row(l), view.epochs + 1);
        const Color color = layerColor(f.theme, l, view.layers);
        std::vector<double> low, high;
        for (std::size_t e = 0; e <= view.epochs; ++e) {
            low.push_back(row[e] - errorOf(array, l, e));
            high.push_back(row[e] + errorOf(array, l, e));
        }
        plot.band(name + "/error", epochs, low, high, color.withAlpha(0.13f));
        plot.line(name + "/layer", epochs, row, {color, Dash::Solid, 2.2, "*W*^{" + numberText(view.weightLayer(l)) + "}"});
    }
    offerEpoch(f, view, plot, name);
    finishPlot(f, plot, name, title);
}

/// Both accuracies against the trained layer, at the epoch that stands out.
void drawOrder(PictureFrame& f, const View& view, Rect rect) {
    const double last = static_cast<double>(view.layers);
    Plot plot(f.painter, f.theme, "order", rect,
              {.label = "*l* of the weights *W*^{(*l*)} trained", .lo = 0.7, .hi = last + std::max(0.4, 0.14 * last), .whole = true},
              accuracyAxis(view), zoomOf(f, "order"));
    drawBoth(f, view, plot, *view.test, "order/test", "held out", false);
    drawBoth(f, view, plot, *view.train, "order/train", "learnt from", true);
    finishPlot(f, plot, "order", orderTitle(f, view, rect.width() > 420));
}

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
