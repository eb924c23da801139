#include "scenes/one_network/network_lens/model_trajectory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/errors.h"

namespace kappaflow::lens {
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
