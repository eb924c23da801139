#include "scenes/linear_models/picture_view.h"

#include <algorithm>
#include <cmath>

#include "draw/number_text.h"

namespace kappaflow::linear {
namespace {

/// Texts from the left, until the next would not fit.
void drawRow(PictureFrame& f, Rect rect, const std::vector<std::pair<std::string, Color>>& texts) {
    double x = rect.lo.x;
    for (const auto& [text, color] : texts) {
        const TextStyle style{.color = color, .size = f.theme.smallSize, .v = AlignV::Middle};
        const double width = f.painter.measure(text, style).x;
        if (x + width > rect.hi.x) return;
        f.painter.text("facts", {x, rect.centre().y}, text, style);
        x += width + 18;
    }
}

}  // namespace

std::string View::placeName(std::size_t frame) const {
    const std::string number = inWords(places[frame], 6);
    if (steps) return "step " + number;
    return number + (places[frame] == 1 ? " channel" : " channels");
}

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {
        {&view.capacity, "capacityAlong"},         {&view.inBasis, "capacityInBasisAlong"},
        {&view.coefficients, "coefficientsAlong"}, {&view.generated, "modelAutocovarianceAlong"},
        {&view.total, "totalCapacityAlong"},       {&view.rank, "numericalRankAlong"},
        {&view.parameters, "parametersAlong"},     {&view.loss, "lossAlong"},
        {&view.optimality, "optimalityAlong"},     {&view.target, "target"},
        {&view.autocovariance, "autocovariance"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    view.eigenvalues = r.array("eigenvaluesAlong");
    view.raw = r.array("eigenvaluesRaw");
    view.other = r.array("capacityOther");
    view.places = view.capacity->axes[0].values;
    view.steps = view.capacity->axes[0].name == "step";
    view.index = indexAlong(view.places, f.state.params.number(view.steps ? "step" : "at"));
    view.lags = view.capacity->axes[1].size();
    return !view.places.empty() && view.lags > 0;
}

AxisSpec decades(std::string label, const std::vector<double>& values, double floor) {
    double lo = 1e300, hi = 0;
    for (const double value : values)
        if (value > floor) lo = std::min(lo, value), hi = std::max(hi, value);
    if (!(hi > 0)) lo = floor, hi = 100 * floor;
    return {.label = std::move(label), .lo = lo / 2.5, .hi = hi * 3, .scale = Scale::Log};
}

Color frameColor(const Theme& theme, const View& view, std::size_t frame) {
    const double share = view.places.size() < 2 ? 1 : static_cast<double>(frame) / static_cast<double>(view.places.size() - 1);
    return sample(ColorMap::Capacity, 0.45 + 0.45 * share, theme.dark);
}

void pull(PictureFrame& f, std::vector<double> factors, std::size_t place, double factor) {
    if (factors.size() <= place) factors.resize(place + 1, 1.0);
    factors[place] = factor;
    while (!factors.empty() && factors.back() == 1) factors.pop_back();
    f.changes.push_back(Change::param("pull", std::move(factors)));
}

void drawFacts(PictureFrame& f, const View& view, Rect rect) {
    const double total = view.of(view.total), rank = view.of(view.rank);
    std::string capacity = "*κ* = " + numberText(total, 6) + " of " + std::to_string(view.lags);
    if (rank != total) capacity += " (" + numberText(rank, 6) + " found)";
    const bool optimal = view.optimal();
    const std::string check = "‖*K*^{T}*X*‖/‖*X*‖ = " + numberText(view.of(view.optimality), 2);
    drawRow(f, rect,
            {{view.placeName(), f.theme.text},
             {capacity, capacityColor(f.theme)},
             {optimal ? "optimal" : "not optimal", optimal ? f.theme.text : f.theme.warning},
             {"loss " + numberText(view.of(view.loss), 3), f.theme.text},
             {numberText(view.of(view.parameters), 6) + " weights", f.theme.muted},
             {check, f.theme.muted}});
}

namespace {

void drawCompact(PictureFrame& f, const View& view, DrawModel drawModel, const std::string& otherName) {
    const Rect a = f.area;
    const bool basis = a.height() >= 400;
    const double bottom = basis ? a.lo.y + 0.7 * a.height() : a.hi.y, top = a.lo.y + 20 + 0.4 * (bottom - a.lo.y - 20);
    drawFacts(f, view, {a.lo + Vec2{6, 0}, {a.hi.x, a.lo.y + 20}});
    const LagScale scale = drawCapacity(f, view, {{a.lo.x, top}, {a.hi.x, bottom}}, otherName);
    drawModel(f, view, scale, {{a.lo.x, a.lo.y + 22}, {a.hi.x, top + 2}});
    if (basis) drawBasis(f, view, {{a.lo.x, bottom + 6}, a.hi});
}

void drawWide(PictureFrame& f, const View& view, DrawModel drawModel, const std::string& otherName) {
    const Rect a = f.area;
    const double right = a.hi.x - std::clamp(a.width() * 0.36, 220.0, 430.0);
    const double split = a.lo.y + 26 + 0.5 * (a.height() - 26);
    drawFacts(f, view, {a.lo + Vec2{10, 2}, {right - 12, a.lo.y + 26}});
    const LagScale scale = drawCapacity(f, view, {{a.lo.x, split}, {right - 12, a.hi.y}}, otherName);
    drawModel(f, view, scale, {{a.lo.x, a.lo.y + 30}, {right - 12, split}});
    const int plots = a.height() < 330 ? 1 : a.height() < 470 || !view.eigenvalues ? 2 : 3;
    const double height = (a.height() - 4) / plots;
    Rect place{{right, a.lo.y + 4}, {a.hi.x, a.lo.y + 4 + height - 6}};
    const auto next = [&] {
        const Rect now = place;
        place.lo.y += height, place.hi.y += height;
        return now;
    };
    drawBasis(f, view, next());
    if (plots == 3) drawEigenvalues(f, view, next());
    if (plots > 1) drawLoss(f, view, next());
}

}  // namespace

void FollowChannels::draw(PictureFrame& f) {
    const double channels = f.state.params.number("channels");
    if (channels_ > 0 && channels_ != channels) f.changes.push_back(Change::param("at", channels));
    channels_ = channels;
}

void drawScene(PictureFrame& f, const View& view, DrawModel drawModel, const std::string& otherName) {
    if (f.state.params.is("panels", "fit"))
        drawFit(f, view, f.area);
    else
        f.area.width() < 600 ? drawCompact(f, view, drawModel, otherName) : drawWide(f, view, drawModel, otherName);
}

namespace {

// A model beside its task (P2 Fig 14): coefficients and autocovariance, and their errors, absolute and relative.

/// A quantity of every lag, of the model and of the task.
struct Pair {
    const char *id, *name, *error, *relative;
    Scale scale;
    std::vector<double> model, task;
};

std::vector<double> lagsFromOne(std::size_t n) {
    std::vector<double> lags = countUp(n);
    for (double& lag : lags) ++lag;
    return lags;
}

/// Newest at the right; the recent past is where things happen, hence in decades.
AxisSpec lagAxis(const std::vector<double>& x) {
    return {.label = "lag *τ* + 1", .lo = 0.85, .hi = std::max(x.back() * 1.15, 2.0), .scale = Scale::Log, .reversed = true};
}

AxisSpec range(const Pair& pair) {
    double lo = 0, hi = 1e-3;
    for (const auto* values : {&pair.model, &pair.task})
        for (const double value : *values)
            if (std::isfinite(value)) lo = std::min(lo, value), hi = std::max(hi, value);
    return {.label = pair.name, .lo = lo - 0.06 * (hi - lo), .hi = hi + 0.1 * (hi - lo), .scale = pair.scale};
}

void drawTogether(PictureFrame& f, const Pair& pair, Rect rect, const std::string& title) {
    const std::string id = std::string(pair.id);
    const auto x = lagsFromOne(pair.task.size());
    Plot plot(f.painter, f.theme, id, rect, lagAxis(x), range(pair), zoomOf(f, id));
    plot.line(id + "/measured", x, pair.model, {capacityColor(f.theme), Dash::Solid, 2.4, "model"});
    plot.line(id + "/theory", x, pair.task, {f.theme.theory, Dash::Dashed, 1.8, "target"});
    finishPlot(f, plot, id, title);
}

void drawError(PictureFrame& f, const Pair& pair, Rect rect, bool relative, const std::string& title) {
    const std::string id = std::string(pair.id) + (relative ? "-relative" : "-error");
    const auto x = lagsFromOne(pair.task.size());
    std::vector<double> error(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        error[i] = std::abs(pair.model[i] - pair.task[i]);
        if (relative) error[i] = pair.task[i] == 0 ? std::nan("") : error[i] / std::abs(pair.task[i]);
    }
    Plot plot(f.painter, f.theme, id, rect, lagAxis(x), decades(relative ? pair.relative : pair.error, error, 1e-17), zoomOf(f, id));
    plot.line(id + "/measured", x, error, {f.theme.series[1], Dash::Solid, 1.8, ""});
    plot.markers(id + "/measured", x, error, {f.theme.series[1], Dash::Solid, 1, ""}, MarkerShape::Circle, 2);
    finishPlot(f, plot, id, title);
}

/// Share `at` of `count` places beside each other.
Rect cell(Rect a, int column, int columns, int row, int rows) {
    const double w = a.width() / columns, h = a.height() / rows;
    return Rect{{a.lo.x + w * column, a.lo.y + h * row}, {a.lo.x + w * (column + 1), a.lo.y + h * (row + 1)}}.inset(2, 2, 8, 6);
}

}  // namespace

void drawFit(PictureFrame& f, const View& view, Rect rect) {
    const Pair coefficients{"coefficients",         "*a_{τ}*",    "|Δ*a_{τ}*|",
                            "|Δ*a_{τ}*|/|*a_{τ}*|", Scale::Asinh, rowAt(*view.coefficients, view.index),
                            view.target->values};
    const Pair covariance{"covariance",
                          "*c_{τ}*",
                          "|Δ*c_{τ}*|",
                          "|Δ*c_{τ}*|/|*c_{τ}*|",
                          Scale::Linear,
                          rowAt(*view.generated, view.index),
                          view.autocovariance->values};
    drawFacts(f, view, {rect.lo + Vec2{10, 2}, {rect.hi.x, rect.lo.y + 24}});
    const Rect a{{rect.lo.x, rect.lo.y + 26}, rect.hi};
    const bool unstable = std::isnan(covariance.model.front());
    const std::string model = unstable ? "autocovariance: the model is unstable" : "autocovariance";
    const int columns = a.width() >= 700 ? 3 : a.width() >= 460 ? 2 : 1, rows = a.height() >= 260 ? 2 : 1;
    drawTogether(f, coefficients, cell(a, 0, columns, 0, rows), "coefficients, " + view.placeName());
    if (columns > 1) drawError(f, coefficients, cell(a, 1, columns, 0, rows), false, "absolute error");
    if (columns > 2) drawError(f, coefficients, cell(a, 2, columns, 0, rows), true, "relative error");
    if (rows == 1) return;
    if (columns == 1) return drawError(f, coefficients, cell(a, 0, 1, 1, 2), false, "absolute error");
    drawTogether(f, covariance, cell(a, 0, columns, 1, rows), model);
    drawError(f, covariance, cell(a, 1, columns, 1, rows), false, "absolute error");
    if (columns > 2) drawError(f, covariance, cell(a, 2, columns, 1, rows), true, "relative error");
}

namespace {

// Where the capacity goes: along lags, along a basis, as eigenvalues; and what it buys, the loss (P2 Fig 5).

std::string basisName(const PictureFrame& f, bool wide) {
    const Values& v = f.report.params;
    if (v.is("basis", "fourier")) return wide ? "frequency (cosine and sine)" : "frequency";
    if (v.is("basis", "position")) return "lag *τ*";
    return wide ? "eigenvector of *Σ*, largest first" : "eigenvector of *Σ*";
}

/// A line for each frame of the timeline that is not the one shown; with steps only the first and the last.
template <class Draw>
void forOthers(const PictureFrame& f, const View& view, Draw&& draw) {
    for (std::size_t i = 0; i < view.places.size(); ++i) {
        if (i == view.nearest() || (view.steps && i > 0 && i + 1 < view.places.size())) continue;
        const double place = view.places[i];
        if (!view.steps && place != 1 && place != 2 && place != 4 && place < 8) continue;
        draw(i, Series{frameColor(f.theme, view, i).withAlpha(0.75f), Dash::Solid, 1.3,
                       view.steps ? (i == 0 ? "start" : "end") : numberText(place, 4)});
    }
}

std::span<const double> rowOf(const Array& array, std::size_t index) { return {array.row(index), array.rowLength()}; }

}  // namespace

LagScale drawCapacity(PictureFrame& f, const View& view, Rect rect, const std::string& otherName) {
    const double n = static_cast<double>(view.lags);
    Plot plot(f.painter, f.theme, "lags", rect, {.label = "lag *τ*", .lo = -0.6, .hi = n - 0.4, .whole = true, .reversed = true},
              {.label = "capacity *κ_{τ}*", .lo = 0, .hi = 1.12}, zoomOf(f, "lags"));
    const auto lags = countUp(view.lags);
    const auto now = rowAt(*view.capacity, view.index);
    const Color blue = capacityColor(f.theme);
    const double spacing = plot.toScreen(0, 0).x - plot.toScreen(1, 0).x;
    if (spacing > 3)
        plot.bars("lags/capacity", lags, now, 0.84, blue.withAlpha(0.6f));
    else
        plot.area("lags/capacity", lags, now, blue.withAlpha(0.45f));
    plot.horizontal("lags/bound", 1, {f.theme.muted, Dash::Dotted, 1.2, ""});
    forOthers(f, view, [&](std::size_t i, const Series& series) { plot.line("lags/others", lags, rowOf(*view.capacity, i), series); });
    if (view.other) plot.line("lags/compared", lags, view.other->values, {f.theme.series[1], Dash::Solid, 2.2, otherName});
    finishPlot(f, plot, "lags", rect.width() > 330 ? "capacity of every lag, " + view.placeName() : "capacity, " + view.placeName());
    return {plot.inner(), plot.toScreen(0, 0).x, spacing};
}

void drawBasis(PictureFrame& f, const View& view, Rect rect) {
    const auto now = rowAt(*view.inBasis, view.index);
    const auto x = countUp(now.size());
    const bool fourier = f.report.params.is("basis", "fourier"), lag = f.report.params.is("basis", "position");
    const double n = static_cast<double>(now.size()), top = fourier ? 2 : 1;
    Plot plot(f.painter, f.theme, "basis", rect,
              {.label = basisName(f, rect.width() > 260), .lo = -0.6, .hi = n - 0.4, .whole = true, .reversed = lag},
              {.label = "capacity", .lo = 0, .hi = 1.12 * top}, zoomOf(f, "basis"));
    const Color blue = capacityColor(f.theme);
    plot.area("basis/now", x, now, blue.withAlpha(0.25f));
    forOthers(f, view, [&](std::size_t i, const Series& series) { plot.line("basis/others", x, rowOf(*view.inBasis, i), series); });
    plot.line("basis/capacity", x, now, {blue, Dash::Solid, 2.2, ""});
    plot.horizontal("basis/bound", top, {f.theme.muted, Dash::Dotted, 1.2, ""});
    finishPlot(f, plot, "basis", fourier ? "capacity of every frequency" : lag ? "capacity of every lag" : "capacity along *Σ*");
}

void drawEigenvalues(PictureFrame& f, const View& view, Rect rect) {
    constexpr double kFloor = 1e-36;
    std::vector<double> x = countUp(view.lags);
    for (double& i : x) ++i;
    std::vector<double> all = view.eigenvalues->values;
    Plot plot(f.painter, f.theme, "eigenvalues", rect,
              {.label = "index *i*", .lo = 0, .hi = static_cast<double>(view.lags) + 1, .whole = true},
              decades("*λ_{i}*/*λ*_{1}", all, kFloor), zoomOf(f, "eigenvalues"));
    forOthers(f, view,
              [&](std::size_t i, const Series& series) { plot.line("eigenvalues/others", x, rowOf(*view.eigenvalues, i), series); });
    const Scalar* threshold = f.report.scalar("threshold");
    const bool asked =
        view.steps ? view.nearest() + 1 == view.places.size() : view.places[view.nearest()] == f.report.params.number("channels");
    if (asked && view.raw)
        plot.markers("eigenvalues/raw", x, view.raw->values, {f.theme.series[1].withAlpha(0.7f), Dash::Solid, 1, ""}, MarkerShape::Cross,
                     2.5);
    plot.markers("eigenvalues/now", x, rowOf(*view.eigenvalues, view.nearest()), {capacityColor(f.theme), Dash::Solid, 1, ""},
                 MarkerShape::Circle, 2.6);
    if (asked && threshold) plot.horizontal("eigenvalues/theory/threshold", threshold->value, {f.theme.theory, Dash::Dashed, 1.4, ""});
    finishPlot(f, plot, "eigenvalues",
               rect.width() > 260 ? "eigenvalues of *ΣJJ*^{T}*Σ*: " + numberText(view.of(view.rank), 4) + " not zero"
                                  : "eigenvalues of *ΣJJ*^{T}*Σ*");
}

namespace {

/// The upright line of the place shown, which is also the handle that scrubs.
void offerPlace(PictureFrame& f, const View& view, Plot& plot, double shift) {
    const double last = static_cast<double>(view.places.size() - 1);
    const Between b = between(view.index, view.places.size() - 1);
    const double place = view.places[b.below] + (view.places[b.above] - view.places[b.below]) * b.fraction;
    plot.vertical("loss/now", place + shift, {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (last == 0) return;
    const Rect inner = plot.inner();
    const double x = plot.toScreen(place + shift, 1).x;
    const Handle handle{"place", view.steps ? "step shown" : "channels shown", view.placeName(), view.index, 0, last,
                        1,       {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) {
        const double at = plot.toData(p).x - shift;
        std::size_t below = 0;
        while (below + 2 < view.places.size() && view.places[below + 1] <= at) ++below;
        const double part = (at - view.places[below]) / (view.places[below + 1] - view.places[below]);
        return std::clamp(static_cast<double>(below) + part, 0.0, last);
    });
    drawKnob(f, "loss/knob", {x, inner.lo.y + 7}, grip);
    if (!grip.moved) return;
    const Between to = between(grip.value, view.places.size() - 1);
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(
        Change::param(view.steps ? "step" : "at", view.places[to.below] + (view.places[to.above] - view.places[to.below]) * to.fraction));
}

}  // namespace

void drawLoss(PictureFrame& f, const View& view, Rect rect) {
    // Steps count from 0, which has no logarithm.
    const double shift = view.steps ? 1 : 0;
    std::vector<double> x = view.places;
    for (double& place : x) place += shift;
    constexpr double kFloor = 1e-18;
    Plot plot(f.painter, f.theme, "loss", rect,
              {.label = view.steps ? "step + 1" : "channels *c*",
               .lo = x.front() / 1.2,
               .hi = std::max(x.back() * 1.2, x.front() * 2),
               .scale = Scale::Log},
              decades("loss", view.loss->values, kFloor), zoomOf(f, "loss"));
    plot.line("loss/measured", x, view.loss->values, {f.theme.series[2], Dash::Solid, 2, "loss"});
    std::vector<double> optimal = view.loss->values, other = view.loss->values;
    for (std::size_t i = 0; i < x.size(); ++i) (view.optimality->values[i] <= kOptimal ? other : optimal)[i] = std::nan("");
    plot.markers("loss/optimal", x, optimal, {f.theme.series[2], Dash::Solid, 1, ""}, MarkerShape::Circle, 4);
    plot.markers("loss/not-optimal", x, other, {f.theme.warning, Dash::Solid, 1, ""}, MarkerShape::Cross, 4);
    offerPlace(f, view, plot, shift);
    finishPlot(f, plot, "loss", view.optimal() ? "an optimum: *K*^{T}*X* = 0" : "no optimum: *K*^{T}*X* ≠ 0");
}

}  // namespace kappaflow::linear
