// Capacities as bars, the two constraints of Property 5, and the properties as lines with numbers.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/linear_models/subspace_picture.h"

namespace kappaflow::subspace {
namespace {

using Size = std::size_t;

constexpr double kRow = 23, kHead = 22, kName = 30, kNumber = 44;

std::string nameOf(const View& v, Size part) { return part == v.dimension() ? "𝒮" : "*X*_{" + std::to_string(part + 1) + "}"; }
std::string two(double value) { return fixedText(value, 2); }

void title(const View& v, std::string_view id, Rect rect, const std::vector<std::string>& texts) {
    drawFitting(v.f, id, rect.lo + Vec2{0, 2}, texts, {.color = v.f.theme.text, .size = v.f.theme.smallSize}, rect.width());
}

/// One row of bars: a name, a track `most` long, pieces laid end to end, a number.
struct Track {
    PictureFrame& f;
    Rect rect;    ///< of the whole row
    double most;  ///< value at the track's end

    double left() const { return rect.lo.x + kName; }
    double right() const { return rect.hi.x - kNumber; }
    double x(double value) const { return left() + (right() - left()) * std::clamp(value / most, 0.0, 1.0); }
    Rect bar(double from, double to, double low = 0.2, double high = 0.8) const {
        return {{x(from), rect.lo.y + rect.height() * low}, {x(to), rect.lo.y + rect.height() * high}};
    }
    void name(std::string_view id, std::string_view text, Color color) const {
        f.painter.text(id, {rect.lo.x + 4, rect.centre().y}, text, {.color = color, .size = f.theme.smallSize, .v = AlignV::Middle});
    }
    void number(std::string_view id, std::string_view text, Color color) const {
        f.painter.text(id, {rect.hi.x - 2, rect.centre().y}, text,
                       {.color = color, .size = f.theme.smallSize, .h = AlignH::Right, .v = AlignV::Middle});
    }
};

/// On a stage whose unit is the dial's radius.
Vec2 placeOfSecond(const Stage& s, const Params& p) {
    const double angle = p.apart * std::numbers::pi / 180;
    return s.seen({std::cos(angle), std::sin(angle), 0});
}

/// 𝒦₁ level, 𝒦₂ at its angle, as they lie in the plane through both.
void drawDial(const View& v, Rect rect) {
    PictureFrame& f = v.f;
    const double radius = std::min(rect.width() / 2 - 24, rect.height() - 34);
    const Vec2 centre{rect.centre().x, rect.lo.y + radius + 18};
    Stage s{v, rect, centre, radius};
    const double angle = std::atan2(std::sqrt(std::max(0.0, 1 - std::pow(dotOf(v.pair[0], v.pair[1]), 2))), dotOf(v.pair[0], v.pair[1]));
    const Vec2 second{std::cos(angle), -std::sin(angle)};
    std::vector<Vec2> arc;
    for (int i = 0; i <= 24; ++i) arc.push_back(centre + Vec2{std::cos(angle * i / 24), -std::sin(angle * i / 24)} * (radius * 0.32));
    f.painter.line("sets/level", centre - Vec2{radius, 0}, centre + Vec2{radius, 0}, {f.theme.line, 1});
    f.painter.line("sets/arc", arc, {f.theme.muted, 1.2});
    f.painter.line("sets/first", centre, centre + Vec2{radius, 0}, {v.constraintColor(), 3});
    f.painter.line("sets/second", centre, centre + second * radius, {v.secondColor(), 3});
    const Vec2 name[] = {centre + Vec2{radius - 2, 15}};
    s.label("sets/first-name", "𝒦_{1}", name, v.constraintColor());
    const Vec2 beside = second * (radius + 15),
               names[] = {centre + beside, centre + beside * 0.8 + Vec2{20, 0}, centre + beside * 0.8 - Vec2{20, 0}};
    s.label("sets/second-name", "𝒦_{2}", names, v.secondColor());
    const auto sets = v.told(v.r.sets);
    const double cosine = dotOf(unit(pointIn(sets, 0, v.dimension())), unit(pointIn(sets, 1, v.dimension())));
    const double degrees = std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
    const Vec2 under[] = {centre + Vec2{-4, 15}};
    s.label("sets/angle", "*δ* = " + numberText(degrees, 3) + "°", under, f.theme.text);
    if (!v.surface() && v.now.curve != Shape::Surface)
        offerKnob(s, {{"apart", &Params::apart}}, v.now, placeOfSecond, MarkerShape::Circle, v.secondColor());
}

}  // namespace

double capacityBarsHeight(const View& v) { return kHead + kRow * static_cast<double>(v.parts()); }

void drawCapacityBars(const View& v, Rect rect) {
    PictureFrame& f = v.f;
    const std::vector<std::string> titles = {"capacity *κ* (filled); ◆ squared error, from the right",
                                             "capacity *κ*; ◆ error from the right", "capacity *κ*"};
    title(v, "bars/title", rect, titles);
    const double left = static_cast<double>(v.dimension() - v.K.size()),
                 high = std::min(46.0, (rect.height() - kHead) / static_cast<double>(v.parts()));
    const auto capacity = v.told(v.r.capacityByStep);
    for (Size part = 0; part < v.parts(); ++part) {
        const double y = rect.lo.y + kHead + high * static_cast<double>(part), size = part == v.dimension() && v.asked.planeIsS() ? 2 : 1;
        const Track row{f, {{rect.lo.x, y}, {rect.hi.x, y + high}}, v.asked.planeIsS() ? 2.0 : 1.0};
        const Color color = part == v.dimension() ? v.subspaceColor() : v.constraintColor();
        row.name("bars/name", nameOf(v, part), part == v.dimension() ? color : f.theme.text);
        f.painter.rect("bars/track", row.bar(0, size), f.theme.grid, 2);
        f.painter.rect("bars/capacity", row.bar(0, v.capacity[part]), color.withAlpha(0.8f), 2);
        // Eq 7: with one direction left, what the error takes is what the capacity leaves.
        if (std::isfinite(v.share[part])) {
            const double end = size - v.share[part] * left;
            if (end > -0.001)
                f.painter.marker("bars/error", {row.x(end), row.rect.centre().y}, 5.5, MarkerShape::Diamond, v.errorColor(),
                                 Stroke{f.theme.ground, 1.2});
        }
        row.number("bars/number", two(capacity[part]), f.theme.text);
    }
}

double setsHeight(const View& v) { return kHead + std::max(104.0, 28 * static_cast<double>(v.parts())); }

void drawSets(const View& v, Rect rect) {
    PictureFrame& f = v.f;
    const std::vector<std::string> titles = {"two constraints: *κ*_{1} + *κ*_{2} over both together",
                                             "*κ*_{1} + *κ*_{2} over both together", "*κ*_{1} + *κ*_{2}, both"};
    title(v, "sets/title", rect, titles);
    const double split = rect.lo.x + std::clamp(rect.width() * 0.4, 110.0, 170.0);
    drawDial(v, {{rect.lo.x, rect.lo.y + kHead - 6}, {split, rect.hi.y}});
    const auto separate = v.told(v.r.separate), joint = v.told(v.r.joint);
    const double high = std::min(40.0, (rect.height() - kHead) / static_cast<double>(v.parts()));
    for (Size part = 0; part < v.parts(); ++part) {
        const double y = rect.lo.y + kHead + high * static_cast<double>(part), first = v.separate[part],
                     second = v.separate[v.parts() + part];
        const Track row{f, {{split + 6, y}, {rect.hi.x, y + high}}, 2};
        const bool differs = std::abs(separate[part] + separate[v.parts() + part] - joint[part]) > 0.005;
        row.name("sets/name", nameOf(v, part), part == v.dimension() ? v.subspaceColor() : f.theme.text);
        f.painter.rect("sets/separate", row.bar(0, first, 0.14, 0.5), v.constraintColor().withAlpha(0.8f));
        f.painter.rect("sets/separate", row.bar(first, first + second, 0.14, 0.5), v.secondColor().withAlpha(0.8f));
        f.painter.rect("sets/joint", row.bar(0, v.joint[part], 0.58, 0.86), f.theme.muted.withAlpha(0.75f));
        row.number("sets/number", (differs ? "≠ " : "= ") + two(joint[part]), differs ? f.theme.warning : f.theme.text);
    }
}

namespace {

/// A property in words and numbers; shorter ones follow.
using Line = std::vector<std::string>;

Line additivityLine(const View& v) {
    std::string sum;
    double total = 0;
    for (Size i = 0; i < v.dimension(); ++i) sum += (i ? " + " : "") + two(v.capacity[i]), total += v.capacity[i];
    return {"additive over orthogonal axes: " + sum + " = " + numberText(total, 3), sum + " = " + numberText(total, 3)};
}

Line insideLine(const View& v) {
    const double along = std::pow(v.residual, 2);
    return {"1 inside 𝒦, 0 orthogonal to it; along *X* it is " + two(along), "inside 𝒦: 1; along *X*: " + two(along)};
}

Line sumLine(const View& v) {
    const Size s = v.dimension();
    const double sum = v.separate[s] + v.separate[v.parts() + s];
    const bool orthogonal = std::abs(dotOf(v.pair[0], v.pair[1]))<1e-6, differs = std::abs(sum - v.joint[s])> 0.005;
    const std::string numbers = two(v.separate[s]) + " + " + two(v.separate[v.parts() + s]) + (differs ? " ≠ " : " = ") + two(v.joint[s]);
    if (orthogonal) return {"𝒦_{1} ⊥ 𝒦_{2}: *κ*_{1} + *κ*_{2} = *κ*_{12}, here " + numbers, "𝒦_{1} ⊥ 𝒦_{2}: " + numbers};
    return {"𝒦_{1} ⊕ 𝒦_{2} is not enough, it must be ⊥: " + numbers, "⊕ is not enough: " + numbers, "⊕: " + numbers};
}

Line chainLine(const View& v) {
    const Size s = v.dimension();
    const std::string numbers = two(v.separate[s]) + " + " + two(v.joint[s] - v.separate[s]) + " = " + two(v.joint[s]);
    return {"chain: *κ*_{1}(𝒮) + *κ*_{2}(𝒮 | 𝒦_{1}) = " + numbers, "chain: " + numbers};
}

Line errorLine(const View& v) {
    if (!v.atRest()) return {"error in 𝒮: at the optimum", "error: at the optimum"};
    if (std::isnan(v.share.back())) return {"no error is left", "no error"};
    const std::string found = two(v.share.back()), bound = two(v.expected.back());
    if (v.dimension() - v.K.size() == 1)
        return {"Eq 7: share of the error in 𝒮 = " + found + " = *n*_{S} − *κ*(𝒮)", "Eq 7: error in 𝒮: " + found};
    return {"Eq 6: error in 𝒮: " + found + ", expected " + bound, "Eq 6: " + found + ", mean " + bound};
}

}  // namespace

void drawLedger(const View& v, Rect rect) {
    PictureFrame& f = v.f;
    const std::string n = std::to_string(v.dimension()),
                      bases = fixedText(v.r.capacityOfSubspace, 4) + " and " + fixedText(v.r.capacityOtherBases, 4);
    const Line lines[] = {{"at rest, *κ*(𝒮) from two pairs of bases: " + bases, "at rest, two bases: " + bases, "two bases"},
                          {"*κ*(ℝ^{" + n + "}) = dim 𝒦 = " + std::to_string(v.K.size())},
                          additivityLine(v),
                          insideLine(v),
                          sumLine(v),
                          chainLine(v),
                          errorLine(v)};
    const TextStyle style{.color = f.theme.text, .size = f.theme.smallSize, .v = AlignV::Middle};
    TextStyle number = style;
    number.color = f.theme.muted;
    const double high = std::clamp(rect.height() / std::size(lines), 19.0, 24.0), from = rect.lo.x + 20, room = rect.hi.x - from;
    for (Size i = 0; i < std::size(lines); ++i) {
        const double y = rect.lo.y + high * (static_cast<double>(i) + 0.5);
        if (y + high / 2 > rect.hi.y) return;
        for (const auto& text : lines[i]) {
            if (f.painter.measure(text, style).x > room) continue;
            if (i < 6) f.painter.text("ledger/number", {rect.lo.x + 4, y}, std::to_string(i + 1), number);
            f.painter.text("ledger/line", {from, y}, text, style);
            break;
        }
    }
}

Curves directions(const View& v) {
    const double mean = v.r.expectedShare.back();
    return {.id = "directions",
            .title = "Eq 6: the mean is " + two(mean),
            .x = {.label = "direction in 𝒦^{⊥} (degrees)", .lo = 0, .hi = 180},
            .y = {.label = "error in 𝒮", .lo = 0, .hi = 1.05},
            .fit = Fit::Given,
            .curves = {{"share", v.r.directions, v.r.errorByDirection, Role::Measurement, "", v.errorColor()},
                       {"bound", {0, 180}, {mean, mean}, Role::Bound}}};
}

}  // namespace kappaflow::subspace
