// A layer redrawn as its augmented, path-decoupled form (P1 Figs 1 and 2), with Σ̃ and the capacities by both routes.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/capacity_flow/picture_blocks.h"
#include "scenes/picture.h"

namespace kappaflow {
namespace augmented {
namespace {

/// What the report says, and how far the layer is redrawn.
struct View {
    const Array *sigmaTilde, *capacity, *direct, *copies, *features, *weights, *sample, *eta;
    std::size_t inputs = 0, units = 0;
    double spread = 0;    ///< 0: inputs as they are, 1: repeated, a copy for every unit
    double carried = 0;   ///< 0: η sits at the units, 1: at the copies
    double gathered = 0;  ///< 0: nothing, 1: the copies' capacities are back at the inputs
};

constexpr std::size_t kDraggedWeights = 24;  ///< more knobs than these could not be told apart
constexpr double kReach = 3;                 ///< inputs are dragged between −3 and 3

Vec2 mixed(Vec2 a, Vec2 b, double t) { return a + (b - a) * t; }
std::string index(std::size_t i) { return std::to_string(i + 1); }

/// The colour of a unit, its edges and its copies.
Color colorOf(const PictureFrame& f, std::size_t unit) { return f.theme.series[unit % f.theme.series.size()]; }

class Redrawing {
public:
    Redrawing(PictureFrame& f, const View& v, Rect rect) : f_(f), v_(v), narrow_(rect.width() < 330) {
        const double head = f.theme.smallSize + 14;
        area_ = {{rect.lo.x, rect.lo.y + head}, {rect.hi.x, rect.hi.y - 4}};
        heading_ = rect.lo + Vec2{2, 2};
        const double slots = static_cast<double>(v.units);
        slot_ = area_.height() / slots;
        inputSlot_ = area_.height() / static_cast<double>(v.inputs);
        pitch_ = slot_ * 0.82 / static_cast<double>(v.inputs);
        inputX_ = area_.lo.x + (narrow_ ? 58 : 96);
        outputX_ = area_.hi.x - (narrow_ ? 14 : 26);
        unitX_ = outputX_ - (outputX_ - inputX_) * 0.3;
        copyX_ = inputX_ + (unitX_ - inputX_) * (narrow_ ? 0.42 : 0.46);
        halo_ = std::clamp(inputSlot_ * 0.45, 6.0, 30.0);
    }
    void draw() {
        drawHeading();
        drawRepeats();
        drawEdges();
        drawHalos();
        drawCopies();
        drawInputs();
        drawUnits();
    }

private:
    double inputY(std::size_t i) const { return area_.lo.y + inputSlot_ * (static_cast<double>(i) + 0.5); }
    double unitY(std::size_t j) const { return area_.lo.y + slot_ * (static_cast<double>(j) + 0.5); }
    double apart() const { return v_.spread * (1 - v_.gathered); }
    Vec2 input(std::size_t i) const { return {inputX_, inputY(i)}; }
    Vec2 copyHome(std::size_t j, std::size_t i) const {
        const double first = static_cast<double>(v_.inputs - 1) / 2;
        return {copyX_, unitY(j) + pitch_ * (static_cast<double>(i) - first)};
    }
    Vec2 copy(std::size_t j, std::size_t i) const { return mixed(input(i), copyHome(j, i), apart()); }
    Vec2 unit(std::size_t j) const { return {unitX_, unitY(j)}; }
    double weight(std::size_t j, std::size_t i) const { return v_.weights->values[j * v_.inputs + i]; }
    double factor(std::size_t j) const { return v_.eta->values[j]; }
    double radius() const { return std::clamp(std::min(pitch_ * 0.4, 7.0), 2.0, 7.0); }
    TextStyle style(Color color, AlignH h = AlignH::Left) const {
        return {.color = color, .size = f_.theme.tinySize, .h = h, .v = AlignV::Middle, .halo = f_.theme.ground};
    }
    template <class Draw>
    void forCopies(Draw draw) const {
        for (std::size_t j = 0; j < v_.units; ++j)
            for (std::size_t i = 0; i < v_.inputs; ++i) draw(j, i);
    }

