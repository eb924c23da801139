// An activation on the decoupling scale: f and η, the blocks of Σ̃ measured, and what P1 Eq 14 and the exact form leave of them.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/capacity_flow/decoupling.h"
#include "scenes/capacity_flow/picture_blocks.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace decoupling {
namespace {

using namespace capacity_flow;
using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

/// The places on the scale glide when another activation is chosen.
struct Memory {
    static constexpr bool kBetweenReports = true;
    Glide places;
};

/// The slope for negative z where f has two slopes.
std::optional<double> leg(const Params& p) {
    switch (p.activation) {
        case ScaleActivation::LeakyRelu:
            return p.slope;
        case ScaleActivation::Identity:
            return 1;
        case ScaleActivation::Relu:
            return 0;
        case ScaleActivation::Abs:
            return -1;
        default:
            return std::nullopt;
    }
}

/// α with (1 + α)²/(2 (1 + α²)) = ν, of |α| <= 1.
double slopeOf(double nu) {
    const double a = 1 - 2 * std::clamp(nu, 0.0, 1.0);
    return -a / (1 + std::sqrt(1 - a * a));
}

/// Makes the activation a leaky ReLU of a slope.
void askForSlope(const Seen& s, double slope) {
    const double rounded = std::round(std::clamp(slope, -1.0, 1.0) * 1000) / 1000 + 0.0;
    if (s.params.activation != ScaleActivation::LeakyRelu) s.f.changes.push_back(Change::param("activation", std::string("leaky-relu")));
    if (s.params.slope != rounded) s.f.changes.push_back(Change::param("slope", rounded));
}

constexpr double kNameRow = 17, kRail = 25, kScaleHeight = 22 + 3 * kNameRow + 3 * kRail;

/// The decoupling scale (P1 Fig 3, Eq 15): a rail from ν = 1 to ν = 0 with every activation on it, and under it, where there is room,
/// the same by the other two definitions; a line joins the chosen activation's three places. Names choose an activation; the chosen
/// one's mark is dragged along the rail, as a leaky ReLU of the slope that has that ν.
class ScaleDrawing {
public:
    ScaleDrawing(const Seen& seen, const Vector& chosen, Rect rect)
        : s(seen),
          f(seen.f),
          rect_(rect),
          rails_{{"energy  E[*zf*]²/E[*z*²]E[*f*²]", "*ν*", s.result.energy, chosen[0], false},
                 {"independent  E[*η*]²/E[*η*²]", "indep.", s.result.independent, chosen[1], !s.result.meanEta},
                 {"correlation  corr(*f*, *z*)²", "corr.", s.result.correlation, chosen[2], false}} {
        wide_ = rect.width() >= 560;
        shown_ = rect.height() - kNameRow - 10 >= 3 * kRail ? 3 : 1;
        nameRows_ = std::clamp(static_cast<int>((rect.height() - 18 - kRail * static_cast<double>(shown_)) / kNameRow), 1, 3);
        const double left = wide_ ? 190 : shown_ > 1 ? 52 : 26, right = wide_ ? 92 : 72;
        track_ = {{rect.lo.x + left, rect.lo.y + 4 + kNameRow * nameRows_ + 14}, {rect.hi.x - right, rect.hi.y - 8}};
    }
    void draw() {
        drawNames();
        for (Size k = 0; k < shown_; ++k) drawRail(k);
        joinChosen();
        drag();
    }

private:
    struct Rail {
        const char *longName, *shortName;
        const Vector& places;
        double chosen;
        bool diverges;
    };
    struct Name {
        Size activation;
        std::string text;
        double x, width, left;
        bool chosen;
        int row = -1;
    };

    double x(double nu) const { return track_.hi.x - (track_.hi.x - track_.lo.x) * std::clamp(nu, 0.0, 1.0); }
    double y(Size rail) const { return track_.lo.y + kRail * static_cast<double>(rail); }
    TextStyle style(Color color, AlignH h) const {
        return {.color = color, .size = f.theme.tinySize, .h = h, .v = AlignV::Middle, .halo = f.theme.ground};
    }

