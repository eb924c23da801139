#include "scenes/network_lens/model_regions.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/capacity/capacity_network.h"
#include "core/regions/piecewise.h"

namespace kappaflow::lens {
namespace {

std::vector<double> flat(const std::vector<Vec2>& points) {
    std::vector<double> values;
    values.reserve(2 * points.size());
    for (const Vec2& p : points) values.insert(values.end(), {p.x, p.y});
    return values;
}

PartitionOptions optionsFor(double regions) {
    PartitionOptions options;
    options.regionBudget = regions;
    options.byteBudget = kMeshBytes;
    options.snapshotBytes = 0;
    return options;
}

const Layer* smoothLayer(const std::vector<Layer>& layers) {
    for (const Layer& layer : layers) {
        if (layer.kind == LayerKind::Activation && !isPiecewiseLinear(layer)) return &layer;
        for (const auto* side : {&layer.branch, &layer.skip})
            if (const Layer* found = smoothLayer(*side)) return found;
    }
    return nullptr;
}

/// Depths are activations and max poolings, states stand behind what has weights: the state that ends at or behind each depth.
std::vector<double> statesOfDepths(const Network& network, int depths) {
    std::vector<double> states{0};
    const auto ends = weightLayerStates(network);
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        const auto kind = network.layers[i].kind;
        if (kind != LayerKind::Activation && kind != LayerKind::MaxPool && kind != LayerKind::Residual) continue;
        const auto state = std::lower_bound(ends.begin(), ends.end(), i + 1) - ends.begin();
        const auto inside = kind != LayerKind::Residual
                                ? 1
                                : std::count_if(network.layers[i].branch.begin(), network.layers[i].branch.end(), [](const Layer& l) {
                                      return l.kind == LayerKind::Activation || l.kind == LayerKind::MaxPool;
                                  });
        states.insert(states.end(), static_cast<std::size_t>(inside), static_cast<double>(state));
    }
    states.resize(static_cast<std::size_t>(depths) + 1, static_cast<double>(ends.size() - 1));
    return states;
}

}  // namespace

std::string whyNoRegions(const Network& network) {
    const Layer* smooth = smoothLayer(network.layers);
    if (!smooth) return "";
    const std::string name(activationKey(smooth->activation));
    if (smooth->activation == Activation::PseudoRandom)
        return "The pseudo-random sign flips everywhere, so that it has no regions: any two inputs have different patterns.";
    return "Regions with straight sides need activations of straight pieces, and " + name + " has none.";
}

double regionsWithin(const Network& network, double work, double wanted) {
    // Maps of every layer on the slice take their memory however few the regions are.
    constexpr double kMostBytes = 1e8;
    for (double regions = wanted; regions >= 1; regions = regions > 1 ? std::max(1.0, std::floor(0.8 * regions)) : 0) {
        const Cost cost = partitionCost(network, optionsFor(regions));
        if (cost.operations <= work && cost.bytes <= kMostBytes) return regions;
    }
    return 0;
}

void RegionsLens::start(const Setup& setup, const Network& network, double work) {
    cut_ = false;
    lo_ = setup.centre - Vec2{setup.half, setup.half};
    hi_ = setup.centre + Vec2{setup.half, setup.half};
    unit_ = setup.unit;
    beginNote(setup.slice ? whyNoRegions(network) : setup.noSlice);
    if (!note_.empty()) return;
    const double regions = regionsWithin(network, kBoundOverWork * work, setup.budget);
    if (regions == 0) {
        note_ = "The network is too large for its regions to be cut in the time and memory there are.";
        return;
    }
    try {
        partition_.start(network, *setup.slice, setup.window, optionsFor(regions));
        cut_ = true;
        stateOfDepth_ = statesOfDepths(network, partition_.depths());
    } catch (const InputError& error) {
        note_ = error.what();
    }
}

bool RegionsLens::step() {
    if (!cut_) return false;
    if (partition_.step()) return true;
    decisions_ = decisionBoundary(partition_.mesh());
    if (partition_.exactDepth() < partition_.depths())
        note_ = "The regions are exact through bending layer " + std::to_string(partition_.exactDepth()) + " of " +
                std::to_string(partition_.depths()) + ": the next one would have gone over the budget of regions.";
    return false;
}

void RegionsLens::addMesh(FilledReport& r) const {
    const RegionMesh& mesh = partition_.mesh();
    const Axis depth = countedAxis("depth", mesh.depths.size()), region = countedAxis("region", mesh.faces());
    r.add("vertices", {countedAxis("vertex", mesh.vertices.size()), xyAxis()}, flat(mesh.vertices));
    r.add("polygons", {countedAxis("corner", mesh.corners.size())}, {mesh.corners.begin(), mesh.corners.end()});
    r.add("polygonEnds", {region}, {mesh.faceStart.begin() + 1, mesh.faceStart.end()});
    std::vector<double> ends, layers, hashes, faces, units{0};
    for (const RegionMesh::Edge& edge : mesh.edges) {
        ends.insert(ends.end(), {static_cast<double>(edge.from), static_cast<double>(edge.to)});
        layers.push_back(mesh.depthOf(edge));
    }
    for (const auto& row : mesh.patternHash)
        for (const std::uint64_t hash : row) hashes.push_back(static_cast<double>(hash >> 12));
    for (const DepthCounts& counts : mesh.depths) faces.push_back(static_cast<double>(counts.faces));
    for (int d = 1; d <= partition_.exactDepth(); ++d) units.push_back(units.back() + static_cast<double>(partition_.unitsOf(d)));
    const Axis edge = countedAxis("edge", mesh.edges.size());
    r.add("edges", {edge, keyedAxis("end", {"from", "to"})}, std::move(ends));
    r.add("edgeLayer", {edge}, std::move(layers));
    r.add("pattern", {depth, region}, std::move(hashes));
    r.add("regionsByDepth", {depth}, std::move(faces));
    r.add("unitsByDepth", {depth}, std::move(units));
    r.add("stateOfDepth", {depth}, {stateOfDepth_.begin(), stateOfDepth_.begin() + static_cast<std::ptrdiff_t>(mesh.depths.size())});
}

void RegionsLens::addValues(FilledReport& r) const {
    const RegionMesh& mesh = partition_.mesh();
    if (mesh.output.empty()) return;
    const std::size_t shown = std::min(unit_, mesh.outputs - 1);
    std::vector<double> atVertex(mesh.vertices.size()), segments;
    for (std::size_t v = 0; v < atVertex.size(); ++v) atVertex[v] = mesh.output[v * mesh.outputs + shown];
    for (const MeshSegment& s : decisions_) segments.insert(segments.end(), {s.a.x, s.a.y, s.b.x, s.b.y});
    r.add("output", {countedAxis("region", mesh.faces())}, meansOnFaces(mesh, atVertex));
    r.add("vertexOutput", {countedAxis("vertex", mesh.vertices.size())}, std::move(atVertex));
    r.add("decisionBoundary", {countedAxis("segment", decisions_.size()), keyedAxis("coordinate", {"x0", "y0", "x1", "y1"})},
          std::move(segments));
}

void RegionsLens::addTo(FilledReport& r) const {
    r.add("window", {keyedAxis("corner", {"low", "high"}), xyAxis()}, flat({lo_, hi_}));
    if (!cut_) return;
    addMesh(r);
    addValues(r);
    r.add("regions", static_cast<double>(partition_.mesh().faces()));
    r.add("exactThrough", static_cast<double>(partition_.exactDepth()));
    r.add("certificate", partition_.certificate().holds() ? 1 : 0);
}

}  // namespace kappaflow::lens
