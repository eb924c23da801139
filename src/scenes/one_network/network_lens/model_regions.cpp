#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "core/base/errors.h"
#include "core/capacity/capacity_network.h"
#include "core/regions/partition.h"
#include "scenes/one_network/network_lens/model_lens.h"

namespace kappaflow::lens {
namespace {

std::vector<double> flat(const std::vector<Vec2>& points) {
    std::vector<double> values;
    values.reserve(2 * points.size());
    for (const Vec2& p : points) values.insert(values.end(), {p.x, p.y});
    return values;
}

/// Outputs that a partition keeps (PartitionOptions::outputs).
constexpr std::size_t kMostOutputs = 64;

const Layer* smoothLayer(const std::vector<Layer>& layers) {
    for (const Layer& layer : layers) {
        if (layer.kind == LayerKind::Activation && !isPiecewiseLinear(layer)) return &layer;
        for (const auto* side : {&layer.branch, &layer.skip})
            if (const Layer* found = smoothLayer(*side)) return found;
    }
    return nullptr;
}

/// Depths that a chain of layers has, as the partition counts them: a branch before its skip, without what bends nothing.
std::size_t bendsIn(std::span<const Layer> layers) {
    std::size_t bends = 0;
    for (const Layer& layer : layers) {
        if (layer.kind == LayerKind::Activation) bends += layer.activation != Activation::Identity;
        if (layer.kind == LayerKind::MaxPool) bends += layer.window.size[0] * layer.window.size[1] > 1;
        bends += bendsIn(layer.branch) + bendsIn(layer.skip);
    }
    return bends;
}

/// States stand behind what has weights, pools or adds: the one that ends at or behind each depth, and where in it the depth lies.
DepthPlaces placesOfDepths(const Network& network, int depths) {
    DepthPlaces places{{0}, {0}};
    const auto ends = weightLayerStates(network);
    const auto parts = weightLayerParts(network.layers);
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        const auto state = static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), i + 1) - ends.begin());
        const bool block = network.layers[i].kind == LayerKind::Residual;
        const bool sum = !block && state > 0 && state <= parts.size() && parts[state - 1].layer->kind == LayerKind::Residual;
        const std::size_t bends = bendsIn({&network.layers[i], 1});
        for (std::size_t bend = 1; bend <= bends; ++bend) {
            places.state.push_back(static_cast<double>(state));
            places.inside.push_back(block ? static_cast<double>(bend) : sum ? -1 : 0);
        }
    }
    places.state.resize(static_cast<std::size_t>(depths) + 1, static_cast<double>(ends.size() - 1));
    places.inside.resize(static_cast<std::size_t>(depths) + 1, 0);
    return places;
}

}  // namespace

PartitionOptions partitionOptions(double regions) {
    PartitionOptions options;
    options.regionBudget = regions;
    options.byteBudget = kMeshBytes;
    options.snapshotBytes = 0;
    return options;
}

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
        const Cost cost = partitionCost(network, partitionOptions(regions));
        if (cost.operations <= work && cost.bytes <= kMostBytes) return regions;
    }
    return 0;
}

void RegionsLens::start(const Setup& setup, const Network& network, double work) {
    cut_ = false;
    lo_ = setup.centre - Vec2{setup.half, setup.half};
    hi_ = setup.centre + Vec2{setup.half, setup.half};
    unit_ = setup.unit;
    outputs_ = network.output().units();
    beginNote(setup.slice ? whyNoRegions(network) : setup.noSlice);
    if (!note_.empty()) return;
    wanted_ = setup.budget;
    allowed_ = regionsWithin(network, kBoundOverWork * work, wanted_);
    if (allowed_ == 0) {
        note_ = "The network is too large for its regions to be cut in the time and memory there are.";
        return;
    }
    try {
        partition_.start(network, *setup.slice, setup.window, partitionOptions(allowed_));
        cut_ = true;
        places_ = placesOfDepths(network, partition_.depths());
    } catch (const InputError& error) {
        note_ = error.what();
    }
}

bool RegionsLens::step() {
    if (!cut_) return false;
    if (partition_.step()) return true;
    decisions_ = decisionBoundary(partition_.mesh());
    note_ = whatIsMissing();
    return false;
}

