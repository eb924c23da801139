// A layer redrawn as its augmented, path-decoupled form (P1 Figs 1 and 2), with Σ̃ and the capacities by both routes.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/capacity_flow/augmented_space.h"
#include "scenes/capacity_flow/picture_blocks.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace augmented_space {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;
using namespace capacity_flow;

constexpr Size kDraggedWeights = 24;  ///< more knobs than these could not be told apart
constexpr double kReach = 3;          ///< inputs are dragged between −3 and 3

Vec2 mixed(Vec2 a, Vec2 b, double t) { return a + (b - a) * t; }
std::string index(Size i) { return std::to_string(i + 1); }
double eased(double t) {
    const double c = std::clamp(t, 0.0, 1.0);
    return c * c * (3 - 2 * c);
}
/// The colour of a unit, its edges and its copies.
Color colorOf(const Seen& s, Size unit) { return s.f.theme.series[unit % s.f.theme.series.size()]; }

/// How far the layer is redrawn, each from 0 to 1.
double spread(const Seen& s) { return eased(s.params.at); }        ///< inputs repeated, a copy for every unit
double carried(const Seen& s) { return eased(s.params.at - 1); }   ///< η moved from the units to the copies
double gathered(const Seen& s) { return eased(s.params.at - 2); }  ///< the copies' capacities back at the inputs

