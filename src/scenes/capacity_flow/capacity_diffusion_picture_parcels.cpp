// Parcels of capacity: each hops from layer to layer by chance, and they pile up at the input as its capacity says.
#include <algorithm>
#include <numeric>

#include "draw/number_text.h"
#include "scenes/capacity_flow/capacity_diffusion_picture.h"

namespace kappaflow::capacity_diffusion {
namespace {

using Size = std::size_t;

constexpr double kLag = 3.5;  // layers between the first parcel and the last, of many
constexpr double kFall = 2;   // layers that the way from the input into the pile takes
constexpr double kEnd = 6;    // last layers, in which they make up for both

double smooth(double t) { return t * t * (3 - 2 * t); }

/// 0 … 1, spread evenly whatever their number: the golden ratio's multiples.
double lagOf(Size number) {
    const double turn = static_cast<double>(number) * 0.6180339887498949;
    return turn - std::floor(turn);
}

/// "half as deep: 0.71 times as wide".
std::string halfName(const Planes& planes, Size layer, Size half) {
    const double ratio = planes.deviation(half, 1) / planes.deviation(layer, 1);
    const bool twice = planes.layers() - layer == 2 * (planes.layers() - half);
    return twice && std::isfinite(ratio) ? "half as deep: " + numberText(ratio, 2) + " times as wide" : "half as deep";
}

}  // namespace

std::vector<Parcel> parcelsAt(const Result& r, double at) {
    const Size states = r.layers.size(), last = states - 1;
    const double layers = static_cast<double>(last);
    const double lag = std::min(kLag, 0.3 * layers), fall = std::min(kFall, 0.2 * layers), end = std::min(kEnd, 0.5 * layers);
    double passed = layers - at;
    passed += (lag + fall) * smooth(std::clamp((passed - (layers - end)) / end, 0.0, 1.0));
    std::vector<Size> order(r.parcelNumbers.size());
    std::iota(order.begin(), order.end(), Size{0});
    std::sort(order.begin(), order.end(), [](Size a, Size b) { return lagOf(a) < lagOf(b); });
    std::vector<Parcel> parcels;
    for (const Size number : order) {
        const double* way = &r.parcels[number * states];
        const double own = std::max(0.0, passed - lag * lagOf(number));
        const auto hops = static_cast<Size>(std::min(own, layers));
        Size above = last;
        while (above > last - hops && !std::isnan(way[above - 1])) --above;
        if (std::isnan(way[above])) continue;
        const bool ends = above == 0 || std::isnan(way[above - 1]);  // at the input, or at a unit without weights
        const double hopped = ends ? 0 : std::min(own - static_cast<double>(hops), 1.0);
        const Size below = ends ? above : above - 1;
        parcels.push_back({static_cast<double>(above) - hopped, above, below, static_cast<Size>(way[above]), static_cast<Size>(way[below]),
                           smooth(hopped), above == 0 ? std::clamp((own - layers) / fall, 0.0, 1.0) : 0});
    }
    return parcels;
}

void drawPile(PictureFrame& f, Plot& plot, const std::vector<Parcel>& parcels, Size count, Size together, double from,
              const std::function<double(Size)>& columnOf) {
    std::map<double, double> heights;
    const auto wide = static_cast<double>(together);
    const double share = 1 / (wide * static_cast<double>(count)), cell = wide * (plot.toScreen(1, 0).x - plot.toScreen(0, 0).x);
    const double high = plot.toScreen(0, 0).y - plot.toScreen(0, share).y;
    const Vec2 half{std::clamp(0.38 * cell, 1.0, 5.0), std::clamp(0.42 * high, 0.5, 3.0)};
    f.painter.pushClip({{plot.inner().lo.x, std::min(from, plot.inner().lo.y)}, plot.inner().hi});
    for (const Parcel& parcel : parcels) {
        if (parcel.fallen <= 0) continue;
        const double column = (std::floor(columnOf(parcel.to) / wide) + 0.5) * wide - 0.5;
        Vec2 at = plot.toScreen(column, (heights[column] += share) - share / 2);
        at.y = from + (at.y - from) * parcel.fallen * parcel.fallen;
        f.painter.rect("parcels/pile", {at - half, at + half}, parcelColor(f.theme));
    }
    for (const auto& [column, height] : heights) plot.keepClear(plot.toScreen(column, 0), plot.toScreen(column, height));
    f.painter.popClip();
}

void drawHalf(PictureFrame& f, Plot& plot, const std::string& id, const std::vector<double>& capacity, const std::string& name) {
    const double peak = largest(capacity, 1e-12);
    plot.line(id, countUp(capacity.size()), capacity, {f.theme.muted, Dash::Solid, 1.4, ""});
    // Its name stands by its upper flank, where other lines are lower.
    Size flank = capacity.size() - 1;
    while (flank > 0 && capacity[flank] < 0.8 * peak) --flank;
    const Vec2 at = plot.toScreen(static_cast<double>(flank), capacity[flank]) + Vec2{7, -4};
    const TextStyle style{.color = f.theme.muted, .size = f.theme.tinySize, .v = AlignV::Middle, .halo = f.theme.ground};
    const Vec2 size = f.painter.measure(name, style);
    if (at.x + size.x > plot.inner().hi.x || at.y - size.y / 2 < plot.inner().lo.y) return;
    f.painter.text(id + "/name", at, name, style);
    plot.keepClear(at, at + Vec2{size.x, 0});
}

void drawLanded(const Seen& s, const Planes& planes, Rect rect) {
    constexpr double kRoom = 2;
    const Result& r = s.result;
    const double at = planes.at();
    const Size layer = planes.nearest(), columns = planes.cols(0), most = r.x.size();
    const auto byColumn = [&](const std::vector<double>& cells, Size l) {
        std::vector<double> sums(planes.cols(l));
        for (Size i = 0; i < planes.rows(l) * sums.size() && !cells.empty(); ++i)
            sums[i % sums.size()] += cells[(l * r.y.size() + i / sums.size()) * most + i % sums.size()];
        return sums;
    };
    const auto parcels = parcelsAt(r, at);
    const auto landed = std::count_if(parcels.begin(), parcels.end(), [](const Parcel& parcel) { return parcel.fallen > 0; });
    Plot plot = plotIn(s.f, "landed", rect, {.label = "position *x*", .lo = -0.5, .hi = static_cast<double>(columns) - 0.5, .whole = true},
                       {.label = "capacity", .lo = 0, .hi = kRoom * largest(byColumn(r.capacity.values, 0), 1e-12)});
    drawPile(s.f, plot, parcels, r.parcelNumbers.size(), 1, plot.inner().lo.y,
             [&](Size position) { return static_cast<double>(position % columns); });
    if (planes.cols(layer) == columns) {
        const auto x = countUp(columns);
        // Beside it, what half as many layers make.
        if (const Size half = layer + (planes.layers() - layer) / 2; half >= layer + 1 && planes.cols(half) == columns)
            drawHalf(s.f, plot, "landed/half", byColumn(r.capacity.values, half), halfName(planes, layer, half));
        plot.line("landed/capacity", x, byColumn(r.capacity.values, layer),
                  {capacityColor(s.f.theme), Dash::Solid, 2, "capacity, all rows"});
        if (!r.gaussian.empty() && (!s.params.play || at == 0))
            plot.line("landed/theory", x, byColumn(r.gaussian, layer), {s.f.theme.theory, Dash::Dashed, 1.8, "Gaussian (Eq 32)"});
    }
    finishPlot(s.f, plot, "landed",
               std::to_string(landed) + " of " + std::to_string(r.parcelNumbers.size()) + " parcels have come to the input");
}

Color parcelColor(const Theme& theme) { return sample(ColorMap::Capacity, theme.dark ? 0.75 : 0.7, theme.dark); }

}  // namespace kappaflow::capacity_diffusion
