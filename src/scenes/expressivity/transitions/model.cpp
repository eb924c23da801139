#include "scenes/expressivity/transitions/model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>

#include "core/expressivity/curve_pieces.h"
#include "core/expressivity/growth_theory.h"
#include "scenes/chosen_network.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace transitions {
namespace {

using Size = std::size_t;

/// Patterns along the trajectory in each layer in mean field, a third as many more for draws that scatter, bounded by the limit; and what
/// finding them takes.
struct SweepCost {
    double operations = 0, pieces = 1;
};
SweepCost sweepCost(const Setup& s, const GrowthSetting& curve) {
    const LinearPieces activation = piecewiseLinear(curve.activation, curve.slope);
    const double width = curve.width, most = s.mostPieces(curve);
    // The quarter circle turns by π/2; a straight line between independent inputs by as much.
    double speed = curve.weightVariance, q = speed + curve.biasVariance;
    SweepCost cost;
    for (std::size_t layer = 0; layer < s.layers; ++layer) {
        cost.operations += cost.pieces * 4 * width * width;
        for (const double threshold : activation.thresholds)
            cost.pieces += 1.3 * width * 0.5 * std::sqrt(speed / q) * std::exp(-threshold * threshold / (2 * q));
        const bool over = cost.pieces > most;
        cost.pieces = std::min(cost.pieces, most);
        cost.operations += cost.pieces * (30 * width + 1500);
        if (over) break;
        const GaussianMoments moments = gaussianMoments(curve.activation, curve.slope, q);
        speed *= curve.weightVariance * moments.slopeSquare;
        q = std::max(curve.weightVariance * moments.square + curve.biasVariance, 1e-300);
    }
    return cost;
}

/// Principal planes and turning units of the drawn network.
double drawingCost(const Setup& s, double pieces) {
    const double width = s.curves[0].width;
    return static_cast<double>(s.layers + 1) * (kMostPoints * width * (width + 4) * 2 + 1500 * width * width) + 200 * kTurns * pieces * 3;
}

void requirePieces(const std::vector<CurveLayer>& layers) {
    for (std::size_t l = 0; l < layers.size(); ++l)
        if (!isPiecewiseLinear(layers[l].kind))
            throw InputError(
                "Transitions are counted exactly, behind activations of straight pieces: " + std::string(activationKey(layers[l].kind)) +
                " behind dense layer " + std::to_string(l + 1) + " of this network has none.");
}

void giveNetwork(const Request& request, Setup& s) {
    s.given = curveLayers(chosenNetwork(request, request.params.text("network"), &s.warnings));
    if (s.given.size() < 2 || s.given.size() > kMostLayers)
        throw InputError("Transitions are counted in networks of 2 to " + std::to_string(kMostLayers) +
                         " dense layers, and this network has " + std::to_string(s.given.size()) + ".");
    // Nothing reads what comes out of the last layer.
    s.given.back().kind = Activation::Identity;
    s.given.back().activation = {};
    requirePieces(s.given);
    s.layers = s.given.size() - 1;
    s.curves.resize(1);
}

/// Every layer at the limit of pieces, as long as operations last.
Cost costOfGiven(const Setup& s) {
    double weights = 0, products = 0, widest = static_cast<double>(s.inputs(0)), layers = 0, drawing = 0;
    for (const CurveLayer& layer : s.given) {
        const double in = static_cast<double>(layer.in), out = static_cast<double>(layer.out);
        const double pieces = std::min(s.pieces, s.limits().coefficients / (3 * out));
        weights += in * out;
        products += 4 * pieces * in * out;
        widest = std::max(widest, out);
        layers += pieces * (30 * out + 1500);
        drawing += kMostPoints * out * (in + 8) * 2 + 1500 * std::min(out * out, 1e7) + 200 * kTurns * pieces * 3;
    }
    const double pieces = std::min(s.pieces, s.limits().coefficients / 3);
    const double coefficients = std::min(3 * pieces * widest, s.limits().coefficients);
    return {static_cast<double>(s.draws) * (std::min(products, s.limits().operations) + layers + 2 * weights) + drawing + 1e6,
            8 * (3 * coefficients + 40 * pieces + 5 * weights + 14 * widest * widest + 3 * kMostPoints * (widest + 4 * kMostLayers)) + 1e7};
}

}  // namespace

