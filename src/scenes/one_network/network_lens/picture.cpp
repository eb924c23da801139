// One network under four lenses: capacity from a chosen output, activation regions of a slice, a trajectory, sensitivity and ranks.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "scenes/moments/picture_step.h"
#include "scenes/one_network/network_lens/picture_view.h"

namespace kappaflow {
namespace lens {
namespace {

/// Places of the states before an edit among those after it.
std::vector<double> placesOf(const View& view) {
    const Array *before = view.array("stateBefore"), *total = view.array("total");
    std::vector<double> places;
    if (!before) return places;
    std::size_t count = total ? total->values.size() : 1;
    for (const double state : before->values)
        if (std::isfinite(state)) count = std::max(count, static_cast<std::size_t>(state) + 1);
    places.assign(count, std::nan(""));
    for (std::size_t l = 0; l < before->values.size(); ++l)
        if (std::isfinite(before->values[l])) places[static_cast<std::size_t>(before->values[l])] = static_cast<double>(l);
    for (std::size_t b = 0; b < count; ++b) {
        if (std::isfinite(places[b])) continue;
        const auto next =
            std::find_if(places.begin() + static_cast<std::ptrdiff_t>(b), places.end(), [](double x) { return std::isfinite(x); });
        const double low = b > 0 ? places[b - 1] : 0;
        places[b] = next == places.end() ? low : (low + *next) / 2;
    }
    return places;
}

}  // namespace

const char* keyOf(Lens lens) {
    constexpr const char* kKeys[] = {"capacity", "regions", "trajectory", "sensitivity"};
    return kKeys[static_cast<std::size_t>(lens)];
}

const char* nameOf(Lens lens) {
    constexpr const char* kNames[] = {"Capacity", "Regions", "Trajectory", "Sensitivity"};
    return kNames[static_cast<std::size_t>(lens)];
}

std::string View::layerName(std::size_t layer) const {
    return layer == 0 ? "input" : layer == layers ? "output" : "layer " + std::to_string(layer);
}

double View::scalar(const char* name) const {
    const Scalar* found = report->scalar(name);
    return found ? found->value : std::nan("");
}

double View::placeAfter(double state) const {
    if (places.empty()) return state;
    const double last = static_cast<double>(places.size()) - 1, at = std::clamp(state, 0.0, last);
    const auto b = static_cast<std::size_t>(at);
    return b + 1 < places.size() ? places[b] + (at - static_cast<double>(b)) * (places[b + 1] - places[b]) : places[b];
}

double View::placeBefore(double state) const {
    if (places.empty()) return state;
    for (std::size_t b = 1; b < places.size(); ++b)
        if (state < places[b])
            return static_cast<double>(b) - 1 + std::clamp((state - places[b - 1]) / (places[b] - places[b - 1]), 0.0, 1.0);
    return static_cast<double>(places.size()) - 1;
}

std::optional<std::size_t> View::before(std::size_t state) const {
    if (!everywhere) return state;
    const auto found = std::find(places.begin(), places.end(), static_cast<double>(state));
    return found == places.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - places.begin()));
}

double View::depthAt(double state) const {
    const Array* states = array("stateOfDepth");
    if (!states) return 0;
    const auto& at = states->values;
    for (std::size_t d = 1; d < at.size(); ++d)
        if (state < at[d])
            return static_cast<double>(d) - 1 + std::clamp((state - at[d - 1]) / std::max(at[d] - at[d - 1], 1e-9), 0.0, 1.0);
    return static_cast<double>(at.size()) - 1;
}

std::size_t View::depthOf(std::size_t state) const {
    const Array* states = array("stateOfDepth");
    std::size_t last = 0;
    for (std::size_t d = 1; states && d < states->values.size(); ++d)
        if (states->values[d] == static_cast<double>(state)) last = d;
    return last;
}

std::string View::depthName(std::size_t depth) const {
    const Array *states = array("stateOfDepth"), *inside = array("insideOfDepth");
    if (depth == 0) return "window";
    if (!states || !inside) return "layer " + std::to_string(depth);
    const double state = states->values[depth], place = inside->values[depth];
    const std::string name = layerName(static_cast<std::size_t>(state));
    if (place == 0) return name;
    if (place < 0) return name + ", sum";
    const bool several =
        place > 1 || (depth + 1 < states->values.size() && states->values[depth + 1] == state && inside->values[depth + 1] > 1);
    return name + ", inner" + (several ? " " + std::to_string(static_cast<int>(place)) : "");
}

