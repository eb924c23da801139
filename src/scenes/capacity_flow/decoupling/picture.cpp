// An activation on the decoupling scale: f and η, and the blocks of Σ̃ measured, by P1 Eq 14 and exactly.
#include <algorithm>
#include <cmath>
#include <optional>

#include "draw/number_text.h"
#include "scenes/capacity_flow/decoupling/picture_scale.h"
#include "scenes/capacity_flow/picture_blocks.h"

namespace kappaflow {
namespace {

using namespace decoupling;
using namespace capacity_flow;

struct View {
    const Array *curve, *eta, *density;
    const Array *byDraws, *approximate, *exact, *toApproximate, *toExact, *noise, *errors;  ///< byDraws null: nothing to measure
    std::size_t inputs = 1, copies = 1;
    double at = 0;    ///< index along the draws
    double made = 0;  ///< draws there
    double nu = 0;    ///< of Eq 14
};

View readView(const PictureFrame& f) {
    const Report& r = f.report;
    View v{r.array("activationCurve"),
           r.array("eta"),
           r.array("density"),
           r.array("measuredByDraws"),
           r.array("sigmaTildeApproximate"),
           r.array("sigmaTildeExact"),
           r.array("distanceFromApproximate"),
           r.array("distanceFromExact"),
           r.array("noise"),
           r.array("largestError")};
    if (!v.approximate || !v.toApproximate || !v.noise || !v.errors) v.byDraws = nullptr;
    if (!v.byDraws || !r.params.contains("features")) return v;
    v.copies = static_cast<std::size_t>(r.params.integer("features"));
    v.inputs = static_cast<std::size_t>(r.params.integer("inputs"));
    const auto& draws = v.byDraws->axes[0].values;
    v.at = indexAlong(v.byDraws->axes[0].values, f.state.params.number("at"));
    v.made = std::clamp(f.state.params.number("at"), draws.front(), draws.back());
    if (const Scalar* nu = r.scalar("nuIndependent")) v.nu = nu->value;
    return v;
}

// The slope for negative z where f has two slopes.
std::optional<double> leg(const Values& params) {
    const std::string& key = params.text("activation");
    if (key == "leaky-relu") return params.number("slope");
    if (key == "identity") return 1;
    if (key == "relu") return 0;
    if (key == "abs") return -1;
    return std::nullopt;
}

std::string percent(double share) { return numberText(100 * share, 2) + " %"; }

class DecouplingPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        const View view = readView(f);
        const Placement scale{f.report.array("scale"), f.report.array("scaleIndependent"), f.report.array("scaleCorrelation"), chosen(f),
                              !f.report.scalar("meanEta")};
        if (!view.curve || !view.eta || !view.density || !scale.energy || !scale.independent || !scale.correlation)
            return emptyPicture(f, "The activation is being placed on the scale.");
        const Rect a = f.area;
        const double height = scaleHeight(f, a.width(), a.height());
        drawScale(f, scale, {a.lo, {a.hi.x, a.lo.y + height}});
        const Rect rest{{a.lo.x, a.lo.y + height + 4}, a.hi};
        f_ = &f, view_ = &view;
        if (f.compact)
            rest.width() > 1.3 * rest.height() ? layRow(rest) : layGrid(rest);
        else
            layDesk(rest);
    }

private:
    std::vector<double> chosen(PictureFrame& f) {
        std::vector<double> places;
        for (const char* name : {"nuEnergy", "nuIndependent", "nuCorrelation"}) {
            const Scalar* scalar = f.report.scalar(name);
            places.push_back(scalar ? scalar->value : 0);
        }
        return glide_.towards(f, std::move(places));
    }

