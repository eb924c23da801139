#include <algorithm>

#include "scenes/linear_models/capacity_sweep/model_report.h"

namespace kappaflow {
namespace {

using namespace capacity_sweep;

class SweepComputation final : public Computation {
public:
    explicit SweepComputation(const Request& request)
        : setup_(readSetup(request.params)), sweep_{predictionTask(setup_.process, setup_.length), {}, FullModel(setup_.length), {}} {
        for (int c : setup_.channels) sweep_.points.push_back(std::make_unique<Point>(setup_, sweep_.task, c));
    }

    // Cheap things first: all optima, full connection, then the random starts from few channels to many.
    bool step() override {
        auto& points = sweep_.points;
        if (optima_ < points.size()) {
            if (!points[optima_]->seekOptimum()) ++optima_;
        } else if (!sweep_.fullyConnected) {
            auto options = setup_.options;
            options.start = OptimumStart::Random;
            sweep_.fullyConnected = findOptimum(sweep_.full, sweep_.task, options).loss;
        } else if (setup_.random && random_ < points.size()) {
            if (!points[random_]->descend()) ++random_;
        }
        finished_ = optima_ == points.size() && sweep_.fullyConnected && (!setup_.random || random_ == points.size());
        return !finished_;
    }
    double progress() const override {
        if (finished_) return 1;
        double done = 0, all = 0;
        for (const auto& point : sweep_.points) {
            const double share = point->parameters() + 500;
            done += share * point->progress();
            all += share;
        }
        return done / all;
    }
    Report report() const override { return makeReport(setup_, sweep_, finished_); }

private:
    Setup setup_;
    Sweep sweep_;
    std::size_t optima_ = 0, random_ = 0;
    bool finished_ = false;
};

std::unique_ptr<Computation> startSweep(const Request& request) { return std::make_unique<SweepComputation>(request); }

}  // namespace

Model capacity_sweep_model() { return {"capacity-sweep", costOf, costliestOf, startSweep}; }

}  // namespace kappaflow
