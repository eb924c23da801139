// What a finished partition is made into: the numbers of the report, and the sentences about them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/portable_math.h"
#include "scenes/expressivity/activation_regions_model.h"

namespace kappaflow::activation_regions {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// A network with more weights, or wider, is no diagram.
constexpr Size kMostDrawnWeights = 4000, kMostDrawnWidth = 64, kMostPlaneInputs = 16;
constexpr Size kUnitsInBase4 = 26, kUnitsInBase2 = 52, kMostRegionsWithStates = 30000;

Vector flat(const std::vector<Vec2>& points) {
    Vector values;
    values.reserve(2 * points.size());
    for (const Vec2& p : points) values.insert(values.end(), {p.x, p.y});
    return values;
}

/// Lines that a depth's units can draw within one region: units times their breakpoints; pooling draws one a pair that competes.
double linesOf(const Partition& partition, int depth) {
    Size drawn = 0, breakpoints = 1;
    for (const Boundary& b : partition.mesh().boundaries) {
        if (b.depth != depth) continue;
        ++drawn;
        breakpoints = std::max(breakpoints, static_cast<Size>(b.state) + 1);
    }
    return static_cast<double>(std::max(drawn, breakpoints * partition.unitsOf(depth)));
}

void addCounts(const Partition& partition, Result& r) {
    const RegionMesh& mesh = partition.mesh();
    const Certificate& certificate = partition.certificate();
    r.depths = countUp(mesh.depths.size());
    for (const DepthCounts& d : mesh.depths) {
        r.regionsByDepth.push_back(static_cast<double>(d.faces));
        r.edgesByDepth.push_back(static_cast<double>(d.edges));
        r.verticesByDepth.push_back(static_cast<double>(d.vertices));
    }
    r.unitsByDepth = {0}, r.boundByDepth = {1};
    for (int d = 1; d <= partition.exactDepth(); ++d) {
        r.unitsByDepth.push_back(r.unitsByDepth.back() + static_cast<double>(partition.unitsOf(d)));
        const double lines = linesOf(partition, d);
        r.boundByDepth.push_back(r.boundByDepth.back() * (1 + lines + lines * (lines - 1) / 2));
    }
    for (const double n : r.unitsByDepth) r.typicalByDepth.push_back(n * n / 2);
    r.typicalCount = r.typicalByDepth.back();
    r.regions = static_cast<double>(mesh.faces());
    r.edgeCount = static_cast<double>(mesh.edges.size());
    r.vertexCount = static_cast<double>(mesh.vertices.size());
    r.euler = r.vertexCount - r.edgeCount + r.regions;
    r.areaSum = certificate.areaSum;
    r.affinePieces = static_cast<double>(countOf(affinePieces(partition)));
    r.exactThrough = certificate.holds() ? partition.exactDepth() : 0;
    r.certificate = certificate.holds();
    r.allDepths = partition.depths();
}

void addMesh(const RegionMesh& mesh, Result& r) {
    r.vertex = countUp(mesh.vertices.size());
    r.corner = countUp(mesh.corners.size());
    r.region = countUp(mesh.faces());
    r.edge = countUp(mesh.edges.size());
    r.vertices = flat(mesh.vertices);
    r.polygons.assign(mesh.corners.begin(), mesh.corners.end());
    r.polygonEnds.assign(mesh.faceStart.begin() + 1, mesh.faceStart.end());
    r.firstCut.resize(mesh.faces());
    r.edges.reserve(2 * mesh.edges.size()), r.edgeLayer.reserve(mesh.edges.size()), r.edgeUnit.reserve(mesh.edges.size());
    for (const RegionMesh::Edge& edge : mesh.edges) {
        r.edges.insert(r.edges.end(), {static_cast<double>(edge.from), static_cast<double>(edge.to)});
        const double layer = mesh.depthOf(edge);
        r.edgeLayer.push_back(layer);
        for (const std::int32_t face : {edge.left, edge.right}) {
            if (face < 0 || layer == 0) continue;
            double& earliest = r.firstCut[static_cast<Size>(face)];
            earliest = earliest == 0 ? layer : std::min(earliest, layer);
        }
        r.edgeUnit.push_back(edge.boundary < 0 ? -1 : mesh.boundaries[static_cast<Size>(edge.boundary)].unit);
    }
    r.area.reserve(mesh.faces());
    for (Size f = 0; f < mesh.faces(); ++f) r.area.push_back(faceArea(mesh, f));
}

double packedStates(const std::vector<std::uint16_t>& states, double base) {
    double sum = 0;
    for (Size i = states.size(); i-- > 0;) {
        if (states[i] >= base) return kNone;
        sum = sum * base + states[i];
    }
    return sum;
}

void addPatterns(const Partition& partition, Result& r, const std::function<void()>& tick) {
    const RegionMesh& mesh = partition.mesh();
    const Size regions = mesh.faces(), depths = static_cast<Size>(partition.exactDepth());
    r.pattern.reserve(mesh.depths.size() * regions);
    for (const auto& row : mesh.patternHash)
        for (const std::uint64_t hash : row) r.pattern.push_back(static_cast<double>(hash >> 12));
    if (depths == 0 || regions > kMostRegionsWithStates) return;
    r.layers = countUp(depths, 1);
    r.states.assign(depths * regions, kNone);
    for (Size d = 1; d <= depths; ++d) {
        tick();
        const Size units = partition.unitsOf(static_cast<int>(d));
        for (Size f = 0; f < regions && units <= kUnitsInBase2; ++f)
            r.states[(d - 1) * regions + f] = packedStates(partition.pattern(f, static_cast<int>(d)), units <= kUnitsInBase4 ? 4 : 2);
    }
}

void addValues(const Params& p, const RegionMesh& mesh, Result& r, const std::function<void()>& tick) {
    if (mesh.output.empty()) return;
    const Size shown = std::min(static_cast<Size>(p.outputIndex), mesh.outputs - 1);
    r.vertexOutput.reserve(mesh.vertices.size());
    for (Size v = 0; v < mesh.vertices.size(); ++v) r.vertexOutput.push_back(mesh.output[v * mesh.outputs + shown]);
    r.output = meansOnFaces(mesh, r.vertexOutput);
    tick();
    r.gradient = slopeNorms(mesh);
    tick();
    const auto decisions = decisionBoundary(mesh);
    r.segment = countUp(decisions.size());
    r.decisions.emplace();
    for (const MeshSegment& s : decisions) r.decisions->insert(r.decisions->end(), {s.a.x, s.a.y, s.b.x, s.b.y});
}

void addPath(const Params& p, const RegionMesh& mesh, Result& r) {
    constexpr double kTurn = 2 * std::numbers::pi;
    constexpr int kSteps = 128;  // of a circle
    Polygon points;
    std::vector<Crossing> crossings;
    if (p.path == Path::Circle) {
        const Vec2 centre{p.pathCentre.empty() ? 0 : p.pathCentre[0], p.pathCentre.size() < 2 ? 0 : p.pathCentre[1]};
        crossings = crossedFacesOfArc(mesh, centre, p.pathRadius, 0, kTurn);
        for (int i = 0; i <= kSteps; ++i) {
            const SineCosine turn = portableSineCosine(kTurn * i / kSteps);
            points.push_back(centre + Vec2{turn.cosine, turn.sine} * p.pathRadius);
        }
    } else if (p.path == Path::Drawn && p.drawn.size() >= 4) {
        for (Size i = 0; i + 1 < p.drawn.size(); i += 2) points.push_back({p.drawn[i], p.drawn[i + 1]});
        crossings = crossedFaces(mesh, points);
    } else {
        return;
    }
    r.pathPieces = static_cast<double>(crossings.size());
    r.point = countUp(points.size());
    r.path = flat(points);
    r.pathBreaks.emplace();
    for (const Crossing& c : crossings) r.pathBreaks->push_back(c.from);
    std::sort(r.pathBreaks->begin(), r.pathBreaks->end());
    r.piece = countUp(crossings.size());
}

void addDiagram(const Network& network, Result& r) {
    Vector widths{static_cast<double>(network.input.units())}, weight, layer, to, from;
    for (const Layer& l : network.layers) {
        if (l.is<Pointwise, Flatten>()) continue;
        const auto* dense = l.getIf<Dense>();
        if (!dense || weight.size() + dense->weights.size() > kMostDrawnWeights) return;
        const Size in = l.in.units();
        for (Size o = 0; o < l.out.units(); ++o)
            for (Size i = 0; i <= in; ++i) {
                weight.push_back(i < in ? dense->weights[o * in + i] : dense->bias.empty() ? 0 : dense->bias[o]);
                layer.push_back(static_cast<double>(widths.size()));
                to.push_back(static_cast<double>(o));
                from.push_back(i < in ? static_cast<double>(i) : -1);
            }
        widths.push_back(static_cast<double>(l.out.units()));
    }
    if (*std::max_element(widths.begin(), widths.end()) > kMostDrawnWidth) return;
    r.column = countUp(widths.size());
    r.weight = countUp(weight.size());
    r.widths = std::move(widths), r.weights = std::move(weight);
    r.weightLayer = std::move(layer), r.weightTo = std::move(to), r.weightFrom = std::move(from);
}

void warn(const Partition& partition, Result& r) {
    const Certificate& c = partition.certificate();
    if (partition.exactDepth() < partition.depths())
        r.warnings.push_back(std::string("The regions are ") + (c.holds() ? "exact" : "cut") + " through layer " +
                             std::to_string(partition.exactDepth()) + " of " + std::to_string(partition.depths()) +
                             ": the next one would have gone over the budget of regions, or over what time and memory allow.");
    if (c.holds()) return;
    std::string failed;
    for (const auto& [holds, what] : {std::pair<bool, const char*>{c.euler, "V − E + F = 1"},
                                      {c.distinctPatterns, "one region a pattern"},
                                      {c.areas, "areas above rounding that sum to the window's"},
                                      {c.twins, "edges that run both ways"}})
        if (!holds) failed += (failed.empty() ? "" : ", ") + std::string(what);
    r.warnings.push_back("This partition failed its own check (" + failed + "): its counts may be wrong.");
    r.doubt = "The partition failed its own check.";
}

}  // namespace

