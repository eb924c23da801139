#include <algorithm>
#include <limits>

#include "core/io/onnx.h"
#include "scenes/capacity_diffusion/model_gradient.h"
#include "scenes/capacity_diffusion/model_report.h"

namespace kappaflow {
namespace {

using namespace diffusion;

/// Operations of one slice: a few milliseconds.
constexpr double kSliceWork = 4e6;
/// A Gaussian overlay up to this many operations is worth computing for every partial report.
constexpr double kCheapOverlay = 2e6;

class DiffusionComputation final : public Computation {
public:
    explicit DiffusionComputation(const Request& request)
        : setup_(readSetup(request)),
          chain_(makeChain(setup_)),
          totals_(setup_, *chain_),
          descent_(totals_.begin()),
          layer_(chain_->shape().layers()) {
        for (const double work : chain_->shape().work) {
            sampleWork_ += 2 * work;
            drawWork_ += work;
        }
        drawWork_ += gatheringWork();
        drawWork_ += sampleWork_ * setup_.gradientSamples;
        totalWork_ = drawWork_ * setup_.draws + (setup_.local() ? gaussianWork(setup_, *chain_) : 0) + 1;
    }

    bool step() override {
        const double until = done_ + kSliceWork;
        while (!finished_ && done_ < until) advance();
        return !finished_;
    }
    double progress() const override { return finished_ ? 1 : std::min(done_ / totalWork_, 1.0); }
    Report report() const override {
        if (totals_.capacity.count() > 0) return makeReport(setup_, *chain_, totals_, overlay(), finished_);
        Report none;
        none.status = Status::Partial;
        none.message = "The first network is still on its way.";
        none.warnings = setup_.warnings;
        return none;
    }

private:
    /// The next small piece: one layer down, one gradient sample, or one row of the theory.
    void advance() {
        if (layer_ > 0) return stepDown();
        if (gradient_ && gradient_->samples() < setup_.gradientSamples) return sample();
        if (gradient_) gradient_->finish(totals_);
        gradient_.reset();
        if (totals_.capacity.count() < setup_.draws) return nextDraw();
        if (setup_.local() && gaussian_.size() < totals_.rows() * totals_.width()) return addGaussianRow();
        finished_ = true;
    }
    void stepDown() {
        totals_.descend(*chain_, layer_, draw_, descent_);
        done_ += chain_->shape().work[static_cast<std::size_t>(--layer_)];
        if (layer_ > 0) return;
        totals_.add(std::move(descent_));
        done_ += gatheringWork();
        if (setup_.gradientSamples > 0) gradient_ = std::make_unique<GradientRun>(setup_, *chain_, draw_);
    }
    /// Adding one network to the ensemble's means.
    double gatheringWork() const { return 10.0 * static_cast<double>(totals_.rows() * totals_.width()); }
    void sample() {
        gradient_->sample();
        done_ += sampleWork_;
    }
    void nextDraw() {
        ++draw_;
        layer_ = chain_->shape().layers();
        descent_ = totals_.begin();
    }
    void addGaussianRow() {
        if (gaussian_.empty()) theory_ = makeTheory(setup_, totals_);
        const std::size_t l = gaussian_.size() / totals_.width();
        const auto row = gaussianRow(setup_, theory_, l);
        gaussian_.insert(gaussian_.end(), row.begin(), row.end());
        gaussian_.resize((l + 1) * totals_.width(), std::numeric_limits<double>::quiet_NaN());
        done_ += gaussianWork(setup_, *chain_) / static_cast<double>(totals_.rows());
    }
    /// The theory's rows: all there are at the end, meanwhile those of the networks so far if they are cheap.
    std::vector<double> overlay() const {
        if (finished_ || !setup_.local()) return gaussian_;
        if (gaussianWork(setup_, *chain_) > kCheapOverlay) return {};
        const auto theory = makeTheory(setup_, totals_);
        std::vector<double> rows;
        for (std::size_t l = 0; l < totals_.rows(); ++l) {
            const auto row = gaussianRow(setup_, theory, l);
            rows.insert(rows.end(), row.begin(), row.end());
            rows.resize((l + 1) * totals_.width(), std::numeric_limits<double>::quiet_NaN());
        }
        return rows;
    }