double Setup::mostPieces(const GrowthSetting& curve) const { return std::min(limits().pieces, limits().coefficients / (3 * curve.width)); }

// A given network may be as wide as it likes: then fewer of its layers are counted.
SweepLimits Setup::limits() const { return {pieces, isDrawn() ? 8e6 : 3e6, isDrawn() ? 1e12 : 4e9}; }

std::vector<CurveLayer> Setup::layersOf(std::size_t curve, std::size_t draw) const {
    return isDrawn() ? randomLayers(curves[curve], layers + 1, seed, draw) : given;
}

std::size_t Setup::inputs(std::size_t curve) const { return isDrawn() ? static_cast<std::size_t>(curves[curve].width) : given.front().in; }

double Setup::units(std::size_t curve, std::size_t layer) const {
    return isDrawn() ? curves[curve].width : static_cast<double>(given[layer - 1].out);
}

UnitVariances variancesOf(const Setup& s, std::size_t curve, const CurveLayer& layer) {
    if (s.isDrawn()) return {s.curves[curve].weightVariance, s.curves[curve].biasVariance};
    UnitVariances v;
    for (const double w : layer.weights) v.weight += w * w / static_cast<double>(layer.out);
    for (const double b : layer.bias) v.bias += b * b / static_cast<double>(layer.out);
    return v;
}

Setup readSetup(const Request& request) {
    const Values& v = request.params;
    Setup s;
    GrowthSetting own{activationFromKey(v.text("activation")), v.number("slope"), v.number("width"), v.number("weightVariance"),
                      v.number("biasVariance")};
    s.curves = {own};
    for (const double width : v.list("widths"))
        for (const double variance : v.list("weightVariances")) {
            GrowthSetting curve = own;
            curve.width = std::max(1.0, std::round(width));
            curve.weightVariance = variance;
            const auto same = [&](const GrowthSetting& c) { return c.width == curve.width && c.weightVariance == curve.weightVariance; };
            if (std::none_of(s.curves.begin(), s.curves.end(), same)) s.curves.push_back(curve);
        }
    s.layers = static_cast<std::size_t>(v.integer("layers"));
    s.draws = static_cast<std::size_t>(v.integer("draws"));
    s.circle = v.is("trajectory", "circle");
    s.pieces = v.number("pieces");
    s.seed = v.seed();
    if (!v.is("network", "")) giveNetwork(request, s);
    return s;
}

Network networkOf(const Request& request) {
    if (!request.params.is("network", "")) return chosenNetwork(request, request.params.text("network"));
    const Setup s = readSetup(request);
    return randomNetwork(s.curves[0], s.layers + 1, s.seed, false);
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request);
    if (!s.isDrawn()) return costOfGiven(s);
    double operations = 1e6, bytes = 4e6;
    for (const GrowthSetting& curve : s.curves) {
        const SweepCost one = sweepCost(s, curve);
        const double weights = static_cast<double>(s.layers + 1) * curve.width * curve.width;
        operations += static_cast<double>(s.draws) * (one.operations + 30 * weights);
        if (&curve == &s.curves[0]) operations += drawingCost(s, one.pieces);
        bytes = std::max(bytes, 3 * 24 * one.pieces * curve.width + 300 * one.pieces + 8 * weights);
    }
    const double drawn = static_cast<double>(s.layers + 1) * kMostPoints * 4 * 8 * 3;
    return {operations, bytes + drawn + 8 * kMostPoints * s.curves[0].width * 3 + 4e6};
}

std::string costliestOf(const Request& request) {
    for (const char* key : {"draws", "widths", "pieces", "layers"}) {
        Request fewer = request;
        fewer.params.set(key, findDeclaration(request.scene)->defaults().at(key));
        if (costOf(fewer).operations < 0.5 * costOf(request).operations) return key;
    }
    return request.params.is("network", "") ? "width" : "network";
}

