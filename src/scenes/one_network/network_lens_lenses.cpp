#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/errors.h"
#include "core/capacity/lower_layers.h"
#include "core/expressivity/curve_plane.h"
#include "core/expressivity/trajectory_sweep.h"
#include "core/moments/expected_noise.h"
#include "core/moments/network_moments.h"
#include "scenes/one_network/network_lens_model.h"

namespace kappaflow::network_lens {
namespace {

using Vector = std::vector<double>;

void addShape(const Network& network, Result& r) {
    const auto add = [&](const Shape& shape, double parameters) {
        r.units.push_back(static_cast<double>(shape.units()));
        r.channels.push_back(shape.channels);
        r.heights.push_back(shape.height);
        r.columns.push_back(shape.width);
        r.parameters.push_back(parameters);
    };
    add(network.input, kNone);
    for (const WeightLayer& part : weightLayerParts(network.layers)) add(part.layer->out, parametersOf(*part.layer));
    r.shownStates = countUp(r.units.size());
}

// Activation regions of the window.

/// Outputs that a partition keeps (PartitionOptions::outputs).
constexpr std::size_t kMostOutputs = 64;

/// A layer's name in a file, where it has one: ` ("fc1")`.
std::string inQuotes(const Layer& layer) { return layer.name.empty() ? "" : " (\"" + layer.name + "\")"; }

/// A layer without linear pieces: a smooth activation or a layer norm.
const Layer* smoothLayer(const std::vector<Layer>& layers) {
    for (const Layer& layer : layers) {
        if (layer.is<LayerNorm>()) return &layer;
        if (layer.is<Pointwise>() && !isPiecewiseLinear(layer)) return &layer;
        const auto* block = layer.getIf<Block>();
        if (const Layer* found = block ? smoothLayer(block->inner) : nullptr) return found;
    }
    return nullptr;
}

/// Depths that a chain of layers has, as the partition counts them: without what bends nothing.
std::size_t bendsIn(std::span<const Layer> layers) {
    std::size_t bends = 0;
    eachLayer(layers, [&](const Layer& layer) {
        if (const auto* f = layer.getIf<Pointwise>()) bends += f->activation != Activation::Identity;
        if (const auto* pool = layer.getIf<MaxPool>()) bends += pool->window.size[0] * pool->window.size[1] > 1;
    });
    return bends;
}

/// The state that ends at or behind each depth that was cut, the window itself first, and where in it the depth lies.
void addPlacesOfDepths(const Network& network, Result& r) {
    const auto ends = weightLayerStates(network);
    const auto parts = weightLayerParts(network.layers);
    r.stateOfDepth = r.insideOfDepth = {0};
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        const auto state = static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), i + 1) - ends.begin());
        const bool block = network.layers[i].is<Block>();
        const bool sum = !block && state > 0 && state <= parts.size() && parts[state - 1].layer->is<Block>();
        const std::size_t bends = bendsIn({&network.layers[i], 1});
        for (std::size_t bend = 1; bend <= bends; ++bend) {
            r.stateOfDepth.push_back(static_cast<double>(state));
            r.insideOfDepth.push_back(block ? static_cast<double>(bend) : sum ? -1 : 0);
        }
    }
    r.stateOfDepth.resize(r.depths.size(), static_cast<double>(ends.size() - 1));
    r.insideOfDepth.resize(r.depths.size(), 0);
}

void addMesh(const Partition& partition, Result& r) {
    const RegionMesh& mesh = partition.mesh();
    r.depths = countUp(mesh.depths.size());
    r.regionNumbers = countUp(mesh.faces());
    r.vertexNumbers = countUp(mesh.vertices.size());
    for (const Vec2& p : mesh.vertices) r.vertices.insert(r.vertices.end(), {p.x, p.y});
    r.corners = countUp(mesh.corners.size());
    r.polygons.assign(mesh.corners.begin(), mesh.corners.end());
    r.polygonEnds.assign(mesh.faceStart.begin() + 1, mesh.faceStart.end());
    r.meshEdges = countUp(mesh.edges.size());
    for (const RegionMesh::Edge& edge : mesh.edges) {
        r.edges.insert(r.edges.end(), {static_cast<double>(edge.from), static_cast<double>(edge.to)});
        r.edgeLayer.push_back(mesh.depthOf(edge));
    }
    for (const auto& row : mesh.patternHash)
        for (const std::uint64_t hash : row) r.pattern.push_back(static_cast<double>(hash >> 12));
    for (const DepthCounts& counts : mesh.depths) r.regionsByDepth.push_back(static_cast<double>(counts.faces));
    r.unitsByDepth = {0};
    for (int d = 1; d <= partition.exactDepth(); ++d)
        r.unitsByDepth.push_back(r.unitsByDepth.back() + static_cast<double>(partition.unitsOf(d)));
}

