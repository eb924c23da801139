// A network whose every weight is learned, the scales of its units, and its capacity counted in two ways.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/capacity_flow/lower_layers.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace lower_layers {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

bool tree(const Params& p) { return p.layer == LayerType::Convolution; }
std::string nameOf(const std::string& key) {
    return std::find_if(kShown.begin(), kShown.end(), [&](const OptionRow& option) { return option.key == key; })->label;
}
Color sampledInk(const PictureFrame& f) { return sample(ColorMap::Capacity, f.theme.dark ? 0.75 : 0.7, f.theme.dark); }
/// "× 2.3" or "÷ 2.3".
std::string factorText(double exponent) { return (exponent < -0.001 ? "÷ " : "× ") + numberText(std::exp2(std::abs(exponent)), 2); }
/// "2.3", "1/4".
std::string scaleText(double exponent) {
    const double scale = std::exp2(exponent);
    return scale < 0.999 ? "1/" + numberText(1 / scale, 2) : numberText(scale, 2);
}

/// The activation and the hidden unit that are looked at.
struct View {
    explicit View(const Seen& seen);
    /// Whether scaling a hidden unit leaves the output alone: to about 1e-15 then, else it moves by tenths.
    bool redundant(Size hiddenUnit) const {
        const auto& change = s.result.outputChange;
        return !change.empty() && change[shown * s.result.units.size() + hiddenUnit] < 1e-9;
    }
    /// Output along the line of inputs.
    Vector outputAt(double exponent) const;
    double of(const Vector& byActivation) const { return byActivation[shown]; }
    Size width(Size l) const { return static_cast<Size>(s.result.widths[l]); }
    std::string name() const { return nameOf(s.result.activations[shown]); }

    const Seen& s;
    Size shown = 0;             ///< an index of the activations computed
    Size unit = 0;              ///< counted through all hidden layers
    Size layer = 0, place = 0;  ///< the unit's layer (0: there is no hidden unit) and number in it
    double exponent = 0;        ///< log₂ of the unit's scale, −2 … 2
};

View::View(const Seen& seen) : s(seen) {
    const Result& r = s.result;
    const auto found = std::find(r.activations.begin(), r.activations.end(), kShown[static_cast<Size>(s.params.shown)].key);
    if (found != r.activations.end()) shown = static_cast<Size>(found - r.activations.begin());
    if (r.hiddenUnits > 0) unit = std::min(static_cast<Size>(s.params.unit), r.units.size() - 1);
    place = unit;
    for (Size l = 1; l + 1 < r.widths.size() && layer == 0; ++l) {
        if (place < width(l))
            layer = l;
        else
            place -= width(l);
    }
    const Between b = between(s.params.at, 4);
    const auto log2 = [&](Size step) { return std::log2(r.scaleFactor[step]); };
    exponent = log2(b.below) + (log2(b.above) - log2(b.below)) * b.fraction;
}

Vector View::outputAt(double e) const {
    const Result& r = s.result;
    const Size factors = r.factors.size(), places = r.places.size();
    // Factors are a step of √2 apart.
    const double factor = std::clamp(static_cast<double>(factors - 1) / 2 + 2 * e, 0.0, static_cast<double>(factors - 1));
    return rowAt(r.output, places, static_cast<double>((shown * r.units.size() + unit) * factors) + factor);
}

// The network: weights by sign and size, the chosen hidden unit sliding along its scale, tags that add and take away units.

// A column keeps its room while units are added, so that the tag under it stays under the pointer.
constexpr double kRoom = 6, kMostPaths = 20000, kMostHiddenLayers = 4;

