// Optima of one model after the other, or the way to one of them.
#include <algorithm>
#include <cmath>

#include "scenes/linear_models/model_cost.h"
#include "scenes/linear_models/model_subject.h"

namespace kappaflow::linear {
namespace {

constexpr int kIterationsPerSlice = 8;
/// Steps of the timeline lie this factor apart, so that a thousand iterations are some thirty frames.
constexpr double kStepRatio = 1.25;

class Walk final : public Computation {
public:
    Walk(WalkSetup setup, std::unique_ptr<Subject> subject)
        : setup_(std::move(setup)), subject_(std::move(subject)), scope_(setup_.process, setup_.length, setup_.basis) {
        // First what was asked for, then its neighbours on the timeline.
        todo_.push_back(setup_.channels);
        for (const std::size_t channels : setup_.shown)
            if (channels != setup_.channels && !setup_.optimising) todo_.push_back(channels);
        other_ = subject_->other();
        jobs_ = todo_.size() + (other_ ? 1 : 0);
    }

    bool step() override {
        if (search_)
            search();
        else
            begin();
        return done_ < jobs_;
    }
    double progress() const override {
        const double part = search_ ? search_->progress() : 0;
        return done_ == jobs_ ? 1 : (static_cast<double>(done_) + 0.99 * part) / static_cast<double>(jobs_);
    }
    Report report() const override { return walkReport(setup_, scope_, *subject_, result_, done_ == jobs_); }

private:
    bool comparing() const { return done_ == todo_.size(); }
    const LinearModel& model() const { return comparing() ? *other_ : *model_; }

    void begin() {
        if (!comparing()) model_ = subject_->model(todo_[done_]);
        OptimumOptions options = setup_.options;
        if (comparing()) options.start = OptimumStart::Best;
        search_ = std::make_unique<OptimumSearch>(model(), scope_.task, options);
        if (watched()) record();
    }
    void search() {
        for (int i = 0; i < kIterationsPerSlice; ++i) {
            if (!search_->step()) return finish();
            if (watched() && search_->iterations() >= next_) record();
        }
    }
    bool watched() const { return setup_.optimising && !comparing(); }
    Frame frame() const {
        Frame frame = frameAt(scope_, model(), comparing() ? search_->weights() : subject_->pulled(model(), search_->weights()));
        frame.iterations = search_->iterations();
        return frame;
    }
    void record() {
        result_.frames.push_back(frame());
        result_.frames.back().place = search_->iterations();
        next_ = std::max(search_->iterations() + 1, static_cast<int>(kStepRatio * search_->iterations()));
        result_.asked = &result_.frames.back();
    }
    void finish() {
        if (comparing())
            result_.other = std::make_unique<Frame>(frame());
        else if (watched())
            finishWay();
        else
            insert(frame());
        if (done_ == 0 && setup_.length <= kSpectrumLength)
            result_.rawSpectrum = relativeSpectrum(scope_, model(), result_.asked->weights, true).eigenvalues;
        search_.reset();
        ++done_;
    }
    /// The best weights belong to the last iteration, whether or not its turn to be a frame had come.
    void finishWay() {
        if (result_.frames.back().place < search_->iterations()) record();
    }
    void insert(Frame frame) {
        frame.place = static_cast<double>(todo_[done_]);
        const auto after =
            std::find_if(result_.frames.begin(), result_.frames.end(), [&](const Frame& f) { return f.place > frame.place; });
        result_.frames.insert(after, std::move(frame));
        for (const Frame& f : result_.frames)
            if (f.place == static_cast<double>(setup_.channels)) result_.asked = &f;
    }

    WalkSetup setup_;
    std::unique_ptr<Subject> subject_;
    Scope scope_;
    std::unique_ptr<LinearModel> model_, other_;
    std::vector<std::size_t> todo_;
    std::size_t jobs_ = 0, done_ = 0;
    std::unique_ptr<OptimumSearch> search_;
    int next_ = 1;
    WalkResult result_;
};

/// Constraints, a basis, an autocovariance, and spectra where they are shown: of the columns that the model has, at most.
double frameOperations(const LinearModel& model, const WalkSetup& setup) {
    const double n = static_cast<double>(model.inputs()), columns = std::min(static_cast<double>(model.parameters()), 2 * n);
    const double spectrum = setup.length <= kSpectrumLength ? 60 * n * n * n + 4 * columns * n * n : 0;
    return 6 * n * n * columns + 3 * n * n * n + spectrum;
}

/// Frames along one way: every iteration first, then ever fewer.
double framesOf(int iterations) { return 8 + std::log(std::max(iterations, 2)) / std::log(kStepRatio); }

}  // namespace

std::unique_ptr<Computation> startWalk(WalkSetup setup, std::unique_ptr<Subject> subject) {
    return std::make_unique<Walk>(std::move(setup), std::move(subject));
}

WalkSetup readWalk(const Request& request, std::size_t length) {
    const Values& v = request.params;
    WalkSetup setup;
    setup.scene = request.scene;
    setup.basis = v.text("basis");
    setup.process = processOf(v);
    setup.length = length;
    setup.channels = static_cast<std::size_t>(v.number("channels"));
    setup.optimising = v.is("watch", "optimisation");
    setup.withNetwork = request.withNetwork;
    setup.options.start = v.is("start", "random") ? OptimumStart::Random : OptimumStart::Best;
    setup.options.seed = v.seed();
    // Only random starts differ from one another; the way that is watched is a single one.
    const bool several = setup.options.start == OptimumStart::Random && !setup.optimising;
    setup.options.restarts = several ? v.integer("restarts") : 1;
    return setup;
}

Cost walkCost(const WalkSetup& setup, const Subject& subject) {
    const double n = static_cast<double>(setup.length), frames = setup.optimising ? framesOf(setup.options.iterations) : 1;
    Cost cost{1e6 + (setup.basis == "covariance" ? 9 * n * n * n : 0) + 60 * n * n * n, 2e6 + 60 * n * n};
    const auto add = [&](const LinearModel& model, const OptimumOptions& options, double framesShown) {
        const double p = static_cast<double>(model.parameters());
        cost.operations += optimumCost(model, options) + framesShown * frameOperations(model, setup);
        cost.bytes += framesShown * (8 * p + 100 * n) + 200 * p + 16 * n * std::min(p, 2 * n);
    };
    if (setup.optimising)
        add(*subject.model(setup.channels), setup.options, frames);
    else
        for (const std::size_t channels : setup.shown) add(*subject.model(channels), setup.options, 1);
    OptimumOptions best = setup.options;
    best.start = OptimumStart::Best;
    if (const auto other = subject.other()) add(*other, best, 1);
    return cost;
}

}  // namespace kappaflow::linear
