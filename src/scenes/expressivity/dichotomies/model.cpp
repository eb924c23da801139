#include "scenes/expressivity/dichotomies/model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/base/rng.h"
#include "core/expressivity/growth_theory.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace dichotomies {
namespace {

using Size = std::size_t;

std::vector<std::size_t> wholeNumbers(const std::vector<double>& list, double also) {
    std::vector<std::size_t> numbers;
    if (also > 0) numbers.push_back(static_cast<std::size_t>(also));
    for (const double value : list) numbers.push_back(static_cast<std::size_t>(std::max(1L, std::lround(value))));
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

void readCurves(Setup& s, const Values& v) {
    const auto width = static_cast<std::size_t>(v.integer("width"));
    if (s.everyLayer) {
        for (const std::size_t depth : wholeNumbers(v.list("depths"), 0)) s.curves.push_back({width, depth});
        s.shown = s.curves.size() - 1;
        return;
    }
    const auto depth = static_cast<std::size_t>(v.integer("depthRemaining")) + 1;
    for (const std::size_t k : wholeNumbers(v.list("widths"), static_cast<double>(width))) {
        if (k == width) s.shown = s.curves.size();
        s.curves.push_back({k, depth});
    }
}

/// Patterns of a sample's sweep through `layers` layers in mean field, bounded by the limits, and what finding them takes.
struct SweepCost {
    double operations = 0, pieces = 1;
};
SweepCost sweepCost(const Setup& s, double width, std::size_t layers) {
    const LinearPieces activation = piecewiseLinear(s.activation, s.slope);
    const double most = std::min(kLimits.pieces, kLimits.coefficients / (3 * width));
    double speed = s.weightVariance * s.inputSquare(), q = speed + s.biasVariance;
    SweepCost cost;
    for (std::size_t layer = 0; layer < layers; ++layer) {
        if (layer > 0) cost.operations += cost.pieces * 4 * width * width;
        // Level crossings of a Gaussian process; a third as many more, since draws scatter.
        for (const double threshold : activation.thresholds)
            cost.pieces += 1.3 * width * 2 * std::sqrt(speed / q) * std::exp(-threshold * threshold / (2 * q));
        cost.pieces = std::min(cost.pieces, most);
        cost.operations += cost.pieces * (30 * width + 400);
        const GaussianMoments moments = gaussianMoments(s.activation, s.slope, q);
        speed *= s.weightVariance * moments.slopeSquare;
        q = std::max(s.weightVariance * moments.square + s.biasVariance, 1e-300);
    }
    return cost;
}

}  // namespace

std::size_t Setup::deepest() const {
    std::size_t deepest = 0;
    for (const Curve& curve : curves) deepest = std::max(deepest, curve.depth);
    return deepest;
}

double Setup::inputSquare() const {
    if (!everyLayer) return 1;
    const double square = (meanFieldFixedPoint(setting(1)).q - biasVariance) / weightVariance;
    return square > 0 && std::isfinite(square) ? square : 1;
}

Setup readSetup(const Values& v) {
    Setup s;
    s.samples = static_cast<std::size_t>(v.integer("samples"));
    s.inputsTurn = v.is("sweep", "circle");
    s.everyLayer = !s.inputsTurn && v.is("swept", "every");
    s.draws = static_cast<std::size_t>(v.integer("draws"));
    s.activation = activationFromKey(v.text("activation"));
    s.slope = v.number("slope");
    s.weightVariance = v.number("weightVariance");
    s.biasVariance = v.number("biasVariance");
    s.seed = v.seed();
    readCurves(s, v);
    return s;
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request.params);
    double operations = 1e6, bytes = 4e6;
    for (const Curve& curve : s.curves) {
        const double width = static_cast<double>(curve.width);
        for (std::size_t swept = 0; swept < s.sweptLayers(curve); ++swept) {
            const SweepCost one = sweepCost(s, width, curve.depth - swept);
            operations += static_cast<double>(s.draws * s.samples) * (one.operations + 8 * width * width);
            // Two layers' images and what becomes of one of them; flips of all samples and their copies; weights.
            bytes = std::max(bytes, 3 * 24 * one.pieces * width + 200 * static_cast<double>(s.samples) * one.pieces +
                                        8 * width * width * static_cast<double>(2 * curve.depth + 2));
        }
    }
    return {operations, bytes + 4e6};
}

std::string costliestOf(const Request& request) {
    for (const char* key : {"draws", "widths", "depthRemaining", "depths"}) {
        Request fewer = request;
        fewer.params.set(key, findDeclaration(request.scene)->defaults().at(key));
        if (costOf(fewer).operations < 0.5 * costOf(request).operations) return key;
    }
    return "width";
}

namespace {

/// Draws of different widths share nothing, those of one width their first layers, whatever their depth.
Size streamOf(Size width, Size draw) { return 2 * (draw * 256 + width); }

/// Streams of weights that no layer of the network has: those are even.
std::vector<double> readoutOf(const Setup& s, Size width, Size draw, Size depth) {
    Rng rng(s.seed, Purpose::Weights, (static_cast<std::uint64_t>(streamOf(width, draw)) << 20) + 2 * depth + 1);
    std::vector<double> readout(width);
    for (double& weight : readout) weight = drawWeight(rng, 1);
    return readout;
}

std::vector<double> applied(const CurveLayer& layer, const std::vector<double>& z) {
    std::vector<double> h = layer.bias;
    for (Size i = 0; i < layer.in; ++i)
        for (Size j = 0; j < layer.out; ++j) h[j] += layer.weights[i * layer.out + j] * z[i];
    for (double& value : h) value = layer.activation.valueOf(value);
    return h;
}

/// Pre-activations of the swept layer for one sample, on the whole circle.
CurvePieces startOf(const Setup& s, std::span<const CurveLayer> below, const CurveLayer& swept, const CurveLayer& second,
                    const RandomEnds& sample) {
    if (s.inputsTurn) return throughAffine(swept, arcCurve(sample.x0, sample.x1, 0, 2 * std::numbers::pi));
    std::vector<double> z = sample.x0;
    for (const CurveLayer& layer : below) z = applied(layer, z);
    return weightCircle(swept, second.weights, z);
}

}  // namespace

