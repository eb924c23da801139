// A network whose every weight is learned, the scales of its units, and its capacity counted in two ways.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/capacity_flow/lower_layers/picture_view.h"

namespace kappaflow {
namespace lower {
namespace {

// Scaled outputs agree to about 1e-15 where the scale is redundant and differ by tenths where it is not.
constexpr double kRounding = 1e-9;

/// log₂ s at the timeline's steps: 1, 4, 1, 1/4, 1.
double exponentAt(double at) {
    constexpr double kSteps[] = {0, 2, 0, -2, 0};
    const Between b = between(at, 4);
    return kSteps[b.below] + (kSteps[b.above] - kSteps[b.below]) * b.fraction;
}

void place(View& view, std::size_t unit) {
    for (std::size_t l = 1; l < view.layers(); ++l) {
        if (unit < view.widths[l]) {
            view.layer = l;
            view.place = unit;
            return;
        }
        unit -= view.widths[l];
    }
}

double scalarOf(const Report& report, const char* name) {
    const Scalar* scalar = report.scalar(name);
    return scalar ? scalar->value : 0;
}

}  // namespace

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {{&view.rank, "rank"},
                                                            {&view.functionRank, "functionRank"},
                                                            {&view.predictedRank, "predictedRank"},
                                                            {&view.onePiece, "onePieceUnits"},
                                                            {&view.sectors, "sectors"},
                                                            {&view.singular, "singularValues"},
                                                            {&view.pathSingular, "pathSingularValues"},
                                                            {&view.growth, "rankByInputs"},
                                                            {&view.weights, "weights"},
                                                            {&view.weightLayer, "weightLayer"},
                                                            {&view.weightFrom, "weightFrom"},
                                                            {&view.weightTo, "weightTo"},
                                                            {&view.weightTap, "weightTap"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    const Array* widths = r.array("widths");
    if (!widths || widths->values.size() < 2) return false;
    view.output = r.array("outputAlongScale");
    view.change = r.array("outputChange");
    view.keys = view.rank->axes[0].keys;
    for (const double width : widths->values) view.widths.push_back(static_cast<std::size_t>(width));
    const auto found = std::find(view.keys.begin(), view.keys.end(), f.state.params.text("shown"));
    view.shown = found == view.keys.end() ? 0 : static_cast<std::size_t>(found - view.keys.begin());
    view.parameters = scalarOf(r, "parameters");
    view.hidden = scalarOf(r, "hiddenUnits");
    view.predicted = scalarOf(r, "predicted");
    view.threshold = scalarOf(r, "threshold");
    view.unit = static_cast<std::size_t>(std::clamp(f.state.params.number("unit"), 0.0, std::max(view.hidden - 1, 0.0)));
    view.exponent = exponentAt(f.state.params.number("at"));
    place(view, view.unit);
    return !view.keys.empty();
}

bool View::redundant(std::size_t hiddenUnit) const { return change && change->row(shown)[hiddenUnit] < kRounding; }

std::vector<double> View::outputAt(double e) const {
    const std::size_t factors = output->axes[2].size(), places = output->axes[3].size();
    const double* rows = output->row(shown) + unit * factors * places;
    // Factors are a step of √2 apart.
    const Between b = between(static_cast<double>(factors - 1) / 2 + 2 * e, factors - 1);
    std::vector<double> y(places);
    for (std::size_t i = 0; i < places; ++i) {
        const double low = rows[b.below * places + i], high = rows[b.above * places + i];
        y[i] = b.fraction == 0 ? low : low + (high - low) * b.fraction;
    }
    return y;
}

std::string activationName(const std::string& key) {
    for (const auto& option : findDeclaration("lower-layers")->param("shown")->options)
        if (option.key == key) return option.label;
    return key;
}

std::string scaleText(double exponent) {
    const double s = std::exp2(exponent);
    return s < 0.999 ? "1/" + numberText(1 / s, 2) : numberText(s, 2);
}

namespace {

// Beside the network: what its output does as a unit is scaled, the ranks of all activations, and how they were decided.

/// Weights that are not redundant: what a network of this kind is predicted to have.
std::string sumOf(const View& view) {
    double scales = 0;
    for (std::size_t u = 0; u < static_cast<std::size_t>(view.hidden); ++u) scales += view.redundant(u) ? 1 : 0;
    const std::string p = numberText(view.parameters), rank = numberText(view.of(*view.functionRank));
    if (scales == 0) return p + " weights, no redundant scale; sampled rank " + rank;
    return p + " weights − " + numberText(scales) + (scales == 1 ? " redundant scale = " : " redundant scales = ") +
           numberText(view.parameters - scales) + "; sampled rank " + rank;
}

/// Where paths and function disagree, in one sentence; "" where they agree.
std::string exceptionOf(const View& view) {
    const double rank = view.of(*view.functionRank), paths = view.of(*view.rank), stuck = view.of(*view.onePiece);
    const std::string& key = view.keys[view.shown];
    if (key == "identity")
        return "Linear: the " + numberText(view.predicted) + " of the rule are only " + numberText(rank) + " directions of one matrix.";
    if (key == "hard-tanh" && stuck > 0)
        return numberText(stuck) + (stuck == 1 ? " unit never saturates" : " units never saturate") + ": the rank falls " +
               numberText(view.parameters - rank) + " short of " + numberText(view.parameters) + ".";
    if (rank > paths) return "The path formula would find " + numberText(paths) + ": it holds for two slopes only.";
    if (rank == paths) return "";
    const std::string missing = numberText(paths - rank) + " short of the paths’ " + numberText(paths);
    if (std::isnan(stuck)) return missing + ".";
    const double sectors = view.of(*view.sectors);
    return missing + ": " + numberText(sectors) + (sectors == 1 ? " sector tells" : " sectors tell") + " too few paths apart.";
}

/// Largest change over the largest value.
double changeOf(const std::vector<double>& original, const std::vector<double>& scaled) {
    double change = 0, size = 0;
    for (std::size_t i = 0; i < original.size(); ++i) {
        change = std::max(change, std::abs(scaled[i] - original[i]));
        size = std::max(size, std::abs(original[i]));
    }
    return size > 0 ? change / size : 0;
}

double widthOf(PictureFrame& f, const std::string& text, bool bold = false) {
    return f.painter.measure(text, {.color = f.theme.text, .size = f.theme.tinySize, .bold = bold}).x;
}

/// Rows of the ranks' panel.
struct Rows {
    Rect rect;                         ///< of the bars, without names and numbers
    std::vector<std::size_t> visible;  ///< activations, from the top
    double height, scale;
    double y(std::size_t row) const { return rect.lo.y + height * (static_cast<double>(row) + 0.5); }
    double x(double rank) const { return rect.lo.x + scale * rank; }
};

/// Where not all rows fit: the one shown, then those whose ranks differ, then the others.
std::vector<std::size_t> visibleRows(const View& view, std::size_t most) {
    const std::size_t n = view.keys.size();
    std::vector<std::size_t> rows{view.shown};
    const auto add = [&](std::size_t k, bool anyRank) {
        for (const std::size_t row : rows)
            if (row == k || (!anyRank && view.functionRank->values[row] == view.functionRank->values[k])) return;
        if (rows.size() < most) rows.push_back(k);
    };
    for (const bool anyRank : {false, true})
        for (std::size_t k = n; k-- > 0;) add(k, anyRank);
    std::sort(rows.begin(), rows.end());
    return rows;
}

void drawRow(PictureFrame& f, const View& view, const Rows& rows, std::size_t place, Rect panel) {
    const std::size_t row = rows.visible[place];
    const bool shown = row == view.shown;
    const double y = rows.y(place), half = std::min(0.3 * rows.height, 8.0), rank = view.functionRank->values[row];
    const Color ink = sample(ColorMap::Capacity, f.theme.dark ? 0.75 : 0.7, f.theme.dark);
    const TextStyle name{.color = shown ? f.theme.text : f.theme.muted, .size = f.theme.tinySize, .v = AlignV::Middle, .bold = shown};
    if (shown)
        f.painter.rect("ranks/shown", {{panel.lo.x, y - rows.height / 2 + 1}, {panel.hi.x, y + rows.height / 2 - 1}},
                       f.theme.accent.withAlpha(0.10f), 4);
    f.painter.text("ranks/name", {panel.lo.x + 4, y}, activationName(view.keys[row]), name);
    f.painter.rect("ranks/bar", {{rows.rect.lo.x, y - half}, {rows.x(rank), y + half}}, ink.withAlpha(shown ? 0.95f : 0.45f), 2);
    const double predicted = rows.x(view.predictedRank->values[row]);
    f.painter.line("ranks/theory", Vec2{predicted, y - 0.45 * rows.height}, Vec2{predicted, y + 0.45 * rows.height},
                   {f.theme.theory, 2, Dash::Dashed});
    f.painter.marker("ranks/paths", {rows.x(view.rank->values[row]), y}, 4.5, MarkerShape::Diamond, f.theme.series[2],
                     Stroke{f.theme.ground, 1.2});
    TextStyle number = name;
    number.h = AlignH::Right;
    f.painter.text("ranks/number", {panel.hi.x - 3, y}, numberText(rank), number);
}

/// Pressed or dragged along the rows: the activation that is drawn.
void offerShown(PictureFrame& f, const View& view, const Rows& rows, Rect panel) {
    if (view.keys.size() < 2) return;
    const double last = static_cast<double>(view.keys.size()) - 1;
    const Rect area{{panel.lo.x, rows.rect.lo.y}, {panel.hi.x, rows.rect.hi.y}};
    const Handle handle{"shown", "activation", activationName(view.keys[view.shown]), static_cast<double>(view.shown), 0, last, 1, area};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) {
        const double place = std::clamp((p.y - rows.rect.lo.y) / rows.height, 0.0, static_cast<double>(rows.visible.size()) - 1);
        return static_cast<double>(rows.visible[static_cast<std::size_t>(place)]);
    });
    if (grip.moved) f.changes.push_back(Change::param("shown", view.keys[static_cast<std::size_t>(std::clamp(grip.value, 0.0, last))]));
}

/// What the marks of the ranks' panel mean, as wide as there is room.
void drawKey(PictureFrame& f, Rect panel, double y) {
    const TextStyle style{.color = f.theme.muted, .size = f.theme.tinySize, .v = AlignV::Middle};
    const Color ink = sample(ColorMap::Capacity, f.theme.dark ? 0.75 : 0.7, f.theme.dark);
    double x = panel.lo.x + 4;
    const auto entry = [&](const char* text, auto&& mark) {
        const double width = 14 + f.painter.measure(text, style).x + 10;
        if (x + width > panel.hi.x + 8) return;
        mark(Vec2{x + 5, y});
        f.painter.text("ranks/key", {x + 14, y}, text, style);
        x += width;
    };
    entry("sampled", [&](Vec2 at) { f.painter.rect("ranks/key/bar", {at + Vec2{-5, -4}, at + Vec2{5, 4}}, ink, 2); });
    entry("paths mod 2^{31} − 1", [&](Vec2 at) { f.painter.marker("ranks/key/paths", at, 4.5, MarkerShape::Diamond, f.theme.series[2]); });
    entry("predicted", [&](Vec2 at) {
        f.painter.line("ranks/key/theory", at + Vec2{0, -7}, at + Vec2{0, 7}, {f.theme.theory, 2, Dash::Dashed});
    });
}

/// The line at a number of weights, with its name above the rows.
void drawMark(PictureFrame& f, const Rows& rows, const std::string& id, double value, const std::string& text, const Stroke& stroke,
              bool toLeft) {
    const double x = rows.x(value);
    f.painter.line(id, Vec2{x, rows.rect.lo.y - 2}, Vec2{x, rows.rect.hi.y}, stroke);
    f.painter.text(id + "/name", {x + (toLeft ? 2 : -2), rows.rect.lo.y - 4}, text,
                   {.color = stroke.color, .size = f.theme.tinySize, .h = toLeft ? AlignH::Right : AlignH::Left, .v = AlignV::Bottom});
}

}  // namespace

void drawVerdict(PictureFrame& f, const View& view, Rect rect) {
    const TextStyle first{.color = f.theme.text, .size = f.theme.smallSize, .h = AlignH::Centre, .v = AlignV::Top, .bold = true};
    const TextStyle second{.color = f.theme.warning, .size = f.theme.tinySize, .h = AlignH::Centre, .v = AlignV::Top};
    const double middle = rect.centre().x;
    f.painter.text("verdict", {middle, rect.lo.y}, elide(f.painter, sumOf(view), first, rect.width()), first);
    const std::string exception = exceptionOf(view);
    if (!exception.empty() && rect.height() > 30)
        f.painter.text("verdict/exception", {middle, rect.lo.y + 19}, elide(f.painter, exception, second, rect.width()), second);
}

void drawOutput(PictureFrame& f, const View& view, Rect rect) {
    if (!view.output) return;
    double lo = 0, hi = 0;
    for (int half = -4; half <= 4; ++half)
        for (const double y : view.outputAt(0.5 * half)) lo = std::min(lo, y), hi = std::max(hi, y);
    // A low plot has its title inside.
    const double room = 0.08 * (hi - lo) + 1e-9, head = rect.height() < 150 ? 0.5 * (hi - lo) : 0;
    const auto& t = view.output->axes[3].values;
    const auto original = view.outputAt(0), scaled = view.outputAt(view.exponent);
    Plot plot(f.painter, f.theme, "output", rect, {.label = "place on a line of inputs", .lo = t.front(), .hi = t.back()},
              {.label = "output *y*", .lo = lo - room, .hi = hi + room + head}, zoomOf(f, "output"));
    plot.line("output/original", t, original, {f.theme.muted.withAlpha(0.35f), Dash::Solid, 7, ""});
    plot.line("output/measured", t, scaled, {f.theme.accent, Dash::Solid, 2.2, ""});
    const double change = changeOf(original, scaled);
    const std::string s = "output at *s* = " + scaleText(view.exponent);
    finishPlot(f, plot, "output",
               change < 1e-9 ? s + ": unchanged, to " + numberText(std::max(change, 1e-16), 1)
                             : s + ": changed by " + numberText(100 * change, 2) + " %");
}

void drawRanks(PictureFrame& f, const View& view, Rect rect) {
    double names = 0;
    for (const auto& key : view.keys) names = std::max(names, widthOf(f, activationName(key), true));
    const double numbers = widthOf(f, numberText(view.parameters)) + 12;
    const double head = rect.height() < 130 ? 20 : 38;
    const Rect bars{{rect.lo.x + names + 12, rect.lo.y + head}, {rect.hi.x - numbers, rect.hi.y}};
    auto visible = visibleRows(view, static_cast<std::size_t>(std::max(1.0, std::floor(bars.height() / 15))));
    const double count = static_cast<double>(visible.size()), height = std::min(bars.height() / count, 30.0);
    const Rows rows{{bars.lo, {bars.hi.x, bars.lo.y + height * count}}, std::move(visible), height, (bars.width() - 6) / view.parameters};
    if (head > 20) drawKey(f, rect, rect.lo.y + 9);
    for (std::size_t place = 0; place < rows.visible.size(); ++place) drawRow(f, view, rows, place, rect);
    drawMark(f, rows, "ranks/parameters", view.parameters, "*p* = " + numberText(view.parameters), {f.theme.muted, 1.2, Dash::Dotted},
             true);
    const std::string rule = "*p* − hidden = " + numberText(view.predicted);
    const double apart = rows.x(view.parameters) - rows.x(view.predicted);
    const double needed = widthOf(f, "*p* = " + numberText(view.parameters)) + 8;
    if (view.hidden > 0 && apart > needed)
        drawMark(f, rows, "ranks/predicted/theory", view.predicted, rule, {f.theme.theory, 1.2, Dash::Dashed}, true);
    offerShown(f, view, rows, rect);
}

void drawSingularValues(PictureFrame& f, const View& view, Rect rect) {
    const std::size_t n = view.singular->axes[1].size();
    constexpr double kFloor = 1e-18;
    std::vector<double> index(n), sampled(n), paths(n);
    const auto shownAs = [](double value) { return value < kFloor ? kFloor : value; };  // a zero is drawn on the floor, NaN stays
    for (std::size_t i = 0; i < n; ++i) {
        index[i] = static_cast<double>(i + 1);
        sampled[i] = shownAs(view.singular->row(view.shown)[i]);
        paths[i] = shownAs(view.pathSingular->values[i]);
    }
    Plot plot(f.painter, f.theme, "singular", rect, {.label = "index", .lo = 0.5, .hi = static_cast<double>(n) + 0.5, .whole = true},
              {.label = "singular value", .lo = kFloor / 3, .hi = 10, .scale = Scale::Log}, zoomOf(f, "singular"));
    plot.horizontal("singular/threshold", view.threshold, {f.theme.muted, Dash::Dotted, 1.4, "below 10^{−9}: zero"});
    const Color ink = sample(ColorMap::Capacity, f.theme.dark ? 0.75 : 0.7, f.theme.dark);
    plot.markers("singular/paths", index, paths, {f.theme.series[2], Dash::Solid, 1, ""}, MarkerShape::Diamond, 4.5);
    plot.markers("singular/sampled", index, sampled, {ink, Dash::Solid, 1, ""}, MarkerShape::Circle, 3.5);
    finishPlot(f, plot, "singular", "singular values, " + activationName(view.keys[view.shown]));
}

void drawGrowth(PictureFrame& f, const View& view, Rect rect) {
    const auto& inputs = view.growth->axes[1].values;
    // The last look stands far to the right of where the rank has grown.
    const double last = inputs.size() > 2 ? inputs[inputs.size() - 2] : inputs.back();
    Plot plot(f.painter, f.theme, "growth", rect, {.label = "inputs tried", .lo = 0, .hi = std::max(last, 2.0), .whole = true},
              {.label = "sampled rank", .lo = 0, .hi = view.parameters * 1.12, .whole = true}, zoomOf(f, "growth"));
    plot.horizontal("growth/parameters", view.parameters, {f.theme.muted, Dash::Dotted, 1.2, ""});
    plot.horizontal("growth/theory", view.of(*view.predictedRank), {f.theme.theory, Dash::Dashed, 1.6, ""});
    const Color ink = sample(ColorMap::Capacity, f.theme.dark ? 0.75 : 0.7, f.theme.dark);
    for (std::size_t k = 0; k <= view.keys.size(); ++k) {
        const std::size_t run = k < view.keys.size() ? k : view.shown;  // the one shown once more, on top
        const bool shown = k == view.keys.size();
        const std::vector<double> ranks(view.growth->row(run), view.growth->row(run) + inputs.size());
        plot.line("growth/measured", inputs, ranks, {shown ? ink : f.theme.muted.withAlpha(0.3f), Dash::Solid, shown ? 2.4 : 1.2, ""});
    }
    finishPlot(f, plot, "growth", "the rank as inputs come in");
}

namespace {

/// Empty where there is no room.
struct Panels {
    Rect network, verdict, output, ranks, singular, growth;
};

Panels arrangeNarrow(Rect a) {
    Panels p;
    const double verdict = a.height() < 260 ? 18 : 36, left = a.height() - verdict;
    const double output = left > 330 ? 0.25 * left : 0, network = (left - output) * 0.47;
    p.network = {a.lo, {a.hi.x, a.lo.y + network}};
    p.verdict = {{a.lo.x, p.network.hi.y}, {a.hi.x, p.network.hi.y + verdict}};
    p.output = {{a.lo.x, p.verdict.hi.y}, {a.hi.x, p.verdict.hi.y + output}};
    p.ranks = {{a.lo.x, p.output.hi.y}, a.hi};
    return p;
}

Panels arrangeWide(Rect a) {
    Panels p;
    const double right = std::clamp(a.width() * 0.38, 230.0, 420.0),
                 output = a.height() < 380 ? 0 : std::clamp(0.3 * a.height(), 120.0, 220.0);
    const Rect main{a.lo, {a.hi.x - right - 14, a.hi.y}};
    p.output = {{main.lo.x, main.hi.y - output}, main.hi};
    p.verdict = {{main.lo.x, p.output.lo.y - 40}, {main.hi.x, p.output.lo.y}};
    p.network = {main.lo, {main.hi.x, p.verdict.lo.y - 2}};
    const Rect side{{main.hi.x + 14, a.lo.y + 4}, a.hi};
    const int plots = a.height() < 400 ? 0 : a.height() < 540 ? 1 : 2;
    const double ranks = plots == 0 ? side.height() : plots == 1 ? 0.55 * side.height() : 0.4 * side.height();
    const double plot = plots == 0 ? 0 : (side.height() - ranks) / plots;
    p.ranks = {side.lo, {side.hi.x, side.lo.y + ranks - 6}};
    if (plots > 0) p.singular = {{side.lo.x, side.lo.y + ranks}, {side.hi.x, side.lo.y + ranks + plot - 4}};
    if (plots > 1) p.growth = {{side.lo.x, p.singular.hi.y + 4}, side.hi};
    return p;
}

class LowerLayersPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view{};
        if (!readView(f, view)) return emptyPicture(f, "The paths are being counted.");
        const Panels p = f.compact && f.area.width() < 600 ? arrangeNarrow(f.area) : arrangeWide(f.area);
        drawNetwork(f, view, p.network);
        drawVerdict(f, view, p.verdict);
        if (p.output.height() > 0) drawOutput(f, view, p.output);
        drawRanks(f, view, p.ranks);
        if (p.singular.height() > 0) drawSingularValues(f, view, p.singular);
        if (p.growth.height() > 0) drawGrowth(f, view, p.growth);
    }
};

}  // namespace
}  // namespace lower

PictureEntry lower_layers_picture() {
    return {"lower-layers", [] { return std::unique_ptr<Picture>(std::make_unique<lower::LowerLayersPicture>()); }};
}

}  // namespace kappaflow