class NetworkDrawing {
public:
    NetworkDrawing(const View& view, Rect panel) : v(view), s(view.s), f(view.s.f), panel_(panel) {
        const double margin = std::clamp(panel.width() * 0.09, 24.0, 60.0);
        rect_ = {{panel.lo.x + margin, panel.lo.y + 22}, {panel.hi.x - margin, panel.hi.y - 6}};
        widths_.assign(s.params.architecture.begin(), s.params.architecture.end());
        taps_ = tree(s.params) ? s.params.taps : 1;
        room_ = largest(s.result.widths, largest(widths_, kRoom));
        spacing_ = (rect_.height() - 20) / room_;
        radius_ = std::clamp(spacing_ * 0.34, 4.0, 17.0);
        gap_ = rect_.width() / static_cast<double>(layers());
    }
    void draw() {
        drawWeights();
        drawUnits();
        drawScale();
        const Size ends = tree(s.params) ? 1 : 0;  // of a tree both have one unit
        if (widths_.size() == s.result.widths.size())
            for (Size l = ends; l + ends < widths_.size(); ++l) offerWidth(l);
        offerDepth();
        f.painter.text("network/name", panel_.lo + Vec2{4, 10}, v.name(),
                       {.color = f.theme.muted, .size = f.theme.tinySize, .v = AlignV::Middle});
    }

private:
    Size layers() const { return s.result.widths.size() - 1; }
    Vec2 rest(Size layer, Size unit) const {
        const double fromMiddle = static_cast<double>(unit) - 0.5 * (s.result.widths[layer] - 1);
        return {rect_.lo.x + gap_ * static_cast<double>(layer), rect_.centre().y + spacing_ * fromMiddle};
    }
    /// How far a unit slides for each doubling of its scale.
    double slide() const { return gap_ * 0.13; }
    Vec2 at(Size layer, Size unit) const {
        const bool chosen = layer == v.layer && unit == v.place && layer > 0;
        return rest(layer, unit) + Vec2{chosen ? slide() * v.exponent : 0, 0};
    }
    double paths(const Vector& widths) const {
        double paths = 1;
        for (Size l = 0; l < widths.size(); ++l) paths *= widths[l] * (l > 0 ? taps_ : 1);
        return paths;
    }

