// A line of a unit that is dragged: its bias follows the pointer, or some of its weights do when it is turned by one of its knobs.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "scenes/expressivity/activation_regions_picture.h"

namespace kappaflow::activation_regions {
namespace {

using region_mesh::Stage;

/// Weights that a turn changes beside the bias: those of the units whose outputs differ most between its two points.
constexpr Size kMostTurned = 8;
constexpr Size kMostEdits = 128;
/// Pixels from which a line is grabbed, and the shortest stretch that has room for two knobs.
constexpr double kReach = 7, kLeastStretch = 70;

double bend(const Params& p, double z) {
    switch (p.activation) {
        case Bend::Relu:
            return std::max(z, 0.0);
        case Bend::LeakyRelu:
            return z < 0 ? p.slope * z : z;
        case Bend::Abs:
            return std::abs(z);
        case Bend::HardTanh:
            return std::clamp(z, -1.0, 1.0);
        case Bend::Relu6:
            return std::clamp(z, 0.0, 6.0);
    }
    return z;
}

/// The row of a unit's weights, its bias last, within the list of all.
Size rowOf(const std::vector<double>& widths, Chosen unit) {
    Size row = 0;
    for (Size l = 1; l < unit.layer; ++l) row += static_cast<Size>(widths[l] * (widths[l - 1] + 1));
    return row + unit.unit * static_cast<Size>(widths[unit.layer - 1] + 1);
}

/// What a layer's units read at a point of the plane, and 1 for the bias.
std::vector<double> readAt(const Seen& s, const std::vector<double>& weights, Size layer, Vec2 at) {
    const auto& plane = s.result.plane;
    const Size inputs = plane.size() / 3;
    std::vector<double> read;
    for (Size i = 0; i < inputs; ++i) read.push_back(plane[i] + at.x * plane[inputs + i] + at.y * plane[2 * inputs + i]);
    read.push_back(1);
    const double* row = weights.data();
    for (Size l = 1; l < layer; ++l) {
        std::vector<double> next;
        for (double u = 0; u < s.result.widths[l]; ++u, row += read.size())
            next.push_back(bend(s.params, std::inner_product(read.begin(), read.end(), row, 0.0)));
        next.push_back(1);
        read = std::move(next);
    }
    return read;
}

struct Near {
    Chosen unit;
    Vec2 at;  ///< on the line, in the plane
};

/// The line nearest to a point of the plane, if it is within reach.
std::optional<Near> lineNear(const Seen& s, const Stage& stage, const Pointer& p) {
    const Result& r = s.result;
    const Vec2 point = stage.toPlane(p.at);
    double best = (p.touch ? 2 : 1) * kReach * 2 * stage.half / stage.square.width();
    std::optional<Near> near;
    for (Size e = 0; e < r.edgeLayer.size(); ++e) {
        if (r.edgeUnit[e] < 0 || r.edgeLayer[e] > static_cast<double>(layerShown(s))) continue;
        const auto ends = endsOf(r, e);
        const Vec2 along = ends[1] - ends[0];
        const double share = std::clamp(dot(point - ends[0], along) / std::max(dot(along, along), 1e-300), 0.0, 1.0);
        const Vec2 at = ends[0] + along * share;
        if (const double away = length(point - at); away < best)
            best = away, near = {{static_cast<Size>(r.edgeLayer[e]), static_cast<Size>(r.edgeUnit[e])}, at};
    }
    return near;
}

/// The longest straight stretch of a unit's lines that is in sight, in the plane: edges that go on in one another's direction are one.
std::optional<std::array<Vec2, 2>> stretchOf(const Seen& s, const Stage& stage, Chosen unit) {
    const Result& r = s.result;
    std::vector<std::array<Vec2, 2>> edges;
    for (Size e = 0; e < r.edgeLayer.size(); ++e)
        if (r.edgeLayer[e] == static_cast<double>(unit.layer) && r.edgeUnit[e] == static_cast<double>(unit.unit))
            edges.push_back(endsOf(r, e));
    const auto longest = std::max_element(edges.begin(), edges.end(),
                                          [](const auto& a, const auto& b) { return length(a[1] - a[0]) < length(b[1] - b[0]); });
    if (longest == edges.end() || (*longest)[0] == (*longest)[1]) return std::nullopt;
    const Vec2 from = (*longest)[0], along = ((*longest)[1] - from) * (1 / length((*longest)[1] - from));
    const double slack = 1e-6 * stage.half;
    std::vector<std::array<double, 2>> parts;
    for (const auto& edge : edges) {
        const Vec2 a = edge[0] - from, b = edge[1] - from;
        if (std::abs(cross(along, a)) < slack && std::abs(cross(along, b)) < slack)
            parts.push_back({std::min(dot(along, a), dot(along, b)), std::max(dot(along, a), dot(along, b))});
    }
    std::sort(parts.begin(), parts.end());
    double low = 0, high = 0;
    for (const auto& part : parts)
        if (part[0] <= high + slack) high = std::max(high, part[1]);
    std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a[1] > b[1]; });
    for (const auto& part : parts)
        if (part[1] >= low - slack) low = std::min(low, part[0]);
    // What of it lies in the window, a little within its border.
    for (const auto& [start, step, middle] : {std::array{from.x, along.x, stage.centre.x}, std::array{from.y, along.y, stage.centre.y}}) {
        if (step == 0) continue;
        const double a = (middle - 0.95 * stage.half - start) / step, b = (middle + 0.95 * stage.half - start) / step;
        low = std::max(low, std::min(a, b)), high = std::min(high, std::max(a, b));
    }
    if ((high - low) * stage.square.width() < kLeastStretch * 2 * stage.half) return std::nullopt;
    return std::array{from + along * (low + 0.15 * (high - low)), from + along * (high - 0.15 * (high - low))};
}