bool readView(const PictureFrame& f, View& view) {
    view.report = &f.report;
    const Array* units = f.report.array("units");
    if (!units || units->values.size() < 2) return false;
    view.units.assign(units->values.begin(), units->values.end());
    view.layers = view.units.size() - 1;
    view.at = std::clamp(f.state.params.number("at"), 0.0, static_cast<double>(view.layers));
    view.places = placesOf(view);
    view.everywhere = !view.places.empty() && f.report.params.flag("editAll");
    view.training = f.report.array("loss") != nullptr;
    return true;
}

std::optional<region_mesh::Source> sourceOf(const View& view) {
    const region_mesh::Source source{view.array("vertices"),       view.array("polygons"),  view.array("polygonEnds"),
                                     view.array("edges"),          view.array("edgeLayer"), view.array("pattern"),
                                     view.array("regionsByDepth"), view.array("window"),    view.array("decisionBoundary")};
    for (const Array* array : {source.vertices, source.polygons, source.polygonEnds, source.edges, source.edgeLayer, source.pattern,
                               source.regionsByDepth, source.window})
        if (!array) return std::nullopt;
    return source.regions() > 0 ? std::optional(source) : std::nullopt;
}

void fillCache(Cache& cache, const PictureFrame& f, const View& view) {
    if (cache.filled && cache.version == f.reportVersion) return;
    cache = {};
    cache.version = f.reportVersion;
    cache.filled = true;
    if (const auto source = sourceOf(view)) {
        cache.mesh = region_mesh::meshOf(*source);
        cache.hasMesh = true;
    }
    const double bin = view.scalar("flowBin");
    if (!(bin >= 1) || !view.places.empty()) return;
    std::vector<double> bins;
    for (const std::size_t units : view.units) bins.push_back(std::min(bin, static_cast<double>(units)));
    cache.flow = capacity_flow::stackFlow(f.report, bins);
}

std::optional<Vec2> Scene::over(const Rect& rect) const {
    const Pointer p = f.handles.freePointer();
    return p.inside && !p.down && !f.kept && rect.contains(p.at) ? std::optional(p.at) : std::nullopt;
}

AxisSpec layerAxis(const View& view) { return {.label = "layer *l*", .lo = 0, .hi = static_cast<double>(view.layers), .whole = true}; }

void moveLayer(PictureFrame& f, const View& view, double to) {
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(Change::param("at", std::clamp(to, 0.0, static_cast<double>(view.layers))));
}

void drawLayerMark(Scene& s, Plot& plot, const std::string& id) {
    const double x = plot.toScreen(s.view.at, 1).x;
    const Rect inner = plot.inner();
    s.scales.push_back({inner, plot.toScreen(0, 1).x, plot.toScreen(static_cast<double>(s.view.layers), 1).x, true});
    if (x < inner.lo.x - 0.5 || x > inner.hi.x + 0.5) return;
    random_nets::offerStep(s.f, plot,
                           {id, "layer " + id, s.view.layerName(s.view.layer()), s.view.at, 0, static_cast<double>(s.view.layers)});
}

namespace {

// What stands around the lenses: headings, reasons and remarks.

constexpr double kHeading = 22;

/// "step 300", or nothing where nothing is trained or computed.
std::string stepText(const View& view, Lens lens) {
    constexpr const char* kSteps[] = {"capacityStep", "regionsStep", "lengthStep", "sensitivityStep"};
    const double step = view.scalar(kSteps[static_cast<std::size_t>(lens)]);
    return view.training && std::isfinite(step) ? "step " + inWords(step, 6) : "";
}

bool isLarge(const PictureFrame& f, Lens lens) { return f.state.params.is("lens", keyOf(lens)); }

/// A square with an arrow out of it (into it, when the panel is the large one): a tap makes the panel large, or small again.
void offerEnlarge(Scene& s, Lens lens, Vec2 at) {
    PictureFrame& f = s.f;
    const bool large = isLarge(f, lens);
    const double value = large;
    const auto grip = f.handles.offer({std::string("enlarge ") + keyOf(lens),
                                       std::string(nameOf(lens)) + " alone",
                                       large ? "alone" : "beside the others",
                                       value,
                                       0,
                                       1,
                                       1,
                                       {at - Vec2{12, 12}, at + Vec2{12, 12}}},
                                      [&](Vec2) { return value; });
    const bool tapped = grip.held && f.handles.pointer().pressed;
    if (tapped || (grip.moved && !grip.held))
        f.changes.push_back(Change::param("lens", std::string(tapped             ? (large ? "all" : keyOf(lens))
                                                              : grip.value > 0.5 ? keyOf(lens)
                                                                                 : "all")));
    if (f.kept) return;
    const Stroke stroke{grip.hovered || grip.focused ? f.theme.accent : f.theme.muted, 1.5};
    for (const double side : {-1.0, 1.0}) {
        const Vec2 out = at + Vec2{4.5, -4.5} * side, corner = large ? at + Vec2{1, -1} * side : out;
        f.painter.line("panel/enlarge", at + Vec2{0.8, -0.8} * side, out, stroke);
        const double back = large ? 3.5 * side : -3.5 * side;
        const Vec2 head[] = {corner + Vec2{back, 0}, corner, corner + Vec2{0, -back}};
        f.painter.line("panel/enlarge", head, stroke, false);
    }
}

}  // namespace