    void drawWeights() {
        const Result& r = s.result;
        double heaviest = 1e-9;
        for (const double w : r.weights) heaviest = std::max(heaviest, std::abs(w));
        const double scale = 0.3 * radius_ / heaviest, factor = std::exp2(v.exponent), middleTap = 0.5 * largest(r.weightTap, 0);
        for (const bool ofChosen : {false, true})
            for (Size w = 0; w < r.weights.size(); ++w) {
                const auto layer = static_cast<Size>(r.weightLayer[w]), from = static_cast<Size>(r.weightFrom[w]),
                           to = static_cast<Size>(r.weightTo[w]);
                const bool in = layer == v.layer && to == v.place, out = layer == v.layer + 1 && from == v.place && v.layer > 0;
                if ((in || out) != ofChosen) continue;
                const double width = 0.7 + std::abs(r.weights[w]) * scale * (in ? factor : out ? 1 / factor : 1);
                const Vec2 apart{0, (r.weightTap[w] - middleTap) * 0.55 * radius_};
                f.painter.line(
                    "network/weight", at(layer - 1, from) + apart, at(layer, to) + apart,
                    {f.theme.series[r.weights[w] < 0 ? 1 : 0].withAlpha(ofChosen ? 0.85f : 0.28f), std::min(width, 1.3 * radius_)});
            }
    }
    void drawUnits() {
        Size hidden = 0;
        for (Size l = 0; l <= layers(); ++l)
            for (Size i = 0; i < v.width(l); ++i) {
                if (l == 0 || l == layers()) {
                    f.painter.marker("network/end", at(l, i), radius_ * 0.8, MarkerShape::Circle, f.theme.line, Stroke{f.theme.muted, 1});
                    continue;
                }
                if (v.redundant(hidden)) drawRing(at(l, i));
                offerUnit(l, i, hidden++);
            }
    }
    // The redundant direction of a unit: a ring about it, and the weight it takes away.
    void drawRing(Vec2 centre) {
        std::vector<Vec2> ring;
        for (int i = 0; i <= 28; ++i) {
            const double angle = (i * 0.9 / 28 - 0.05) * 6.283185307;
            ring.push_back(centre + Vec2{std::cos(angle), -std::sin(angle)} * (radius_ + 4));
        }
        f.painter.line("network/redundant", ring, {f.theme.theory, 1.6}, false);
        if (spacing_ < kSigned) return;
        f.painter.text("network/redundant/count", centre + Vec2{radius_ * 0.8 + 4, -radius_ - 2}, "−1",
                       {.color = f.theme.theory, .size = f.theme.tinySize, .v = AlignV::Bottom, .halo = f.theme.ground});
    }
    /// A hidden unit pulled sideways is scaled; pressed, it becomes the chosen one.
    void offerUnit(Size layer, Size place, Size unit) {
        const bool chosen = unit == v.unit;
        const Vec2 centre = at(layer, place);
        const double exponent = chosen ? v.exponent : 0, half = std::max(radius_ + 2, 11.0), from = rest(layer, place).x;
        const Handle handle{"unit " + std::to_string(unit),
                            "scale of hidden unit " + std::to_string(unit),
                            chosen ? "times " + inWords(std::exp2(exponent), 3) : "times 1",
                            exponent,
                            -2,
                            2,
                            0.125,
                            around(centre, half)};
        const auto grip = f.handles.offer(handle, [&](Vec2 p) { return (p.x - from) / slide(); });
        const bool taken = !chosen && (grip.held || grip.moved);
        if (taken) f.changes.push_back(Change::param("unit", static_cast<double>(unit)));
        if (grip.moved || taken) {
            f.changes.push_back(Change::param("play", false));
            // Between the timeline's steps 1 and 3 the scale falls from 4 to 1/4.
            f.changes.push_back(Change::param("at", 2 - 0.5 * std::clamp(grip.value, -2.0, 2.0)));
        }
        const bool lively = grip.lively();
        f.painter.marker("network/hidden", centre, radius_ + (lively ? 1.5 : 0), MarkerShape::Circle,
                         chosen ? f.theme.accent : f.theme.raised, Stroke{f.theme.accent, chosen ? 2.0 : 1.5});
    }
    // How much the chosen unit's weights are scaled, beside the weights.
    void drawScale() {
        if (v.layer == 0 || spacing_ < 13) return;
        const Vec2 centre = at(v.layer, v.place);
        TextStyle style{.color = f.theme.accent, .size = f.theme.smallSize, .v = AlignV::Middle, .bold = true, .halo = f.theme.ground};
        // Above its weights, which would strike them out; at the right above the sign of what is redundant.
        f.painter.text("network/scale/out", centre + Vec2{radius_, -radius_ - (spacing_ < kSigned ? 8 : 24)}, factorText(-v.exponent),
                       style);
        style.h = AlignH::Right;
        f.painter.text("network/scale/in", centre - Vec2{radius_, radius_ + 8}, factorText(v.exponent), style);
    }
    /// A tag under a column with its number of units: pulled down it adds some, pulled up it takes some away.
    void offerWidth(Size layer) {
        const double width = widths_[layer], most = std::clamp(std::floor(kMostPaths / (paths(widths_) / width)), width, room_);
        const double below = 0.5 * spacing_ + 13, middle = rect_.centre().y;
        const Vec2 tagAt{rest(layer, 0).x, middle + 0.5 * spacing_ * (width - 1) + below};
        const std::string label = layer == 0                    ? "inputs"
                                  : layer + 1 == widths_.size() ? "outputs"
                                                                : "units of hidden layer " + std::to_string(layer);
        const Handle handle{"width " + std::to_string(layer), label, inWords(width, 2), width, 1, most, 1, around(tagAt, Vec2{18, 11})};
        const auto grip = f.handles.offer(handle, [&](Vec2 p) { return 1 + 2 * (p.y - middle - below) / spacing_; });
        if (grip.moved && grip.value != width) {
            Vector changed = widths_;
            changed[layer] = std::round(grip.value);
            f.changes.push_back(Change::param("architecture", std::move(changed)));
        }
        const bool lively = grip.lively();
        for (int ghost = static_cast<int>(width); lively && ghost < static_cast<int>(room_); ++ghost)
            f.painter.marker("network/room", {tagAt.x, middle + spacing_ * (ghost - 0.5 * (width - 1))}, 2, MarkerShape::Circle,
                             f.theme.line);
        const Rect tag = around(tagAt, Vec2{11, 9});
        for (const double side : {-1.0, 1.0}) {
            const Vec2 tip = tagAt + Vec2{16, 7 * side};
            const Vec2 arrow[] = {tip, tip + Vec2{-4, -5 * side}, tip + Vec2{4, -5 * side}};
            if (!f.kept) f.painter.polygon("network/width/arrow", arrow, f.theme.accent.withAlpha(lively ? 1.0f : 0.5f));
        }
        f.painter.rect("network/width", tag, lively ? f.theme.accent : f.theme.raised, 4);
        f.painter.frame("network/width", tag, {f.theme.accent.withAlpha(0.6f), 1}, 4);
        f.painter.text(
            "network/width/number", tag.centre(), inWords(width, 2),
            {.color = lively ? f.theme.onAccent : f.theme.text, .size = f.theme.tinySize, .h = AlignH::Centre, .v = AlignV::Middle});
    }
    /// Dots for the hidden layers there may be, a knob on how many there are.
    void offerDepth() {
        const double count = static_cast<double>(widths_.size()) - 2, step = 17;
        const Vec2 first{panel_.hi.x - 12 - step * kMostHiddenLayers, panel_.lo.y + 10};
        const KnobRow row{"depth", "hidden layers", "network/depth", count, 0, kMostHiddenLayers, first, step};
        const auto wanted = static_cast<Size>(chooseCount(f, row).value_or(count)) + 2;
        Vector changed = widths_;
        while (changed.size() < wanted) changed.insert(changed.end() - 1, changed.size() > 2 ? *(changed.end() - 2) : 3.0);
        while (changed.size() > wanted) changed.erase(changed.end() - 2);
        if (changed != widths_ && paths(changed) <= kMostPaths) f.changes.push_back(Change::param("architecture", changed));
        f.painter.text("network/depth/name", first - Vec2{12, 0}, "hidden layers",
                       {.color = f.theme.muted, .size = f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Middle});
    }

