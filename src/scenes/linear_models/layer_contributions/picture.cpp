// What each layer contributes (P2 Figs 7, 8, App. D): two chains of layers stacked by lag, each layer alone and given the rest, and
// squares that freeze layers.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/picture.h"

namespace kappaflow {
namespace {

struct View {
    const Array *chain, *reverse, *alone, *marginal, *chainTotal, *reverseTotal, *aloneTotal, *marginalTotal, *redundant;
    std::size_t layers = 0, lags = 0;
    double added = 0;  ///< layers in the chains, as far as the timeline is
    bool backward = false;

    const Array* forwardChain() const { return backward ? reverse : chain; }
    const Array* backwardChain() const { return backward ? chain : reverse; }
};

bool readView(const PictureFrame& f, View& view) {
    const std::pair<const Array**, const char*> needed[] = {
        {&view.chain, "chain"},           {&view.reverse, "chainReverse"},        {&view.alone, "alone"},
        {&view.marginal, "marginal"},     {&view.chainTotal, "chainTotal"},       {&view.reverseTotal, "chainReverseTotal"},
        {&view.aloneTotal, "aloneTotal"}, {&view.marginalTotal, "marginalTotal"}, {&view.redundant, "redundant"}};
    for (const auto& [array, name] : needed)
        if (!(*array = f.report.array(name))) return false;
    view.layers = view.chain->axes[0].size();
    view.lags = view.chain->axes[1].size();
    view.added = std::clamp(f.state.params.number("at"), 0.0, static_cast<double>(view.layers));
    view.backward = f.report.params.is("order", "backward");
    return view.layers > 0 && view.lags > 0;
}

Color layerColor(const Theme& theme, std::size_t layer) {
    static constexpr std::size_t kOrder[] = {0, 1, 2, 3, 5, 6, 4, 7};
    return theme.series[kOrder[layer % 8]];
}

AxisSpec lagAxis(const View& view) {
    return {.label = "lag *τ*", .lo = -0.5, .hi = static_cast<double>(view.lags) - 0.5, .whole = true, .reversed = true};
}

/// One layer's share on top of those before it in the order; the newest one as far as the timeline has brought it.
void drawChain(PictureFrame& f, const View& view, Rect rect, bool backward) {
    const std::string id = backward ? "backward" : "forward";
    const Array& chain = backward ? *view.backwardChain() : *view.forwardChain();
    Plot plot(f.painter, f.theme, id, rect, lagAxis(view), {.label = "capacity *κ_{τ}*", .lo = 0, .hi = 1.1}, zoomOf(f, id));
    const auto lags = countUp(view.lags);
    std::vector<double> low(view.lags, 0.0), high;
    double total = 0;
    std::string terms = view.added > 0 ? "" : "0";
    for (std::size_t i = 0; i < view.layers; ++i) {
        const double share = std::clamp(view.added - static_cast<double>(i), 0.0, 1.0);
        if (share == 0) break;
        const std::size_t layer = backward ? view.layers - 1 - i : i;
        high = low;
        double sum = 0;
        for (std::size_t lag = 0; lag < view.lags; ++lag) {
            high[lag] += share * chain.row(layer)[lag];
            sum += share * chain.row(layer)[lag];
        }
        total += sum;
        terms += (i > 0 ? " + " : "") + numberText(std::round(sum * 10) / 10, 3);
        plot.band(id + "/layer", lags, low, high, layerColor(f.theme, layer).withAlpha(0.8f));
        low = high;
    }
    plot.line(id + "/capacity", lags, low, {f.theme.text.withAlpha(0.7f), Dash::Solid, 1.2, ""});
    plot.horizontal(id + "/bound", 1, {f.theme.muted, Dash::Dotted, 1.2, ""});
    const std::string order = backward ? "from the highest layer" : "from the lowest layer";
    const std::string sum = terms + (view.added > 1 ? " = " + numberText(total, 3) : "");
    finishPlot(f, plot, id, rect.width() > 330 ? order + ": " + sum : rect.width() > 240 ? sum : order);
}

/// A square with the layer's number: pressed, it freezes the layer or lets it learn again.
void offerFreeze(PictureFrame& f, std::size_t l, Vec2 at) {
    const double number = static_cast<double>(l + 1);
    const auto& frozen = f.state.params.list("freeze");
    const bool isFrozen = std::find(frozen.begin(), frozen.end(), number) != frozen.end();
    const Handle handle{"freeze " + inWords(number),
                        "layer " + inWords(number),
                        isFrozen ? "frozen" : "learned",
                        isFrozen ? 1.0 : 0.0,
                        0,
                        1,
                        1,
                        {at + Vec2{-12, -12}, at + Vec2{12, 12}}};
    const auto grip = f.handles.offer(handle, [&](Vec2) { return isFrozen ? 1.0 : 0.0; });
    const bool lively = grip.hovered || grip.held || grip.focused;
    const bool wanted = grip.moved ? grip.value > 0.5 : grip.held && f.handles.pointer().pressed ? !isFrozen : isFrozen;
    const Color color = layerColor(f.theme, l);
    f.painter.marker("totals/square", at, lively ? 10.5 : 9.5, MarkerShape::Square, isFrozen ? f.theme.ground : color, Stroke{color, 2});
    f.painter.text(
        "totals/number", at, inWords(number),
        {.color = isFrozen ? color : f.theme.ground, .size = f.theme.tinySize, .h = AlignH::Centre, .v = AlignV::Middle, .bold = true});
    if (wanted == isFrozen) return;
    auto changed = frozen;
    if (wanted)
        changed.push_back(number);
    else
        changed.erase(std::remove(changed.begin(), changed.end(), number), changed.end());
    std::sort(changed.begin(), changed.end());
    f.changes.push_back(Change::param("freeze", changed));
}

/// Totals of every layer: alone, and given all others; under each the square that freezes it.
void drawTotals(PictureFrame& f, const View& view, Rect rect) {
    const double squares = 30;
    const double top = largest(view.aloneTotal->values, 1);
    std::vector<double> x;
    for (std::size_t l = 1; l <= view.layers; ++l) x.push_back(static_cast<double>(l));
    Plot plot(f.painter, f.theme, "totals", {rect.lo, {rect.hi.x, rect.hi.y - squares}},
              {.label = "", .lo = 0.4, .hi = static_cast<double>(view.layers) + 0.6, .ticks = false},
              {.label = "capacity", .lo = 0, .hi = top * 1.2, .whole = true});
    for (std::size_t l = 0; l < view.layers; ++l) {
        const Color color = layerColor(f.theme, l);
        const std::vector<double> alone{x[l]}, total{view.aloneTotal->values[l]}, marginal{view.marginalTotal->values[l]};
        plot.bars("totals/alone", alone, total, 0.7, color.withAlpha(0.28f));
        plot.bars("totals/marginal", alone, marginal, 0.7, color);
    }
    finishPlot(f, plot, "totals", rect.width() > 330 ? "pale: the layer alone; full: given all others" : "alone, and given all others");
    for (std::size_t l = 0; l < view.layers; ++l) offerFreeze(f, l, {plot.toScreen(x[l], 0).x, rect.hi.y - 0.5 * squares + 4});
}

void drawProfiles(PictureFrame& f, const View& view, Rect rect, bool marginal) {
    const Array& rows = marginal ? *view.marginal : *view.alone;
    const std::string id = marginal ? "marginal" : "alone";
    const double top = largest(rows.values, 1e-3);
    Plot plot(f.painter, f.theme, id, rect, lagAxis(view), {.label = "capacity", .lo = 0, .hi = std::min(top * 1.25, 1.1)}, zoomOf(f, id));
    const auto lags = countUp(view.lags);
    for (std::size_t l = 0; l < view.layers; ++l) {
        if (marginal && view.redundant->values[l] > 0) continue;
        plot.line(id + "/capacity", lags, std::span(rows.row(l), view.lags),
                  {layerColor(f.theme, l), Dash::Solid, 1.8, "layer " + std::to_string(l + 1)});
    }
    const bool none = marginal && std::all_of(view.redundant->values.begin(), view.redundant->values.end(), [](double r) { return r > 0; });
    finishPlot(f, plot, id, none ? "given all others: nothing" : marginal ? "each given all others" : "each layer alone");
}

std::string listText(const std::vector<double>& numbers) {
    std::string text;
    for (const double number : numbers) text += (text.empty() ? "" : ", ") + inWords(number);
    return text;
}

/// What freezing did, or which layers could be frozen.
void drawVerdict(PictureFrame& f, const View& view, Rect rect) {
    const Report& r = f.report;
    std::vector<std::string> lines;
    const Scalar *frozen = r.scalar("frozenLoss"), *all = r.scalar("freeLoss"), *capacity = r.scalar("freeCapacity"),
                 *total = r.scalar("totalCapacity");
    if (capacity && total) {
        lines.push_back("layers " + listText(r.params.list("freeze")) + " frozen at random: capacity " + numberText(capacity->value) +
                        " of " + numberText(total->value));
        if (frozen && all) {
            const double ratio = all->value > 1e-25 ? frozen->value / all->value : 1;
            lines.push_back("loss " + numberText(frozen->value, 4) +
                            (ratio < 1.001 ? ", as when all layers learn" : ", all layers reach " + numberText(all->value, 4)));
        } else {
            lines.push_back("the others are learning …");
        }
    } else {
        std::vector<double> redundant;
        for (std::size_t l = 0; l < view.layers; ++l)
            if (view.redundant->values[l] > 0) redundant.push_back(static_cast<double>(l + 1));
        lines.push_back(redundant.empty() ? "no layer is redundant" : "redundant one by one: " + listText(redundant));
        if (!f.kept) lines.push_back("press squares to freeze layers at random");
    }
    const double row = 18;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const TextStyle style{
            .color = i == 0 ? f.theme.text : f.theme.muted, .size = i == 0 ? f.theme.smallSize : f.theme.tinySize, .v = AlignV::Middle};
        const double y = rect.lo.y + row * (static_cast<double>(i) + 0.5);
        if (y + row / 2 > rect.hi.y + 1) return;
        if (f.painter.measure(lines[i], style).x > rect.width()) continue;
        f.painter.text("verdict", {rect.lo.x, y}, lines[i], style);
    }
}

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 260) return drawChain(f, view, a, view.backward);
    const double split = a.lo.y + 0.48 * a.height();
    if (a.width() > 560) {
        const double middle = a.centre().x;
        drawChain(f, view, {a.lo, {middle - 4, a.hi.y - 38}}, view.backward);
        drawTotals(f, view, {{middle + 4, a.lo.y}, {a.hi.x, a.hi.y - 38}});
    } else {
        drawChain(f, view, {a.lo, {a.hi.x, split - 4}}, view.backward);
        drawTotals(f, view, {{a.lo.x, split + 2}, {a.hi.x, a.hi.y - 38}});
    }
    drawVerdict(f, view, {{a.lo.x + 8, a.hi.y - 36}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const double split = a.lo.y + std::max(0.54 * a.height(), a.height() - 300), middle = a.centre().x;
    drawChain(f, view, {a.lo + Vec2{0, 4}, {middle - 8, split - 8}}, false);
    drawChain(f, view, {{middle + 8, a.lo.y + 4}, {a.hi.x, split - 8}}, true);
    const double third = a.width() / 3;
    drawTotals(f, view, {{a.lo.x, split}, {a.lo.x + third + 20, a.hi.y - 38}});
    drawVerdict(f, view, {{a.lo.x + 10, a.hi.y - 36}, {a.hi.x, a.hi.y}});
    drawProfiles(f, view, {{a.lo.x + third + 32, split}, {a.lo.x + 2 * third + 10, a.hi.y - 38}}, false);
    drawProfiles(f, view, {{a.lo.x + 2 * third + 22, split}, {a.hi.x, a.hi.y - 38}}, true);
}

class ContributionsPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view{};
        if (!readView(f, view)) return emptyPicture(f, "The optimum is being looked for.");
        f.area.width() < 640 || f.area.height() < 380 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace

PictureEntry layer_contributions_picture() {
    return {"layer-contributions", [] { return std::unique_ptr<Picture>(std::make_unique<ContributionsPicture>()); }};
}

}  // namespace kappaflow