Rect drawHeading(Scene& s, Lens lens, Rect rect, std::initializer_list<std::string> titles) {
    const bool grid = !s.f.compact && s.f.area.width() >= 600 && s.f.area.height() >= 420;
    double right = rect.hi.x - 2;
    if (grid) {
        offerEnlarge(s, lens, {right - 8, rect.lo.y + 9});
        right -= 22;
    }
    const TextStyle small{.color = s.theme().muted, .size = s.theme().tinySize, .h = AlignH::Right, .v = AlignV::Middle};
    const TextStyle style{.color = s.theme().text, .size = s.theme().smallSize, .v = AlignV::Middle, .bold = true};
    const std::string step = stepText(s.view, lens);
    if (!step.empty()) {
        s.painter().text(std::string("step/") + keyOf(lens), {right, rect.lo.y + 9}, step, small);
        right -= s.painter().measure(step, small).x + 10;
    }
    for (const std::string& title : titles) {
        if (s.painter().measure(title, style).x > right - rect.lo.x - 4) continue;
        s.painter().text("heading", {rect.lo.x + 4, rect.lo.y + 9}, title, style);
        break;
    }
    return {{rect.lo.x, rect.lo.y + kHeading}, rect.hi};
}

void drawReason(Scene& s, Lens lens, Rect rect, const std::string& otherwise) {
    const std::string* note = s.report().note(keyOf(lens));
    const bool waiting = !note && s.report().status == Status::Partial;
    const std::string text = note ? *note : waiting ? "is being computed …" : otherwise;
    const TextStyle style{.color = s.theme().muted, .size = s.theme().smallSize, .h = AlignH::Centre, .v = AlignV::Middle};
    const double line = style.size * 1.45, width = std::min(rect.width() - 24, 380.0);
    const auto lines = wrapText(s.painter(), text, style, width, static_cast<std::size_t>(std::max(1.0, rect.height() / line)));
    double y = rect.centre().y - line * (static_cast<double>(lines.size()) - 1) / 2;
    for (const auto& words : lines) {
        s.painter().text(std::string("reason/") + keyOf(lens), {rect.centre().x, y}, words, style);
        y += line;
    }
}

double drawRemark(Scene& s, Lens lens, Rect rect) {
    const std::string* note = s.report().note(keyOf(lens));
    if (!note || rect.height() < 120) return 0;
    const TextStyle style{.color = s.theme().warning, .size = s.theme().tinySize, .v = AlignV::Bottom};
    const double line = style.size * 1.35;
    const auto lines = wrapText(s.painter(), *note, style, rect.width() - 8, rect.height() > 260 ? 3 : 2);
    const double height = line * static_cast<double>(lines.size());
    double y = rect.hi.y - height + line;
    for (const auto& words : lines) {
        s.painter().text(std::string("remark/") + keyOf(lens), {rect.lo.x + 4, y}, words, style);
        y += line;
    }
    return height + 4;
}