Result resultOf(const Params& p, const Setup& setup, const Partition& partition, const std::function<void()>& tick) {
    const RegionMesh& mesh = partition.mesh();
    Result r;
    r.warnings = setup.warnings;
    addCounts(partition, r);
    tick();
    addMesh(mesh, r);
    tick();
    addPatterns(partition, r, tick);
    addValues(p, mesh, r, tick);
    tick();
    addPath(p, mesh, r);
    const Vec2 half{setup.half, setup.half};
    r.window = flat({setup.centre - half, setup.centre + half});
    if (setup.slice.origin.size() <= kMostPlaneInputs) {
        r.input = countUp(setup.slice.origin.size());
        for (const auto* vector : {&setup.slice.origin, &setup.slice.u, &setup.slice.v})
            r.plane.insert(r.plane.end(), vector->begin(), vector->end());
    }
    addDiagram(setup.network, r);
    warn(partition, r);
    return r;
}

void addNextLine(const Setup& setup, const Partition& partition, Result& r, const std::function<void()>& tick) {
    constexpr double kRegions = 2000, kFar = 1e4;
    if (r.regions > 1 || partition.exactDepth() < partition.depths()) return;
    PartitionOptions options = setup.options;
    options.regionBudget = kRegions, options.snapshotBytes = 0, options.outputs = false;
    Partition wider;
    // Half sides: no line is nearer than one, and the other's window has more regions than are made.
    double clear = setup.half, crowded = 8 * kFar;
    for (double half = 4 * clear; half < 4 * kFar && crowded > 1.001 * clear;
         half = crowded < 8 * kFar ? std::sqrt(clear * crowded) : 4 * clear) {
        wider.start(setup.network, setup.slice, rectangle(setup.centre - Vec2{half, half}, setup.centre + Vec2{half, half}), options);
        for (tick(); wider.step();) tick();
        if (wider.exactDepth() < wider.depths()) {
            crowded = half;
            continue;
        }
        double best = std::min(half, kFar);  // a circle of this size lies in the window
        for (const auto& edge : wider.mesh().edges) {
            if (edge.boundary < 0) continue;
            const Vec2 from = wider.mesh().vertices[edge.from], along = wider.mesh().vertices[edge.to] - from;
            const double share = std::clamp(dot(setup.centre - from, along) / std::max(dot(along, along), 1e-300), 0.0, 1.0);
            const Vec2 at = from + along * share;
            if (const double away = length(at - setup.centre); away < best) best = away, r.nextLine = away, r.nextPoint = {at.x, at.y};
        }
        if (r.nextLine) return;
        clear = half;
    }
}