    // The chosen name first, then the others from the left, each in the lowest row that has room; where none has, a name is left out.
    void drawNames() {
        std::vector<Name> names;
        for (Size i = 0; i < rails_[0].places.size(); ++i) {
            const bool chosen = i == static_cast<Size>(s.params.activation);
            Name name{i, kScaleActivations[i].label, x(chosen ? rails_[0].chosen : rails_[0].places[i]), 0, 0, chosen};
            name.width = f.painter.measure(name.text, style(f.theme.text, AlignH::Left)).x;
            name.left = std::max(track_.lo.x - 20, std::min(name.x - name.width / 2, track_.hi.x + 16 - name.width));
            names.insert(chosen ? names.begin() : names.end(), std::move(name));
        }
        for (Size i = 0; i < names.size(); ++i) {
            Name& name = names[i];
            const auto meets = [&](const Name& other) {
                return other.left + other.width + 8 >= name.left && name.left + name.width + 8 >= other.left;
            };
            for (int row = 0; row < nameRows_ && name.row < 0; ++row)
                if (std::none_of(names.data(), &name, [&](const Name& other) { return other.row == row && meets(other); })) name.row = row;
        }
        std::erase_if(names, [](const Name& name) { return name.row < 0; });
        for (const Name& name : names) drawLeader(name);  // which the names of lower rows interrupt
        for (const Name& name : names) drawName(name);
    }
    double middleOf(const Name& name) const { return y(0) - 18 - kNameRow * name.row; }
    void drawLeader(const Name& name) {
        f.painter.line("scale/leader", {name.x, y(0) - 5}, {std::clamp(name.x, name.left, name.left + name.width), middleOf(name) + 7},
                       {(name.chosen ? f.theme.accent : f.theme.muted).withAlpha(0.5f), 1});
    }
    void drawName(const Name& name) {
        const double middle = middleOf(name);
        const Pointer p = f.handles.freePointer();
        const Rect box{{name.left - 3, middle - kNameRow / 2}, {name.left + name.width + 3, middle + kNameRow / 2}};
        const bool hovered = p.inside && box.contains(p.at) && !f.kept;
        if (hovered && p.pressed && !name.chosen)
            f.changes.push_back(Change::param("activation", std::string(kScaleActivations[name.activation].key)));
        auto text = style(name.chosen || hovered ? f.theme.accent : f.theme.text, AlignH::Left);
        text.bold = name.chosen;
        f.painter.text("scale/name", {name.left, middle}, name.text, text);
    }
    void drawRail(Size k) {
        const Rail& rail = rails_[k];
        const double level = f.painter.crisp(y(k));
        f.painter.line("scale/rail", {track_.lo.x, level}, {track_.hi.x, level}, {f.theme.line, 1});
        for (int tick = 0; tick <= 4; ++tick) {
            const double at = f.painter.crisp(x(tick / 4.0));
            f.painter.line("scale/tick", {at, level - 3}, {at, level + 3}, {f.theme.line, 1});
        }
        f.painter.text("scale/definition", {rect_.lo.x + 2, level}, wide_ ? rail.longName : rail.shortName,
                       style(k == 0 ? f.theme.text : f.theme.muted, AlignH::Left));
        for (const double nu : rail.places) f.painter.marker("scale/activation", {x(nu), level}, 3.5, MarkerShape::Circle, f.theme.muted);
        const std::string value = rail.diverges ? "E *η*² = ∞" : (k == 2 ? "*ν*_{c} = " : "*ν* = ") + numberText(rail.chosen, 3);
        f.painter.text("scale/value", {rect_.hi.x - 2, level}, value,
                       style(rail.diverges ? f.theme.warning : f.theme.accent, AlignH::Right));
    }
    void joinChosen() {
        std::vector<Vec2> line;
        for (Size k = 0; k < shown_; ++k)
            if (!rails_[k].diverges) line.push_back({x(rails_[k].chosen), y(k)});
        if (line.size() > 1) f.painter.line("scale/chosen", line, {f.theme.accent.withAlpha(0.6f), 1.5});
        for (const Vec2& at : line)
            f.painter.marker("scale/chosen", at, 5.5, MarkerShape::Circle, f.theme.accent, Stroke{f.theme.ground, 1.5});
    }
    void drag() {
        const double nu = std::clamp(rails_[0].chosen, 0.0, 1.0);
        const Vec2 at{x(nu), y(0)};
        const Handle handle{"scale", "place on the decoupling scale", "ν = " + inWords(nu), nu, 0, 1, 0.02, around(at, Vec2{12, 11})};
        const auto grip = f.handles.offer(handle, [&](Vec2 p) { return (track_.hi.x - p.x) / (track_.hi.x - track_.lo.x); });
        if (grip.moved) askForSlope(s, slopeOf(grip.value));
        if (grip.lively()) f.painter.marker("scale/grip", at, 8, MarkerShape::Circle, f.theme.accent, Stroke{f.theme.ground, 2});
    }

