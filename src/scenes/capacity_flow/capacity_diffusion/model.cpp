#include <algorithm>

#include "scenes/capacity_flow/capacity_diffusion/model_cost.h"
#include "scenes/capacity_flow/capacity_diffusion/model_gradient.h"
#include "scenes/capacity_flow/capacity_diffusion/model_report.h"

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
    std::shared_ptr<const Network> network() const override { return chain_->network(0); }
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
        if (setup_.local() && gaussianRows_ < totals_.rows()) return addGaussianRow();
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
        if (gaussianRows_ == 0) {
            theory_ = makeTheory(setup_, totals_);
            gaussian_ = totals_.undefinedRows();
        }
        totals_.setRow(gaussian_, gaussianRows_, gaussianRow(setup_, theory_, gaussianRows_));
        ++gaussianRows_;
        done_ += gaussianWork(setup_, *chain_) / static_cast<double>(totals_.rows());
    }
    /// The theory's rows: all there are at the end, meanwhile those of the networks so far if they are cheap.
    std::vector<double> overlay() const {
        if (finished_ || !setup_.local()) return gaussian_;
        if (gaussianWork(setup_, *chain_) > kCheapOverlay) return {};
        const auto theory = makeTheory(setup_, totals_);
        auto rows = totals_.undefinedRows();
        for (std::size_t l = 0; l < totals_.rows(); ++l) totals_.setRow(rows, l, gaussianRow(setup_, theory, l));
        return rows;
    }

    Setup setup_;
    std::unique_ptr<Chain> chain_;
    Totals totals_;
    Descent descent_;
    std::unique_ptr<GradientRun> gradient_;
    Theory theory_;
    std::vector<double> gaussian_;
    std::size_t gaussianRows_ = 0;
    std::uint64_t draw_ = 0;
    int layer_ = 0;
    double done_ = 0, drawWork_ = 0, sampleWork_ = 0, totalWork_ = 0;
    bool finished_ = false;
};

std::unique_ptr<Computation> startDiffusion(const Request& request) { return std::make_unique<DiffusionComputation>(request); }

}  // namespace

Model capacity_diffusion_model() { return {"capacity-diffusion", diffusion::costOf, diffusion::costliestOf, startDiffusion}; }

}  // namespace kappaflow
