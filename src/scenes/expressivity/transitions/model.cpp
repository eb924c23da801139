#include <algorithm>
#include <optional>

#include "scenes/expressivity/transitions/model_report.h"

namespace kappaflow {
namespace {

using namespace transitions;
using Size = std::size_t;

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

Model transitions_model() { return {"transitions", costOf, costliestOf, startTransitions}; }

}  // namespace kappaflow