/// Changes of a unit's weights, `by` for each of `inputs` and for its bias at last.
void change(const Seen& s, const Stage& stage, const std::vector<double>& weights, Chosen unit, const std::vector<Size>& inputs,
            const std::vector<double>& by) {
    std::vector<WeightEdit> edits;
    const Size row = rowOf(s.result.widths, unit), bias = static_cast<Size>(s.result.widths[unit.layer - 1]);
    for (Size i = 0; i < by.size(); ++i) {
        const Size from = i < inputs.size() ? inputs[i] : bias;
        edits.push_back({unit.layer, unit.unit, from < bias ? static_cast<int>(from) : -1, weights[row + from] + by[i]});
    }
    setWeights(s, edits, 1e5 * std::pow(10, std::max(0.0, -std::floor(std::log10(stage.half)))));
}

/// The least change of weights by which the unit's input stays what it is at `pivot` and moves from the point `from` to `to`.
void turn(const Seen& s, const Stage& stage, MeshCache::Grab& grab, const std::vector<double>& weights, Vec2 from, Vec2 to) {
    const auto pivot = readAt(s, weights, grab.unit.layer, grab.pivot), old = readAt(s, weights, grab.unit.layer, from),
               now = readAt(s, weights, grab.unit.layer, to);
    if (grab.inputs.empty()) {
        grab.inputs.resize(pivot.size() - 1);
        std::iota(grab.inputs.begin(), grab.inputs.end(), Size{0});
        std::stable_sort(grab.inputs.begin(), grab.inputs.end(),
                         [&](Size a, Size b) { return std::abs(old[a] - pivot[a]) > std::abs(old[b] - pivot[b]); });
        grab.inputs.resize(std::min(grab.inputs.size(), kMostTurned));
    }
    const double* row = &weights[rowOf(s.result.widths, grab.unit)];
    const double wanted = std::inner_product(old.begin(), old.end(), row, 0.0) - std::inner_product(now.begin(), now.end(), row, 0.0);
    std::vector<double> a{}, b{};
    for (const Size i : grab.inputs) a.push_back(pivot[i]), b.push_back(now[i]);
    a.push_back(1), b.push_back(1);
    const double share = std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / std::inner_product(a.begin(), a.end(), a.begin(), 0.0);
    double size = 0, whole = 0;
    for (Size i = 0; i < b.size(); ++i) whole += b[i] * b[i], b[i] -= share * a[i], size += b[i] * b[i];
    if (size < 1e-9 * whole || wanted == 0) return;
    for (double& by : b) by *= wanted / size;
    change(s, stage, weights, grab.unit, grab.inputs, b);
}

