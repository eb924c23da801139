#include "scenes/expressivity/picture_curves.h"

#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace {

constexpr double kMouseReach = 9, kFingerReach = 20;

double distance(Vec2 a, Vec2 b) { return std::hypot(b.x - a.x, b.y - a.y); }

/// A place on the line: behind corner `after`, a share of the way to the next.
struct Place {
    std::size_t after = 0;
    double share = 0, away = 1e300;
};

Place nearestPlace(std::span<const Vec2> line, Vec2 to) {
    Place best;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        const Vec2 along = line[i + 1] - line[i], from = to - line[i];
        const double square = along.x * along.x + along.y * along.y;
        const double share = square > 0 ? std::clamp((from.x * along.x + from.y * along.y) / square, 0.0, 1.0) : 0;
        const double away = distance(line[i] + along * share, to);
        if (away < best.away) best = {i, share, away};
    }
    return best;
}

std::size_t longestStretch(const std::vector<double>& list) {
    std::size_t longest = 0;
    double most = 0;
    for (std::size_t i = 0; i + 3 < list.size(); i += 2) {
        const double length = std::hypot(list[i + 2] - list[i], list[i + 3] - list[i + 1]);
        if (length > most) most = length, longest = i / 2;
    }
    return longest;
}

void addCorner(std::vector<double>& list, const Place& at, double perUnit) {
    const double* from = list.data() + 2 * at.after;
    double corner[2];
    for (int k = 0; k < 2; ++k) corner[k] = std::round((from[k] + at.share * (from[k + 2] - from[k])) * perUnit) / perUnit;
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(2 * at.after + 2), corner, corner + 2);
}

}  // namespace

bool offerCornerChanges(PictureFrame& f, const char* key, std::span<const Vec2> screen, double perUnit) {
    const std::size_t corners = screen.size(), most = static_cast<std::size_t>(findDeclaration(f.state.scene)->param(key)->maxLength) / 2;
    if (corners < 2) return false;
    const std::vector<double>& before = f.state.params.list(key);
    std::vector<double> list(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(2 * corners));
    const auto count = static_cast<double>(corners);
    const auto grip = f.handles.offer({std::string(key) + "Corners",
                                       "corners of the line",
                                       std::to_string(corners),
                                       count,
                                       2,
                                       static_cast<double>(most),
                                       1,
                                       {screen[0], screen[0]}});
    const auto wanted = 2 * static_cast<std::size_t>(grip.value);
    while (list.size() < wanted) addCorner(list, {longestStretch(list), 0.5}, perUnit);
    list.resize(std::min(list.size(), wanted));

    const Pointer& p = f.handles.pointer();
    bool meant = false;
    if (p.inside && p.doubleClicked) {
        const double reach = p.touch ? kFingerReach : kMouseReach;
        std::size_t corner = 0;
        for (std::size_t i = 1; i < corners; ++i)
            if (distance(screen[i], p.at) < distance(screen[corner], p.at)) corner = i;
        const Place place = nearestPlace(screen, p.at);
        meant = place.away <= reach;
        if (distance(screen[corner], p.at) <= reach + 4) {
            const auto at = list.begin() + static_cast<std::ptrdiff_t>(2 * corner);
            if (corners > 2) list.erase(at, at + 2);
            meant = true;
        } else if (meant && corners < most) {
            addCorner(list, place, perUnit);
        }
    }
    // The knobs have other numbers now: none of them is held.
    if (meant) f.handles.letGo();
    if (list.size() != 2 * corners) f.changes.push_back(Change::param(key, std::move(list)));
    return meant;
}