std::string RegionsLens::whatIsMissing() const {
    if (!partition_.certificate().holds()) return "The partition failed its own check: what is drawn and counted here may be wrong.";
    const int exact = partition_.exactDepth(), all = partition_.depths();
    if (exact < all) {
        const std::string fewer = allowed_ < wanted_ ? ", which is " + inWords(allowed_, 7) + " in the time and memory there are" : "";
        return (exact > 0 ? "The regions are exact through bending layer " + std::to_string(exact) + " of " + std::to_string(all) +
                                ": the next one"
                          : std::string("The window is not cut: the first bending layer")) +
               " would have gone over the budget of regions" + fewer + ", or over what memory allows.";
    }
    const RegionMesh& mesh = partition_.mesh();
    if (!mesh.output.empty()) return "";
    return std::string(outputs_ > kMostOutputs ? "More than 64 outputs are not followed over the window"
                                               : "The outputs on all regions would have gone over what memory allows") +
           ": there is no decision boundary, and no value under the pointer.";
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
    const auto cut = static_cast<std::ptrdiff_t>(mesh.depths.size());
    r.add("stateOfDepth", {depth}, {places_.state.begin(), places_.state.begin() + cut});
    r.add("insideOfDepth", {depth}, {places_.inside.begin(), places_.inside.begin() + cut});
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
    const bool holds = partition_.certificate().holds();
    r.add("exactThrough", holds ? static_cast<double>(partition_.exactDepth()) : 0);
    r.add("bendingLayers", static_cast<double>(partition_.depths()));
    r.add("regionBudget", allowed_);
    r.add("certificate", holds ? 1 : 0);
}

namespace {

constexpr double kQuarterTurn = 1.5707963267948966;
constexpr double kSlice = 4e6;  ///< multiply-adds, a millisecond or two
/// Streams of sampled points, as the scene of trajectories has them.
constexpr std::uint64_t kPilotStream = 1u << 30, kDeepStream = kPilotStream + 1;
constexpr std::size_t kPilot = 48, kMostStrata = 1200, kLeastPoints = 16, kPlacesInPlane = 129;
/// Relative standard error that sampled lengths are good for.
constexpr double kPrecision = 0.02;

double weightsOf(const std::vector<CurveLayer>& layers) {
    double weights = 0;
    for (const CurveLayer& layer : layers) weights += static_cast<double>(layer.in) * static_cast<double>(layer.out);
    return weights;
}

/// Points of the images that so many operations are enough for; 0 when they are not enough for any.
std::size_t pointsWithin(const std::vector<CurveLayer>& layers, double work) {
    std::size_t points = kMostCurvePoints;
    while (points >= kLeastPoints && workOfPlanes(layers, points) > work) points = points * 9 / 10;
    return points >= kLeastPoints ? points : 0;
}

std::string whyNoCurve(const Setup& setup, const Network& network) {
    for (const Layer& layer : network.layers) {
        if (layer.kind == LayerKind::Residual)
            return "Curves are followed through chains of dense layers, and this network has residual blocks.";
        if (layer.kind == LayerKind::Conv) return "Curves are followed through dense layers, and this network has convolutions.";
        if (layer.kind == LayerKind::BatchNorm) return "Curves are followed through dense layers, and this network has batch norm.";
        if (layer.kind == LayerKind::Activation && layer.activation == Activation::PseudoRandom)
            return "The pseudo-random sign jumps everywhere, so that the image of a curve is no curve.";
    }
    if (setup.samples.at(setup.chosen[0]) == setup.samples.at(setup.chosen[1]))
        return "Samples A and B are the same point: there is no curve between them.";
    return "";
}

}  // namespace

void TrajectoryLens::start(const Setup& setup, const Network& network, double work) {
    beginNote(whyNoCurve(setup, network));
    applies_ = false;
    pilot_.reset(), deep_.reset(), planes_.reset(), sweep_.reset();
    pilotLengths_.clear();
    places_.clear();
    inPlane_.clear();
    if (!note_.empty()) return;
    try {
        layers_ = curveLayers(network);
    } catch (const InputError& error) {
        note_ = error.what();
        return;
    }
    work_ = work;
    seed_ = setup.seed;
    if (8 * static_cast<double>(kPilot) * weightsOf(layers_) > 10 * work_) {
        note_ = "The network is too large for a curve to be followed in the time there is.";
        return;
    }
    const auto a = setup.samples.at(setup.chosen[0]), b = setup.samples.at(setup.chosen[1]);
    curve_ = setup.arc ? arcCurve(a, b, 0, kQuarterTurn) : segmentCurve(a, b);
    pilot_.emplace(layers_, curve_, Rng(seed_, Purpose::MonteCarlo, kPilotStream), SamplingPlan{0, kPilot, kPilot});
    applies_ = true;
    if (setup.slice && (!setup.arc || a.size() == 2))
        for (std::size_t i = 0; i < kPlacesInPlane; ++i)
            inPlane_.push_back(footOn(
                *setup.slice, curveAt(curve_, curve_.ends.back() * static_cast<double>(i) / static_cast<double>(kPlacesInPlane - 1))));
    if (!isPiecewiseLinear(layers_)) return;
    const double most = std::clamp(work_ / (4 * weightsOf(layers_)), 1.0, 2e4);
    sweep_.emplace(layers_, curve_, SweepLimits{most, 2e6, work_ / 4});
}