    void drawHeading() {
        const std::string n = std::to_string(v_.inputs), m = std::to_string(v_.units);
        const std::string long_[] = {
            "a layer *A*^{T}*f*(*P*^{T}*Y*) of " + n + " inputs", "its inputs repeated " + m + " times, a copy for every unit",
            "*η* moves to the copies: *A*^{T}*P*^{~T}*Y*^{~} is linear", "capacities of the copies add up at the inputs"};
        const std::string short_[] = {"a layer, " + n + " inputs", "inputs repeated " + m + " times", "copies carry their *η*",
                                      "capacities add up"};
        const double stage = v_.spread + v_.carried + v_.gathered;
        const auto k = static_cast<std::size_t>(std::lround(std::clamp(stage, 0.0, 3.0)));
        TextStyle text{.color = f_.theme.text, .size = narrow_ ? f_.theme.tinySize : f_.theme.smallSize};
        f_.painter.text("redrawing/heading", heading_, elide(f_.painter, narrow_ ? short_[k] : long_[k], text, area_.width() - 6), text);
    }
    void drawRepeats() {
        if (apart() < 0.02) return;
        forCopies([&](std::size_t j, std::size_t i) {
            f_.painter.line("redrawing/repeat", input(i), copy(j, i), {f_.theme.muted.withAlpha(static_cast<float>(0.28 * apart())), 1});
        });
    }
    void drawEdges() {
        double most = 1e-12;
        for (const double w : v_.weights->values) most = std::max(most, std::abs(w));
        forCopies([&](std::size_t j, std::size_t i) {
            const double share = std::abs(weight(j, i)) / most;
            f_.painter.line("redrawing/edge", copy(j, i), unit(j),
                            {colorOf(f_, j).withAlpha(static_cast<float>(0.25 + 0.6 * share)), 0.7 + 3.2 * share});
        });
        if (!narrow_ && !f_.kept && v_.inputs * v_.units <= kDraggedWeights)
            forCopies([&](std::size_t j, std::size_t i) { dragWeight(j, i); });
        const double peak = largest(v_.features->values, 1e-12);
        for (std::size_t j = 0; j < v_.units; ++j)
            f_.painter.line("redrawing/learned", unit(j), {outputX_, area_.centre().y},
                            {f_.theme.muted.withAlpha(0.6f), 0.7 + 3 * v_.features->values[j] / peak});
    }
    // A weight's knob slides along its edge, from −2 by the copy to 2 by the unit; it shows when the pointer comes near.
    void dragWeight(std::size_t j, std::size_t i) {
        constexpr double kMost = 2, kFrom = 0.3, kLength = 0.5;
        const double w = std::clamp(weight(j, i), -kMost, kMost);
        const Vec2 from = copy(j, i), along = unit(j) - from, at = from + along * (kFrom + kLength * (w + kMost) / (2 * kMost));
        const Handle handle{
            "p" + index(i) + "," + index(j),     "weight of input " + index(i) + " in unit " + index(j), inWords(w), w, -kMost, kMost, 0.05,
            {at + Vec2{-8, -8}, at + Vec2{8, 8}}};
        const auto grip = f_.handles.offer(handle, [&](Vec2 p) {
            const Vec2 d = p - from;
            const double share = (d.x * along.x + d.y * along.y) / (along.x * along.x + along.y * along.y);
            return ((share - kFrom) / kLength * 2 - 1) * kMost;
        });
        if (grip.moved) askWeight(j, i, grip.value);
        const Pointer p = f_.handles.pointer();
        const bool lively = grip.hovered || grip.held || grip.focused, near = p.inside && std::hypot(p.at.x - at.x, p.at.y - at.y) < 60;
        if (lively || near)
            f_.painter.marker("redrawing/weight", at, lively ? 6 : 4, MarkerShape::Circle, colorOf(f_, j), Stroke{f_.theme.ground, 1.5});
        if (lively) tooltip(f_, at, {"*p*_{" + index(i) + index(j) + "} = " + numberText(weight(j, i), 2)});
    }
    void askWeight(std::size_t j, std::size_t i, double value) {
        std::vector<double> wanted = v_.weights->values;
        wanted[j * v_.inputs + i] = value;
        for (double& w : wanted) w = std::clamp(std::round(w * 1000) / 1000, -3.0, 3.0) + 0.0;
        f_.changes.push_back(Change::param("weights", wanted));
    }
    // Discs whose area is the capacity of a copy: what a copy has is what its input gets.
    void drawHalos() {
        const double alpha = std::clamp(2 * v_.carried - 1, 0.0, 1.0) * 0.3;
        if (alpha <= 0) return;
        if (v_.gathered > 0.98) {
            for (std::size_t i = 0; i < v_.inputs; ++i) halo(input(i), v_.capacity->values[i], alpha);
            return;
        }
        forCopies([&](std::size_t j, std::size_t i) { halo(copy(j, i), v_.copies->values[j * v_.inputs + i], alpha); });
    }
    void halo(Vec2 at, double capacity, double alpha) {
        const double size = halo_ * std::sqrt(std::max(capacity, 0.0));
        if (size > 0.5)
            f_.painter.marker("redrawing/halo", at, size, MarkerShape::Circle, f_.theme.accent.withAlpha(static_cast<float>(alpha)));
    }
    Color ink(double value) const { return sample(ColorMap::Diverging, 0.5 + 0.5 * std::clamp(value / 2, -1.0, 1.0), f_.theme.dark); }
    // A copy's ink is its value: y_i, and η_j y_i once it carries its η.
    void drawCopies() {
        if (apart() < 0.02) return;
        const bool named = apart() > 0.97 && pitch_ >= 13 && !narrow_;
        forCopies([&](std::size_t j, std::size_t i) {
            const double eta = std::isfinite(factor(j)) ? factor(j) : 0, value = v_.sample->values[i] * (1 + (eta - 1) * v_.carried);
            f_.painter.marker("redrawing/copy", copy(j, i), radius(), MarkerShape::Circle, ink(value), Stroke{colorOf(f_, j), 1.5});
            if (!named) return;
            const std::string text = (v_.carried > 0.5 ? "*η*_{" + index(j) + "}" : "") + "*y*_{" + index(i) + "}";
            f_.painter.text("redrawing/copy-name", copy(j, i) + Vec2{-radius() - 4, 0}, text, style(f_.theme.text, AlignH::Right));
        });
    }
    void drawInputs() {
        const double size = std::clamp(inputSlot_ * 0.3, 3.0, 10.0);
        for (std::size_t i = 0; i < v_.inputs; ++i) {
            f_.painter.marker("redrawing/input", input(i), size, MarkerShape::Circle, ink(v_.sample->values[i]),
                              Stroke{f_.theme.text, 1.5});
            dragInput(i);
        }
    }
    // A slider from −3 to 3 at the left of an input, with its value above where there is room.
    void dragInput(std::size_t i) {
        const double y = v_.sample->values[i], left = area_.lo.x + 6, right = inputX_ - (narrow_ ? 20 : 40), width = right - left;
        const bool tall = inputSlot_ >= 34;
        const double level = inputY(i) + (tall ? 9 : 0);
        const Vec2 at{left + width * (std::clamp(y, -kReach, kReach) + kReach) / (2 * kReach), level};
        if (tall)
            f_.painter.text("redrawing/value", {left - 2, level - 17},
                            "*y*_{" + index(i) + "}" + (narrow_ ? "" : " = ") + (narrow_ ? "" : numberText(y, 2)), style(f_.theme.text));
        f_.painter.line("redrawing/slider", {left, level}, {right, level}, {f_.theme.line, 2});
        const Handle handle{"y" + index(i), "input y" + index(i),
                            inWords(y),     std::clamp(y, -kReach, kReach),
                            -kReach,        kReach,
                            0.05,           {at + Vec2{-12, -12}, at + Vec2{12, 12}}};
        const auto grip = f_.handles.offer(handle, [&](Vec2 p) { return (p.x - left) / width * 2 * kReach - kReach; });
        if (grip.moved) ask(i, grip.value);
        const bool lively = grip.hovered || grip.held || grip.focused;
        f_.painter.marker("redrawing/knob", at, lively ? 7 : 5.5, MarkerShape::Circle, f_.theme.accent, Stroke{f_.theme.ground, 1.5});
    }
    void ask(std::size_t i, double value) {
        std::vector<double> wanted = v_.sample->values;
        wanted[i] = value;
        for (double& y : wanted) y = std::clamp(std::round(y * 100) / 100, -kReach, kReach) + 0.0;
        f_.changes.push_back(Change::param("sample", wanted));
    }
    // A unit applies f until its η has moved to the copies; then it only sums.
    void drawUnits() {
        const double size = std::clamp(slot_ * 0.28, 3.0, 10.0);
        for (std::size_t j = 0; j < v_.units; ++j) {
            f_.painter.marker("redrawing/unit", unit(j), size, MarkerShape::Circle, f_.theme.ground, Stroke{colorOf(f_, j), 2});
            if (size > 8 && v_.carried < 0.5) f_.painter.text("redrawing/f", unit(j), "*f*", style(f_.theme.text, AlignH::Centre));
            drawFactor(j, size);
        }
        f_.painter.marker("redrawing/output", {outputX_, area_.centre().y}, narrow_ ? 6 : 9, MarkerShape::Circle, f_.theme.ground,
                          Stroke{f_.theme.text, 2});
        if (!narrow_)
            f_.painter.text("redrawing/output", {outputX_ + 12, area_.centre().y + 20}, "*φ*(*Y*)", style(f_.theme.text, AlignH::Right));
    }
    // η_j and its value: at first on the side of its unit where no edge runs, in the end between its copies and the unit.
    void drawFactor(std::size_t j, double size) {
        if (slot_ < 26 || v_.gathered > 0.6) return;
        const double away = unitY(j) > area_.centre().y ? size + 9 : -size - 9;
        const Vec2 there = unit(j) + Vec2{0, away}, here{(copyX_ + unitX_) / 2, unitY(j)};
        const std::string value = std::isfinite(factor(j)) ? numberText(factor(j), 2) : "∞";
        const std::string text = "*η*_{" + index(j) + "}" + (narrow_ ? "" : " = " + value);
        const auto name = style(colorOf(f_, j), AlignH::Centre);
        const Vec2 at = mixed(there, here, v_.carried), half{f_.painter.measure(text, name).x / 2 + 4, 9};
        if (v_.carried > 0.5) f_.painter.rect("redrawing/eta", {at - half, at + half}, f_.theme.ground, 4);
        f_.painter.text("redrawing/eta", at, text, name);
    }