    const Seen& s;
    PictureFrame& f;
    Rect rect_, track_;
    Rail rails_[3];
    Size shown_ = 3;
    int nameRows_ = 3;
    bool wide_ = true;
};

void drawActivation(const Seen& s, Rect rect) {
    PictureFrame& f = s.f;
    const Vector& z = s.result.z;
    const auto wanted = leg(s.params);
    Vector values = s.result.curve;
    // While it is pulled the leg is where the reader's hand is, not where the last result was.
    for (Size i = 0; wanted && leg(s.asked) && i < z.size() && z[i] < 0; ++i) values[i] = *wanted * z[i];
    const double reach = z.back();
    double top = 0;
    for (const double value : values) top = std::max(top, std::abs(value));
    top = std::min(std::max(1.5, top * 1.05), 0.75 * reach);
    Plot plot = plotIn(f, "f", rect, {.label = "*z*", .lo = -reach, .hi = reach}, {.label = "*f*(*z*)", .lo = -top, .hi = top});
    Vector bell = s.result.density;
    const double peak = largest(bell, 1e-12);
    for (double& value : bell) value *= 0.8 * top / peak;
    plot.area("f/density", z, bell, f.theme.muted.withAlpha(0.13f));
    plot.line("f/linear", z, z, {f.theme.muted.withAlpha(0.6f), Dash::Dotted, 1.2, ""});
    // A pseudo-random f is nowhere continuous: points, not a line.
    if (s.asked.activation == ScaleActivation::PseudoRandom)
        plot.markers("f/points", z, values, {f.theme.accent, Dash::Solid, 2, ""}, MarkerShape::Circle, 1.6);
    else
        plot.line("f/curve", z, values, {f.theme.accent, Dash::Solid, 2.6, ""});
    if (wanted) {
        const double at = -0.6 * reach;
        const auto slope = dragAlong(f, plot,
                                     {"slope", "slope for negative z", inWords(*wanted), *wanted, -1, 1, 0.02, at, *wanted * at, true,
                                      [at](double y) { return y / at; }});
        if (slope) askForSlope(s, *slope);
    }
    finishPlot(f, plot, "f", wanted && !f.kept ? "pull the left leg" : "");
}

void drawEta(const Seen& s, Rect rect) {
    PictureFrame& f = s.f;
    const Result& r = s.result;
    const double reach = r.meanEta ? 1.25 : 3;
    Plot plot = plotIn(f, "eta", rect, {.label = "*z*", .lo = r.z.front(), .hi = r.z.back()},
                       {.label = "*η* = *f*(*z*)/*z*", .lo = -reach, .hi = reach});
    plot.horizontal("eta/zero", 0, {f.theme.line, Dash::Solid, 1, ""});
    if (s.asked.activation == ScaleActivation::PseudoRandom)
        plot.markers("eta/signs", r.z, r.eta, {f.theme.series[2], Dash::Solid, 2, ""}, MarkerShape::Circle, 1.6);
    else
        plot.line("eta/curve", r.z, r.eta, {f.theme.series[2], Dash::Solid, 2.4, ""});
    std::string title = "E *η*² = ∞, since *f*(0) ≠ 0";
    if (r.meanEta) {
        const std::string mean = "E *η* = " + numberText(*r.meanEta, 3);
        const std::string whole = "scaled to E *η*² = 1: " + mean + ", (E *η*)² = " + numberText(*r.meanEta * *r.meanEta, 3);
        const bool fits = f.painter.measure(whole, {.color = f.theme.text, .size = f.theme.smallSize, .bold = true}).x <= rect.width() - 8;
        title = fits ? whole : "scaled: " + mean;
    }
    finishPlot(f, plot, "eta", title);
}

/// At the ends of the differences' colours, the same at every number of draws: what Eq 14 leaves of all draws, but no less than the
/// standard error half-way.
double differencesReach(const Result& r) {
    const Vector measured = rowAt(r.measuredByDraws, r.approximate.size(), static_cast<double>(r.draws.size() - 1));
    double reach = r.largestError[r.largestError.size() / 2];
    for (Size i = 0; i < measured.size(); ++i) reach = std::max(reach, std::abs(measured[i] - r.approximate[i]));
    return std::ceil(20 * reach) / 20;
}

/// The squares side by side: Σ̃ measured, and what is left of it without Eq 14 and without the exact form, or as many as can be read.
void drawSquares(const Seen& s, Rect rect) {
    const Result& r = s.result;
    const bool twoSlopes = !r.exact.empty();
    const double gap = 14, lines = blockLines(s.f, true), bar = rect.width() >= 400 ? kBlockBar : 0, spare = 2 * bar;
    const auto widthOf = [&](int count) { return (rect.width() - spare - gap * (count - 1)) / count; };
    int shown = twoSlopes ? 3 : 2;
    while (shown > 1 && widthOf(shown) < 80) --shown;
    const double side = std::max(std::min(widthOf(shown), rect.height() - lines - 4), 1.0), reach = differencesReach(r);
    const double index = indexAlong(r.draws, s.params.at);
    const auto told = static_cast<Size>(std::lround(index));
    const Vector measured = rowAt(r.measuredByDraws, r.approximate.size(), index);
    Vec2 at = rect.lo;
    const auto draw = [&](const char* id, std::string title, std::string foot, const Vector& values, double most = 1,
                          const char* of = "mean of ") {
        drawBlocks(s.f,
                   {std::string("blocks/") + id, std::move(title), std::move(foot), values, static_cast<Size>(s.asked.inputs),
                    static_cast<Size>(s.asked.features), most, of},
                   at, side);
        at.x += side + gap;
    };
    const auto drawBar = [&](const char* id, double most) {
        if (bar > 0) drawBlockBar(s.f, id, {{at.x - gap - side, at.y + lines / 2}, {at.x - gap, at.y + lines / 2 + side}}, most);
        at.x += bar;
    };
    const auto left = [&](const char* id, std::string from, const Vector& form, const Vector& distance) {
        Vector rest = measured;
        for (Size i = 0; i < rest.size(); ++i) rest[i] -= form[i];
        draw(id, (side < 130 ? "− " : "measured − ") + std::move(from),
             numberText(100 * distance[told], 2) + (side < 110 ? " % is left" : " % of measured is left"), rest, reach,
             "left of the mean of ");
    };
    std::string under = numberText(r.draws[told], 6) + " draws";
    if (side > 130) under += ", ± " + numberText(r.largestError[told], 2);
    draw("measured", side < 120 ? "measured" : "measured blocks", under, measured);
    drawBar("blocks/bar", 1);
    if (shown == 1) return;
    if (shown > (twoSlopes ? 2 : 1))
        left("approximate", "Eq 14" + (side < 130 ? "" : " (*ν* = " + numberText(r.nuIndependent, 3) + ")"), r.approximate,
             r.fromApproximate);
    if (twoSlopes) left("exact", side < 130 ? "arcsine law" : "exact (arcsine law)", r.exact, r.fromExact);
    drawBar("blocks/difference-bar", reach);
}

/// Why there are no squares.
void drawNoSquares(const Seen& s, Rect rect) {
    TextStyle style{.color = s.f.theme.text, .size = s.f.theme.smallSize, .h = AlignH::Centre, .v = AlignV::Middle};
    const Rect box = rect.inset(4, 4, 4, 4);
    s.f.painter.frame("blocks/none", box, {s.f.theme.line, 1, Dash::Dotted}, 6);
    if (s.f.painter.measure("0", style).x * 46 > box.width()) style.size = s.f.theme.tinySize;
    const char* why = "*f*(0) = ½, so *η* ≈ 1/(2*z*) near 0";
    const bool room = box.height() >= 40 && s.f.painter.measure(why, style).x <= box.width();
    s.f.painter.text("blocks/none", box.centre() - Vec2{0, room ? 10.0 : 0.0},
                     box.width() < 250 ? "No blocks: E *η*² = ∞" : "No blocks to measure: E *η*² = ∞", style);
    style.color = s.f.theme.muted;
    if (room) s.f.painter.text("blocks/none", box.centre() + Vec2{0, 10}, why, style);
}

/// One of Fig 3's activations in a cell: f and η, and under them its measured blocks, whose square is returned.
Rect drawColumn(const Seen& s, Size one, Rect cell) {
    PictureFrame& f = s.f;
    const Result& r = s.result;
    const Size points = r.z.size();
    const std::string id = "four-" + r.four[one];
    // The blocks stand under the curves, or where that leaves these no height beside them, under the name of both.
    const bool below = cell.height() > 220;
    const double lines = blockLines(f, true), head = below ? 0 : 18,
                 side = std::max(1.0, below ? std::min(cell.width(), cell.height() - lines - 138)
                                            : std::min(0.45 * cell.width(), cell.height() - lines - head));
    const Vec2 corner = below ? Vec2{cell.centre().x - side / 2, cell.hi.y - side - lines} : Vec2{cell.hi.x - side, cell.lo.y + head};
    const Rect upper{cell.lo + Vec2{0, head}, below ? Vec2{cell.hi.x, corner.y - 8} : Vec2{corner.x - 8, corner.y + side + lines / 2}};
    const Vector f_z = rowAt(r.fourCurve, points, static_cast<double>(one)), eta = rowAt(r.fourEta, points, static_cast<double>(one));
    const double reach = r.z.back();
    const bool named = upper.width() > 120 && upper.height() > 120;
    Plot plot = plotIn(f, id, upper, {.label = named ? "*z*" : "", .lo = -reach, .hi = reach, .ticks = named},
                       {.label = named ? "*f*(*z*), *η*(*z*)" : "", .lo = -0.75 * reach, .hi = 0.75 * reach, .ticks = named});
    const auto draw = [&](const char* part, const Vector& values, Color color, const char* label) {
        if (r.four[one] == "pseudo-random")
            plot.markers(id + part, r.z, values, {color, Dash::Solid, 2, ""}, MarkerShape::Circle, 1.3);
        else
            plot.line(id + part, r.z, values, {color, Dash::Solid, 2.2, label});
    };
    draw("/eta", eta, f.theme.series[2], "*η*");
    draw("/f", f_z, f.theme.accent, "*f*");
    std::string name = r.four[one];
    for (const OptionRow& option : kScaleActivations)
        if (name == option.key) name = option.label;
    if (one == 1 && upper.width() > 160) name += ", *α* = " + numberText(s.asked.slope, 3);
    finishPlot(f, plot, id, below ? name : "");
    if (!below) f.painter.text(id + "/name", cell.lo + Vec2{2, 1}, name, {.color = f.theme.text, .size = f.theme.smallSize, .bold = true});
    const double index = indexAlong(r.draws, s.params.at);
    const auto told = static_cast<Size>(std::lround(index));
    const Vector all = rowAt(r.fourByDraws, r.four.size() * r.approximate.size(), index);
    const std::string off =
        numberText(100 * r.fourFromApproximate[told * r.four.size() + one], 2) + (side < 110 ? " % off" : " % off Eq 14");
    drawBlocks(f,
               {"blocks/" + r.four[one], "*ν* = " + numberText(r.fourNu[one], 3), off,
                std::span(all).subspan(one * r.approximate.size(), r.approximate.size()), static_cast<Size>(s.asked.inputs),
                static_cast<Size>(s.asked.features)},
               corner, side);
    return {corner + Vec2{0, lines / 2}, corner + Vec2{side, side + lines / 2}};
}

/// The four of Fig 3 side by side, or two by two.
void drawFour(const Seen& s, Rect rect) {
    const Result& r = s.result;
    constexpr double kGap = 16;
    const bool one = rect.width() >= 4 * 110 + 3 * kGap;
    const double bar = one && rect.width() >= 700 ? kBlockBar : 0, columns = one ? 4 : 2, rows = one ? 1 : 2;
    const Vec2 size{(rect.width() - bar - kGap * (columns - 1)) / columns, (rect.height() - kGap * (rows - 1)) / rows};
    for (Size k = 0; k < r.four.size(); ++k) {
        const double column = static_cast<double>(one ? k : k % 2), row = static_cast<double>(one ? 0 : k / 2);
        const Vec2 at = rect.lo + Vec2{column * (size.x + kGap), row * (size.y + kGap)};
        const Rect square = drawColumn(s, k, {at, at + size});
        if (bar > 0 && k == 3) drawBlockBar(s.f, "blocks/bar", {square.lo, {rect.hi.x - bar, square.hi.y}});
    }
}

Curves convergence(const Seen& s) {
    const Result& r = s.result;
    Curves curves{
        .id = "convergence",
        .x = {.label = "draws", .lo = r.draws.front(), .hi = std::max(r.draws.back(), r.draws.front() * 1.01), .scale = Scale::Log},
        .y = {.label = "relative distance"},
        .fit = Fit::Decades};
    curves.curves = {{"theory", r.draws, r.noise, Role::Theory, "standard error", std::nullopt, 1.6},
                     {"measured", r.draws, r.fromApproximate, Role::Measurement, "from Eq 14", s.f.theme.series[1], 2.2}};
    if (!r.fromExact.empty())
        curves.curves.push_back({"measured-exact", r.draws, r.fromExact, Role::Measurement, "from exact", s.f.theme.series[0], 2.2});
    curves.more = [&s](PictureFrame& f, Plot& plot) {
        const Vector& draws = s.result.draws;
        const double made = draws[static_cast<Size>(std::lround(indexAlong(draws, s.params.at)))];
        scrub(f, plot, "convergence", {"draws", "draws shown", inWords(made, 6) + " draws", draws, draws, s.params.at});
    };
    return curves;
}

Layout layout(const Seen& s, Memory& memory) {
    const Result& r = s.result;
    const auto of = [&s](void (*draw)(const Seen&, Rect)) { return [&s, draw](Rect rect) { draw(s, rect); }; };
    const Vector chosen = memory.places.towards(s.f, {r.nuEnergy, r.nuIndependent, r.nuCorrelation});
    // No higher than its three rails need.
    const double height = std::clamp(0.27 * s.f.area.height(), 62.0, kScaleHeight);
    Layout scale = s.panel(0, {200, height}, [&s, chosen](Rect rect) { ScaleDrawing(s, chosen, rect).draw(); });
    Layout activation = s.panel(1, {180, 135}, of(drawActivation)), eta = s.panel(4, {170, 140}, of(drawEta));
    if (!r.meanEta)
        return Layout::rows({std::move(scale).share(0.01), s.panel(2, {200, 54}, of(drawNoSquares)).share(0.01),
                             Layout::columns({std::move(activation), std::move(eta)})});
    if (!r.fourByDraws.empty()) return Layout::rows({std::move(scale).share(0.01), s.panel(1, {200, 120}, of(drawFour))});
    if (r.draws.empty()) return Layout::rows({std::move(scale).share(0.01), Layout::columns({std::move(activation), std::move(eta)})});
    return Layout::rows({std::move(scale).share(0.01),
                         Layout::columns({std::move(activation), s.panel(2, {150, 120}, of(drawSquares)).share(1.8)}),
                         Layout::columns({std::move(eta), s.panel(3, {180, 140}, convergence(s)).share(1.8)}).share(1.2)});
}

}  // namespace
}  // namespace decoupling

PictureEntry decoupling_picture() { return tablePicture<decoupling::kScene, decoupling::layout>(); }

}  // namespace kappaflow
