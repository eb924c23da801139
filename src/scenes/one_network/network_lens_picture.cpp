// One network under five lenses: capacity from a chosen output, activation regions of a slice, a trajectory, sensitivity and ranks, and
// capacity measured on samples.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "scenes/one_network/network_lens_picture.h"

namespace kappaflow {
namespace network_lens {
namespace {

/// Places of the states before an edit among those after it.
std::vector<double> placesOf(const Result& r) {
    std::vector<double> places;
    if (r.stateBefore.empty()) return places;
    Size count = std::max<Size>(r.total.size(), 1);
    for (const double state : r.stateBefore)
        if (std::isfinite(state)) count = std::max(count, static_cast<Size>(state) + 1);
    places.assign(count, std::nan(""));
    for (Size l = 0; l < r.stateBefore.size(); ++l)
        if (std::isfinite(r.stateBefore[l])) places[static_cast<Size>(r.stateBefore[l])] = static_cast<double>(l);
    for (Size b = 0; b < count; ++b) {
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
    constexpr const char* kKeys[] = {"capacity", "regions", "trajectory", "sensitivity", "measured"};
    return kKeys[static_cast<Size>(lens)];
}

const char* nameOf(Lens lens) {
    constexpr const char* kNames[] = {"Capacity", "Regions", "Trajectory", "Sensitivity", "Measured"};
    return kNames[static_cast<Size>(lens)];
}

const char* keyOf(EditKind edit) {
    constexpr const char* kKeys[] = {"none", "insert", "remove", "widen", "rescale", "freeze", "skip"};
    return kKeys[static_cast<Size>(edit)];
}

std::string Frame::layerName(Size layer) const {
    return layer == 0 ? "input" : layer == layers ? "output" : "layer " + std::to_string(layer);
}

double Frame::placeAfter(double state) const { return places.empty() ? state : rowAt(places, 1, state)[0]; }

double Frame::placeBefore(double state) const { return places.empty() ? state : indexAlong(places, state); }

std::optional<Size> Frame::before(Size state) const {
    if (!everywhere) return state;
    const auto found = std::find(places.begin(), places.end(), static_cast<double>(state));
    return found == places.end() ? std::nullopt : std::optional(static_cast<Size>(found - places.begin()));
}

Size Frame::depthOf(Size state) const {
    Size last = 0;
    for (Size d = 1; d < r.stateOfDepth.size(); ++d)
        if (r.stateOfDepth[d] == static_cast<double>(state)) last = d;
    return last;
}

std::string Frame::depthName(Size depth) const {
    if (depth == 0) return "window";
    const double state = r.stateOfDepth[depth], place = r.insideOfDepth[depth];
    std::string name = layerName(static_cast<Size>(state));
    if (place == 0) return name;
    if (place < 0) return name + ", sum";
    const bool several =
        place > 1 || (depth + 1 < r.stateOfDepth.size() && r.stateOfDepth[depth + 1] == state && r.insideOfDepth[depth + 1] > 1);
    return name + ", inner" + (several ? " " + std::to_string(static_cast<int>(place)) : "");
}

std::optional<Vec2> Frame::over(const Rect& rect) const {
    const Pointer pointer = f.handles.freePointer();
    return pointer.inside && !pointer.down && !f.kept && rect.contains(pointer.at) ? std::optional(pointer.at) : std::nullopt;
}

AxisSpec layerAxis(const Frame& s) { return {.label = "layer *l*", .lo = 0, .hi = static_cast<double>(s.layers), .whole = true}; }

void moveLayer(Frame& s, double to) {
    s.f.changes.push_back(Change::param("play", false));
    s.f.changes.push_back(Change::param("at", std::clamp(to, 0.0, static_cast<double>(s.layers))));
}

void drawLayerMark(Frame& s, Plot& plot, const std::string& id) {
    const double x = plot.toScreen(s.at, 1).x, last = static_cast<double>(s.layers);
    const Rect inner = plot.inner();
    s.scales.push_back({inner, plot.toScreen(0, 1).x, plot.toScreen(last, 1).x, true});
    if (x < inner.lo.x - 0.5 || x > inner.hi.x + 0.5) return;
    const std::vector<double> states = countUp(s.layers + 1);
    scrub(s.f, plot, id, {"layer " + id, "layer shown", s.layerName(s.layer()), states, states, s.at});
}

namespace {

// What stands around the lenses: headings, reasons and remarks.

constexpr double kHeading = 22;

/// "step 300", or nothing where nothing is trained or computed.
std::string stepText(const Frame& s, Lens lens) {
    const std::optional<double> steps[] = {s.r.capacityStep, s.r.regionsStep, s.r.lengthStep, s.r.sensitivityStep, s.r.measuredStep};
    const auto step = steps[static_cast<Size>(lens)];
    return !s.r.loss.empty() && step ? "step " + inWords(*step, 6) : "";
}

/// The lens that stands alone; none while all are shown.
std::optional<Lens> lensAlone(const Params& p) {
    return p.lens == LensShown::All ? std::nullopt : std::optional(static_cast<Lens>(static_cast<int>(p.lens) - 1));
}

/// A square with an arrow out of it (into it, when the panel is the large one): a tap makes the panel large, or small again.
void offerEnlarge(Frame& s, Lens lens, Vec2 at) {
    PictureFrame& f = s.f;
    const bool large = lensAlone(s.p) == lens;
    const auto grip = f.handles.toggle(std::string("enlarge ") + keyOf(lens), std::string(nameOf(lens)) + " alone",
                                       large ? "alone" : "beside the others", large, around(at, 12));
    if (grip.moved) f.changes.push_back(Change::param("lens", std::string(grip.value > 0.5 ? keyOf(lens) : "all")));
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

Rect drawHeading(Frame& s, Lens lens, Rect rect, std::initializer_list<std::string> titles) {
    const bool grid = !s.f.compact && s.f.area.width() >= 600 && s.f.area.height() >= 420;
    double right = rect.hi.x - 2;
    if (grid) {
        offerEnlarge(s, lens, {right - 8, rect.lo.y + 9});
        right -= 22;
    }
    const TextStyle small{.color = s.theme().muted, .size = s.theme().tinySize, .h = AlignH::Right, .v = AlignV::Middle};
    const TextStyle style{.color = s.theme().text, .size = s.theme().smallSize, .v = AlignV::Middle, .bold = true};
    const std::string step = stepText(s, lens);
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

void drawReason(Frame& s, Lens lens, Rect rect, const std::string& otherwise) {
    const std::string* note = s.note(keyOf(lens));
    const bool waiting = !note && s.f.report.status == Status::Partial;
    const std::string text = note ? *note : waiting ? "is being computed …" : otherwise;
    const TextStyle style{.color = s.theme().muted, .size = s.theme().smallSize, .h = AlignH::Centre, .v = AlignV::Middle};
    const double line = style.size * 1.45, width = std::min(rect.width() - 24, 380.0);
    const auto lines = wrapText(s.painter(), text, style, width, static_cast<Size>(std::max(1.0, rect.height() / line)));
    double y = rect.centre().y - line * (static_cast<double>(lines.size()) - 1) / 2;
    for (const auto& words : lines) {
        s.painter().text(std::string("reason/") + keyOf(lens), {rect.centre().x, y}, words, style);
        y += line;
    }
}

double drawRemark(Frame& s, Lens lens, Rect rect) {
    const std::string* note = s.note(keyOf(lens));
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

void drawLens(Frame& s, Lens lens, Rect rect) {
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
        case Lens::Measured:
            drawMeasured(s, rect);
            break;
    }
    s.painter().popClip();
}

void choose(PictureFrame& f, Size index) {
    f.changes.push_back(Change::param("lens", std::string(index == 0 ? "all" : keyOf(kLenses[index - 1]))));
}

/// The lenses by name, one of them shown; `all`: a first tab that shows them all.
void drawTabs(Frame& s, Rect row, Lens shown, bool all) {
    PictureFrame& f = s.f;
    const Size first = all ? 0 : 1, last = std::size(kLenses);
    const double value = static_cast<double>(shown) + 1, each = row.width() / static_cast<double>(last + 1 - first);
    const auto nameOfTab = [](Size index) { return std::string(index == 0 ? "All five" : nameOf(kLenses[index - 1])); };
    TextStyle style{.color = s.theme().muted,
                    .size = each < 84 ? s.theme().tinySize : s.theme().smallSize,
                    .h = AlignH::Centre,
                    .v = AlignV::Middle,
                    .bold = true};
    // Where there is little room, a tab has what its name takes.
    std::vector<double> ends{row.lo.x};
    double names = 0;
    for (Size index = first; index <= last; ++index) names += s.painter().measure(nameOfTab(index), style).x;
    const double spare = (row.width() - names) / static_cast<double>(last + 1 - first);
    for (Size index = first; index <= last; ++index)
        ends.push_back(ends.back() + (each < 84 ? s.painter().measure(nameOfTab(index), style).x + spare : each));
    const auto indexAt = [&](Vec2 p) {
        const auto tab = static_cast<Size>(std::upper_bound(ends.begin() + 1, ends.end() - 1, p.x) - ends.begin() - 1);
        return static_cast<double>(first + tab);
    };
    const auto grip = f.handles.offer(
        {"lens", "lens shown", nameOf(shown), value, static_cast<double>(first), static_cast<double>(last), 1, row}, indexAt);
    if (grip.moved) choose(f, static_cast<Size>(std::round(grip.value)));
    for (Size index = first; index <= last; ++index) {
        const bool own = static_cast<double>(index) == value,
                   over = grip.hovered && indexAt(f.handles.pointer().at) == static_cast<double>(index);
        const Rect tab{{ends[index - first] + 2, row.lo.y}, {ends[index - first + 1] - 2, row.hi.y}};
        s.painter().rect("tabs/tab", tab, own ? s.theme().accent.withAlpha(0.16f) : s.theme().panel.withAlpha(over ? 1.0f : 0.6f), 5);
        style.color = own || over ? s.theme().text : s.theme().muted, style.bold = own;
        s.painter().text("tabs/name", tab.centre(), nameOfTab(index), style);
    }
}

/// The strip, tabs, and one lens.
Layout alone(Frame& s, Lens lens, bool narrow) {
    const auto draw = [&s, lens, narrow](Rect rect) {
        // Where the strip has no room to say it.
        if (narrow && s.note("training") && rect.height() >= 300)
            rect.lo.y += 12 + drawUntrained(s, rect.lo + Vec2{6, 10}, rect.width() - 12);
        drawLens(s, lens, rect);
    };
    return Layout::rows(
        {Layout(1, {0, narrow ? 58.0 : 118.0}, [&s](Rect rect) { drawStrip(s, rect.inset(4, 2, 4, 0)); }).share(narrow ? 0.01 : 0.2),
         Layout(0, {0, 26}, [&s, lens, narrow](Rect rect) { drawTabs(s, rect, lens, !narrow); }).share(0.01), Layout(0, {0, 160}, draw)});
}

/// It has a reason to give in place of a picture.
bool isSilent(const Frame& s, Lens lens) {
    const bool shows[] = {true, s.cache.hasMesh, !s.r.length.values.empty(), !s.r.chi.values.empty(), !s.r.measured.values.empty()};
    return !shows[static_cast<Size>(lens)] && s.note(keyOf(lens));
}

/// The strip, two lenses and three, or where these are too narrow two and one: regions before the trajectory, since the curve lies on the
/// slice first. Where several have nothing to show, their reasons stand in a row below the others.
Layout allTogether(Frame& s, double width) {
    const auto panel = [&s](Lens lens, double least = 140) {
        return Layout(0, {280, least}, [&s, lens](Rect rect) { drawLens(s, lens, rect); });
    };
    const auto strip = [&s](Rect rect) {
        drawStrip(s, rect.inset(4, 2, 4, 0));
        s.painter().line("panel/rule", Vec2{rect.lo.x, rect.hi.y + 4}, Vec2{rect.hi.x, rect.hi.y + 4}, {s.theme().line, 1});
    };
    std::vector<Layout> rows{Layout(0, {0, 118}, strip).share(0.5)}, silent;
    for (const Lens lens : kLenses)
        if (isSilent(s, lens)) silent.push_back(panel(lens, 64));
    if (silent.size() < 2) {
        rows.push_back(Layout::columns({panel(Lens::Capacity), panel(Lens::Regions)}));
        const bool three = width >= 900;  // panels of 280 and what lies between them
        std::vector<Layout> others{panel(Lens::Trajectory), panel(Lens::Sensitivity)};
        if (three) others.push_back(panel(Lens::Measured));
        rows.push_back(Layout::columns(std::move(others)));
        if (!three) rows.push_back(panel(Lens::Measured));
        return Layout::rows(std::move(rows));
    }
    for (const Lens lens : kLenses)
        if (!isSilent(s, lens)) rows.push_back(panel(lens));
    rows.push_back(Layout::columns(std::move(silent)).share(0.01));
    return Layout::rows(std::move(rows));
}

void fill(Cache& cache, const Frame& s) {
    cache.filled = true;
    cache.hasMesh = !s.r.polygonEnds.empty();
    if (cache.hasMesh) cache.mesh = region_mesh::meshOf(s.mesh());
    if (!s.r.flowBin || !s.places.empty()) return;
    std::vector<double> bins;
    for (const double units : s.r.units) bins.push_back(std::min(*s.r.flowBin, units));
    cache.flow = capacity_flow::stackFlow(s.r.flowFrom, s.r.flowTo, s.r.flowAmount, s.r.flowOffsets, bins);
}

Layout layout(const Sight<Params, Result>& sight, Cache& cache) {
    const auto draw = [&sight, &cache](Rect rect) {
        if (sight.result.units.size() < 2) return emptyPicture(sight.f, "The network is being laid under the lenses.");
        Frame s{sight.f, sight.params, sight.asked, sight.result, cache};
        s.layers = sight.result.units.size() - 1;
        s.at = std::clamp(sight.params.at, 0.0, static_cast<double>(s.layers));
        s.places = placesOf(sight.result);
        s.everywhere = !s.places.empty() && sight.asked.editAll;
        if (!cache.filled) fill(cache, s);
        const bool narrow = sight.f.compact || rect.width() < 600 || rect.height() < 420;
        if (const auto lens = lensAlone(sight.params); narrow || lens)
            alone(s, lens.value_or(isSilent(s, Lens::Regions) ? Lens::Capacity : Lens::Regions), narrow).draw(rect);
        else
            allTogether(s, rect.width()).draw(rect);
        drawHover(s);
    };
    return sight.panel(0, {}, draw);
}

}  // namespace
}  // namespace network_lens

PictureEntry network_lens_picture() { return tablePicture<network_lens::kScene, network_lens::layout>(); }

}  // namespace kappaflow
