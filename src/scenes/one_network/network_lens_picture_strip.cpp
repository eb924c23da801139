// The architecture as bars that can be pulled, the layer marked, the layer edited; beside it how training goes.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "scenes/expressivity/picture_curves.h"
#include "scenes/one_network/network_lens_picture.h"

namespace kappaflow::network_lens {
namespace {

constexpr double kDoubling = 24;  ///< pixels that a width is pulled up until it is twice as large
constexpr double kWidest = 1024;  ///< units of a bar that fills the strip; the scale never changes while a bar is pulled
constexpr Size kMostLayers = 32;

struct Bars {
    Rect rect;  ///< of the bars alone
    Size layers;
    double column() const { return rect.width() / static_cast<double>(layers + 1); }
    double x(double layer) const { return rect.lo.x + column() * (layer + 0.5); }
    double layerAt(double screenX) const { return (screenX - rect.lo.x) / column() - 0.5; }
    double y(double units) const { return rect.hi.y - rect.height() * std::min(1.0, std::log1p(units) / std::log1p(kWidest)); }
    double unitsAt(double screenY) const {
        return std::expm1(std::clamp((rect.hi.y - screenY) / rect.height(), 0.0, 1.0) * std::log1p(kWidest));
    }
};

/// The widths as the reader has them, of a network that is drawn here: the result may be of a moment before.
std::vector<double> widthsOf(const Frame& s) { return isDrawn(s.p) ? s.p.widths : std::vector<double>{}; }

/// The width of the hidden layer that a state stands behind, counted from 0 among them; none of input, output and what an edit put in.
std::optional<Size> hiddenOf(const Frame& s, Size state) {
    const auto before = s.before(state);
    const bool hidden = before && *before >= 1 && *before <= widthsOf(s).size() && *before < s.layersBefore();
    return hidden ? std::optional(*before - 1) : std::nullopt;
}

/// Whether a bar is as high as the width that pulls it: a convolution's width is its channels.
bool isPlain(const Frame& s) { return isDrawn(s.p) && s.p.layers != HiddenLayers::Convolutions; }

/// Units that an edit added to a hidden layer.
double addedTo(const Frame& s, Size state, Size hidden) {
    const auto& widths = s.asked.widths;
    return isPlain(s) && s.everywhere && hidden < widths.size() ? s.r.units[state] - widths[hidden] : 0;
}

/// Units of a state, of one that the reader pulls as it is now.
double unitsOf(const Frame& s, Size state) {
    const auto hidden = hiddenOf(s, state);
    return isPlain(s) && hidden ? widthsOf(s)[*hidden] + addedTo(s, state, *hidden) : s.r.units[state];
}

void offerWidth(Frame& s, const Bars& bars, Size state, Size hidden) {
    auto widths = widthsOf(s);
    const double value = widths[hidden], added = addedTo(s, state, hidden);
    const Vec2 at{bars.x(static_cast<double>(state)), bars.y(unitsOf(s, state))};
    const Rect knob = around(at, Vec2{std::min(12.0, 0.5 * bars.column()), 9});
    const std::string name = std::to_string(hidden + 1);
    const auto grip =
        s.f.handles.offer({"width " + name, "width of layer " + name, inWords(value, 5), value, 1, kWidest, 1, knob}, [&](Vec2 p) {
            // From where it began: along the bars' own scale 30 pixels would be 16 to 356 units.
            const double up = s.f.handles.pointer().pressedAt.y - s.f.handles.pointer().at.y;
            return (bars.unitsAt(p.y + up) - added) * std::exp2(up / kDoubling);
        });
    if (grip.moved) {
        widths[hidden] = std::max(1.0, std::round(grip.value));
        s.f.changes.push_back(Change::param("widths", widths));
    }
    const bool lively = grip.lively();
    if (s.f.kept || bars.column() < 12) return;
    s.painter().rect("strip/knob", around(at, Vec2{lively ? 8.0 : 6.0, 2.5}), lively ? s.theme().accent : s.theme().muted, 2.5);
}

void drawBar(Frame& s, const Bars& bars, Size layer, bool numbered) {
    const double units = unitsOf(s, layer), x = bars.x(static_cast<double>(layer)), half = std::clamp(0.28 * bars.column(), 1.0, 11.0);
    const bool now = layer == s.layer();
    const Rect bar{{x - half, std::min(bars.y(units), bars.rect.hi.y - 2)}, {x + half, bars.rect.hi.y}};
    const Color plain = mix(s.theme().ground, s.theme().muted, 0.45);
    s.painter().rect("strip/bar", bar, now ? s.theme().accent : plain, 2);
    const Size depth = s.depthOf(layer);
    if (depth > 0)
        s.painter().rect("strip/color", {{x - half, bar.hi.y + 2}, {x + half, bar.hi.y + 5}}, region_mesh::layerColor(s.theme(), depth), 1);
    const TextStyle style{
        .color = now ? s.theme().text : s.theme().muted, .size = s.theme().tinySize, .h = AlignH::Centre, .v = AlignV::Bottom};
    const std::string text = inWords(units, 6);
    if (numbered && s.painter().measure(text, style).x < bars.column() - 2) s.painter().text("strip/units", {x, bar.lo.y - 5}, text, style);
}

/// Names below: the ends, and numbers where there is room; the marked one stands on its tag.
void drawNames(Frame& s, const Bars& bars, double y) {
    TextStyle style{.color = s.theme().muted, .size = s.theme().tinySize, .h = AlignH::Centre, .v = AlignV::Middle};
    const Size now = s.layer(), last = s.layers;
    const auto name = [&](Size layer) {
        const bool end = layer == 0 || layer == last;
        const std::string full = s.layerName(layer);
        return end && s.painter().measure(full, style).x < bars.column() - 4 ? full
               : layer == 0                                                  ? std::string("in")
               : layer == last                                               ? std::string("out")
                                                                             : std::to_string(layer);
    };
    const auto boxOf = [&](Size layer) {
        const double half = s.painter().measure(name(layer), style).x / 2 + 3, x = bars.x(static_cast<double>(layer));
        return Rect{{x - half, y - 9}, {x + half, y + 9}};
    };
    const Rect tag = boxOf(now);
    double taken = -1e9;
    for (Size layer = 0; layer <= last; ++layer) {
        const Rect box = boxOf(layer);
        const bool hidden = layer != now && (box.lo.x < taken || (box.hi.x > tag.lo.x && box.lo.x < tag.hi.x));
        const bool beforeEnd = layer != now && layer < last && last != now && box.hi.x > boxOf(last).lo.x;
        if (hidden || beforeEnd) continue;
        if (layer == now) s.painter().rect("strip/tag", box, s.theme().accent, 4);
        style.color = layer == now ? s.theme().onAccent : s.theme().muted;
        s.painter().text("strip/name", box.centre(), name(layer), style);
        taken = box.hi.x;
    }
}

void offerLayer(Frame& s, const Bars& bars, double y) {
    const double x = bars.x(s.at), last = static_cast<double>(s.layers);
    const Rect tag = around({x, y}, Vec2{std::clamp(0.5 * bars.column(), 8.0, 20.0), 10});
    const auto grip = s.f.handles.offer({"layer", "layer shown", s.layerName(s.layer()), s.at, 0, last, 1, tag, true},
                                        [&](Vec2 p) { return bars.layerAt(p.x); });
    if (grip.moved) moveLayer(s, grip.value);
    // A press on a bar goes there.
    const Pointer p = s.f.handles.freePointer();
    if (p.inside && p.pressed && bars.rect.inset(0, -10, 0, -20).contains(p.at))
        moveLayer(s, std::round(std::clamp(bars.layerAt(p.at.x), 0.0, last)));
}

/// Where the edit is: a mark above its bar that can be moved to another one.
void offerEdit(Frame& s, const Bars& bars) {
    if (s.p.edit == EditKind::None) return;
    const double last = static_cast<double>(s.layersBefore());
    const double layer = std::clamp(static_cast<double>(s.p.editLayer), 1.0, last);
    const bool moved = s.everywhere;  // the bars are the edited network's, the layer is counted in the one before
    const Vec2 at{bars.x(moved ? s.placeAfter(layer) : layer), bars.rect.hi.y - 8};
    const auto grip = s.f.handles.offer(
        {"edited layer", "edited layer", std::string(keyOf(s.p.edit)) + " layer " + inWords(layer), layer, 1, last, 1, around(at, 10)},
        [&](Vec2 p) { return moved ? s.placeBefore(bars.layerAt(p.x)) : bars.layerAt(p.x); });
    if (grip.moved) s.f.changes.push_back(Change::param("editLayer", std::round(grip.value)));
    const bool lively = grip.lively();
    s.painter().marker("strip/edited", at, lively ? 7.5 : 6, MarkerShape::Diamond, s.theme().series[1], Stroke{s.theme().ground, 1.5});
}

/// − and +: a hidden layer less, or one more like the last.
void offerDepth(Frame& s, Rect rect) {
    auto widths = widthsOf(s);
    const auto value = static_cast<double>(widths.size());
    const auto grip = s.f.handles.offer({"hidden layers", "hidden layers", inWords(value), value, 1, kMostLayers, 1, rect});
    const Pointer& p = s.f.handles.pointer();
    const double half = rect.centre().y;
    const double wanted = grip.held && p.pressed     ? std::clamp(value + (p.at.y < half ? 1 : -1), 1.0, static_cast<double>(kMostLayers))
                          : grip.moved && !grip.held ? grip.value
                                                     : value;
    if (wanted != value && !widths.empty()) {
        widths.resize(static_cast<Size>(wanted), widths.back());
        s.f.changes.push_back(Change::param("widths", widths));
    }
    if (s.f.kept) return;
    for (const bool more : {true, false}) {
        const Vec2 at{rect.centre().x, half + (more ? -0.25 : 0.25) * rect.height()};
        const bool over = grip.focused || (grip.hovered && (p.at.y < half) == more);
        s.painter().frame("strip/depth", around(at, 8), {over ? s.theme().accent : s.theme().line, 1.2}, 4);
        const Stroke stroke{over ? s.theme().accent : s.theme().muted, 1.6};
        s.painter().line("strip/depth", at - Vec2{4, 0}, at + Vec2{4, 0}, stroke);
        if (more) s.painter().line("strip/depth", at - Vec2{0, 4}, at + Vec2{0, 4}, stroke);
    }
}

void drawArchitecture(Frame& s, Rect rect) {
    const bool drawn = isDrawn(s.p), roomy = rect.height() > 56;
    if (drawn && roomy) {
        offerDepth(s, {{rect.hi.x - 26, rect.centre().y - 26}, {rect.hi.x - 2, rect.centre().y + 26}});
        rect.hi.x -= 32;
    }
    const double names = rect.hi.y - 10;
    const double column = std::min(rect.width() / static_cast<double>(s.layers + 1), 64.0),
                 width = column * static_cast<double>(s.layers + 1);
    const Rect inner{{rect.centre().x - width / 2, rect.lo.y + (roomy ? 20 : 4)}, {rect.centre().x + width / 2, names - 16}};
    const Bars bars{inner, s.layers};
    s.scales.push_back({inner, bars.x(0), bars.x(static_cast<double>(s.layers)), false});
    for (Size layer = 0; layer <= s.layers; ++layer) drawBar(s, bars, layer, roomy);
    drawNames(s, bars, names);
    for (Size state = 1; drawn && roomy && state < s.layers; ++state)
        if (const auto hidden = hiddenOf(s, state)) offerWidth(s, bars, state, *hidden);
    offerLayer(s, bars, names);
    offerEdit(s, bars);
}

}  // namespace

void drawStrip(Frame& s, Rect rect) {
    const bool learning = s.r.trainedSteps && rect.height() > 84 && rect.width() > 460;
    if (learning) {
        const double split = rect.hi.x - std::clamp(0.42 * rect.width(), 220.0, 460.0);
        learning_curve::drawTraining(
            s.f, {s.r.trainingSteps, s.r.loss, s.r.accuracy, *s.r.trainedSteps, s.r.trainingLoss, s.r.trainingAccuracy.value_or(0)},
            {{split + 8, rect.lo.y}, rect.hi});
        rect.hi.x = split - 8;
    } else if (s.note("training") && rect.width() > 460 && rect.height() > 60) {
        const double split = rect.hi.x - 0.36 * rect.width();
        drawUntrained(s, {split + 8, rect.lo.y + 16}, rect.hi.x - split - 8);
        rect.hi.x = split - 8;
    }
    drawArchitecture(s, rect);
}

double drawUntrained(Frame& s, Vec2 at, double width) {
    const TextStyle style{.color = s.theme().warning, .size = s.theme().tinySize};
    double height = 0;
    for (const auto& line : wrapText(s.painter(), *s.note("training"), style, width, 3)) {
        s.painter().text("strip/training", at + Vec2{0, height}, line, style);
        height += style.size * 1.4;
    }
    return height;
}

namespace {

// What the pointer is over in one panel, shown in all that know it: a layer, a place on the curve, a region with its stretch of the curve.

constexpr double kNear = 9;  ///< pixels

/// Point of a curve on the screen at a place between its own.
std::optional<Vec2> pointAt(const CurveOnScreen& curve, double place) {
    const auto& places = curve.places;
    if (places.empty() || place < places.front() - 1e-9 || place > places.back() + 1e-9) return std::nullopt;
    const auto above = static_cast<Size>(std::lower_bound(places.begin(), places.end(), place) - places.begin());
    const Size j = std::min(above, places.size() - 1), i = j > 0 ? j - 1 : 0;
    const double width = places[j] - places[i], t = width > 0 ? std::clamp((place - places[i]) / width, 0.0, 1.0) : 1;
    return curve.points[i] + (curve.points[j] - curve.points[i]) * t;
}

/// Place on a curve's line under the pointer, when one is near.
std::optional<double> placeUnder(const CurveOnScreen& curve, Vec2 p) {
    std::optional<double> best;
    double nearest = kNear;
    for (Size i = 0; i + 1 < curve.points.size(); ++i) {
        const Vec2 a = curve.points[i], along = curve.points[i + 1] - a;
        const double length = dot(along, along), t = length > 0 ? std::clamp(dot(p - a, along) / length, 0.0, 1.0) : 0;
        const Vec2 away = p - (a + along * t);
        if (std::hypot(away.x, away.y) >= nearest) continue;
        nearest = std::hypot(away.x, away.y);
        best = curve.places[i] + t * (curve.places[i + 1] - curve.places[i]);
    }
    return best;
}

std::optional<double> hoveredPlace(const Frame& s) {
    for (const CurveOnScreen& curve : s.curves)
        if (const auto p = s.over(curve.clip))
            if (const auto place = placeUnder(curve, *p)) return place;
    return std::nullopt;
}

void drawPlace(Frame& s, double place) {
    for (const CurveOnScreen& curve : s.curves) {
        const auto at = pointAt(curve, place);
        if (at && curve.clip.contains(*at))
            s.painter().marker("hover/place", *at, 6, MarkerShape::Circle, s.theme().accent, Stroke{s.theme().ground, 2});
    }
}

/// The final regions that make up one region of a layer.
struct Union {
    const region_mesh::Mesh& mesh;
    std::vector<Size> parts;
    Size last = 0;  ///< where the point before was found: neighbours are asked for in turn
    bool contains(Vec2 p) {
        if (parts.empty()) return false;
        if (region_mesh::holds(mesh, parts[last], p)) return true;
        for (Size i = 0; i < parts.size(); ++i)
            if (region_mesh::holds(mesh, parts[i], p)) return last = i, true;
        return false;
    }
};

/// The stretches of the image that lie in the region under the pointer.
void drawStretch(Frame& s, Size layer, Size region) {
    if (s.curves.size() < 2) return;
    const CurveOnScreen &onSlice = s.curves[0], &image = s.curves[1];
    const Size regions = s.r.polygonEnds.size();
    const double* patterns = &s.r.pattern[layer * regions];
    Union all{s.cache.mesh, {}};
    for (Size r = 0; r < regions; ++r)
        if (patterns[r] == patterns[region]) all.parts.push_back(r);
    // A frame has no time for more; so many parts are a region of an early layer, which holds most of the curve.
    if (static_cast<double>(all.parts.size()) * static_cast<double>(image.points.size()) > 2e6) return;
    std::vector<Vec2> run;
    for (Size i = 0; i <= image.points.size(); ++i) {
        const auto at = i < image.points.size() ? pointAt(onSlice, image.places[i]) : std::nullopt;
        if (at && all.contains((s.stage->toPlane(*at) - s.mesh().centre()) * (1 / s.mesh().half()))) {
            run.push_back(image.points[i]);
            continue;
        }
        if (run.size() > 1) s.painter().line("hover/stretch", run, {s.theme().accent, 5}, false);
        run.clear();
    }
}

void hoverRegion(Frame& s) {
    if (!s.cache.hasMesh || !s.stage) return;
    const auto p = s.over(s.stage->square);
    if (!p) return;
    const region_mesh::Seen seen{s.cache.mesh, s.stage->placeOf(s.mesh().centre(), s.mesh().half()), s.depthAt(s.at), s.f.reportVersion};
    const auto region = region_mesh::regionAt(s.cache.mesh, (s.stage->toPlane(*p) - s.mesh().centre()) * (1 / s.mesh().half()));
    if (!region) return;
    const Size depth = std::min(static_cast<Size>(seen.depth + 0.5), s.depths());
    s.painter().pushClip(s.stage->square);
    region_mesh::drawMarked(s.f, seen, s.r.pattern, depth, *region);
    s.painter().popClip();
    drawStretch(s, depth, *region);
    s.tip = {"one of " + inWords(s.r.regionsByDepth[depth], 9) + " regions"};
    if (*region < s.r.output.size()) s.tip.push_back("output " + numberText(s.r.output[*region], 3) + " in its middle");
}

/// The state under the pointer as a fine line in all other panels over states.
void hoverLayer(Frame& s) {
    const double layers = static_cast<double>(s.layers);
    for (const LayerScale& scale : s.scales) {
        const auto p = s.over(scale.rect);
        const double step = (scale.last - scale.first) / std::max(layers, 1.0);
        if (!p || step <= 0) continue;
        const double layer = std::clamp(std::round((p->x - scale.first) / step), 0.0, layers);
        for (const LayerScale& other : s.scales) {
            const double x = s.painter().crisp(other.first + (other.last - other.first) * layer / std::max(layers, 1.0));
            if ((other.plotted && &other == &scale) || x < other.rect.lo.x - 1 || x > other.rect.hi.x + 1) continue;
            s.painter().line("hover/layer", Vec2{x, other.rect.lo.y}, Vec2{x, other.rect.hi.y}, {s.theme().text.withAlpha(0.45f), 1});
        }
        if (!scale.plotted && s.tip.empty()) {
            const auto l = static_cast<Size>(layer);
            s.tip = {s.layerName(l) + ": " + inWords(s.r.units[l], 7) + (s.units(l) == 1 ? " unit" : " units")};
            if (std::isfinite(s.r.parameters[l])) s.tip.push_back(inWords(s.r.parameters[l], 9) + " parameters");
        }
        return;
    }
}

}  // namespace

void drawHover(Frame& s) {
    if (const auto place = hoveredPlace(s)) {
        drawPlace(s, *place);
        s.tip = {inWords(100 * *place, 3) + " % of the way from A to B"};
    } else {
        hoverRegion(s);
    }
    hoverLayer(s);
    if (!s.tip.empty() && !s.f.kept) tooltip(s.f, s.f.handles.pointer().at, s.tip);
}

}  // namespace kappaflow::network_lens
