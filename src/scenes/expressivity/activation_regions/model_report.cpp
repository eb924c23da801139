#include "scenes/expressivity/activation_regions/model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/portable_math.h"
#include "scene/filled_report.h"

namespace kappaflow::regions {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// A network with more weights, or wider, is no diagram.
constexpr std::size_t kMostDrawnWeights = 4000, kMostDrawnWidth = 64, kMostPlaneInputs = 16;
constexpr std::size_t kUnitsInBase4 = 26, kUnitsInBase2 = 52, kMostRegionsWithStates = 30000;

Axis keyed(std::string name, std::vector<std::string> keys) { return {std::move(name), {}, std::move(keys)}; }
Axis xy() { return keyed("xy", {"x", "y"}); }

std::vector<double> flat(const std::vector<Vec2>& points) {
    std::vector<double> values;
    values.reserve(2 * points.size());
    for (const Vec2& p : points) values.insert(values.end(), {p.x, p.y});
    return values;
}

class Writer {
public:
    Writer(const Setup& setup, const Partition& partition, const Facts& facts)
        : setup_(setup), partition_(partition), facts_(facts), mesh_(partition.mesh()), out_("activation-regions") {}

    Report write() {
        counts();
        mesh();
        patterns();
        values();
        path();
        place();
        network();
        const bool proven = partition_.certificate().holds();
        out_.report.status = proven ? Status::Ok : Status::Partial;
        out_.report.message = proven ? "" : "The partition failed its own check.";
        out_.report.warnings = setup_.warnings;
        warn();
        out_.report.summary = summaryOf(partition_, out_.report);
        return std::move(out_.report);
    }

private:
    std::size_t depths() const { return static_cast<std::size_t>(partition_.exactDepth()); }
    Axis depthAxis() const { return countedAxis("depth", mesh_.depths.size()); }
    Axis regionAxis() const { return countedAxis("region", mesh_.faces()); }

    void counts() {
        std::vector<double> faces, edges, vertices, units{0}, typical, bound{1};
        for (const DepthCounts& d : mesh_.depths) {
            faces.push_back(static_cast<double>(d.faces));
            edges.push_back(static_cast<double>(d.edges));
            vertices.push_back(static_cast<double>(d.vertices));
        }
        for (int d = 1; d <= partition_.exactDepth(); ++d) {
            units.push_back(units.back() + static_cast<double>(partition_.unitsOf(d)));
            const double lines = linesOf(d);
            bound.push_back(bound.back() * (1 + lines + lines * (lines - 1) / 2));
        }
        for (const double n : units) typical.push_back(n * n / 2);
        out_.add("regionsByDepth", {depthAxis()}, std::move(faces));
        out_.add("edgesByDepth", {depthAxis()}, std::move(edges));
        out_.add("verticesByDepth", {depthAxis()}, std::move(vertices));
        out_.add("unitsByDepth", {depthAxis()}, std::move(units));
        out_.add("typicalCount", typical.back());
        out_.add("typicalByDepth", {depthAxis()}, std::move(typical));
        out_.add("boundByDepth", {depthAxis()}, std::move(bound));
        const auto& certificate = partition_.certificate();
        const double f = static_cast<double>(mesh_.faces()), e = static_cast<double>(mesh_.edges.size()),
                     v = static_cast<double>(mesh_.vertices.size());
        out_.add("regions", f);
        out_.add("vertexCount", v);
        out_.add("edgeCount", e);
        out_.add("areaSum", certificate.areaSum);
        out_.add("eulerCharacteristic", v - e + f);
        out_.add("affinePieces", static_cast<double>(countOf(facts_.pieces)));
        out_.add("exactThrough", certificate.holds() ? static_cast<double>(partition_.exactDepth()) : 0);
        out_.add("certificate", certificate.holds() ? 1 : 0);
    }

    /// Lines that a depth's units can draw within one region: units times their breakpoints; pooling draws one a pair that competes.
    double linesOf(int depth) const {
        std::size_t drawn = 0, breakpoints = 1;
        for (const Boundary& b : mesh_.boundaries) {
            if (b.depth != depth) continue;
            ++drawn;
            breakpoints = std::max(breakpoints, static_cast<std::size_t>(b.state) + 1);
        }
        return static_cast<double>(std::max(drawn, breakpoints * partition_.unitsOf(depth)));
    }

