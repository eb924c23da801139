#include <algorithm>

#include "scenes/capacity_flow/deep_limit/model_report.h"

namespace kappaflow {
namespace {

using namespace deep_limit;

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

Model deep_limit_model() { return {"deep-limit", costOf, costliestOf, startDeepLimit}; }

}  // namespace kappaflow