/// P1 Fig 1: inputs, their copies, units and the map above, between the layer as it is and its augmented form.
class Redrawing {
public:
    Redrawing(const Seen& seen, Rect rect)
        : s(seen), f(seen.f), r(seen.result), narrow_(rect.width() < 330), inputs_(r.inputs.size()), units_(r.features.size()) {
        heading_ = rect.lo + Vec2{2, 2};
        area_ = {{rect.lo.x, rect.lo.y + f.theme.smallSize + 14}, {rect.hi.x, rect.hi.y - 4}};
        slot_ = area_.height() / static_cast<double>(units_);
        inputSlot_ = area_.height() / static_cast<double>(inputs_);
        pitch_ = slot_ * 0.82 / static_cast<double>(inputs_);
        inputX_ = area_.lo.x + (narrow_ ? 58 : 96);
        outputX_ = area_.hi.x - (narrow_ ? 14 : 26);
        unitX_ = outputX_ - (outputX_ - inputX_) * 0.3;
        copyX_ = inputX_ + (unitX_ - inputX_) * (narrow_ ? 0.42 : 0.46);
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
    double apart() const { return spread(s) * (1 - gathered(s)); }
    Vec2 input(Size i) const { return {inputX_, area_.lo.y + inputSlot_ * (static_cast<double>(i) + 0.5)}; }
    Vec2 unit(Size j) const { return {unitX_, area_.lo.y + slot_ * (static_cast<double>(j) + 0.5)}; }
    Vec2 copy(Size j, Size i) const {
        const double fromMiddle = static_cast<double>(i) - static_cast<double>(inputs_ - 1) / 2;
        return mixed(input(i), {copyX_, unit(j).y + pitch_ * fromMiddle}, apart());
    }
    double weight(Size j, Size i) const { return r.weights[j * inputs_ + i]; }
    TextStyle style(Color color, AlignH h = AlignH::Left) const {
        return {.color = color, .size = f.theme.tinySize, .h = h, .v = AlignV::Middle, .halo = f.theme.ground};
    }
    template <class Draw>
    void forCopies(Draw draw) const {
        for (Size j = 0; j < units_; ++j)
            for (Size i = 0; i < inputs_; ++i) draw(j, i);
    }

    void drawHeading() {
        const std::string n = std::to_string(inputs_), m = std::to_string(units_);
        const std::string long_[] = {
            "a layer *A*^{T}*f*(*P*^{T}*Y*) of " + n + " inputs", "its inputs repeated " + m + " times, a copy for every unit",
            "*η* moves to the copies: *A*^{T}*P*^{~}^{T}*Y*^{~} is linear", "capacities of the copies add up at the inputs"};
        const std::string short_[] = {"a layer, " + n + " inputs", "inputs repeated " + m + " times", "copies carry their *η*",
                                      "capacities add up"};
        const auto k = static_cast<Size>(std::lround(std::clamp(spread(s) + carried(s) + gathered(s), 0.0, 3.0)));
        const TextStyle text{.color = f.theme.text, .size = narrow_ ? f.theme.tinySize : f.theme.smallSize};
        f.painter.text("redrawing/heading", heading_, elide(f.painter, narrow_ ? short_[k] : long_[k], text, area_.width() - 6), text);
    }
    void drawRepeats() {
        if (apart() < 0.02) return;
        const Stroke stroke{f.theme.muted.withAlpha(static_cast<float>(0.28 * apart())), 1};
        forCopies([&](Size j, Size i) { f.painter.line("redrawing/repeat", input(i), copy(j, i), stroke); });
    }
    void drawEdges() {
        double most = 1e-12;
        for (const double w : r.weights) most = std::max(most, std::abs(w));
        forCopies([&](Size j, Size i) {
            const double share = std::abs(weight(j, i)) / most;
            f.painter.line("redrawing/edge", copy(j, i), unit(j),
                           {colorOf(s, j).withAlpha(static_cast<float>(0.25 + 0.6 * share)), 0.7 + 3.2 * share});
        });
        if (!narrow_ && !f.kept && inputs_ * units_ <= kDraggedWeights) forCopies([&](Size j, Size i) { dragWeight(j, i); });
        const double peak = largest(r.featureCapacity, 1e-12);
        for (Size j = 0; j < units_; ++j)
            f.painter.line("redrawing/learned", unit(j), {outputX_, area_.centre().y},
                           {f.theme.muted.withAlpha(0.6f), 0.7 + 3 * r.featureCapacity[j] / peak});
    }
    // A weight's knob slides along its edge, from −2 by the copy to 2 by the unit; it shows when the pointer comes near.
    void dragWeight(Size j, Size i) {
        constexpr double kMost = 2, kFrom = 0.3, kLength = 0.5;
        const double w = std::clamp(weight(j, i), -kMost, kMost);
        const Vec2 from = copy(j, i), along = unit(j) - from, at = from + along * (kFrom + kLength * (w + kMost) / (2 * kMost));
        const Handle handle{"p" + index(i) + "," + index(j),
                            "weight of input " + index(i) + " in unit " + index(j),
                            inWords(w),
                            w,
                            -kMost,
                            kMost,
                            0.05,
                            around(at, 8)};
        const auto grip = f.handles.offer(handle, [&](Vec2 p) {
            const Vec2 d = p - from;
            const double share = (d.x * along.x + d.y * along.y) / (along.x * along.x + along.y * along.y);
            return ((share - kFrom) / kLength * 2 - 1) * kMost;
        });
        if (grip.moved) ask("weights", r.weights, j * inputs_ + i, grip.value, 1000);
        const Pointer p = f.handles.pointer();
        const bool lively = grip.lively(), near = p.inside && std::hypot(p.at.x - at.x, p.at.y - at.y) < 60;
        if (lively || near)
            f.painter.marker("redrawing/weight", at, lively ? 6 : 4, MarkerShape::Circle, colorOf(s, j), Stroke{f.theme.ground, 1.5});
        if (lively) tooltip(f, at - Vec2{0, 46}, {"*p*_{" + index(i) + index(j) + "} = " + numberText(weight(j, i), 2)});
    }
    /// The whole list, with one number new.
    void ask(const char* param, Vector wanted, Size changed, double value, double steps) {
        wanted[changed] = value;
        for (double& w : wanted) w = std::clamp(std::round(w * steps) / steps, -kReach, kReach) + 0.0;
        f.changes.push_back(Change::param(param, wanted));
    }
    // Discs whose area is the capacity of a copy: what a copy has is what its input gets.
    void drawHalos() {
        const double alpha = std::clamp(2 * carried(s) - 1, 0.0, 1.0) * 0.3;
        if (alpha <= 0) return;
        const auto halo = [&](Vec2 at, double capacity) {
            const double size = std::clamp(inputSlot_ * 0.45, 6.0, 30.0) * std::sqrt(std::max(capacity, 0.0));
            if (size > 0.5)
                f.painter.marker("redrawing/halo", at, size, MarkerShape::Circle, f.theme.accent.withAlpha(static_cast<float>(alpha)));
        };
        if (gathered(s) > 0.98)
            for (Size i = 0; i < inputs_; ++i) halo(input(i), r.capacity[i]);
        else
            forCopies([&](Size j, Size i) { halo(copy(j, i), r.copies[j * inputs_ + i]); });
    }
    Color ink(double value) const { return sample(ColorMap::Diverging, 0.5 + 0.5 * std::clamp(value / 2, -1.0, 1.0), f.theme.dark); }
    // A copy's ink is its value: y_i, and η_j y_i once it carries its η.
    void drawCopies() {
        if (apart() < 0.02) return;
        const double radius = std::clamp(std::min(pitch_ * 0.4, 7.0), 2.0, 7.0);
        const bool named = apart() > 0.97 && pitch_ >= 13 && !narrow_;
        forCopies([&](Size j, Size i) {
            const double eta = std::isfinite(r.eta[j]) ? r.eta[j] : 0, value = r.sample[i] * (1 + (eta - 1) * carried(s));
            f.painter.marker("redrawing/copy", copy(j, i), radius, MarkerShape::Circle, ink(value), Stroke{colorOf(s, j), 1.5});
            if (!named) return;
            const std::string text = (carried(s) > 0.5 ? "*η*_{" + index(j) + "}" : "") + "*y*_{" + index(i) + "}";
            f.painter.text("redrawing/copy-name", copy(j, i) + Vec2{-radius - 4, 0}, text, style(f.theme.text, AlignH::Right));
        });
    }
    void drawInputs() {
        const double size = std::clamp(inputSlot_ * 0.3, 3.0, 10.0);
        for (Size i = 0; i < inputs_; ++i) {
            f.painter.marker("redrawing/input", input(i), size, MarkerShape::Circle, ink(r.sample[i]), Stroke{f.theme.text, 1.5});
            dragInput(i);
        }
    }
    // A slider from −3 to 3 at the left of an input, with its value above where there is room.
    void dragInput(Size i) {
        const double y = std::clamp(r.sample[i], -kReach, kReach), left = area_.lo.x + 6, width = inputX_ - (narrow_ ? 20 : 40) - left;
        const bool tall = inputSlot_ >= 34;
        const double level = input(i).y + (tall ? 9 : 0);
        const Vec2 at{left + width * (y + kReach) / (2 * kReach), level};
        const std::string name = "*y*_{" + index(i) + "}" + (narrow_ ? "" : " = " + numberText(r.sample[i], 2));
        if (tall) f.painter.text("redrawing/value", {left - 2, level - 17}, name, style(f.theme.text));
        f.painter.line("redrawing/slider", {left, level}, {left + width, level}, {f.theme.line, 2});
        const Handle handle{"y" + index(i), "input y" + index(i), inWords(r.sample[i]), y, -kReach, kReach, 0.05, around(at, 12)};
        const auto grip = f.handles.offer(handle, [&](Vec2 p) { return (p.x - left) / width * 2 * kReach - kReach; });
        if (grip.moved) ask("sample", r.sample, i, grip.value, 100);
        const bool lively = grip.lively();
        f.painter.marker("redrawing/knob", at, lively ? 7 : 5.5, MarkerShape::Circle, f.theme.accent, Stroke{f.theme.ground, 1.5});
    }
    // A unit applies f until its η has moved to the copies; then it only sums.
    void drawUnits() {
        const double size = std::clamp(slot_ * 0.28, 3.0, 10.0);
        for (Size j = 0; j < units_; ++j) {
            f.painter.marker("redrawing/unit", unit(j), size, MarkerShape::Circle, f.theme.ground, Stroke{colorOf(s, j), 2});
            if (size > 8 && carried(s) < 0.5) f.painter.text("redrawing/f", unit(j), "*f*", style(f.theme.text, AlignH::Centre));
            drawEta(j, size);
        }
        const Vec2 output{outputX_, area_.centre().y};
        f.painter.marker("redrawing/output", output, narrow_ ? 6 : 9, MarkerShape::Circle, f.theme.ground, Stroke{f.theme.text, 2});
        if (!narrow_) f.painter.text("redrawing/output", output + Vec2{12, 20}, "*φ*(*Y*)", style(f.theme.text, AlignH::Right));
    }
    // η_j and its value: at first on the side of its unit where no edge runs, in the end between its copies and the unit.
    void drawEta(Size j, double size) {
        if (slot_ < 26 || gathered(s) > 0.6) return;
        const double away = unit(j).y > area_.centre().y ? size + 9 : -size - 9;
        const std::string value = std::isfinite(r.eta[j]) ? numberText(r.eta[j], 2) : "∞";
        const std::string text = "*η*_{" + index(j) + "}" + (narrow_ ? "" : " = " + value);
        const auto name = style(colorOf(s, j), AlignH::Centre);
        const Vec2 at = mixed(unit(j) + Vec2{0, away}, {(copyX_ + unitX_) / 2, unit(j).y}, carried(s));
        const Vec2 half{f.painter.measure(text, name).x / 2 + 4, 9};
        if (carried(s) > 0.5) f.painter.rect("redrawing/eta", {at - half, at + half}, f.theme.ground, 4);
        f.painter.text("redrawing/eta", at, text, name);
    }

    const Seen& s;
    PictureFrame& f;
    const Result& r;
    bool narrow_;
    Size inputs_, units_;
    Rect area_;
    Vec2 heading_;
    double slot_, inputSlot_, pitch_, inputX_, copyX_, unitX_, outputX_;
};

/// P1 Fig 2: Σ as one block, then repeated, then Σ̃. Every block slides from the whole square to its place as the inputs are repeated,
/// and takes its own values as the copies take their η.
void drawCovariance(const Seen& s, Rect rect) {
    PictureFrame& f = s.f;
    const Size n = s.result.inputs.size(), m = s.result.features.size(), size = n * m;
    const double repeated = spread(s), own = carried(s);
    const double bar = rect.width() >= 200 ? kBlockBar : 0, line = blockLines(f, false);
    const double side = std::max(std::min(rect.width() - bar, rect.height() - line - 6), 1.0);
    const Rect square{rect.lo + Vec2{0, line}, rect.lo + Vec2{side, line + side}};
    const bool roomy = side > 150;
    const std::string title = own > 0.5        ? (roomy ? "*Σ*^{~} of the copies" : "*Σ*^{~}")
                              : repeated > 0.5 ? (roomy ? "*Σ* repeated (Eq 10)" : "*Σ* repeated")
                              : roomy          ? "*Σ* of the inputs"
                                               : "*Σ*";
    const TextStyle text{.color = f.theme.text, .size = f.theme.tinySize};
    f.painter.text("covariance/title", rect.lo, elide(f.painter, title, text, side), text);
    if (bar > 0) drawBlockBar(f, "covariance/bar", square);
    const double cell = square.width() / static_cast<double>(m);
    Vector values(n * n), all(size * size);
    for (Size j = 0; j < m; ++j)
        for (Size k = 0; k < m; ++k) {
            for (Size r = 0; r < n; ++r)
                for (Size c = 0; c < n; ++c) {
                    const Size at = (j * n + r) * size + k * n + c;
                    const double sigma = s.result.sigmaTilde[r * size + c];
                    values[r * n + c] = all[at] = sigma + (s.result.sigmaTilde[at] - sigma) * own;
                }
            const Vec2 lo = square.lo + Vec2{cell * static_cast<double>(k), cell * static_cast<double>(j)} * repeated;
            const double length = square.width() + (cell - square.width()) * repeated;
            const Rect block{lo, lo + Vec2{length, length}};
            f.painter.field("covariance", block, {.rows = n, .cols = n, .values = values, .lo = -1, .hi = 1, .map = ColorMap::Diverging});
            f.painter.frame("covariance/block", block, {mix(f.theme.line, colorOf(s, j), j == k ? repeated : 0.0), j == k ? 1.5 : 1.0});
        }
    if (repeated > 0.99) readOffBlocks(f, all, n, square);
}

/// Capacity per input as the sum of its copies', and of the linear layer by the direct route.
void drawCapacities(const Seen& s, Rect rect) {
    const Result& r = s.result;
    PictureFrame& f = s.f;
    const double n = static_cast<double>(r.inputs.size()), top = largest(r.capacityDirect, largest(r.capacity, 1e-9));
    Plot plot(f.painter, f.theme, "bars", rect, {.label = rect.height() > 150 ? "input *i*" : "", .lo = 0.4, .hi = n + 0.6, .whole = true},
              {.label = "capacity *κ*", .lo = 0, .hi = std::max(top * 1.2, 1.0)});
    for (Size i = 0; i < r.inputs.size(); ++i) {
        const double x = static_cast<double>(i) + 1;
        double sum = 0;
        for (Size j = 0; j < r.features.size(); ++j) {
            const double below = sum;
            sum += r.copies[j * r.inputs.size() + i];
            f.painter.rect("bars/copy", {plot.toScreen(x - 0.3, sum), plot.toScreen(x + 0.3, below)}, colorOf(s, j).withAlpha(0.75f));
        }
        const double level = r.capacityDirect[i];
        f.painter.line("bars/theory", plot.toScreen(x - 0.38, level), plot.toScreen(x + 0.38, level), {f.theme.theory, 2, Dash::Dashed});
    }
    // What stands dashed, and how far it is.
    const bool linear = r.repetition.has_value();
    const std::string apart = r.difference < 1e-9 ? "the same" : numberText(r.difference, 2) + " apart";
    std::string title = linear ? "direct route dashed: " + apart : "dashed: if it were linear, ≤ " + apart;
    if (f.painter.measure(title, {.color = f.theme.text, .size = f.theme.smallSize}).x > rect.width() - 44)
        title = linear ? "dashed: direct" : "dashed: linear";
    finishPlot(f, plot, "bars", title);
}

Layout layout(const Seen& s) {
    const auto of = [&s](void (*draw)(const Seen&, Rect)) { return [&s, draw](Rect rect) { draw(s, rect); }; };
    Layout redrawing = s.panel(0, {240, 170}, [&s](Rect rect) { Redrawing(s, rect).draw(); });
    Layout blocks = s.panel(1, {130, 130}, of(drawCovariance)), bars = s.panel(2, {200, 130}, of(drawCapacities));
    if (s.f.area.width() > s.f.area.height())
        return Layout::columns({std::move(redrawing).share(1.7), Layout::rows({std::move(blocks), std::move(bars)})});
    return Layout::rows({std::move(redrawing).share(1.5), Layout::columns({std::move(blocks), std::move(bars)})});
}

}  // namespace
}  // namespace augmented_space

PictureEntry augmented_space_picture() { return tablePicture<augmented_space::kScene, augmented_space::layout>(); }

}  // namespace kappaflow