    void mesh() {
        const std::size_t regions = mesh_.faces(), edges = mesh_.edges.size();
        out_.add("vertices", {countedAxis("vertex", mesh_.vertices.size()), xy()}, flat(mesh_.vertices));
        out_.add("polygons", {countedAxis("corner", mesh_.corners.size())}, {mesh_.corners.begin(), mesh_.corners.end()});
        out_.add("polygonEnds", {regionAxis()}, {mesh_.faceStart.begin() + 1, mesh_.faceStart.end()});
        std::vector<double> ends, layers, units, areas(regions), first(regions);
        ends.reserve(2 * edges), layers.reserve(edges), units.reserve(edges);
        for (const RegionMesh::Edge& edge : mesh_.edges) {
            ends.insert(ends.end(), {static_cast<double>(edge.from), static_cast<double>(edge.to)});
            layers.push_back(mesh_.depthOf(edge));
            for (const std::int32_t face : {edge.left, edge.right}) {
                if (face < 0 || layers.back() == 0) continue;
                double& earliest = first[static_cast<std::size_t>(face)];
                earliest = earliest == 0 ? layers.back() : std::min(earliest, layers.back());
            }
            units.push_back(edge.boundary < 0 ? -1 : mesh_.boundaries[static_cast<std::size_t>(edge.boundary)].unit);
        }
        for (std::size_t f = 0; f < regions; ++f) areas[f] = faceArea(mesh_, f);
        out_.add("edges", {countedAxis("edge", edges), keyed("end", {"from", "to"})}, std::move(ends));
        out_.add("edgeLayer", {countedAxis("edge", edges)}, std::move(layers));
        out_.add("edgeUnit", {countedAxis("edge", edges)}, std::move(units));
        out_.add("area", {regionAxis()}, std::move(areas));
        out_.add("firstCut", {regionAxis()}, std::move(first));
    }

    void patterns() {
        const std::size_t regions = mesh_.faces();
        std::vector<double> hashes;
        hashes.reserve(mesh_.depths.size() * regions);
        for (const auto& row : mesh_.patternHash)
            for (const std::uint64_t hash : row) hashes.push_back(static_cast<double>(hash >> 12));
        out_.add("pattern", {depthAxis(), regionAxis()}, std::move(hashes));
        if (depths() == 0 || regions > kMostRegionsWithStates) return;
        std::vector<double> packed(depths() * regions, kNone);
        Axis layers{"layer", {}, {}};
        for (std::size_t d = 1; d <= depths(); ++d) {
            layers.values.push_back(static_cast<double>(d));
            const std::size_t units = partition_.unitsOf(static_cast<int>(d));
            for (std::size_t f = 0; f < regions && units <= kUnitsInBase2; ++f)
                packed[(d - 1) * regions + f] = packedStates(partition_.pattern(f, static_cast<int>(d)), units <= kUnitsInBase4 ? 4 : 2);
        }
        out_.add("states", {std::move(layers), regionAxis()}, std::move(packed)).mayBeUndefined = true;
    }

    static double packedStates(const std::vector<std::uint16_t>& states, double base) {
        double sum = 0;
        for (std::size_t i = states.size(); i-- > 0;) {
            if (states[i] >= base) return kNone;
            sum = sum * base + states[i];
        }
        return sum;
    }

    void values() {
        if (mesh_.output.empty()) return;
        const std::size_t vertices = mesh_.vertices.size();
        const std::size_t shown = std::min(setup_.output, mesh_.outputs - 1);
        std::vector<double> atVertex(vertices);
        for (std::size_t v = 0; v < vertices; ++v) atVertex[v] = mesh_.output[v * mesh_.outputs + shown];
        out_.add("output", {regionAxis()}, meansOnFaces(mesh_, atVertex));
        out_.add("vertexOutput", {countedAxis("vertex", vertices)}, std::move(atVertex));
        out_.add("gradient", {regionAxis()}, facts_.slopes);
        std::vector<double> segments;
        for (const MeshSegment& s : facts_.decisions) segments.insert(segments.end(), {s.a.x, s.a.y, s.b.x, s.b.y});
        out_.add("decisionBoundary", {countedAxis("segment", facts_.decisions.size()), keyed("coordinate", {"x0", "y0", "x1", "y1"})},
                 std::move(segments));
    }

    void path() {
        if (!facts_.crossings) return;
        const Polygon points = pathPoints(setup_);
        out_.add("pathPieces", static_cast<double>(facts_.crossings->size()));
        out_.add("path", {countedAxis("point", points.size()), xy()}, flat(points));
        std::vector<double> breaks;
        for (const Crossing& c : *facts_.crossings) breaks.push_back(c.from);
        std::sort(breaks.begin(), breaks.end());
        const Axis pieces = countedAxis("piece", breaks.size());
        out_.add("pathBreaks", {pieces}, std::move(breaks));
    }

    void place() {
        const Vec2 h{setup_.half, setup_.half};
        out_.add("window", {keyed("corner", {"low", "high"}), xy()}, flat({setup_.centre - h, setup_.centre + h}));
        const std::size_t inputs = setup_.slice.origin.size();
        if (inputs > kMostPlaneInputs) return;
        std::vector<double> plane;
        for (const auto* vector : {&setup_.slice.origin, &setup_.slice.u, &setup_.slice.v})
            plane.insert(plane.end(), vector->begin(), vector->end());
        out_.add("plane", {keyed("vector", {"origin", "first", "second"}), countedAxis("input", inputs)}, std::move(plane));
    }

