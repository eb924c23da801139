#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/linear_models/declaration_linear.h"
#include "scenes/picture.h"

namespace kappaflow {
namespace errors_vs_capacity {
namespace {

using Size = std::size_t;

/// Lags or components, averaged over the draws counted.
struct Side {
    const Array *bounds, *errors, *running;  ///< [draw, ·], [draw, ·], [draw]
    std::vector<double> bound, boundStd, error, errorStd;
    std::vector<double> x;
    double most = 0;  ///< largest value that the plot has to hold, whatever is counted
};

struct View {
    Side lags, components;
    const Array* optimality;
    double counted = 1;  ///< draws, with the share of one that is gliding in
    std::size_t draws = 1;
    std::size_t newest() const { return static_cast<std::size_t>(counted + 0.999) - 1; }
    double correlation(const Side& side) const { return side.running->values[static_cast<std::size_t>(counted + 0.5) - 1]; }
};

Color errorColor(const PictureFrame& f) { return f.theme.series[1]; }

void drawBand(Plot& plot, std::string_view id, const Side& side, const std::vector<double>& mean, const std::vector<double>& deviation,
              Color color) {
    std::vector<double> low, high;
    for (Size i = 0; i < mean.size(); ++i) {
        low.push_back(std::max(0.0, mean[i] - deviation[i]));
        high.push_back(mean[i] + deviation[i]);
    }
    plot.band(id, side.x, low, high, color.withAlpha(0.18f));
}

Color boundColor(const PictureFrame& f) { return sample(ColorMap::Capacity, f.theme.dark ? 0.75 : 0.7, f.theme.dark); }

/// "r = 0.88".
std::string correlationText(double r) { return std::isfinite(r) ? "*r* = " + fixedText(r, 2) : "*r* not defined"; }

void drawProfiles(PictureFrame& f, const View& v, const Side& side, bool lags, Rect rect) {
    const std::string id = lags ? "lags" : "components";
    const double n = static_cast<double>(side.x.size()), first = side.x.front();
    AxisSpec x{.label = lags ? "lag *τ*, the newest at the right" : "eigenvector of Σ, largest variance first",
               .lo = first - 0.5,
               .hi = first + n - 0.5,
               .whole = true,
               .reversed = lags};
    Plot plot(f.painter, f.theme, id, rect, x, {.label = "share", .lo = 0, .hi = side.most}, zoomOf(f, id));
    drawBand(plot, id + "/error-band", side, side.error, side.errorStd, errorColor(f));
    drawBand(plot, id + "/bound-band", side, side.bound, side.boundStd, boundColor(f));
    if (v.counted > 1.001) {
        const double* newest = side.errors->row(v.newest());
        const std::vector<double> one(newest, newest + side.x.size());
        plot.line(id + "/newest", side.x, one, {errorColor(f).withAlpha(0.35f), Dash::Solid, 1, ""});
    }
    plot.line(id + "/error", side.x, side.error, {errorColor(f), Dash::Solid, 2, "squared error"});
    plot.line(id + "/bound", side.x, side.bound, {boundColor(f), Dash::Dotted, 2.4, "1 − *κ*"});
    finishPlot(f, plot, id, (lags ? "along lags: " : "along eigenvectors: ") + correlationText(v.correlation(side)));
}

/// A point for every lag and every component: error against bound.
void drawScatter(PictureFrame& f, const View& v, Rect rect) {
    const double right = std::max(largest(v.lags.bound, 1e-9), largest(v.components.bound, 1e-9)) * 1.12,
                 top = std::max(largest(v.lags.error, 1e-9), largest(v.components.error, 1e-9)) * 1.12;
    Plot plot(f.painter, f.theme, "scatter", rect, {.label = "bound 1 − *κ*, its share", .lo = 0, .hi = right},
              {.label = "squared error, its share", .lo = 0, .hi = top}, zoomOf(f, "scatter"));
    const double end = std::min(right, top), diagonal[] = {0, end};
    plot.line("scatter/theory", diagonal, diagonal, {f.theme.theory, Dash::Dashed, 1.6, "Eq 6"});
    plot.markers("scatter/lags", v.lags.bound, v.lags.error, {f.theme.muted, Dash::Solid, 1.4, ""}, MarkerShape::Cross, 3.2);
    plot.markers("scatter/components", v.components.bound, v.components.error, {errorColor(f), Dash::Solid, 1, ""}, MarkerShape::Circle,
                 3.4);
    finishPlot(f, plot, "scatter", rect.width() < 340 ? "● eigenvectors, × lags" : "mean error against bound: ● eigenvectors, × lags");
}

/// Correlations against the number of draws, with the knob that counts them.
void drawCorrelations(PictureFrame& f, const View& v, Rect rect) {
    const auto& draws = v.optimality->axes[0].values;
    const double last = std::max(draws.back(), 2.0);
    Plot plot(f.painter, f.theme, "correlations", rect, {.label = "draws", .lo = 1, .hi = last, .whole = true},
              {.label = "correlation *r*", .lo = -1, .hi = 1});
    const double ends[] = {1, last}, zero[] = {0, 0};
    plot.line("correlations/zero", ends, zero, {f.theme.line, Dash::Solid, 1, ""});
    plot.line("correlations/lags", draws, v.lags.running->values, {f.theme.muted, Dash::Solid, 2, "lags"});
    plot.line("correlations/components", draws, v.components.running->values, {errorColor(f), Dash::Solid, 2, "eigenvectors"});
    plot.vertical("correlations/now", v.counted, {f.theme.accent, Dash::Solid, 1.2, ""});
    finishPlot(f, plot, "correlations", "as the draws arrive");
    const Rect inner = plot.inner();
    const double counted = std::round(v.counted);
    const auto grip =
        f.handles.offer({"counted", "draws counted", numberText(counted, 4), counted, 1, static_cast<double>(v.draws), 1, inner},
                        [&](Vec2 p) { return plot.toData(p).x; });
    if (grip.moved) {
        f.changes.push_back(Change::param("play", false));
        f.changes.push_back(Change::param("at", std::round(grip.value)));
    }
    if (f.kept) return;
    f.painter.marker("correlations/knob", {plot.toScreen(v.counted, 0).x, inner.hi.y - 8},
                     grip.hovered || grip.held || grip.focused ? 7.5 : 5.5, MarkerShape::Circle, f.theme.accent,
                     Stroke{f.theme.ground, 1.5});
}

/// Mean and standard deviation of the first `counted` rows, the last one in part.
void average(const Array& rows, double counted, std::vector<double>& mean, std::vector<double>& deviation) {
    const Size n = rows.rowLength(), last = static_cast<Size>(std::ceil(counted));
    mean.assign(n, 0);
    deviation.assign(n, 0);
    const auto share = [&](Size draw) { return std::min(1.0, counted - static_cast<double>(draw)); };
    for (Size draw = 0; draw < last; ++draw)
        for (Size i = 0; i < n; ++i) mean[i] += share(draw) * rows.row(draw)[i] / counted;
    for (Size draw = 0; draw < last; ++draw)
        for (Size i = 0; i < n; ++i) deviation[i] += share(draw) * std::pow(rows.row(draw)[i] - mean[i], 2);
    for (double& value : deviation) value = std::sqrt(value / std::max(1.0, counted - 1));
}

bool readSide(const Report& r, const std::string& suffix, double at, Side& side) {
    side.bounds = r.array("boundByDraw" + suffix);
    side.errors = r.array("errorByDraw" + suffix);
    side.running = r.array(suffix.empty() ? "correlationByDraws" : "correlationInBasisByDraws");
    if (!side.bounds || !side.errors || !side.running) return false;
    const double draws = static_cast<double>(side.bounds->axes[0].size());
    side.x = side.bounds->axes[1].values;
    // One axis from the first draws to the last: what moves is the mean, not its scale.
    for (const double counted : {std::min(3.0, draws), draws}) {
        average(*side.bounds, counted, side.bound, side.boundStd);
        average(*side.errors, counted, side.error, side.errorStd);
        side.most = std::max({side.most, largest(side.bound, 1e-9), largest(side.error, 0)});
    }
    for (Size i = 0; i < side.x.size(); ++i) side.most = std::max(side.most, side.error[i] + side.errorStd[i]);
    side.most = std::min(1.0, side.most) * 1.12;
    average(*side.bounds, at, side.bound, side.boundStd);
    average(*side.errors, at, side.error, side.errorStd);
    return true;
}

std::vector<std::string> headlinesOf(const PictureFrame& f, const View& v) {
    const Size draws = static_cast<Size>(v.counted + 0.5);
    Size optimal = 0;
    for (Size i = 0; i < draws; ++i) optimal += v.optimality->values[i] <= linear::kOptimal;
    const bool random = f.report.params.is("targets", "random");
    const std::string count = std::to_string(draws), what = random ? (draws == 1 ? " random target" : " random targets")
                                                                   : (draws == 1 ? " random start" : " random starts on one target");
    const std::string ends = ", " + (optimal == draws ? std::string("all") : std::to_string(optimal)) + " at an optimum";
    const std::string r = ": " + correlationText(v.correlation(v.components)) + " along eigenvectors, " +
                          numberText(v.correlation(v.lags), 2) + " along lags";
    return {count + what + ends + r, count + what + ends, count + what, count + " draws"};
}

void drawHeadline(PictureFrame& f, const View& v, Rect rect) {
    const TextStyle style{.color = f.theme.text, .size = f.theme.textSize, .v = AlignV::Middle};
    const auto lines = headlinesOf(f, v);
    for (const auto& line : lines)
        if (&line == &lines.back() || f.painter.measure(line, style).x <= rect.width() - 6)
            return f.painter.text("headline", {rect.lo.x + 3, rect.centre().y}, elide(f.painter, line, style, rect.width() - 6), style);
}

void drawAll(PictureFrame& f, const View& v) {
    const Rect head{f.area.lo, {f.area.hi.x, f.area.lo.y + 26}}, a{{f.area.lo.x, head.hi.y}, f.area.hi};
    drawHeadline(f, v, head);
    const double middle = a.centre().x, gap = 8;
    const bool wide = a.width() >= 560, tall = a.height() >= 380;
    if (!wide && a.height() < 300) return drawProfiles(f, v, v.components, false, a);
    if (!wide) {
        const double half = a.centre().y;
        drawProfiles(f, v, v.components, false, {a.lo, {a.hi.x, half - 3}});
        return drawProfiles(f, v, v.lags, true, {{a.lo.x, half + 3}, a.hi});
    }
    const double split = tall ? a.lo.y + a.height() * 0.56 : a.hi.y;
    drawProfiles(f, v, v.lags, true, {a.lo, {middle - gap, split - 4}});
    drawProfiles(f, v, v.components, false, {{middle + gap, a.lo.y}, {a.hi.x, split - 4}});
    if (!tall) return;
    drawScatter(f, v, {{a.lo.x, split + 4}, {middle - gap, a.hi.y}});
    drawCorrelations(f, v, {{middle + gap, split + 4}, a.hi});
}

bool readView(const PictureFrame& f, View& v) {
    v.optimality = f.report.array("optimality");
    if (!v.optimality || v.optimality->values.empty()) return false;
    v.draws = v.optimality->values.size();
    v.counted = std::clamp(f.state.params.number("at"), 1.0, static_cast<double>(v.draws));
    return readSide(f.report, "", v.counted, v.lags) && readSide(f.report, "InBasis", v.counted, v.components);
}

class ErrorsPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view{};
        if (!readView(f, view)) return emptyPicture(f, "The first draw is being computed.");
        drawAll(f, view);
    }
};

}  // namespace
}  // namespace errors_vs_capacity

PictureEntry errors_vs_capacity_picture() {
    return {"errors-vs-capacity", [] { return std::unique_ptr<Picture>(std::make_unique<errors_vs_capacity::ErrorsPicture>()); }};
}

}  // namespace kappaflow
