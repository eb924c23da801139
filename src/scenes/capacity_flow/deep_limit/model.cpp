#include "scenes/capacity_flow/deep_limit/model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/capacity/augmented_space.h"

namespace kappaflow {
namespace deep_limit {
namespace {

using Size = std::size_t;

void readWeights(Setup& s, const Values& v) {
    s.weights = v.list("weights");
    if (s.weights.size() % 2 == 0) {
        s.weights.push_back(0);
        s.warnings.push_back("weights takes an odd number of entries, the middle one at offset 0; a 0 was added at the end.");
    }
    for (double w : s.weights) s.squaredNorm += w * w;
    s.kernel = kernelOfWeights(s.weights);
}

void readDepths(Setup& s, const Values& v) {
    // A step of 1/L moves more than a unit has when L is below the sum of the rates.
    const int least = s.differential ? 1 : static_cast<int>(std::ceil(s.kernel.total()));
    for (double depth : v.list("depths")) {
        const int layers = static_cast<int>(std::lround(depth));
        s.raised = s.raised || layers < least;
        s.depths.push_back(std::max({layers, least, 1}));
    }
    std::sort(s.depths.begin(), s.depths.end());
    s.depths.erase(std::unique(s.depths.begin(), s.depths.end()), s.depths.end());
}

/// Positions with mass above rounding.
double positionsOf(const Setup& s, int layers) {
    const double spread = 28 * std::sqrt(std::max(s.varianceAt(layers, s.exponent), 2 * s.kernel.diffusion()));
    return std::min(2.0 * layers * s.kernel.reach(), spread + 100 * s.kernel.reach()) + 1;
}

}  // namespace

double Setup::step(int layers, double a) const {
    if (differential) return differentialStep(layers, a, squaredNorm);
    const double step = residualStep(layers, a);
    return moves() ? std::min(step, 1 / kernel.total()) : step;
}

bool Setup::isSaturated() const { return !differential && moves() && residualStep(depths.front(), exponent) * kernel.total() > 1 + 1e-12; }

double Setup::meanAt(int layers) const { return layers * step(layers) * kernel.drift(); }

double Setup::varianceAt(int layers, double a) const {
    const double e = step(layers, a), v = kernel.drift();
    return std::max(0.0, layers * (2 * e * kernel.diffusion() - e * e * v * v));
}

ForwardEquation Setup::forwardAt(int layers) const { return {weights, residualStep(layers, exponent), layers}; }

double Setup::logGrowth(int layers) const { return layers * std::log1p(residualStep(layers, exponent) * squaredNorm); }

int Setup::forwardReach() const {
    double reach = 0;
    for (int layers : depths)
        if (isSimulated(layers))
            reach = std::max(reach, std::min(std::abs(meanAt(layers)) + 8 * std::sqrt(varianceAt(layers, exponent)) + 4 * kernel.reach(),
                                             1.0 * layers * kernel.reach()));
    return static_cast<int>(std::ceil(reach)) + 1;
}

Setup readSetup(const Values& v) {
    Setup s;
    s.differential = v.is("layer", "differential");
    s.exponent = v.number("exponent");
    s.draws = v.number("draws");
    s.precision = v.number("precision");
    s.checkStep = v.number("checkStep");
    s.seed = v.seed();
    if (s.differential)
        readWeights(s, v);
    else
        s.kernel = threePointKernel(v.number("up"), v.number("down"));
    readDepths(s, v);
    return s;
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request.params);
    const double taps = static_cast<double>(s.kernel.rates.size()), ring = 2.0 * s.forwardReach() + 1;
    double operations = 1e6, widest = 200, states = 0;
    for (int layers : s.depths) {
        const double positions = positionsOf(s, layers);
        operations += layers * positions * (taps + 4);
        widest = std::max(widest, positions + std::abs(s.meanAt(layers)));
        if (!s.isSimulated(layers)) continue;
        operations += s.draws * layers * ring * (2 * taps + 8);
        states = std::max(states, layers * ring);
    }
    const double units = kCheckUnits, paths = units * (1 + units) * (1 + units);
    if (s.differential) operations += kCheckDraws * s.draws * (paths * paths + 40 * paths);
    // Chains, their rows in the report and once more to be sent; all layers of one forward draw.
    return {operations, 8 * (4 * static_cast<double>(s.depths.size() + 2) * widest * 2 + states + 1e5)};
}

std::string costliestOf(const Request& request) {
    Request fewer = request;
    fewer.params.set("draws", findDeclaration(request.scene)->defaults().at("draws"));
    return costOf(fewer).operations < 0.5 * costOf(request).operations ? "draws" : "depths";
}

namespace {

/// Multiply-adds of one slice: a few milliseconds.
constexpr double kSliceWork = 2e6;
constexpr double kFewest = 100;

DifferentialNetwork checkNetwork(const Setup& setup) {
    DifferentialNetwork network{{}, setup.checkStep, randomFreeDirections(kCheckUnits, 2, setup.seed)};
    for (std::uint64_t layer : {1, 2}) network.features.push_back(randomFeatures(kCheckUnits, kCheckUnits, true, setup.seed, layer));
    return network;
}

}  // namespace

ForwardRun::ForwardRun(const Setup& setup, int layers, std::uint64_t depthIndex)
    : setup_(setup), equation_(setup.forwardAt(layers)), stream_(depthIndex << 32) {
    const Size reach = static_cast<Size>(setup.forwardReach());
    start_.resize(2 * reach + 1);
    start_[reach] = 1;
    kept.assign(kKept, std::vector<double>(start_.size()));
    finished_ = !setup.isSimulated(layers);
}

void ForwardRun::advance() {
    const double work = (equation_.layers + 1.0) * static_cast<double>(start_.size() * (2 * equation_.weights.size() + 8));
    for (double done = 0; done < kSliceWork && !finished_; done += work) {
        const Size draw = static_cast<Size>(squares_.count());
        auto outputs = forwardDraw(equation_, start_, setup_.seed, stream_ + draw).back();
        if (draw < kKept) kept[draw] = outputs;
        double total = 0;
        for (double& y : outputs) total += y *= y;
        outputs.push_back(total);
        squares_.add(outputs);
        finished_ = squares_.count() >= setup_.draws ||
                    (squares_.count() >= kFewest && squares_.standardError().back() <= setup_.precision * squares_.mean().back());
    }
}

double ForwardRun::effectiveDraws() const {
    const double n = squares_.count(), mean = squares_.mean().back(), error = squares_.standardError().back();
    return n / (1 + error * error * (n - 1) / (mean * mean));
}

CheckRun::CheckRun(const Setup& setup) : setup_(setup), network_(checkNetwork(setup)), simulation_(network_, setup.seed) {}

void CheckRun::advance() {
    simulation_.add(1000);
    const auto measured = simulation_.capacities();
    double worst = 0;
    for (Size i = 0; i < kCheckUnits; ++i) worst = std::max(worst, measured.standardError[i] / std::max(measured.capacity[i], 0.1));
    finished_ = simulation_.draws() >= kCheckDraws * setup_.draws || worst <= setup_.precision / 5;
}

std::vector<double> CheckRun::predicted() const {
    std::vector<double> capacity(kCheckUnits);
    for (Size i = 0; i < kCheckUnits; ++i)
        for (Size k = 0; k < network_.free.columns; ++k) capacity[i] += network_.free(i, k) * network_.free(i, k);
    for (Size l = network_.features.size(); l-- > 0;) {
        const Matrix D = differentialMatrix(network_.features[l], network_.epsilon);
        std::vector<double> below(kCheckUnits);
        for (Size i = 0; i < kCheckUnits; ++i)
            for (Size j = 0; j < kCheckUnits; ++j) below[i] += D(i, j) * capacity[j];
        capacity = std::move(below);
    }
    return capacity;
}

double CheckRun::covarianceGap() const {
    const Matrix covariance = simulation_.pathCovariance();
    double gap = 0;
    for (Size r = 0; r < covariance.rows; ++r)
        for (Size c = 0; c < covariance.columns; ++c) gap = std::max(gap, std::abs(covariance(r, c) - (r == c ? 1 : 0)));
    return gap;
}

namespace {

class DeepLimitComputation final : public Computation {
public:
    explicit DeepLimitComputation(const Request& request) : setup_(readSetup(request.params)) {
        progress_.flow = kolmogorovFlow(setup_.kernel, 1);
        progress_.gaussian = limitGaussian(setup_.kernel, 1);
        if (!setup_.differential) return;
        for (std::size_t d = 0; d < setup_.depths.size(); ++d)
            progress_.forward.push_back(std::make_unique<ForwardRun>(setup_, setup_.depths[d], d));
        progress_.check = std::make_unique<CheckRun>(setup_);
    }