    PictureFrame& f_;
    const View& v_;
    bool narrow_;
    Rect area_;
    Vec2 heading_;
    double slot_, inputSlot_, pitch_, inputX_, copyX_, unitX_, outputX_, halo_;
};

double eased(double t) {
    const double c = std::clamp(t, 0.0, 1.0);
    return c * c * (3 - 2 * c);
}

View readView(const PictureFrame& f) {
    const Report& r = f.report;
    View v{r.array("sigmaTilde"),      r.array("capacity"), r.array("capacityDirect"), r.array("copies"),
           r.array("featureCapacity"), r.array("weights"),  r.array("sample"),         r.array("eta")};
    for (const Array* array : {v.sigmaTilde, v.capacity, v.direct, v.copies, v.features, v.weights, v.sample, v.eta})
        if (!array) return v;
    v.inputs = v.sample->values.size();
    v.units = v.eta->values.size();
    const double at = f.state.params.number("at");
    v.spread = eased(at), v.carried = eased(at - 1), v.gathered = eased(at - 2);
    return v;
}

/// P1 Fig 1: inputs, their copies, units and the map above, between the layer as it is and its augmented form. Inputs are dragged.
void drawRedrawing(PictureFrame& f, const View& v, Rect rect) { Redrawing(f, v, rect).draw(); }

/// P1 Fig 2: Σ as one block, then repeated, then Σ̃.
// Every block slides from the whole square to its place as the inputs are repeated, and takes its own values as the copies take their η.
void drawCovariance(PictureFrame& f, const View& v, Vec2 at, double side) {
    const TextStyle text{.color = f.theme.text, .size = f.theme.tinySize};
    const bool roomy = side > 150;
    const std::string title = v.carried > 0.5  ? (roomy ? "*Σ*^{~} of the copies" : "*Σ*^{~}")
                              : v.spread > 0.5 ? (roomy ? "*Σ* repeated (Eq 10)" : "*Σ* repeated")
                              : roomy          ? "*Σ* of the inputs"
                                               : "*Σ*";
    f.painter.text("covariance/title", at, elide(f.painter, title, text, side), text);
    const double row = decoupling::blockLines(f, false);
    const Rect square{at + Vec2{0, row}, at + Vec2{side, row + side}};
    const std::size_t n = v.inputs, m = v.units, size = n * m;
    std::vector<double> values(n * n), all(size * size);
    const auto& tilde = v.sigmaTilde->values;
    const double cell = side / static_cast<double>(m);
    for (std::size_t j = 0; j < m; ++j)
        for (std::size_t k = 0; k < m; ++k) {
            for (std::size_t r = 0; r < n; ++r)
                for (std::size_t c = 0; c < n; ++c) {
                    const double sigma = tilde[r * size + c], own = tilde[(j * n + r) * size + k * n + c];
                    values[r * n + c] = all[(j * n + r) * size + k * n + c] = sigma + (own - sigma) * v.carried;
                }
            const Vec2 home = square.lo + Vec2{cell * static_cast<double>(k), cell * static_cast<double>(j)};
            const Vec2 lo = square.lo + (home - square.lo) * v.spread;
            const double length = side + (cell - side) * v.spread;
            const Rect block{lo, lo + Vec2{length, length}};
            f.painter.field("covariance", block, {.rows = n, .cols = n, .values = values, .lo = -1, .hi = 1, .map = ColorMap::Diverging});
            f.painter.frame("covariance/block", block, {mix(f.theme.line, colorOf(f, j), j == k ? v.spread : 0.0), j == k ? 1.5 : 1.0});
        }
    if (v.spread > 0.99) decoupling::readOffBlocks(f, {"covariance", "", "", all, n, m}, square);
}

/// Capacity per input as the sum of its copies', and of the linear layer by the direct route.
void drawCapacities(PictureFrame& f, const View& v, Rect rect) {
    const double n = static_cast<double>(v.inputs);
    double top = largest(v.direct->values, largest(v.capacity->values, 1e-9));
    Plot plot(f.painter, f.theme, "bars", rect, {.label = rect.height() > 150 ? "input *i*" : "", .lo = 0.4, .hi = n + 0.6, .whole = true},
              {.label = "capacity *κ*", .lo = 0, .hi = std::max(top * 1.2, 1.0)});
    for (std::size_t i = 0; i < v.inputs; ++i) {
        const double x = static_cast<double>(i) + 1;
        double sum = 0;
        for (std::size_t j = 0; j < v.units; ++j) {
            const double part = v.copies->values[j * v.inputs + i];
            const Vec2 a = plot.toScreen(x - 0.3, sum + part), b = plot.toScreen(x + 0.3, sum);
            f.painter.rect("bars/copy", {a, b}, colorOf(f, j).withAlpha(0.75f));
            sum += part;
        }
        const double level = v.direct->values[i];
        const Vec2 ends[] = {plot.toScreen(x - 0.38, level), plot.toScreen(x + 0.38, level)};
        f.painter.line("bars/theory", ends, {f.theme.theory, 2, Dash::Dashed});
    }
    // A heading of two facts: what stands dashed, and how far it is.
    const Scalar* difference = f.report.scalar("difference");
    const bool linear = f.report.scalar("repetition");
    const std::string apart = difference ? numberText(difference->value, 2) : "";
    std::string title = linear ? "direct route dashed: " + apart + " apart" : "dashed: if it were linear, ≤ " + apart + " apart";
    if (f.painter.measure(title, {.color = f.theme.text, .size = f.theme.smallSize}).x > rect.width() - 44)
        title = linear ? "dashed: direct" : "dashed: linear";
    finishPlot(f, plot, "bars", title);
}

class AugmentedPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        const View view = readView(f);
        if (view.units == 0) return emptyPicture(f, "The layer is being redrawn.");
        const Rect a = f.area;
        if (!f.compact) return layDesk(f, view, a);
        a.width() > 1.25 * a.height() ? layRow(f, view, a) : layColumn(f, view, a);
    }

private:
    void layDesk(PictureFrame& f, const View& v, Rect a) {
        const double right = std::clamp(a.width() * 0.36, 240.0, 460.0), lines = decoupling::blockLines(f, false), bar = 58;
        const double side = std::min(right - bar, a.height() * 0.54 - lines);
        drawRedrawing(f, v, {a.lo, {a.hi.x - right - 24, a.hi.y}});
        const Vec2 at{a.hi.x - right, a.lo.y + 4};
        drawCovariance(f, v, at, side);
        colorBar(f.painter, f.theme, "covariance/bar", {{at.x + side + 10, at.y + lines}, {at.x + side + bar, at.y + lines + side}},
                 ColorMap::Diverging, {.label = "", .lo = -1, .hi = 1});
        drawCapacities(f, v, {{at.x - 6, at.y + lines + side + 10}, a.hi});
    }
    // Side by side: the redrawing, Σ̃, and the bars where three fit.
    void layRow(PictureFrame& f, const View& v, Rect a) {
        const double lines = decoupling::blockLines(f, false);
        const bool three = a.width() >= 600;
        const double side = std::min(a.height() - lines - 8, a.width() * (three ? 0.29 : 0.42));
        const double bars = three ? std::min(a.width() * 0.28, 240.0) : 0, left = a.width() - side - bars - (three ? 28 : 14);
        drawRedrawing(f, v, {a.lo, {a.lo.x + left, a.hi.y}});
        drawCovariance(f, v, {a.lo.x + left + 12, a.lo.y + 2}, side);
        if (three) drawCapacities(f, v, {{a.hi.x - bars, a.lo.y}, a.hi});
    }
    void layColumn(PictureFrame& f, const View& v, Rect a) {
        const double lines = decoupling::blockLines(f, false), side = std::min(a.width() * 0.44, a.height() * 0.4 - lines);
        const double split = a.hi.y - side - lines - 8;
        drawRedrawing(f, v, {a.lo, {a.hi.x, split}});
        drawCovariance(f, v, {a.lo.x + 6, split + 4}, side);
        drawCapacities(f, v, {{a.lo.x + side + 14, split}, a.hi});
    }
};

}  // namespace
}  // namespace augmented

PictureEntry augmented_space_picture() {
    return {"augmented-space", [] { return std::unique_ptr<Picture>(std::make_unique<augmented::AugmentedPicture>()); }};
}

}  // namespace kappaflow