namespace {

void drawLens(Scene& s, Lens lens, Rect rect) {
    s.painter().pushClip(rect);
    switch (lens) {
        case Lens::Capacity:
            drawCapacity(s, rect);
            break;
        case Lens::Regions:
            drawRegions(s, rect);
            break;
        case Lens::Trajectory:
            drawTrajectory(s, rect);
            break;
        case Lens::Sensitivity:
            drawSensitivity(s, rect);
            break;
    }
    s.painter().popClip();
}

/// The lens that stands alone; none while all four are shown.
std::optional<Lens> aloneIn(const PictureFrame& f) {
    for (const Lens lens : kLenses)
        if (f.state.params.is("lens", keyOf(lens))) return lens;
    return std::nullopt;
}

void choose(PictureFrame& f, std::size_t index) {
    f.changes.push_back(Change::param("lens", std::string(index == 0 ? "all" : keyOf(kLenses[index - 1]))));
}

/// The lenses by name, one of them shown; `all`: a first tab that shows all four.
void drawTabs(Scene& s, Rect row, Lens shown, bool all) {
    PictureFrame& f = s.f;
    const std::size_t first = all ? 0 : 1, count = all ? 5 : 4;
    const double width = row.width() / static_cast<double>(count), value = static_cast<double>(shown) + 1;
    const auto indexAt = [&](Vec2 p) {
        return static_cast<double>(first) + std::clamp(std::floor((p.x - row.lo.x) / width), 0.0, static_cast<double>(count) - 1);
    };
    const auto grip = f.handles.offer({"lens", "lens shown", nameOf(shown), value, static_cast<double>(first), 4, 1, row}, indexAt);
    if (grip.moved) choose(f, static_cast<std::size_t>(std::round(grip.value)));
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t index = first + i;
        const bool own = static_cast<double>(index) == value,
                   over = grip.hovered && indexAt(f.handles.pointer().at) == static_cast<double>(index);
        const Rect tab{{row.lo.x + width * static_cast<double>(i) + 2, row.lo.y},
                       {row.lo.x + width * static_cast<double>(i + 1) - 2, row.hi.y}};
        s.painter().rect("tabs/tab", tab, own ? s.theme().accent.withAlpha(0.16f) : s.theme().panel.withAlpha(over ? 1.0f : 0.6f), 5);
        s.painter().text("tabs/name", tab.centre(), index == 0 ? "All four" : nameOf(kLenses[index - 1]),
                         {.color = own || over ? s.theme().text : s.theme().muted,
                          .size = width < 84 ? s.theme().tinySize : s.theme().smallSize,
                          .h = AlignH::Centre,
                          .v = AlignV::Middle,
                          .bold = own});
    }
}

/// Why the network is not trained, where the strip has no room to say it; returns the height that took.
double drawUntrained(Scene& s, Rect rect) {
    const std::string* why = s.report().note("training");
    if (!why || rect.height() < 300) return 0;
    const TextStyle style{.color = s.theme().warning, .size = s.theme().tinySize};
    const auto lines = wrapText(s.painter(), *why, style, rect.width() - 12, 3);
    double y = rect.lo.y + 10;
    for (const auto& line : lines) {
        s.painter().text("strip/training", {rect.lo.x + 6, y}, line, style);
        y += style.size * 1.4;
    }
    return y - rect.lo.y + 2;
}

/// The strip, tabs, and one lens.
void drawAlone(Scene& s, Lens lens, bool narrow) {
    Rect a = s.f.area;
    const double strip = a.height() < 260 ? 0 : narrow ? 58 : std::clamp(0.17 * a.height(), 70.0, 118.0);
    if (strip > 0) drawStrip(s, {{a.lo.x + 4, a.lo.y + 2}, {a.hi.x - 4, a.lo.y + strip}});
    a.lo.y += strip + 4;
    drawTabs(s, {a.lo, {a.hi.x, a.lo.y + 26}}, lens, !narrow);
    a.lo.y += 32;
    if (narrow) a.lo.y += drawUntrained(s, a);
    drawLens(s, lens, a);
}

void drawGrid(Scene& s) {
    const Rect a = s.f.area;
    const double strip = std::clamp(0.19 * a.height(), 84.0, 132.0), gap = 16, top = a.lo.y + strip + 8;
    drawStrip(s, {{a.lo.x + 4, a.lo.y + 2}, {a.hi.x - 4, a.lo.y + strip}});
    const double middleX = std::round(a.centre().x), middleY = std::round((top + a.hi.y) / 2);
    s.painter().line("panel/rule", Vec2{a.lo.x, top - 2}, Vec2{a.hi.x, top - 2}, {s.theme().line, 1});
    const Rect cells[] = {{{a.lo.x, top + 4}, {middleX - gap / 2, middleY - 4}},
                          {{middleX + gap / 2, top + 4}, {a.hi.x, middleY - 4}},
                          {{a.lo.x, middleY + 4}, {middleX - gap / 2, a.hi.y}},
                          {{middleX + gap / 2, middleY + 4}, a.hi}};
    // Regions before the trajectory: the curve lies on the slice first.
    for (const Lens lens : kLenses) drawLens(s, lens, cells[static_cast<std::size_t>(lens)]);
}

class LensPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The network is being laid under the lenses.");
        fillCache(cache_, f, view);
        Scene scene{f, view, cache_, {}, {}, {}, {}};
        const bool narrow = f.compact || f.area.width() < 600 || f.area.height() < 420;
        const auto alone = aloneIn(f);
        if (narrow || alone)
            drawAlone(scene, alone.value_or(Lens::Regions), narrow);
        else
            drawGrid(scene);
        drawHover(scene);
    }

private:
    Cache cache_;
};

}  // namespace
}  // namespace lens

PictureEntry network_lens_picture() {
    return {"network-lens", [] { return std::unique_ptr<Picture>(std::make_unique<lens::LensPicture>()); }};
}

}  // namespace kappaflow