void addOutputs(const RegionMesh& mesh, std::size_t unit, Result& r) {
    if (mesh.output.empty()) return;
    const std::size_t shown = std::min(unit, mesh.outputs - 1);
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) r.vertexOutput.push_back(mesh.output[v * mesh.outputs + shown]);
    r.output = meansOnFaces(mesh, r.vertexOutput);
    for (const MeshSegment& s : decisionBoundary(mesh)) r.decisionBoundary.insert(r.decisionBoundary.end(), {s.a.x, s.a.y, s.b.x, s.b.y});
    r.segments = countUp(r.decisionBoundary.size() / 4);
}

/// Why less than all regions, or no outputs, are known; "" otherwise.
std::string whatIsMissing(const Partition& partition, std::size_t outputs, double wanted, double allowed) {
    if (!partition.certificate().holds()) return "The partition failed its own check: what is drawn and counted here may be wrong.";
    const int exact = partition.exactDepth(), all = partition.depths();
    if (exact < all) {
        const std::string fewer = allowed < wanted ? ", which is " + inWords(allowed, 7) + " in the time and memory there are" : "";
        return (exact > 0 ? "The regions are exact through bending layer " + std::to_string(exact) + " of " + std::to_string(all) +
                                ": the next one"
                          : std::string("The window is not cut: the first bending layer")) +
               " would have gone over the budget of regions" + fewer + ", or over what memory allows.";
    }
    if (!partition.mesh().output.empty()) return "";
    return std::string(outputs > kMostOutputs ? "More than 64 outputs are not followed over the window"
                                              : "The outputs on all regions would have gone over what memory allows") +
           ": there is no decision boundary, and no value under the pointer.";
}

std::string lookAtRegions(const Setup& s, const Network& network, double work, const Tick& tick, Result& r) {
    const Vector window{s.low.x, s.low.y, s.high.x, s.high.y};
    const double wanted = s.p.budget;
    std::string why = s.slice ? whyNoRegions(network) : s.noSlice;
    const double allowed = why.empty() ? regionsWithin(network, kBoundOverWork * work, wanted) : 0;
    if (why.empty() && allowed == 0) why = "The network is too large for its regions to be cut in the time and memory there are.";
    Partition partition;
    if (why.empty()) {
        try {
            partition.start(network, *s.slice, rectangle(s.low, s.high), partitionOptions(allowed));
        } catch (const InputError& error) {
            why = error.what();
        }
    }
    if (!why.empty()) {
        r.window = window;
        return why;
    }
    while (partition.step()) tick(partition.progress());
    r.window = window;
    addMesh(partition, r);
    addPlacesOfDepths(network, r);
    addOutputs(partition.mesh(), s.unit, r);
    const bool holds = partition.certificate().holds();
    r.regions = static_cast<double>(partition.mesh().faces());
    r.exactThrough = holds ? partition.exactDepth() : 0;
    r.bendingLayers = partition.depths();
    r.regionBudget = allowed;
    r.certificate = holds ? 1 : 0;
    return whatIsMissing(partition, network.output().units(), wanted, allowed);
}

// The curve from sample A to sample B: a first sample of lengths, images, exact lengths as deep as the work allows, sampled ones behind.

constexpr double kQuarterTurn = 1.5707963267948966;
constexpr double kStepWork = 4e6;  ///< multiply-adds between two ticks: a millisecond or two
/// Streams of sampled points, as the scene of trajectories has them.
constexpr std::uint64_t kPilotStream = 1u << 30, kDeepStream = kPilotStream + 1;
constexpr std::size_t kPilot = 48, kMostStrata = 1200, kLeastPoints = 16, kPlacesInPlane = 129;
/// Relative standard error that sampled lengths are good for.
constexpr double kPrecision = 0.02;

double weightsOf(std::span<const CurveLayer> layers) {
    double weights = 0;
    for (const CurveLayer& layer : layers) weights += usesOf(layer);
    return weights;
}