namespace {

constexpr double kGrid = 1 << 14;
constexpr Size kBins = 128;  ///< parts of t that the drawing's points are spread over by their length

CurvePieces startOf(const Setup& s, Size curve, Size draw) {
    const RandomEnds ends = randomEnds(s.inputs(curve), s.seed, draw);
    return s.circle ? arcCurve(ends.x0, ends.x1, 0, std::numbers::pi / 2) : segmentCurve(ends.x0, ends.x1);
}

/// The first two units of a layer, or one twice.
CurveLayer pairOf(const CurveLayer& layer) {
    CurveLayer pair;
    pair.in = layer.in;
    pair.out = 2;
    const Size second = layer.out > 1 ? 1 : 0;
    for (Size i = 0; i < layer.in; ++i) {
        pair.weights.push_back(layer.weights[i * layer.out]);
        pair.weights.push_back(layer.weights[i * layer.out + second]);
    }
    pair.bias = {layer.bias[0], layer.bias[second]};
    return pair;
}

/// The unit w₁ cos θ + w₂ sin θ of a pair of pre-activations.
CurvePieces turned(const CurvePieces& pair, double c, double s) {
    CurvePieces one{pair.form, 1, pair.ends, {}, {}};
    for (Size i = 0; i < pair.coefficients.size(); i += 2)
        one.coefficients.push_back(c * pair.coefficients[i] + s * pair.coefficients[i + 1]);
    one.crossed = pair.crossed;
    return one;
}

}  // namespace

CurveRun::CurveRun(const Setup& setup, Size curve, Size draw)
    : setup_(setup), curve_(curve), drawn_(curve == 0 && draw == 0), start_(startOf(setup, curve, draw)) {
    layers_ = setup.layersOf(curve, draw);
    next_ = std::move(layers_.back());
    layers_.pop_back();
    sweep_ = std::make_unique<TrajectorySweep>(layers_, start_, setup.limits());
    record();
}

bool CurveRun::advance(double operations) {
    if (planes_) return drawLayer();
    const bool more = sweep_->advance(operations);
    if (sweep_->exactLayers() == counts_.size()) record();
    if (!more && drawn_) placePoints();
    return more || drawn_;
}

double CurveRun::progress() const {
    if (!drawn_) return sweep_->progress();
    return 0.8 * sweep_->progress() + 0.2 * static_cast<double>(layersDrawn_) / static_cast<double>(counts_.size());
}

void CurveRun::record() {
    const CurvePassage& passage = sweep_->passages().back();
    const bool first = counts_.empty();
    const double units = first ? 1 : setup_.units(curve_, counts_.size());
    counts_.push_back({passage.length, static_cast<double>(passage.pieces), passage.signTransitions / units, first ? 0 : predicted_,
                       passage.transitions / units, first ? 0 : saturationsPredicted_});
    if (drawn_) findCrossings();
    if (sweep_->exactLayers() == layers_.size()) return;
    const CurveLayer& reader = layers_[sweep_->exactLayers()];
    const UnitVariances variances = variancesOf(setup_, curve_, reader);
    const auto crossings = [&](double threshold) { return meanCrossings(sweep_->image(), variances.weight, variances.bias, threshold); };
    predicted_ = crossings(0);
    saturationsPredicted_ = 0;
    for (const double threshold : reader.activation.thresholds) saturationsPredicted_ += threshold == 0 ? predicted_ : crossings(threshold);
}

/// Where the turning unit changes its sign on the newest layer's image, and how long that is in every part of t.
void CurveRun::findCrossings() {
    const CurvePieces& curve = sweep_->image();
    const CurvePieces pair = throughAffine(pairOf(readerOf(sweep_->exactLayers())), curve);
    drawing_.layers.emplace_back();
    auto& crossings = drawing_.layers.back().crossings;
    for (Size i = 0; i < kTurns; ++i) {
        const double angle = std::numbers::pi * static_cast<double>(i) / static_cast<double>(kTurns);
        crossings.emplace_back();
        for (const auto& change : signChanges(turned(pair, std::cos(angle), std::sin(angle)))) crossings.back().push_back(change.t);
    }
    const std::vector<double> byBin = lengthByBin(curve, kBins);
    lengths_.insert(lengths_.end(), byBin.begin(), byBin.end());
}