void addTraining(Result& r, const LabelledPoints& points, const training_runs::Run& run) {
    const Size samples = points.labels.size();
    r.sample = countUp(samples);
    for (Size s = 0; s < samples; ++s) r.samplePoints.insert(r.samplePoints.end(), {points.points(0, s), points.points(1, s)});
    r.sampleClass.assign(points.labels.begin(), points.labels.end());
    auto history = run.history();
    r.stepAxis = std::move(history.steps);
    r.loss = std::move(history.loss);
    r.accuracy = std::move(history.accuracy);
    r.trainedSteps = static_cast<double>(run.shown());
    // About to diverge it may be beyond all numbers.
    if (std::isfinite(run.seen().loss)) r.trainingLoss = run.seen().loss;
    r.trainingAccuracy = run.seen().accuracy;
}

std::string summaryOf(const Params& p, const Result& r) {
    std::string text;
    if (r.trainedSteps)
        text = "After " + std::to_string(static_cast<int>(*r.trainedSteps)) + " of " + std::to_string(p.steps) + " training steps " +
               inWords(100 * *r.trainingAccuracy) + " % of the " + std::to_string(r.sample.size()) +
               " samples are on their side of the decision boundary. ";
    text += "The window is cut into " + counted(r.regions, "region") + " with " + inWords(r.edgeCount, 9) + " edges and " +
            inWords(r.vertexCount, 9) + " vertices";
    const auto cut = static_cast<double>(r.depths.size()) - 1;
    const bool whole = cut == r.allDepths;
    if (!whole && cut == 0) text += ": the budget allows no layer";
    if (!whole && cut > 0) text += " by the first " + (cut == 1 ? "layer" : inWords(cut) + " layers") + ", as many as the budget allows";
    text += ".";
    if (cut > 0)
        text += std::string(" On them the ") + (whole ? "last hidden layer" : "last layer that cut") + " has " +
                counted(r.affinePieces, "affine piece") + ".";
    if (r.pathPieces)
        text += *r.pathPieces == 0   ? " The trajectory lies outside the window."
                : *r.pathPieces == 1 ? " The trajectory lies in 1 piece within the window."
                                     : " The trajectory falls into " + inWords(*r.pathPieces, 9) + " pieces within the window.";
    if (r.certificate == 0) text += " The partition failed its own check: these counts may be wrong.";
    return text;
}

}  // namespace kappaflow::activation_regions
