#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/linear_models/errors_vs_capacity/picture_view.h"
#include "scenes/linear_models/optimal.h"

namespace kappaflow {

namespace errors_vs_capacity {
namespace {

using Size = std::size_t;

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
    const std::string ends = ", " + (optimal == draws ? std::string("all") : std::to_string(optimal)) + " at the optimum";
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

class ErrorsPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view{};
        if (!readView(f, view)) return emptyPicture(f, "The first draw is being computed.");
        drawAll(f, view);
    }
};

}  // namespace

bool readView(const PictureFrame& f, View& v) {
    v.optimality = f.report.array("optimality");
    if (!v.optimality || v.optimality->values.empty()) return false;
    v.draws = v.optimality->values.size();
    v.counted = std::clamp(f.state.params.number("at"), 1.0, static_cast<double>(v.draws));
    return readSide(f.report, "", v.counted, v.lags) && readSide(f.report, "InBasis", v.counted, v.components);
}

Color boundColor(const PictureFrame& f) { return sample(ColorMap::Capacity, f.theme.dark ? 0.75 : 0.7, f.theme.dark); }

std::string correlationText(double r) { return std::isfinite(r) ? "*r* = " + fixedText(r, 2) : "*r* not defined"; }

}  // namespace errors_vs_capacity

PictureEntry errors_vs_capacity_picture() {
    return {"errors-vs-capacity", [] { return std::unique_ptr<Picture>(std::make_unique<errors_vs_capacity::ErrorsPicture>()); }};
}

}  // namespace kappaflow