SweepRun::SweepRun(const Setup& setup, const Curve& curve, Size draw, Size layer)
    : first_(setup.everyLayer ? curve.depth - 1 - layer : 0), depths_(curve.depth - layer) {
    const GrowthSetting setting = setup.setting(curve.width);
    const Size stream = streamOf(curve.width, draw);
    std::vector<CurveLayer> layers = randomLayers(setting, curve.depth, setup.seed, stream);
    const CurveLayer second = randomLayers(setting, layer + 1, setup.seed, stream + 1).back();
    for (Size sample = 0; sample < setup.samples; ++sample)
        starts_.push_back(startOf(setup, std::span(layers).first(layer), layers[layer], second,
                                  randomEnds(curve.width, setup.seed, stream * 64 + sample)));
    layers_.activation = layers[layer].activation;
    for (Size r = 0; r < depths_; ++r)
        layers_.readouts.push_back(r < first_ ? std::vector<double>{} : readoutOf(setup, curve.width, draw, layer + r));
    layers.erase(layers.begin(), layers.begin() + static_cast<std::ptrdiff_t>(layer) + 1);
    layers_.remaining = std::move(layers);
    tracks_.resize(depths_);
    predicted_.resize(depths_);
}

bool SweepRun::advance(double operations) {
    if (sample_ == starts_.size()) return false;
    if (!current_) current_ = std::make_unique<LabelSweep>(layers_, starts_[sample_], kLimits);
    if (current_->advance(operations)) return true;
    depths_ = std::min(depths_, current_->tracks().size());
    for (Size r = 0; r < depths_; ++r) {
        tracks_[r].push_back(current_->tracks()[r]);
        predicted_[r] += current_->meanFlips()[r];
    }
    current_.reset();
    return ++sample_ < starts_.size();
}

double SweepRun::progress() const {
    return (static_cast<double>(sample_) + (current_ ? current_->progress() : 0)) / static_cast<double>(starts_.size());
}

SweptDraw SweepRun::take() const {
    SweptDraw draw{first_, {}, {}, {}};
    for (Size r = first_; r < depths_; ++r) {
        draw.counts.push_back(countDichotomies(tracks_[r]));
        draw.predicted.push_back(predicted_[r]);
        draw.tracks.push_back(tracks_[r]);
    }
    return draw;
}

namespace {

constexpr double kSlice = 4e6;  ///< multiply-adds between two looks at the clock

/// One swept layer of one draw of one curve.
struct Task {
    Size curve, draw, layer;
};

class DichotomiesComputation final : public Computation {
public:
    explicit DichotomiesComputation(const Request& request) : setup_(readSetup(request.params)) {
        for (const Curve& curve : setup_.curves) {
            const std::vector<Mean> none(curve.depth);
            progress_.curves.push_back({none, none, none, std::vector<double>(curve.depth)});
        }
        for (Size draw = 0; draw < setup_.draws; ++draw) {
            addTasks(setup_.shown, draw);
            for (Size c = 0; c < setup_.curves.size(); ++c)
                if (c != setup_.shown) addTasks(c, draw);
        }
    }

    bool step() override {
        if (!run_) {
            const Task& task = tasks_[done_];
            run_.emplace(setup_, setup_.curves[task.curve], task.draw, task.layer);
        }
        if (!run_->advance(kSlice)) finishTask();
        progress_.finished = done_ == tasks_.size();
        return !progress_.finished;
    }
    double progress() const override {
        return (static_cast<double>(done_) + (run_ ? run_->progress() : 0)) / static_cast<double>(tasks_.size());
    }
    Report report() const override { return makeReport(setup_, progress_); }

private:
    void addTasks(Size curve, Size draw) {
        for (Size layer = 0; layer < setup_.sweptLayers(setup_.curves[curve]); ++layer) tasks_.push_back({curve, draw, layer});
    }
    void finishTask() {
        const Task task = tasks_[done_++];
        SweptDraw found = run_->take();
        run_.reset();
        CurveMeans& means = progress_.curves[task.curve];
        for (Size r = found.remaining; r < setup_.curves[task.curve].depth - task.layer; ++r) ++means.tried[r];
        for (Size i = 0; i < found.counts.size(); ++i) {
            const Size r = found.remaining + i;
            means.dichotomies[r].add(found.counts[i].dichotomies);
            means.flips[r].add(found.counts[i].flips);
            means.predicted[r].add(found.predicted[i]);
        }
        if (task.curve != setup_.shown || task.draw > 0) return;
        progress_.strips.push_back(std::move(found));
        progress_.stripsReady = progress_.strips.size() == setup_.sweptLayers(setup_.curves[setup_.shown]);
    }

    Setup setup_;
    Progress progress_;
    std::vector<Task> tasks_;
    std::optional<SweepRun> run_;
    Size done_ = 0;
};

std::unique_ptr<Computation> startDichotomies(const Request& request) { return std::make_unique<DichotomiesComputation>(request); }

}  // namespace
}  // namespace dichotomies

Model dichotomies_model() { return stepwise<dichotomies::costOf, dichotomies::costliestOf, dichotomies::startDichotomies>("dichotomies"); }

}  // namespace kappaflow