/// Knobs are seen when the pointer is about: nothing covers the regions at rest.
bool canBeHad(const Seen& s, const Stage& stage) { return s.f.handles.pointer().inside && stage.square.contains(s.f.handles.pointer().at); }

using Ends = std::optional<std::array<Vec2, 2>>;

void offerKnobs(const Seen& s, const Stage& stage, MeshCache& cache, const std::vector<double>& weights, Chosen unit, const Ends& ends) {
    for (const Size k : {Size{0}, Size{1}}) {
        MeshCache::Grab& grab = cache.grab;
        const std::string id = "turn" + std::to_string(k);
        const bool held = grab.id == id;
        if (!held && (!ends || !grab.id.empty())) continue;
        const Pointer& p = s.f.handles.pointer();
        const Vec2 knob = held ? stage.toPlane(p.at) : (*ends)[k], pivot = held ? grab.pivot : (*ends)[1 - k];
        const double angle = std::atan2(knob.y - pivot.y, knob.x - pivot.x) * 57.29577951308232;
        const Vec2 at = stage.toScreen(knob);
        const auto grip = s.f.handles.offer(
            {id, "direction of the line of " + nameOf(s, unit), inWords(angle, 3) + "°", angle, -180, 180, 2, knobRect(at)});
        if (grip.held || grip.moved) {
            if (!held) grab = {grip.held ? id : "", unit, pivot, {}};
            const double by = (grip.value - angle) / 57.29577951308232;
            const Vec2 arm = knob - pivot, turned{arm.x * std::cos(by) - arm.y * std::sin(by), arm.x * std::sin(by) + arm.y * std::cos(by)};
            if (grip.held)
                turn(s, stage, grab, weights, stage.toPlane(p.at - p.moved), stage.toPlane(p.at));
            else
                turn(s, stage, grab, weights, knob, pivot + turned);
        } else if (held) {
            grab = {};
        }
        if (grip.lively() || canBeHad(s, stage)) drawKnob(s.f, "regions/turn", at, grip);
    }
}

}  // namespace

std::array<Vec2, 2> endsOf(const Result& r, Size edge) {
    const auto point = [&](Size end) {
        const auto vertex = static_cast<Size>(r.edges[2 * edge + end]);
        return Vec2{r.vertices[2 * vertex], r.vertices[2 * vertex + 1]};
    };
    return {point(0), point(1)};
}

std::string nameOf(const Seen& s, Chosen unit) {
    return unit.layer + 1 == s.result.widths.size() ? "output " + std::to_string(unit.unit)
                                                    : "unit " + std::to_string(unit.unit) + " of layer " + std::to_string(unit.layer);
}

void setWeights(const Seen& s, const std::vector<WeightEdit>& changed, double perUnit) {
    auto edits = s.params.edits;
    edits.resize(edits.size() / 4 * 4);
    for (const WeightEdit& w : changed) {
        const double entry[] = {static_cast<double>(w.layer), static_cast<double>(w.to), static_cast<double>(w.from),
                                std::round(w.value * perUnit) / perUnit};
        Size at = 0;
        while (at < edits.size() && !std::equal(entry, entry + 3, edits.begin() + static_cast<std::ptrdiff_t>(at))) at += 4;
        if (at < edits.size())
            edits[at + 3] = entry[3];
        else
            edits.insert(edits.end(), entry, entry + 4);
    }
    // The oldest make room.
    if (edits.size() > 4 * kMostEdits) edits.erase(edits.begin(), edits.end() - 4 * static_cast<std::ptrdiff_t>(kMostEdits));
    s.f.changes.push_back(Change::param("edits", edits));
}

