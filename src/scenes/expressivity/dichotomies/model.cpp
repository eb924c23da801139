#include <algorithm>
#include <optional>

#include "scenes/expressivity/dichotomies/model_report.h"

namespace kappaflow {
namespace {

using namespace dichotomies;
using Size = std::size_t;

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

Model dichotomies_model() { return {"dichotomies", costOf, costliestOf, startDichotomies}; }

}  // namespace kappaflow