    Setup setup_;
    std::unique_ptr<Chain> chain_;
    Totals totals_;
    Descent descent_;
    std::unique_ptr<GradientRun> gradient_;
    Theory theory_;
    std::vector<double> gaussian_;
    std::uint64_t draw_ = 0;
    int layer_ = 0;
    double done_ = 0, drawWork_ = 0, sampleWork_ = 0, totalWork_ = 0;
    bool finished_ = false;
};

double gradientSamples(const Values& v) { return v.flag("gradient") ? v.number("gradientSamples") : 0; }

/// Weights of a file are at least four bytes each there; here they are two doubles and an entry of D.
Cost fileCost(const Request& request) {
    const auto& id = request.params.text("network");
    const double size = id != "file"      ? static_cast<double>(sampleNetworkBytes(id).size())
                        : request.network ? static_cast<double>(request.network->bytes.size())
                                          : 0;
    const double weights = size / 4;
    return {weights * (100 + 12 * gradientSamples(request.params)) + 1e6, size + weights * 40 + 2e7};
}

/// What all reports hold for each unit of [layer, position] arrays, copies for sending included.
constexpr double kBytesPerCell = 12 * 8;

Cost denseCost(const DrawnNetwork& n, const Values& v) {
    const double pairs = static_cast<double>(n.extent) * n.extent, layers = n.layers, samples = gradientSamples(v);
    const double perDraw = layers * pairs * (130 + 12 * samples);
    const double network = samples > 0 ? 3 * layers * pairs * 8 : 0;
    return {perDraw * v.number("draws") + 1e6, pairs * (n.mixes() ? 56 : 40) + network + (layers + 1) * n.extent * kBytesPerCell + 2e7};
}

Cost localCost(const DrawnNetwork& n, const Values& v) {
    const double extent = n.extent, layers = n.layers, samples = gradientSamples(v), draws = v.number("draws");
    const double pairs = static_cast<double>(n.channels) * n.channels * n.taps;
    const double weights = pairs * (n.kernel == KernelType::Random && !n.shared ? extent : 1);
    const double drawing = weights * (n.kernel == KernelType::Random ? 60 : 20);
    const double descending = extent * (6 * pairs + 30.0 * n.taps + 70);
    const double running = samples * extent * (12 * pairs + 60 * n.channels);
    const double theory = layers * extent * 2 * (extent + 60);
    const double network = samples > 0 ? 3 * layers * weights * 8 : 0;
    return {draws * layers * (drawing + descending + running) + theory + 1e6,
            3 * weights * 8 + network + 20 * extent * n.channels * 8 +
                samples / std::max(samples, 1.0) * layers * extent * n.channels * 40 +
                (layers + 1) * (extent * kBytesPerCell + 32 * draws) + 2e7};
}

Cost costOf(const Request& request) {
    const Values& values = request.params;
    if (!values.is("network", "")) return fileCost(request);
    const auto n = drawnNetwork(values);
    Cost cost = n.space == Space::Dense ? denseCost(n, values) : localCost(n, values);
    if (request.withNetwork) {
        const double perLayer = n.space == Space::Dense ? static_cast<double>(n.extent) * n.extent
                                                        : static_cast<double>(n.channels) * n.channels * n.taps * (n.shared ? 1 : n.extent);
        cost.bytes += 3 * 8 * perLayer * n.layers;
    }
    return cost;
}

/// The param that saves most of what is scarcer, time or memory, when it goes back to its default.
std::string costliestOf(const Request& request) {
    const Cost cost = costOf(request);
    const bool time = cost.operations / kCostLimit.operations >= cost.bytes / kCostLimit.bytes;
    const auto defaults = findDeclaration(request.scene)->defaults();
    std::string worst = request.params.is("network", "") ? "extent" : "network";
    double least = time ? cost.operations : cost.bytes;
    for (const char* key : {"extent", "layers", "draws", "gradientSamples", "channels", "taps"}) {
        if (request.params.number(key) <= defaults.number(key)) continue;
        Request lower = request;
        lower.params.set(key, defaults.at(key));
        const Cost less = costOf(lower);
        if ((time ? less.operations : less.bytes) >= least) continue;
        least = time ? less.operations : less.bytes;
        worst = key;
    }
    return worst;
}

std::unique_ptr<Computation> startDiffusion(const Request& request) { return std::make_unique<DiffusionComputation>(request); }

}  // namespace

Model capacity_diffusion_model() { return {"capacity-diffusion", costOf, costliestOf, startDiffusion}; }

}  // namespace kappaflow