std::vector<double> weightsNow(const Seen& s) {
    auto weights = s.result.weights;
    const auto& edits = s.params.edits;
    for (Size i = 0; i + 3 < edits.size(); i += 4) {
        const double layer = edits[i], to = edits[i + 1], from = edits[i + 2];
        if (layer < 1 || layer >= static_cast<double>(s.result.widths.size())) continue;
        const auto l = static_cast<Size>(layer);
        const double reads = s.result.widths[l - 1];
        if (to < 0 || to >= s.result.widths[l] || from < -1 || from >= reads) continue;
        weights[rowOf(s.result.widths, {l, static_cast<Size>(to)}) + static_cast<Size>(from < 0 ? reads : from)] = edits[i + 3];
    }
    return weights;
}

void dragLines(const Seen& s, const Stage& stage, MeshCache& cache) {
    const bool known = hasNetwork(s) && s.params.network.empty() && s.result.plane.size() == 3 * static_cast<Size>(s.result.widths[0]);
    const Pointer& p = s.f.handles.pointer();
    MeshCache::Grab& grab = cache.grab;
    const auto among = [&](double of, Size layer) { return layer < s.result.widths.size() && of < s.result.widths[layer]; };
    const bool gone =
        !among(static_cast<double>(grab.unit.unit), grab.unit.layer) ||
        std::any_of(grab.inputs.begin(), grab.inputs.end(), [&](Size i) { return !among(static_cast<double>(i), grab.unit.layer - 1); });
    if (gone) grab = {};
    const bool free = s.f.handles.freePointer().inside || !grab.id.empty() || cache.near;
    cache.near.reset();
    if (!known || s.f.kept) return;
    const auto near =
        grab.id.empty() && p.inside && free && (!p.down || p.pressed) && stage.square.contains(p.at) ? lineNear(s, stage, p) : std::nullopt;
    const auto weights = weightsNow(s);
    const bool held = grab.id == "line";
    const Chosen chosen = chosenOf(s), unit = held ? grab.unit : near ? near->unit : chosen;
    const Ends ends = showsChoice(s) && chosen.layer <= layerShown(s) ? stretchOf(s, stage, chosen) : std::nullopt;
    offerKnobs(s, stage, cache, weights, chosen, ends);
    // At rest the chosen line has a knob of its own, for fingers and the keyboard.
    if (unit.layer > layerShown(s) || !(held || near || ends)) return;
    const Vec2 knob = stage.toScreen(near ? near->at : ends ? ((*ends)[0] + (*ends)[1]) * 0.5 : Vec2{});
    const double bias = weights[rowOf(s.result.widths, unit) + static_cast<Size>(s.result.widths[unit.layer - 1])];
    const Rect rect = held ? around(p.at, 10) : near ? around(knob, kReach) : knobRect(knob);
    const double most = std::max(4.0, 4 * std::abs(bias));
    const auto grip =
        s.f.handles.offer({"line", "line of " + nameOf(s, unit) + ", by its bias", inWords(bias), bias, -most, most, most / 200, rect});
    if (grip.hovered) cache.near = unit;
    if (!near && !held && (grip.lively() || canBeHad(s, stage))) drawKnob(s.f, "regions/line", knob, grip, MarkerShape::Square);
    if (!grip.held) {
        if (held) grab = {};
        if (grip.moved) change(s, stage, weights, unit, {}, {grip.value - bias});
        return;
    }
    if (!held) grab = {"line", unit, {}, {}};
    if (unit != chosen) chooseUnit(s, unit);
    if (p.moved == Vec2{}) return;
    const auto from = readAt(s, weights, unit.layer, stage.toPlane(p.at - p.moved)),
               to = readAt(s, weights, unit.layer, stage.toPlane(p.at));
    const double* row = &weights[rowOf(s.result.widths, unit)];
    change(s, stage, weights, unit, {},
           {std::inner_product(from.begin(), from.end(), row, 0.0) - std::inner_product(to.begin(), to.end(), row, 0.0)});
}

}  // namespace kappaflow::activation_regions