    // Curves at the left, blocks above and convergence below at the right.
    void layDesk(Rect rest) {
        const double left = std::clamp(rest.width() * 0.36, 220.0, 420.0), middle = rest.centre().y;
        if (!view_->byDraws) return layWithoutBlocks(rest, rest.lo.x + rest.width() / 2);
        drawCurve({rest.lo, {rest.lo.x + left, middle - 2}});
        drawEta({{rest.lo.x, middle + 2}, {rest.lo.x + left, rest.hi.y}});
        const Rect right{{rest.lo.x + left + 16, rest.lo.y + 6}, rest.hi};
        const double shown = view_->exact ? 3 : 2, bar = 52, lines = blockLines(*f_, true);
        const double side = std::min((right.width() - bar - 14 * (shown - 1) - 8) / shown, right.height() * 0.56 - lines);
        drawAllBlocks(right.lo, side, shown, true);
        const double barLeft = right.lo.x + shown * side + 14 * (shown - 1) + 10;
        colorBar(f_->painter, f_->theme, "blocks/bar", {{barLeft, right.lo.y + lines / 2}, {barLeft + bar, right.lo.y + lines / 2 + side}},
                 ColorMap::Diverging, {.label = "", .lo = -1, .hi = 1});
        drawConvergence({{right.lo.x, right.lo.y + side + lines + 6}, rest.hi});
    }
    // f and η side by side, and why there is no more.
    void layWithoutBlocks(Rect rest, double middle) {
        drawNoBlocks({{rest.lo.x + 8, rest.lo.y + 6}, {rest.hi.x - 8, rest.lo.y + 66}});
        drawCurve({{rest.lo.x, rest.lo.y + 72}, {middle - 6, rest.hi.y}});
        drawEta({{middle + 6, rest.lo.y + 72}, rest.hi});
    }
    // f, then as many squares as there is room for.
    void layRow(Rect rest) {
        const bool foot = rest.height() > 170;
        const double side = rest.height() - blockLines(*f_, foot) - 4, least = std::max(150.0, rest.width() * 0.3);
        const double shown = std::clamp(std::floor((rest.width() - least) / (side + 12)), 1.0, view_->exact ? 3.0 : 2.0);
        const double left = rest.width() - shown * (side + 12);
        drawCurve({rest.lo, {rest.lo.x + left, rest.hi.y}});
        drawAllBlocks({rest.lo.x + left + 12, rest.lo.y}, side, shown, foot);
    }
    void layGrid(Rect rest) {
        if (!view_->byDraws) return layWithoutBlocks(rest, rest.lo.x + rest.width() / 2);
        const double lines = blockLines(*f_, true), row = rest.height() / 2;
        const double side = std::min(rest.width() / 2 - 12, row - lines - 4), split = rest.hi.x - side - 16, at = rest.hi.x - side - 4;
        drawCurve({rest.lo, {split, rest.lo.y + row - 4}});
        drawAllBlocks({at, rest.lo.y}, side, 1, true);
        drawConvergence({{rest.lo.x, rest.lo.y + row}, {split, rest.hi.y}});
        drawTheory({at, rest.lo.y + row}, side, view_->exact != nullptr, true);
    }

