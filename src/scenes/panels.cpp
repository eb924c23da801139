#include "scenes/panels.h"

#include <algorithm>
#include <cmath>

#include "draw/markup.h"

namespace kappaflow {
namespace {

constexpr Dash kDashes[] = {Dash::Solid, Dash::Dashed, Dash::Dotted};  // by role

void fitAxis(AxisSpec& axis, Fit fit, const std::vector<Curve>& curves) {
    if (fit == Fit::Given) return;
    const bool decades = fit == Fit::Decades;
    double lo = decades ? 1e300 : 0, hi = 0;
    for (const auto& curve : curves)
        for (const double y : curve.y)
            if (std::isfinite(y) && (!decades || y > 0)) lo = std::min(lo, y), hi = std::max(hi, y);
    if (decades) {
        axis.scale = Scale::Log;
        axis.lo = hi > 0 ? lo / 2 : 0.1, axis.hi = hi > 0 ? hi * 2 : 1;
    } else {
        axis.lo = lo * 1.1, axis.hi = hi > 0 || lo < 0 ? hi * 1.1 : 1;
    }
}

}  // namespace

std::vector<double> rowAt(const std::vector<double>& rows, std::size_t length, double index) {
    if (length == 0 || rows.size() < length) return std::vector<double>(length, std::nan(""));  // of a result that is only on its way
    const Between b = between(index, rows.size() / length - 1);
    const auto low = rows.begin() + static_cast<std::ptrdiff_t>(b.below * length);
    std::vector<double> mixed(low, low + static_cast<std::ptrdiff_t>(length));
    if (b.fraction == 0) return mixed;
    for (std::size_t i = 0; i < length; ++i) mixed[i] += (rows[b.above * length + i] - mixed[i]) * b.fraction;
    return mixed;
}

double topOverSteps(const std::vector<double>& rows, std::size_t length) {
    constexpr double kRoom = 2;
    std::vector<double> tops;
    for (std::size_t at = 0; length > 0 && at + length <= rows.size(); at += length) {
        const auto row = rows.begin() + static_cast<std::ptrdiff_t>(at);
        tops.push_back(largest({row, row + static_cast<std::ptrdiff_t>(length)}, 0));
    }
    std::sort(tops.begin(), tops.end());
    return tops.empty() ? 0 : std::min(tops.back(), kRoom * tops[tops.size() / 2]);
}

void drawCurves(PictureFrame& f, Curves curves, Rect rect) {
    fitAxis(curves.y, curves.fit, curves.curves);
    Plot plot = plotIn(f, curves.id, rect, curves.x, curves.y);
    if (curves.now) plot.vertical(curves.id + "/now", *curves.now, {f.theme.accent.withAlpha(0.5f), Dash::Solid, 1, ""});
    for (const auto& curve : curves.curves) {
        const std::string id = curves.id + "/" + curve.id;
        const Color color = curve.color.value_or(f.theme.theory);
        if (!curve.error.empty()) {
            std::vector<double> low = curve.y, high = curve.y;
            for (std::size_t i = 0; i < low.size(); ++i) low[i] -= curve.error[i], high[i] += curve.error[i];
            plot.band(curves.id + "/error", curve.x, low, high, color.withAlpha(curve.bandAlpha));
        }
        if (!curve.low.empty())
            plot.band(curves.id + "/band", curve.x, curve.low, curve.high, color.withAlpha(f.theme.dark ? 0.24f : 0.18f));
        if (curve.filled) plot.area(id, curve.x, curve.y, color.withAlpha(0.16f));
        // Where gaps leave no two points in a row there is no line, and the label stands by the markers.
        const auto joined = [](double a, double b) { return std::isfinite(a) && std::isfinite(b); };
        const bool lone = curve.dotted && std::adjacent_find(curve.y.begin(), curve.y.end(), joined) == curve.y.end();
        const Dash dash = kDashes[static_cast<std::size_t>(curve.role)];
        plot.line(id, curve.x, curve.y, {color, dash, curve.width, lone ? "" : curve.label});
        if (curve.dotted) plot.markers(id, curve.x, curve.y, {color, Dash::Solid, 1, lone ? curve.label : ""});
    }
    if (curves.more) curves.more(f, plot);
    finishPlot(f, plot, curves.id, curves.title);
}

void drawFitting(PictureFrame& f, std::string_view id, Vec2 at, const std::vector<std::string>& sentences, const TextStyle& style,
                 double width) {
    const auto fits = [&](const std::string& sentence) { return f.painter.measure(sentence, style).x <= width; };
    const auto first = std::find_if(sentences.begin(), sentences.end() - 1, fits);
    f.painter.text(id, at, elide(f.painter, *first, style, width), style);
}

std::optional<double> dragAlong(PictureFrame& f, const Plot& plot, const AxisHandle& handle) {
    Vec2 at = plot.toScreen(handle.x, handle.y);
    const Rect inner = plot.inner();
    at = {std::clamp(at.x, inner.lo.x, inner.hi.x), std::clamp(at.y, inner.lo.y, inner.hi.y)};
    const auto valueAt = [&](Vec2 pointer) {
        const double place = handle.upright ? plot.toData({at.x, pointer.y}).y : plot.toData({pointer.x, at.y}).x;
        return handle.valueAt ? handle.valueAt(place) : place;
    };
    const bool line = !handle.line.empty();
    const Rect rect = line ? Rect{{at.x - 9, inner.lo.y}, {at.x + 9, inner.hi.y}} : knobRect(at);
    const auto grip =
        f.handles.offer({handle.id, handle.label, handle.valueText, handle.value, handle.min, handle.max, handle.step, rect}, valueAt);
    drawKnob(f, (line ? handle.line : handle.id) + "/knob", line ? Vec2{at.x, inner.hi.y - 7} : at, grip);
    return grip.moved ? std::optional(grip.value) : std::nullopt;
}

std::optional<Vec2> dragPoint(PictureFrame& f, const PointHandle& h, Handles::Grip& grip) {
    const auto offer = [&](const char* axis, const char* way, double Vec2::*c) {
        const double value = h.value.*c;
        const auto own = f.handles.offer({h.id + axis, h.label + way, inWords(value), value, h.lo.*c, h.hi.*c, h.step, h.rect});
        if (own.lively()) grip = own;
        return own;
    };
    const auto x = offer("X", ", to the right", &Vec2::x), y = offer("Y", ", upwards", &Vec2::y);
    if (grip.held) return f.handles.pointer().moved == Vec2{} ? std::nullopt : std::optional(h.dragged);
    return x.moved || y.moved ? std::optional(Vec2{x.value, y.value}) : std::nullopt;
}

std::optional<double> chooseCount(PictureFrame& f, const KnobRow& row) {
    const Vec2 knob = row.first + Vec2{row.spacing * (row.count - row.least), 0};
    const auto grip = f.handles.offer({row.id, row.label, inWords(row.count), row.count, row.least, row.most, 1, around(knob, 11)},
                                      [&](Vec2 p) { return row.least + (p.x - row.first.x) / row.spacing; });
    for (double k = row.least; k <= row.most; ++k)
        f.painter.marker(row.dots, row.first + Vec2{row.spacing * (k - row.least), 0},
                         k != row.count  ? 2.5
                         : grip.lively() ? 7
                                         : 5.5,
                         MarkerShape::Circle, k == row.count ? f.theme.accent : f.theme.line);
    return grip.moved ? std::optional(std::round(grip.value)) : std::nullopt;
}

namespace {

double valueAmong(const std::vector<double>& values, double index) {
    const Between b = between(index, values.size() - 1);
    return values[b.below] + (values[b.above] - values[b.below]) * b.fraction;
}

}  // namespace

void scrub(PictureFrame& f, Plot& plot, const std::string& id, const Scrub& s) {
    const double index = indexAlong(s.steps, s.at);
    const double place = valueAmong(s.places, index);
    plot.vertical(id + "/now", place, {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (s.steps.size() < 2) return;
    const Rect inner = plot.inner();
    const double x = plot.toScreen(place, 1).x;
    const Handle handle{
        s.id, s.label, s.valueText, index, 0, static_cast<double>(s.steps.size() - 1), 1, {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 pointer) { return indexAlong(s.places, plot.toData(pointer).x); });
    drawKnob(f, id + "/knob", {x, inner.lo.y + 7}, grip);
    if (!grip.moved) return;
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(Change::param(s.param, valueAmong(s.steps, grip.value)));
}

void table::ReportPicture::draw(PictureFrame& f) {
    if (f.report.arrays.empty()) return emptyPicture(f, "The first numbers are on their way.");
    if (version_ != f.reportVersion || lent_) {
        begin(f.report, f.reportVersion);
        readReport(rows_, f.report, result_);
    }
    layOut(f);
}

void table::ReportPicture::take(Report& report, std::uint64_t version) {
    if (version_ == version && !lent_) return;
    if (version_ != version) {
        begin(report, version);
        readAllButArrays(rows_, report, result_);
    }
    swapArrays(rows_, report, result_);
    lent_ = false;
}

void table::ReportPicture::giveBack(Report& report, std::uint64_t version) {
    if (version_ != version || lent_) return;
    swapArrays(rows_, report, result_);
    lent_ = true;
}

void table::ReportPicture::free() {
    version_.reset();
    lent_ = false;
    forget();
}

void table::ReportPicture::begin(const Report& report, std::uint64_t version) {
    free();
    version_ = version;
    bindParams(rows_, report.params, asked_);
}

}  // namespace kappaflow