std::string whyNoCurve(const Setup& s, const Network& network) {
    if (isPseudoRandom(network.layers)) return "The pseudo-random sign jumps everywhere, so that the image of a curve is no curve.";
    if (s.samples.at(s.chosen[0]) == s.samples.at(s.chosen[1]))
        return "Samples A and B are the same point: there is no curve between them.";
    return "";
}

/// Images of the curve in the layers' principal planes; false where they would take too much work.
bool addImages(const std::vector<CurveLayer>& layers, const CurvePieces& curve, const TangentSampler& pilot, double work, const Tick& tick,
               Result& r) {
    std::size_t count = kMostCurvePoints;
    while (count >= kLeastPoints && workOfPlanes(layers, count) > work) count = count * 9 / 10;
    if (count < kLeastPoints) return false;
    const Vector places = drawingPoints(curve.ends.front(), curve.ends.back(), count, pilot.lengthByBin(), TangentSampler::kBins);
    // The first image is turned as the curve lies in the plane of A and B.
    std::vector<std::array<double, 2>> reference;
    for (const double t : places)
        reference.push_back(curve.form == CurveForm::Arc ? std::array<double, 2>{std::cos(t), std::sin(t)} : std::array<double, 2>{t, 0});
    CurvePlanes planes(layers, curve, places, std::move(reference));
    while (planes.images().size() <= layers.size()) {
        planes.advance();
        tick(0);
    }
    r.points = countUp(places.size());
    r.curveStates = countUp(planes.images().size());  // a partial result may be taken before the lengths are there
    for (const PlaneImage& image : planes.images()) {
        for (const auto& point : image.at) r.image.insert(r.image.end(), {point[0], point[1]});
        r.planeShare.push_back(image.share);
    }
    for (const double t : places) r.place.push_back(t / curve.ends.back());
    return true;
}

void addLengths(const std::vector<SampledLength>& lengths, const TrajectorySweep* sweep, Result& r) {
    r.curveStates = countUp(lengths.size());
    for (std::size_t l = 0; l < lengths.size(); ++l) {
        const double ratio = l > 0 && lengths[l - 1].value > 0 ? lengths[l].value / lengths[l - 1].value : kNone;
        const bool finite = std::isfinite(lengths[l].value) && std::isfinite(lengths[l].standardError);
        r.growth.push_back(std::isfinite(ratio) ? ratio : kNone);
        r.length.values.push_back(finite ? lengths[l].value : kNone);
        r.length.standardErrors.push_back(finite ? lengths[l].standardError : kNone);
        if (!sweep) continue;
        const bool exact = l < sweep->passages().size();
        r.transitions.push_back(exact ? sweep->passages()[l].transitions : kNone);
        r.pieces.push_back(exact ? static_cast<double>(sweep->passages()[l].pieces) : kNone);
    }
    if (const double ratio = r.length.values.back() / r.length.values.front(); std::isfinite(ratio)) r.lengthRatio = ratio;
    r.exactLayers = sweep ? static_cast<double>(sweep->exactLayers()) : 0;
}