    void drawCurve(Rect rect) {
        PictureFrame& f = *f_;
        const auto& z = view_->curve->axes[0].values;
        std::vector<double> values = view_->curve->values;
        // While it is pulled the leg is where the reader's hand is, not where the last result was.
        if (const auto wanted = leg(f.state.params); wanted && leg(f.report.params))
            for (std::size_t i = 0; i < z.size() && z[i] < 0; ++i) values[i] = *wanted * z[i];
        const double reach = z.back();
        double top = 0;
        for (const double value : values) top = std::max(top, std::abs(value));
        top = std::min(std::max(1.5, top * 1.05), 0.75 * reach);
        Plot plot(f.painter, f.theme, "f", rect, {.label = "*z*", .lo = -reach, .hi = reach}, {.label = "*f*(*z*)", .lo = -top, .hi = top},
                  zoomOf(f, "f"));
        std::vector<double> bell = view_->density->values;
        const double peak = largest(bell, 1e-12);
        for (double& value : bell) value *= 0.8 * top / peak;
        plot.area("f/density", z, bell, f.theme.muted.withAlpha(0.13f));
        plot.line("f/linear", z, z, {f.theme.muted.withAlpha(0.6f), Dash::Dotted, 1.2, ""});
        // A pseudo-random f is nowhere continuous: points, not a line.
        if (f.report.params.is("activation", "pseudo-random"))
            plot.markers("f/points", z, values, {f.theme.accent, Dash::Solid, 2, ""}, MarkerShape::Circle, 1.6);
        else
            plot.line("f/curve", z, values, {f.theme.accent, Dash::Solid, 2.6, ""});
        drag(plot, reach);
        finishPlot(f, plot, "f", f.kept ? "" : leg(f.state.params) ? "pull the left leg" : "");
    }
    // The left leg of a two-slope activation, at 0.6 of the way out.
    void drag(Plot& plot, double reach) {
        PictureFrame& f = *f_;
        const auto wanted = leg(f.state.params);
        if (!wanted) return;
        const double slope = *wanted, z = -0.6 * reach;
        const Vec2 at = plot.toScreen(z, slope * z);
        if (!plot.inner().contains(at)) return;
        const Handle handle{"slope", "slope for negative z", inWords(slope), slope, -1, 1, 0.02, {at + Vec2{-13, -13}, at + Vec2{13, 13}}};
        const auto grip = f.handles.offer(handle, [&](Vec2 p) { return plot.toData(p).y / z; });
        if (grip.moved) askForSlope(f, grip.value);
        const bool lively = grip.hovered || grip.held || grip.focused;
        f.painter.marker("f/handle", at, lively ? 8 : 6.5, MarkerShape::Circle, f.theme.accent, Stroke{f.theme.ground, 2});
    }

    void drawEta(Rect rect) {
        PictureFrame& f = *f_;
        const auto& z = view_->eta->axes[0].values;
        const bool signs = f.report.params.is("activation", "pseudo-random");
        Plot plot(f.painter, f.theme, "eta", rect, {.label = "*z*", .lo = z.front(), .hi = z.back()},
                  {.label = "*η* = *f*(*z*)/*z*", .lo = view_->byDraws ? -1.25 : -3, .hi = view_->byDraws ? 1.25 : 3}, zoomOf(f, "eta"));
        plot.horizontal("eta/zero", 0, {f.theme.line, Dash::Solid, 1, ""});
        if (signs)
            plot.markers("eta/signs", z, view_->eta->values, {f.theme.series[2], Dash::Solid, 2, ""}, MarkerShape::Circle, 1.6);
        else
            plot.line("eta/curve", z, view_->eta->values, {f.theme.series[2], Dash::Solid, 2.4, ""});
        std::string title = "E *η*² = ∞, since *f*(0) ≠ 0";
        if (const Scalar* mean = f.report.scalar("meanEta"))
            title =
                "scaled to E *η*² = 1: E *η* = " + numberText(mean->value, 3) + ", (E *η*)² = " + numberText(mean->value * mean->value, 3);
        finishPlot(f, plot, "eta", title);
    }