    const View& v;
    const Seen& s;
    PictureFrame& f;
    Rect panel_, rect_;
    Vector widths_;  ///< as the reader has them now
    double taps_, room_, spacing_, radius_, gap_;
    static constexpr double kSigned = 26;  ///< least spacing of units that have their sign beside them
};

/// Weights that are not redundant: what a network of this kind is predicted to have.
std::string sumOf(const View& v) {
    const Result& r = v.s.result;
    double scales = 0;
    for (Size u = 0; u < r.units.size(); ++u) scales += v.redundant(u) ? 1 : 0;
    const std::string p = numberText(r.parameters), rank = numberText(v.of(r.functionRank));
    if (scales == 0) return p + " weights, no redundant scale; sampled rank " + rank;
    return p + " weights − " + numberText(scales) + (scales == 1 ? " redundant scale = " : " redundant scales = ") +
           numberText(r.parameters - scales) + "; sampled rank " + rank;
}

/// Where paths and function disagree, in one sentence; "" where they agree.
std::string exceptionOf(const View& v) {
    const Result& r = v.s.result;
    const double rank = v.of(r.functionRank), paths = v.of(r.rank), stuck = v.of(r.onePieceUnits), sectors = v.of(r.sectors);
    const std::string& key = r.activations[v.shown];
    if (key == "identity")
        return "Linear: the " + numberText(r.predicted) + " of the rule are only " + numberText(rank) + " directions of one matrix.";
    if (key == "hard-tanh" && stuck > 0)
        return numberText(stuck) + (stuck == 1 ? " unit never saturates" : " units never saturate") + ": the rank falls " +
               numberText(r.parameters - rank) + " short of " + numberText(r.parameters) + ".";
    if (rank > paths) return "The path formula would find " + numberText(paths) + ": it holds for two slopes only.";
    if (rank == paths) return "";
    const std::string missing = numberText(paths - rank) + " short of the paths’ " + numberText(paths);
    if (std::isnan(stuck)) return missing + ".";
    return missing + ": " + numberText(sectors) + (sectors == 1 ? " sector tells" : " sectors tell") + " too few paths apart.";
}

/// The sum in words, and where it does not hold by how much.
void drawVerdict(const View& v, Rect rect) {
    PictureFrame& f = v.s.f;
    const TextStyle first{.color = f.theme.text, .size = f.theme.smallSize, .h = AlignH::Centre, .v = AlignV::Top, .bold = true};
    const TextStyle second{.color = f.theme.warning, .size = f.theme.tinySize, .h = AlignH::Centre, .v = AlignV::Top};
    const Vec2 at{rect.centre().x, rect.lo.y};
    f.painter.text("verdict", at, elide(f.painter, sumOf(v), first, rect.width()), first);
    const std::string exception = exceptionOf(v);
    if (!exception.empty() && rect.height() > 30)
        f.painter.text("verdict/exception", at + Vec2{0, 19}, elide(f.painter, exception, second, rect.width()), second);
}