std::string followCurve(const Setup& s, const Network& network, double work, const Tick& tick, Result& r) {
    if (const std::string why = whyNoCurve(s, network); !why.empty()) return why;
    const auto layers = anyCurveLayers(network, weightLayerStates(network));
    if (8 * static_cast<double>(kPilot) * weightsOf(layers) > 10 * work)
        return "The network is too large for a curve to be followed in the time there is.";
    const bool arc = s.p.trajectory == CurveKind::Arc;
    const auto a = s.samples.at(s.chosen[0]), b = s.samples.at(s.chosen[1]);
    const CurvePieces curve = arc ? arcCurve(a, b, 0, kQuarterTurn) : segmentCurve(a, b);
    TangentSampler pilot(layers, curve, Rng(s.p.seed, Purpose::MonteCarlo, kPilotStream), SamplingPlan{0, kPilot, kPilot});
    std::optional<TrajectorySweep> sweep;
    if (isPiecewiseLinear(layers)) {
        const double most = std::clamp(work / (4 * weightsOf(layers)), 1.0, 2e4);
        sweep.emplace(layers, curve, SweepLimits{most, 2e6, work / 4});
    }
    while (pilot.advance(kStepWork)) tick(0);
    std::vector<SampledLength> lengths = pilot.lengths();
    const bool drawn = addImages(layers, curve, pilot, work / 2, tick, r);
    while (sweep && sweep->advance(kStepWork)) tick(0);
    const std::size_t exact = sweep ? sweep->exactLayers() : 0;
    if (exact < layers.size()) {
        const std::vector<CurveLayer> deeper(layers.begin() + static_cast<std::ptrdiff_t>(exact), layers.end());
        const double each = 4 * weightsOf(deeper) + 1;
        const auto most =
            static_cast<std::size_t>(std::clamp(work / 4 / each, static_cast<double>(kPilot), static_cast<double>(kMostStrata)));
        TangentSampler deep(deeper, sweep ? sweep->image() : curve, Rng(s.p.seed, Purpose::MonteCarlo, kDeepStream),
                            SamplingPlan{kPrecision, kPilot, most});
        while (deep.advance(kStepWork)) tick(0);
        const auto sampled = deep.lengths();
        std::copy(sampled.begin(), sampled.end(), lengths.end() - static_cast<std::ptrdiff_t>(sampled.size()));
    }
    lengths[0] = {curveLength(curve), 0};
    for (std::size_t l = 0; sweep && l < sweep->passages().size(); ++l) lengths[l] = {sweep->passages()[l].length, 0};
    addLengths(lengths, sweep ? &*sweep : nullptr, r);
    if (s.slice && (!arc || a.size() == 2)) {
        r.places = countUp(kPlacesInPlane);
        for (std::size_t i = 0; i < kPlacesInPlane; ++i) {
            const double t = curve.ends.back() * static_cast<double>(i) / static_cast<double>(kPlacesInPlane - 1);
            const Vec2 p = footOn(*s.slice, curveAt(curve, t));
            r.curve.insert(r.curve.end(), {p.x, p.y});
        }
    }
    return drawn ? "" : "The layers are too wide for images of the curve in the time there is: it is followed without them.";
}

// Normalised sensitivity and effective ranks over the samples: of the noise's mean square the expectation, of its rank one draw a sample.

/// Samples that moments are taken over at the most; ranks cannot be larger.
constexpr std::size_t kMostSamples = 128, kLeastSamples = 4;
constexpr double kMostBytes = 3e7;

/// The samples' first ones, [unit][sample].
Matrix firstOf(const Matrix& inputs, std::size_t count) {
    Matrix some(inputs.rows, count);
    for (std::size_t i = 0; i < inputs.rows; ++i) std::copy_n(inputs.row(i), count, some.row(i));
    return some;
}

/// What the scene calls every state of `forward`: the layer that it lies in.
std::vector<std::string> namesOfStates(const Network& network) {
    const auto ends = weightLayerStates(network);
    std::vector<std::string> names;
    for (std::size_t l = 0; l <= network.layers.size(); ++l) {
        const auto state = std::lower_bound(ends.begin(), ends.end(), l) - ends.begin();
        names.push_back(state == 0                                              ? "the input"
                        : state + 1 >= static_cast<std::ptrdiff_t>(ends.size()) ? "the output"
                                                                                : "layer " + std::to_string(state));
    }
    return names;
}

std::string followNoise(const Setup& s, const Network& network, double work, const Tick& tick, Result& r) {
    if (isPseudoRandom(network.layers)) return "The pseudo-random sign has no slope, so that noise on its inputs has no first order.";
    std::size_t samples = std::min(kMostSamples, s.samples.count());
    const auto tooMuch = [&] {
        const Cost cost = costOfNetworkMoments(network, static_cast<double>(samples));
        return cost.operations > work || cost.bytes > kMostBytes;
    };
    while (samples > kLeastSamples && tooMuch()) samples = std::max(kLeastSamples, samples / 2);
    if (tooMuch()) return "The network is too large for signal and noise to be followed in the time there is.";
    NetworkMoments moments(network, firstOf(s.samples.inputs, samples), drawInputNoise(s.samples.inputs.rows, samples, s.p.seed), true,
                           namesOfStates(network));
    ExpectedNoise noise(network, firstOf(s.samples.inputs, samples), s.p.seed, noiseShareOf(s.p) * work);
    while (moments.step()) tick(0);
    while (noise.step()) tick(0);
    const auto ends = weightLayerStates(network);
    const auto expected = noise.logMeanSquare(), error = noise.relativeError();
    std::string note;
    for (const std::size_t at : ends) {
        const StateMoments& state = moments.states()[at];
        if (note.empty()) note = state.undefined;
        // The noise that was drawn, at the input too, gives way to its expectation, which is 1 there.
        const double drawn = state.logMu2Noise - moments.states().front().logMu2Noise;
        const double value = std::exp(state.logChi + (expected[at] - drawn) / 2);
        r.chi.values.push_back(std::isfinite(value) ? value : kNone);
        if (noise.draws() > 0) r.chi.standardErrors.push_back(std::isfinite(value) ? value * error[at] / 2 : kNone);
        r.rankSignal.push_back(state.rankSignal);
        r.rankNoise.push_back(state.rankNoise);
    }
    r.sensitivitySamples = static_cast<double>(samples);
    r.noiseDraws = static_cast<double>(noise.draws());
    return note;
}

}  // namespace