    bool step() override {
        const std::size_t done = progress_.chains.size();
        if (done < setup_.depths.size())
            progress_.chains.push_back(latticeChain(setup_.kernel, setup_.step(setup_.depths[done]), setup_.depths[done]));
        else
            simulate();
        finished_ = progress_.chains.size() == setup_.depths.size() && simulated();
        return !finished_;
    }
    double progress() const override {
        if (finished_) return 1;
        double sum = static_cast<double>(progress_.chains.size()), parts = static_cast<double>(setup_.depths.size());
        for (const auto& run : progress_.forward) sum += run->progress(), ++parts;
        if (progress_.check) sum += progress_.check->progress(), ++parts;
        return sum / parts;
    }
    Report report() const override { return makeReport(setup_, progress_, finished_); }

private:
    bool simulated() const {
        if (!progress_.check) return true;
        return progress_.check->finished() &&
               std::all_of(progress_.forward.begin(), progress_.forward.end(), [](const auto& run) { return run->finished(); });
    }
    /// One slice of the run whose turn it is, so that all are refined together.
    void simulate() {
        const std::size_t runs = progress_.forward.size() + 1;
        for (std::size_t tried = 0; tried < runs; ++tried) {
            const std::size_t turn = turn_++ % runs;
            const bool check = turn == progress_.forward.size();
            if (check ? progress_.check->finished() : progress_.forward[turn]->finished()) continue;
            return check ? progress_.check->advance() : progress_.forward[turn]->advance();
        }
    }

    Setup setup_;
    Progress progress_;
    std::size_t turn_ = 0;
    bool finished_ = false;
};

std::unique_ptr<Computation> startDeepLimit(const Request& request) { return std::make_unique<DeepLimitComputation>(request); }

}  // namespace
}  // namespace deep_limit

Model deep_limit_model() { return {"deep-limit", deep_limit::costOf, deep_limit::costliestOf, deep_limit::startDeepLimit}; }

}  // namespace kappaflow