void TrajectoryLens::beginImages() {
    pilotLengths_ = pilot_->lengths();
    const std::size_t count = pointsWithin(layers_, work_ / 2);
    if (count == 0) {
        note_ = "The layers are too wide for images of the curve in the time there is: it is followed without them.";
        return;
    }
    places_ = drawingPoints(curve_.ends.front(), curve_.ends.back(), count, pilot_->lengthByBin(), TangentSampler::kBins);
    // The first image is turned as the curve lies in the plane of A and B.
    std::vector<std::array<double, 2>> reference;
    for (const double t : places_)
        reference.push_back(curve_.form == CurveForm::Arc ? std::array<double, 2>{std::cos(t), std::sin(t)} : std::array<double, 2>{t, 0});
    planes_.emplace(layers_, curve_, places_, std::move(reference));
}

void TrajectoryLens::beginDeep() {
    deeper_.assign(layers_.begin() + static_cast<std::ptrdiff_t>(exactLayers()), layers_.end());
    const double each = 4 * weightsOf(deeper_) + 1;
    const auto most = static_cast<std::size_t>(std::clamp(work_ / 4 / each, static_cast<double>(kPilot), static_cast<double>(kMostStrata)));
    deep_.emplace(deeper_, sweep_ ? sweep_->image() : curve_, Rng(seed_, Purpose::MonteCarlo, kDeepStream),
                  SamplingPlan{kPrecision, kPilot, most});
}

bool TrajectoryLens::step() {
    if (!applies_) return false;
    if (!pilot_->finished()) {
        if (!pilot_->advance(kSlice)) beginImages();
        return true;
    }
    if (planes_ && planes_->images().size() <= layers_.size()) {
        planes_->advance();
        return true;
    }
    if (sweep_ && sweep_->advance(kSlice)) return true;
    if (exactLayers() == layers_.size()) return false;
    if (!deep_) beginDeep();
    return deep_->advance(kSlice);
}

std::vector<SampledLength> TrajectoryLens::lengths() const {
    std::vector<SampledLength> lengths = pilotLengths_;
    if (deep_ && deep_->finished()) {
        const auto deep = deep_->lengths();
        std::copy(deep.begin(), deep.end(), lengths.end() - static_cast<std::ptrdiff_t>(deep.size()));
    }
    lengths[0] = {curveLength(curve_), 0};
    for (std::size_t l = 0; sweep_ && l < sweep_->passages().size(); ++l) lengths[l] = {sweep_->passages()[l].length, 0};
    return lengths;
}

void TrajectoryLens::addLengths(FilledReport& r) const {
    const auto all = lengths();
    const Axis layer = countedAxis("layer", all.size());
    std::vector<double> values, errors, growth, transitions(all.size(), kNone), pieces(all.size(), kNone);
    for (std::size_t l = 0; l < all.size(); ++l) {
        const double ratio = l > 0 && all[l - 1].value > 0 ? all[l].value / all[l - 1].value : kNone;
        growth.push_back(std::isfinite(ratio) ? ratio : kNone);
        const bool finite = std::isfinite(all[l].value) && std::isfinite(all[l].standardError);
        values.push_back(finite ? all[l].value : kNone);
        errors.push_back(finite ? all[l].standardError : kNone);
        if (!sweep_ || l >= sweep_->passages().size()) continue;
        transitions[l] = sweep_->passages()[l].transitions;
        pieces[l] = static_cast<double>(sweep_->passages()[l].pieces);
    }
    if (const double ratio = values.back() / values.front(); std::isfinite(ratio)) r.add("lengthRatio", ratio);
    r.add("exactLayers", static_cast<double>(exactLayers()));
    Array& length = r.add("length", {layer}, std::move(values));
    length.standardError = std::move(errors);
    length.mayBeUndefined = true;
    r.add("growth", {layer}, std::move(growth)).mayBeUndefined = true;
    if (!sweep_) return;
    r.add("transitions", {layer}, std::move(transitions)).mayBeUndefined = true;
    r.add("pieces", {layer}, std::move(pieces)).mayBeUndefined = true;
}

void TrajectoryLens::addImages(FilledReport& r) const {
    if (!planes_) return;
    const Axis layer = countedAxis("layer", planes_->images().size());
    std::vector<double> at, shares, places;
    for (const PlaneImage& image : planes_->images()) {
        for (const auto& point : image.at) at.insert(at.end(), {point[0], point[1]});
        shares.push_back(image.share);
    }
    for (const double t : places_) places.push_back(t / curve_.ends.back());
    const Axis point = countedAxis("point", places.size());
    r.add("image", {layer, point, keyedAxis("coordinate", {"x", "y"})}, std::move(at));
    r.add("place", {point}, std::move(places));
    r.add("planeShare", {layer}, std::move(shares));
}

void TrajectoryLens::addTo(FilledReport& r) const {
    if (!applies_) return;
    addLengths(r);
    addImages(r);
    if (inPlane_.empty()) return;
    std::vector<double> curve;
    for (const Vec2& p : inPlane_) curve.insert(curve.end(), {p.x, p.y});
    r.add("curve", {countedAxis("place", inPlane_.size()), xyAxis()}, std::move(curve));
}

}  // namespace kappaflow::lens