    Blocks blocks(const std::string& id, std::string title, std::string foot, std::span<const double> values) const {
        return {"blocks/" + id, std::move(title), std::move(foot), values, view_->inputs, view_->copies};
    }
    void drawAllBlocks(Vec2 at, double side, double shown, bool foot) {
        if (side < 20) return;
        if (!view_->byDraws) return drawNoBlocks({at, at + Vec2{side * shown + 14 * (shown - 1), side}});
        measured_ = rowAt(*view_->byDraws, view_->at);
        std::string under = numberText(std::round(view_->made), 6) + " draws";
        if (side > 130) under += ", ± " + numberText(rowAt(*view_->errors, view_->at)[0], 2);
        drawBlocks(*f_, blocks("measured", side < 120 ? "measured" : "*Σ*^{~} measured", foot ? under : "", measured_), at, side);
        if (shown > 1) drawTheory({at.x + side + 14, at.y}, side, view_->exact && shown < 2.5, foot);
        if (shown > 2) drawTheory({at.x + 2 * (side + 14), at.y}, side, true, foot);
    }
    void drawTheory(Vec2 at, double side, bool wanted, bool foot) {
        const bool exact = wanted && view_->exact && view_->toExact;
        const Array& distance = exact ? *view_->toExact : *view_->toApproximate;
        const double off = rowAt(distance, view_->at)[0];
        const Array& values = exact ? *view_->exact : *view_->approximate;
        const std::string title = exact ? (side < 110 ? "arcsine law" : "exact: arcsine law") : "Eq 14, *ν* = " + numberText(view_->nu, 3);
        drawBlocks(*f_,
                   blocks(exact ? "exact" : "approximate", title, foot ? percent(off) + (side < 130 ? " off" : " off measured") : "",
                          values.values),
                   at, side);
    }
    void drawNoBlocks(Rect rect) {
        TextStyle style{.color = f_->theme.text, .size = f_->theme.smallSize, .h = AlignH::Centre, .v = AlignV::Middle};
        f_->painter.frame("blocks/none", rect, {f_->theme.line, 1, Dash::Dotted}, 6);
        if (f_->painter.measure("0", style).x * 46 > rect.width()) style.size = f_->theme.tinySize;
        const bool low = rect.height() < 50, narrow = rect.width() < 250;
        const char* first = narrow ? "No *Σ*^{~}: E *η*² = ∞" : "No *Σ*^{~} to measure: E *η*² = ∞";
        f_->painter.text("blocks/none", rect.centre() + Vec2{0, low ? 0.0 : -10.0}, first, style);
        const char* why = "*f*(0) = ½, so *η* ≈ 1/(2*z*) near 0";
        if (low || f_->painter.measure(why, style).x > rect.width()) return;
        style.color = f_->theme.muted;
        f_->painter.text("blocks/none", rect.centre() + Vec2{0, 10}, why, style);
    }

    void drawConvergence(Rect rect) {
        PictureFrame& f = *f_;
        const auto& draws = view_->byDraws->axes[0].values;
        double lo = 1, hi = 1e-3;
        for (const Array* curve : {view_->toApproximate, view_->noise, view_->toExact ? view_->toExact : view_->noise})
            for (const double value : curve->values)
                if (value > 0) lo = std::min(lo, value), hi = std::max(hi, value);
        Plot plot(f.painter, f.theme, "convergence", rect,
                  {.label = "draws", .lo = draws.front(), .hi = std::max(draws.back(), draws.front() * 1.01), .scale = Scale::Log},
                  {.label = "relative distance", .lo = lo / 1.5, .hi = hi * 1.5, .scale = Scale::Log}, zoomOf(f, "convergence"));
        plot.vertical("convergence/now", view_->made, {f.theme.accent.withAlpha(0.5f), Dash::Solid, 1, ""});
        plot.line("convergence/theory", draws, view_->noise->values, {f.theme.theory, Dash::Dashed, 1.6, "standard error"});
        plot.line("convergence/measured", draws, view_->toApproximate->values, {f.theme.series[1], Dash::Solid, 2.2, "from Eq 14"});
        if (view_->toExact)
            plot.line("convergence/measured-exact", draws, view_->toExact->values, {f.theme.series[0], Dash::Solid, 2.2, "from exact"});
        finishPlot(f, plot, "convergence", "");
    }

    Glide glide_;
    std::vector<double> measured_;
    PictureFrame* f_ = nullptr;
    const View* view_ = nullptr;
};

}  // namespace

PictureEntry decoupling_picture() {
    return {"decoupling", [] { return std::unique_ptr<Picture>(std::make_unique<DecouplingPicture>()); }};
}

}  // namespace kappaflow