    void network() {
        if (setup_.withNetwork) layers(setup_.network.layers);
        std::vector<double> widths{static_cast<double>(setup_.network.input.units())}, weight, layer, to, from;
        for (const Layer& l : setup_.network.layers) {
            if (l.kind == LayerKind::Activation || l.kind == LayerKind::Flatten) continue;
            if (l.kind != LayerKind::Dense || weight.size() + l.weights.size() > kMostDrawnWeights) return;
            const std::size_t in = l.in.units();
            for (std::size_t o = 0; o < l.out.units(); ++o)
                for (std::size_t i = 0; i <= in; ++i) {
                    weight.push_back(i < in ? l.weights[o * in + i] : l.bias.empty() ? 0 : l.bias[o]);
                    layer.push_back(static_cast<double>(widths.size()));
                    to.push_back(static_cast<double>(o));
                    from.push_back(i < in ? static_cast<double>(i) : -1);
                }
            widths.push_back(static_cast<double>(l.out.units()));
        }
        if (*std::max_element(widths.begin(), widths.end()) > kMostDrawnWidth) return;
        const Axis each = countedAxis("weight", weight.size()), columns = countedAxis("column", widths.size());
        out_.add("widths", {columns}, std::move(widths));
        out_.add("weights", {each}, std::move(weight));
        out_.add("weightLayer", {each}, std::move(layer));
        out_.add("weightTo", {each}, std::move(to));
        out_.add("weightFrom", {each}, std::move(from));
    }

    void layers(const std::vector<Layer>& all) {
        for (const Layer& l : all) {
            if (l.kind == LayerKind::Dense) out_.report.network.push_back({"dense", {l.out.units(), l.in.units()}, l.weights, l.bias});
            if (l.kind == LayerKind::Conv) out_.report.network.push_back({"conv", {l.out.units(), l.in.units()}, l.weights, l.bias});
            layers(l.branch);
            layers(l.skip);
        }
    }

    void warn() {
        auto& warnings = out_.report.warnings;
        const Certificate& c = partition_.certificate();
        if (partition_.exactDepth() < partition_.depths())
            warnings.push_back(std::string("The regions are ") + (c.holds() ? "exact" : "cut") + " through layer " +
                               std::to_string(partition_.exactDepth()) + " of " + std::to_string(partition_.depths()) +
                               ": the next one would have gone over the budget of regions, or over what time and memory allow.");
        if (c.holds()) return;
        std::string failed;
        for (const auto& [holds, what] : {std::pair<bool, const char*>{c.euler, "V − E + F = 1"},
                                          {c.distinctPatterns, "one region a pattern"},
                                          {c.areas, "areas above rounding that sum to the window's"},
                                          {c.twins, "edges that run both ways"}})
            if (!holds) failed += (failed.empty() ? "" : ", ") + std::string(what);
        warnings.push_back("This partition failed its own check (" + failed + "): its counts may be wrong.");
    }

    const Setup& setup_;
    const Partition& partition_;
    const Facts& facts_;
    const RegionMesh& mesh_;
    FilledReport out_;
};

}  // namespace

Report makeReport(const Setup& setup, const Partition& partition, const Facts& facts) { return Writer(setup, partition, facts).write(); }

Polygon pathPoints(const Setup& setup) {
    if (setup.path == "drawn") return setup.drawn;
    constexpr int kSteps = 128;
    Polygon points;
    for (int i = 0; i <= kSteps; ++i) {
        const SineCosine turn = portableSineCosine(2 * 3.14159265358979323846 * i / kSteps);
        points.push_back(setup.pathCentre + Vec2{turn.cosine, turn.sine} * setup.pathRadius);
    }
    return points;
}

std::string summaryOf(const Partition& partition, const Report& report) {
    const auto number = [&](const char* name) { return inWords(report.scalar(name)->value, 9); };
    const bool one = report.scalar("regions")->value == 1;
    std::string text = "The window is cut into " + number("regions") + (one ? " region" : " regions") + " with " + number("edgeCount") +
                       " edges and " + number("vertexCount") + " vertices";
    const int cut = partition.exactDepth();
    const bool whole = cut == partition.depths();
    if (!whole && cut == 0) text += ": the budget allows no layer";
    if (!whole && cut > 0) text += " by the first " + (cut == 1 ? "layer" : inWords(cut) + " layers") + ", as many as the budget allows";
    text += ".";
    const std::string layer = whole ? "last hidden layer" : "last layer that cut";
    if (cut > 0)
        text += " On them the " + layer + " has " + number("affinePieces") +
                (report.scalar("affinePieces")->value == 1 ? " affine piece." : " affine pieces.");
    if (const Scalar* path = report.scalar("pathPieces"))
        text += path->value == 0   ? " The trajectory lies outside the window."
                : path->value == 1 ? " The trajectory lies in 1 piece within the window."
                                   : " The trajectory falls into " + number("pathPieces") + " pieces within the window.";
    if (report.scalar("certificate")->value == 0) text += " The partition failed its own check: these counts may be wrong.";
    return text;
}

}  // namespace kappaflow::regions
