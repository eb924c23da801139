#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "core/base/errors.h"
#include "scenes/one_network/network_lens/model_cost.h"
#include "scenes/one_network/network_lens/model_report.h"

namespace kappaflow {
namespace {

using namespace lens;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

class LensComputation final : public Computation {
public:
    /// `resumed`: an older report is on the screen, which is better than one that is half empty.
    LensComputation(const Request& request, training_runs::Run run, bool resumed)
        : setup_(std::make_unique<Setup>(readSetup(request))), run_(std::move(run)), resumed_(resumed) {
        if (setup_->training)
            beginTraining();
        else
            look_.start(*setup_, setup_->network, 0, kFinalWork);
    }

    bool step() override {
        if (looking_) {
            if (look_.step()) return true;
            looking_ = false;
            if (!training_) return false;
            tellSoFar();
            return true;
        }
        if (!training_) return false;
        if (!run_.advance())
            lookForGood();
        else if (run_.learning() && secondsSince(lookedAt_) > kTrainingBetween)
            lookOnTheWay();
        return true;
    }
    double progress() const override {
        const double last = training_ ? 0 : look_.progress();
        if (!setup_->training) return last;
        return training_ ? 0.8 * run_.progress() : 0.8 + 0.2 * last;
    }
    Report report() const override {
        const bool done = !training_ && !looking_;
        Report report = done || (!soFar_ && !resumed_ && !training_) ? made() : soFar_.value_or(Report{});
        report.status = done ? Status::Ok : Status::Partial;
        report.message = done ? "" : training_ ? "The network is being trained." : "The lenses look at the network one after the other.";
        return report;
    }
    bool reusable() const override { return true; }
    std::shared_ptr<const Network> network() const override { return std::make_shared<Network>(look_.shown()); }

    training_runs::Run takeRun() { return std::move(run_); }

private:
    /// Seconds of training between two looks on the way, and what a look should take at the most: together less than half a second.
    static constexpr double kTrainingBetween = 0.25, kLongestLook = 0.12;

    void beginTraining() {
        try {
            run_.begin(*setup_->training);
            training_ = true;
            looking_ = false;
            // The first look is at the network as it was drawn.
            lookedAt_ = Clock::now() - std::chrono::seconds(1);
        } catch (const InputError& error) {
            setup_->training.reset();
            setup_->noTraining = error.what();
            look_.start(*setup_, setup_->network, 0, kFinalWork);
        }
    }
    void lookOnTheWay() {
        lookedAt_ = Clock::now();
        looking_ = true;
        look_.start(*setup_, run_.network(), static_cast<double>(run_.shown()), passing_);
    }
    /// Each look's time decides how much the next may do.
    void tellSoFar() {
        run_.look();
        soFar_ = made();
        const double took = secondsSince(lookedAt_);
        passing_ = std::clamp(passing_ * (took > kLongestLook ? 0.6 : took < kLongestLook / 3 ? 1.5 : 1), kPassingWork / 3, kPassingWork);
        lookedAt_ = Clock::now();
    }
    void lookForGood() {
        training_ = false;
        looking_ = true;
        if (!run_.trouble().empty()) setup_->warnings.insert(setup_->warnings.begin(), run_.trouble());
        look_.start(*setup_, run_.network(), static_cast<double>(run_.shown()), kFinalWork);
    }
    Report made() const { return makeReport(*setup_, look_, setup_->training ? &run_ : nullptr); }

    std::unique_ptr<Setup> setup_;  ///< where the look finds it, wherever this is
    training_runs::Run run_;
    Look look_;
    std::optional<Report> soFar_;  ///< while the network is trained: of one of its steps
    bool resumed_ = false, training_ = false, looking_ = true;
    double passing_ = kPassingWork;
    Clock::time_point lookedAt_;
};

std::unique_ptr<Computation> start(const Request& request) {
    return std::make_unique<LensComputation>(request, training_runs::Run(), false);
}

/// What is known of the same run of training stays known.
std::unique_ptr<Computation> resume(const Request& request, std::unique_ptr<Computation> previous) {
    return std::make_unique<LensComputation>(request, static_cast<LensComputation&>(*previous).takeRun(), true);
}

}  // namespace

Model network_lens_model() { return {"network-lens", costOf, costliestOf, start, resume}; }

}  // namespace kappaflow