void drawOutput(const View& v, Rect rect) {
    PictureFrame& f = v.s.f;
    const Vector& t = v.s.result.places;
    double lo = 0, hi = 0;
    for (int half = -4; half <= 4; ++half)
        for (const double y : v.outputAt(0.5 * half)) lo = std::min(lo, y), hi = std::max(hi, y);
    // A low plot has its title inside.
    const double room = 0.08 * (hi - lo) + 1e-9, head = rect.height() < 150 ? 0.5 * (hi - lo) : 0;
    const Vector original = v.outputAt(0), scaled = v.outputAt(v.exponent);
    Plot plot = plotIn(f, "output", rect, {.label = "place on a line of inputs", .lo = t.front(), .hi = t.back()},
                       {.label = "output *y*", .lo = lo - room, .hi = hi + room + head});
    plot.line("output/original", t, original, {f.theme.muted.withAlpha(0.35f), Dash::Solid, 7, ""});
    plot.line("output/measured", t, scaled, {f.theme.accent, Dash::Solid, 2.2, ""});
    // Told of the nearest factor that was computed, a step of √2 apart.
    const double told = std::round(2 * v.exponent) / 2;
    const Vector computed = v.outputAt(told);
    double change = 0, size = 0;
    for (Size i = 0; i < t.size(); ++i) {
        change = std::max(change, std::abs(computed[i] - original[i]));
        size = std::max(size, std::abs(original[i]));
    }
    change = size > 0 ? change / size : 0;
    finishPlot(f, plot, "output",
               "output at *s* = " + scaleText(told) +
                   (change < 1e-9 ? ": unchanged, to " + numberText(std::max(change, 1e-16), 1)
                                  : ": changed by " + numberText(100 * change, 2) + " %"));
}