namespace curve_image {
namespace {

constexpr std::size_t kColors = 64;

Rect boundsOf(std::span<const double> row) {
    Rect bounds{{row[0], row[1]}, {row[0], row[1]}};
    for (std::size_t i = 0; i < row.size(); i += 2) {
        bounds.lo = {std::min(bounds.lo.x, row[i]), std::min(bounds.lo.y, row[i + 1])};
        bounds.hi = {std::max(bounds.hi.x, row[i]), std::max(bounds.hi.y, row[i + 1])};
    }
    return bounds;
}

}  // namespace

Color alongColor(const Theme& theme, double share) {
    // The ramp's palest end would be lost on either ground.
    return sample(ColorMap::Viridis, theme.dark ? 0.22 + 0.78 * share : 0.82 * share, theme.dark);
}

double scaleOf(std::span<const double> image, std::size_t points, Rect rect) {
    std::vector<double> sizes;
    for (std::size_t from = 0; from < image.size(); from += 2 * points) {
        const Rect bounds = boundsOf(image.subspan(from, 2 * points));
        sizes.push_back(std::max(bounds.width() / rect.width(), bounds.height() / rect.height()));
    }
    std::sort(sizes.begin(), sizes.end());
    const double most = sizes.empty() ? 0 : std::min(sizes.back(), 6 * sizes[sizes.size() / 2]);
    return most > 1e-12 ? 1 / most : 0;
}

std::vector<Vec2> mixedImage(std::span<const double> image, std::size_t points, const Between& layers, Rect rect) {
    const double eased = layers.fraction * layers.fraction * (3 - 2 * layers.fraction);
    const auto below = image.subspan(2 * points * layers.below, 2 * points), above = image.subspan(2 * points * layers.above, 2 * points);
    const double scale = scaleOf(image, points, rect);
    const Vec2 from = boundsOf(below).centre(), to = boundsOf(above).centre();
    std::vector<Vec2> mixed;
    for (std::size_t i = 0; i < below.size(); i += 2) {
        const Vec2 p = (Vec2{below[i], below[i + 1]} - from) * (1 - eased) + (Vec2{above[i], above[i + 1]} - to) * eased;
        mixed.push_back(rect.centre() + Vec2{p.x, -p.y} * scale);
    }
    return mixed;
}

void drawScaleBar(PictureFrame& f, double scale, Rect rect) {
    if (!(scale > 0) || rect.width() < 120) return;
    double length = std::pow(10, std::floor(std::log10(0.3 * rect.width() / scale)));
    for (const double more : {5.0, 2.0})
        if (length * more * scale <= 0.3 * rect.width()) {
            length *= more;
            break;
        }
    const Vec2 right = rect.hi - Vec2{4, 5}, left = right - Vec2{length * scale, 0};
    f.painter.line("image/scale", left, right, {f.theme.muted, 1.2});
    for (const Vec2 end : {left, right}) f.painter.line("image/scale", end - Vec2{0, 3}, end + Vec2{0, 3}, {f.theme.muted, 1.2});
    f.painter.text("image/scale/length", (left + right) * 0.5 - Vec2{0, 3}, numberText(length, 1),
                   {.color = f.theme.muted, .size = f.theme.tinySize, .h = AlignH::Centre, .v = AlignV::Bottom, .halo = f.theme.ground});
}

void drawColored(PictureFrame& f, std::string_view id, const std::vector<Vec2>& points, double width) {
    const std::size_t each = std::max<std::size_t>((points.size() + kColors - 2) / kColors, 1);
    for (std::size_t i = 0; i + 1 < points.size(); i += each) {
        const std::size_t end = std::min(i + each, points.size() - 1);
        // A saturated curve stands still in a corner: what has no length is no line.
        if (std::all_of(points.begin() + static_cast<std::ptrdiff_t>(i), points.begin() + static_cast<std::ptrdiff_t>(end) + 1,
                        [&](Vec2 p) { return length(p - points[i]) < 0.05; }))
            continue;
        const double share = (static_cast<double>(i) + 0.5 * static_cast<double>(each)) / static_cast<double>(points.size());
        f.painter.line(id, std::span(points).subspan(i, end - i + 1), {alongColor(f.theme, std::min(share, 1.0)), width});
    }
}

void drawEnds(PictureFrame& f, const std::vector<Vec2>& points) {
    f.painter.marker("image/start", points.front(), 4.5, MarkerShape::Circle, alongColor(f.theme, 0), Stroke{f.theme.ground, 1.5});
    f.painter.marker("image/end", points.back(), 4.5, MarkerShape::Square, alongColor(f.theme, 1), Stroke{f.theme.ground, 1.5});
}

double widthOf(double times) { return std::clamp(2.8 - 0.25 * std::log2(std::max(times, 1.0)), 1.2, 2.8); }

}  // namespace curve_image

namespace learning_curve {
namespace {

// Loss and accuracy with the handle that scrubs through the steps.

/// The step by hand: along the curve, or by arrow keys from one point of the curve to the next.
void offerStep(PictureFrame& f, Plot& plot, const std::vector<double>& steps) {
    const double last = steps.back(), now = std::clamp(f.state.params.number("step"), 0.0, last), x = plot.toScreen(now, 1).x;
    const double half = std::min(12.0, Handles::kKnob / 2);
    const auto grip = f.handles.offer({"step",
                                       "training step",
                                       inWords(now, 6),
                                       now,
                                       0,
                                       last,
                                       steps.size() > 1 ? steps[1] : 1,
                                       {{x - half, plot.inner().lo.y}, {x + half, plot.inner().hi.y}}},
                                      [&](Vec2) { return std::round(plot.toData(f.handles.pointer().at).x); });
    if (grip.moved) f.changes.push_back(Change::param("step", std::round(grip.value)));
    const bool lively = grip.lively();
    plot.vertical("training/now", now, {f.theme.accent.withAlpha(lively ? 1.0f : 0.7f), Dash::Solid, lively ? 2.4 : 1.6, ""});
    if (!f.kept) f.painter.marker("training/grip", {x, plot.inner().hi.y}, lively ? 6 : 4.5, MarkerShape::Circle, f.theme.accent);
}

/// Room for every loss, unless single ones, as a badly drawn network's first, lie far beyond the rest: nineteen in twenty are then below
/// half of the axis, and the others leave it.
double highestLoss(std::vector<double> losses) {
    losses.erase(std::remove_if(losses.begin(), losses.end(), [](double loss) { return !std::isfinite(loss); }), losses.end());
    if (losses.empty()) return 1.04;
    std::sort(losses.begin(), losses.end());
    const double most = losses.back(), common = losses[(losses.size() - 1) * 19 / 20];
    return std::max(1.04, 1.04 * std::min(most, 2 * common));
}

}  // namespace

void drawTraining(PictureFrame& f, const Training& run, Rect panel) {
    Plot plot = plotIn(f, "training", panel, {.label = "training step *t*", .lo = 0, .hi = run.steps.back(), .whole = true},
                       {.label = "loss, accuracy", .lo = 0, .hi = highestLoss(run.loss)});
    plot.line("training/accuracy", run.steps, run.accuracy, {f.theme.series[2], Dash::Solid, 2, "accuracy"});
    plot.line("training/loss", run.steps, run.loss, {f.theme.series[0], Dash::Solid, 2.2, "loss"});
    offerStep(f, plot, run.steps);
    const double x[] = {run.made, run.made}, y[] = {run.accuracyNow, run.lossNow.value_or(run.accuracyNow)};
    plot.markers("training/here", x, y, {f.theme.accent, Dash::Solid, 2, ""}, MarkerShape::Circle, 4);
    finishPlot(f, plot, "training",
               "step " + inWords(run.made, 6) + ": " + inWords(100 * run.accuracyNow) + " % right" +
                   (run.lossNow ? ", loss " + inWords(*run.lossNow, 2) : std::string()));
}

}  // namespace learning_curve
}  // namespace kappaflow