/// As many points as the longest image asks for.
void CurveRun::placePoints() {
    double longest = 0;
    for (const LayerCounts& layer : counts_) longest = std::max(longest, layer.length);
    const double ratio = counts_[0].length > 0 ? longest / counts_[0].length : 1;
    const auto count = static_cast<Size>(std::clamp(kPointsPerLength * ratio, kLeastPoints, kMostPoints));
    drawing_.places = drawingPoints(start_.ends.front(), start_.ends.back(), count, lengths_, kBins);
    // On a grid, so that lengths which differ in their last bits between platforms leave the points where they are.
    for (Size i = 1; i + 1 < count; ++i) drawing_.places[i] = std::round(drawing_.places[i] * kGrid) / kGrid;
    std::vector<std::array<double, 2>> reference;
    for (const double t : drawing_.places)
        reference.push_back(setup_.circle ? std::array<double, 2>{std::cos(t), std::sin(t)} : std::array<double, 2>{1 - t, t});
    planes_.emplace(layers_, start_, drawing_.places, std::move(reference));
    for (double* end : {&drawing_.places.front(), &drawing_.places.back()}) *end = std::round(*end * 1e12) / 1e12;  // as they are told
}

/// The next layer's image, and what the pair of units that read it make of its points.
bool CurveRun::drawLayer() {
    planes_->advance();
    LayerDrawing& drawing = drawing_.layers[layersDrawn_];
    drawing.image = planes_->images().back().at;
    drawing.share = planes_->images().back().share;
    const CurveLayer reader = pairOf(readerOf(layersDrawn_));
    const std::vector<double>& z = planes_->values();
    for (Size i = 0; i < z.size(); i += reader.in) {
        std::array<double, 2> h{reader.bias[0], reader.bias[1]};
        for (Size u = 0; u < reader.in; ++u)
            for (Size k = 0; k < 2; ++k) h[k] += reader.weights[2 * u + k] * z[i + u];
        drawing.pair.push_back(h);
    }
    return ++layersDrawn_ < drawing_.layers.size();
}

namespace {

constexpr double kSlice = 4e6;  ///< multiply-adds between two looks at the clock

class TransitionsComputation final : public Computation {
public:
    explicit TransitionsComputation(const Request& request) : request_(request), setup_(readSetup(request)) {
        const std::vector<LayerCounts> none(setup_.layers + 1, LayerCounts{0, 0, 0, 0, 0, 0});
        progress_.curves.assign(setup_.curves.size(), {none, none, std::vector<double>(setup_.layers + 1), 0});
    }

    bool step() override {
        if (!run_) run_.emplace(setup_, done_ % setup_.curves.size(), done_ / setup_.curves.size());
        if (!run_->advance(kSlice)) finishRun();
        progress_.finished = done_ == runs();
        return !progress_.finished;
    }
    double progress() const override { return (static_cast<double>(done_) + (run_ ? run_->progress() : 0)) / static_cast<double>(runs()); }
    Report report() const override { return makeReport(setup_, progress_); }
    std::shared_ptr<const Network> network() const override { return std::make_shared<Network>(networkOf(request_)); }

private:
    Size runs() const { return setup_.curves.size() * setup_.draws; }
    void finishRun() {
        CurveSums& sums = progress_.curves[done_ % setup_.curves.size()];
        ++sums.tried;
        const auto& layers = run_->layers();
        for (Size l = 0; l < layers.size(); ++l) {
            ++sums.draws[l];
            for (const auto part : {&LayerCounts::length, &LayerCounts::pieces, &LayerCounts::transitions, &LayerCounts::predicted,
                                    &LayerCounts::saturations, &LayerCounts::saturationsPredicted}) {
                sums.sums[l].*part += layers[l].*part;
                sums.squares[l].*part += layers[l].*part * (layers[l].*part);
            }
        }
        if (done_ == 0) progress_.drawing = run_->drawing();
        run_.reset();
        ++done_;
    }

    Request request_;
    Setup setup_;
    Progress progress_;
    std::optional<CurveRun> run_;
    Size done_ = 0;
};

std::unique_ptr<Computation> startTransitions(const Request& request) { return std::make_unique<TransitionsComputation>(request); }

}  // namespace
}  // namespace transitions

Model transitions_model() { return stepwise<transitions::costOf, transitions::costliestOf, transitions::startTransitions>("transitions"); }

}  // namespace kappaflow