/// The ranks of all activations as rows: sampled, by paths, predicted. Rows are pressed to choose an activation.
class RanksDrawing {
public:
    RanksDrawing(const View& view, Rect panel) : v(view), r(view.s.result), f(view.s.f), panel_(panel) {
        double names = 0;
        for (const auto& key : r.activations) names = std::max(names, widthOf(nameOf(key), true));
        head_ = panel.height() < 130 ? 20 : 38;
        const Rect bars{{panel.lo.x + names + 12, panel.lo.y + head_}, {panel.hi.x - widthOf(numberText(r.parameters)) - 12, panel.hi.y}};
        chooseRows(static_cast<Size>(std::max(1.0, std::floor(bars.height() / 15))));
        const double count = static_cast<double>(rows_.size());
        height_ = std::min(bars.height() / count, 30.0);
        rect_ = {bars.lo, {bars.hi.x, bars.lo.y + height_ * count}};
    }
    void draw() {
        if (head_ > 20) drawKey(panel_.lo.y + 9);
        for (Size place = 0; place < rows_.size(); ++place) drawRow(place);
        const std::string all = "*p* = " + numberText(r.parameters);
        drawMark("ranks/parameters", r.parameters, all, {f.theme.muted, 1.2, Dash::Dotted});
        if (r.hiddenUnits > 0 && x(r.parameters) - x(r.predicted) > widthOf(all) + 8)
            drawMark("ranks/predicted/theory", r.predicted, "*p* − hidden = " + numberText(r.predicted),
                     {f.theme.theory, 1.2, Dash::Dashed});
        offerShown();
    }

private:
    double widthOf(const std::string& text, bool bold = false) const {
        return f.painter.measure(text, {.color = f.theme.text, .size = f.theme.tinySize, .bold = bold}).x;
    }
    double x(double rank) const { return rect_.lo.x + (rect_.width() - 6) / r.parameters * rank; }
    /// Where not all fit: the one shown, then those whose ranks differ, then the others.
    void chooseRows(Size most) {
        rows_ = {v.shown};
        for (const bool anyRank : {false, true})
            for (Size k = r.activations.size(); k-- > 0;) {
                const auto alike = [&](Size row) { return row == k || (!anyRank && r.functionRank[row] == r.functionRank[k]); };
                if (rows_.size() < most && std::none_of(rows_.begin(), rows_.end(), alike)) rows_.push_back(k);
            }
        std::sort(rows_.begin(), rows_.end());
    }
    void drawRow(Size place) {
        const Size row = rows_[place];
        const bool shown = row == v.shown;
        const double y = rect_.lo.y + height_ * (static_cast<double>(place) + 0.5), half = std::min(0.3 * height_, 8.0);
        TextStyle text{.color = shown ? f.theme.text : f.theme.muted, .size = f.theme.tinySize, .v = AlignV::Middle, .bold = shown};
        if (shown)
            f.painter.rect("ranks/shown", {{panel_.lo.x, y - height_ / 2 + 1}, {panel_.hi.x, y + height_ / 2 - 1}},
                           f.theme.accent.withAlpha(0.10f), 4);
        f.painter.text("ranks/name", {panel_.lo.x + 4, y}, nameOf(r.activations[row]), text);
        f.painter.rect("ranks/bar", {{rect_.lo.x, y - half}, {x(r.functionRank[row]), y + half}},
                       sampledInk(f).withAlpha(shown ? 0.95f : 0.45f), 2);
        const double predicted = x(r.predictedRank[row]);
        f.painter.line("ranks/theory", Vec2{predicted, y - 0.45 * height_}, Vec2{predicted, y + 0.45 * height_},
                       {f.theme.theory, 2, Dash::Dashed});
        f.painter.marker("ranks/paths", {x(r.rank[row]), y}, 4.5, MarkerShape::Diamond, f.theme.series[2], Stroke{f.theme.ground, 1.2});
        text.h = AlignH::Right;
        f.painter.text("ranks/number", {panel_.hi.x - 3, y}, numberText(r.functionRank[row]), text);
    }
    /// The line at a number of weights, with its name above the rows.
    void drawMark(const std::string& id, double value, const std::string& text, const Stroke& stroke) {
        const double at = x(value);
        f.painter.line(id, Vec2{at, rect_.lo.y - 2}, Vec2{at, rect_.hi.y}, stroke);
        f.painter.text(id + "/name", {at + 2, rect_.lo.y - 4}, text,
                       {.color = stroke.color, .size = f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Bottom});
    }
    /// What the marks mean, as wide as there is room.
    void drawKey(double y) {
        const TextStyle style{.color = f.theme.muted, .size = f.theme.tinySize, .v = AlignV::Middle};
        double left = panel_.lo.x + 4;
        const auto entry = [&](const char* text, auto&& mark) {
            const double width = 14 + f.painter.measure(text, style).x + 10;
            if (left + width > panel_.hi.x + 8) return;
            mark(Vec2{left + 5, y});
            f.painter.text("ranks/key", {left + 14, y}, text, style);
            left += width;
        };
        entry("sampled", [&](Vec2 at) { f.painter.rect("ranks/key/bar", around(at, Vec2{5, 4}), sampledInk(f), 2); });
        entry("of paths", [&](Vec2 at) { f.painter.marker("ranks/key/paths", at, 4.5, MarkerShape::Diamond, f.theme.series[2]); });
        entry("predicted", [&](Vec2 at) {
            f.painter.line("ranks/key/theory", at - Vec2{0, 7}, at + Vec2{0, 7}, {f.theme.theory, 2, Dash::Dashed});
        });
    }
    /// Pressed or dragged along the rows: the activation that is drawn.
    void offerShown() {
        if (r.activations.size() < 2) return;
        const double last = static_cast<double>(r.activations.size()) - 1;
        const Handle handle{"shown", "activation", v.name(), static_cast<double>(v.shown),
                            0,       last,         1,        {{panel_.lo.x, rect_.lo.y}, {panel_.hi.x, rect_.hi.y}}};
        const auto grip = f.handles.offer(handle, [&](Vec2 p) {
            const double place = std::clamp((p.y - rect_.lo.y) / height_, 0.0, static_cast<double>(rows_.size()) - 1);
            return static_cast<double>(rows_[static_cast<Size>(place)]);
        });
        if (grip.moved) f.changes.push_back(Change::param("shown", r.activations[static_cast<Size>(std::clamp(grip.value, 0.0, last))]));
    }