PartitionOptions partitionOptions(double regions) {
    PartitionOptions options;
    options.regionBudget = regions;
    options.byteBudget = 3e7;  // of mesh and values
    options.snapshotBytes = 0;
    return options;
}

std::string whyNoRegions(const Network& network) {
    const Layer* smooth = smoothLayer(network.layers);
    if (!smooth) return "";
    if (smooth->is<LayerNorm>())
        return "Regions with straight sides need layers of straight pieces, and layer norm" + inQuotes(*smooth) + " has none.";
    const Activation activation = smooth->as<Pointwise>().activation;
    if (activation == Activation::PseudoRandom)
        return "The pseudo-random sign flips everywhere, so that it has no regions: any two inputs have different patterns.";
    return "Regions with straight sides need activations of straight pieces, and " + std::string(activationKey(activation)) +
           inQuotes(*smooth) + " has none.";
}

double regionsWithin(const Network& network, double work, double wanted) {
    // Maps of every layer on the slice take their memory however few the regions are.
    constexpr double kMostBytesOfMaps = 1e8;
    for (double regions = wanted; regions >= 1; regions = regions > 1 ? std::max(1.0, std::floor(0.8 * regions)) : 0) {
        const Cost cost = partitionCost(network, partitionOptions(regions));
        if (cost.operations <= work && cost.bytes <= kMostBytesOfMaps) return regions;
    }
    return 0;
}

std::shared_ptr<const Network> lookAt(const Setup& s, const Network& network, double trained, double work, const Tick& tick, Result& r) {
    constexpr double kParts = 8;
    double done = 0;
    const Tick within = [&](double share) { tick((done + share) / kParts); };
    std::shared_ptr<const Network> edited;
    if (s.p.edit != EditKind::None) {
        try {
            within(0);
            edited = addEdited(s, network, work / 4, r);
        } catch (const InputError& error) {
            r.notes.push_back({"edit", error.what()});
        }
    }
    const bool everywhere = edited && s.p.editAll;
    const Network& shown = everywhere ? *edited : network;
    addShape(shown, r);
    // A lens says why it shows nothing or less; what it cannot compute it gives up.
    const auto look = [&](double place, const char* part, std::optional<double>& step, const auto& lens) {
        done = place;
        within(0);
        std::string note;
        try {
            note = lens();
        } catch (const InputError& error) {
            note = error.what();
        }
        step = trained;
        if (!note.empty()) r.notes.push_back({part, note});
    };
    std::optional<Descent> before;
    look(2, "capacity", r.capacityStep, [&] {
        before = descend(network, s.unit, work, within);
        addCapacity(*before, r);
        return before->note;
    });
    r.parameterCapacity = parameterCapacity(network);
    if (edited && before) {
        done = 3;
        try {
            addEditedCapacity(*before, descend(*edited, s.unit, work, within), r);
        } catch (const InputError&) {
            // The edited network's capacity is left out.
        }
    }
    look(4, "regions", r.regionsStep, [&] { return lookAtRegions(s, shown, work, within, r); });
    look(5, "trajectory", r.lengthStep, [&] { return followCurve(s, shown, work, within, r); });
    look(6, "sensitivity", r.sensitivityStep, [&] { return followNoise(s, shown, work, within, r); });
    look(7, "measured", r.measuredStep, [&] { return measureCapacity(s, shown, work, within, r); });
    return everywhere ? edited : nullptr;
}

}  // namespace kappaflow::network_lens