    const View& v;
    const Result& r;
    PictureFrame& f;
    Rect panel_, rect_;
    std::vector<Size> rows_;  ///< activations, from the top
    double head_, height_;
};

Curves singularValues(const View& v) {
    constexpr double kFloor = 1e-18;
    const Result& r = v.s.result;
    Curves curves{.id = "singular",
                  .title = "singular values, " + v.name(),
                  .x = {.label = "index", .lo = 0.5, .hi = r.indices.back() + 0.5, .whole = true},
                  .y = {.label = "singular value", .lo = kFloor / 3, .hi = 10, .scale = Scale::Log},
                  .fit = Fit::Given};
    // A zero is drawn on the floor, NaN stays.
    Vector paths = r.pathSingularValues, sampled = rowAt(r.singularValues, r.indices.size(), static_cast<double>(v.shown));
    for (Vector* values : {&paths, &sampled})
        for (double& value : *values)
            if (value < kFloor) value = kFloor;
    curves.more = [&r, paths, sampled](PictureFrame& f, Plot& plot) {
        plot.horizontal("singular/threshold", r.threshold, {f.theme.muted, Dash::Dotted, 1.4, "below 10^{−9}: zero"});
        plot.markers("singular/paths", r.indices, paths, {f.theme.series[2], Dash::Solid, 1, ""}, MarkerShape::Diamond, 4.5);
        plot.markers("singular/sampled", r.indices, sampled, {sampledInk(f), Dash::Solid, 1, ""}, MarkerShape::Circle, 3.5);
    };
    return curves;
}

Curves growth(const View& v) {
    const Result& r = v.s.result;
    // The last look stands far to the right of where the rank has grown.
    const double last = r.inputs.size() > 2 ? r.inputs[r.inputs.size() - 2] : r.inputs.back(), predicted = v.of(r.predictedRank);
    Curves curves{.id = "growth",
                  .title = "the rank as inputs come in",
                  .x = {.label = "inputs tried", .lo = 0, .hi = std::max(last, 2.0), .whole = true},
                  .y = {.label = "sampled rank", .lo = 0, .hi = r.parameters * 1.12, .whole = true},
                  .fit = Fit::Given};
    const auto add = [&](Size k, Color color, double width) {
        const Vector ranks = rowAt(r.rankByInputs, r.inputs.size(), static_cast<double>(k));
        curves.curves.push_back({"measured", r.inputs, ranks, Role::Measurement, "", color, width});
    };
    for (Size k = 0; k < r.activations.size(); ++k) add(k, v.s.f.theme.muted.withAlpha(0.3f), 1.2);
    add(v.shown, sampledInk(v.s.f), 2.4);
    curves.more = [&r, predicted](PictureFrame& f, Plot& plot) {
        plot.horizontal("growth/parameters", r.parameters, {f.theme.muted, Dash::Dotted, 1.2, ""});
        plot.horizontal("growth/theory", predicted, {f.theme.theory, Dash::Dashed, 1.6, ""});
    };
    return curves;
}

Layout layout(const Seen& s) {
    const View view(s);
    std::vector<Layout> left{s.panel(0, {230, 150}, [view](Rect rect) { NetworkDrawing(view, rect).draw(); }).share(1.8),
                             s.panel(0, {230, 36}, [view](Rect rect) { drawVerdict(view, rect); }).share(0.01)};
    if (!s.result.output.empty()) left.push_back(s.panel(2, {200, 112}, [view](Rect rect) { drawOutput(view, rect); }));
    return Layout::columns({Layout::rows(std::move(left)).share(1.6),
                            Layout::rows({s.panel(1, {230, 104}, [view](Rect rect) { RanksDrawing(view, rect).draw(); }).share(1.2),
                                          s.panel(3, {200, 150}, singularValues(view)), s.panel(4, {200, 150}, growth(view))})});
}

}  // namespace
}  // namespace lower_layers

PictureEntry lower_layers_picture() { return tablePicture<lower_layers::kScene, lower_layers::layout>(); }

}  // namespace kappaflow
