#include <algorithm>
#include <optional>

#include "scenes/moments/sensitivity_theorems/model_report.h"

namespace kappaflow {
namespace {

using namespace sensitivity_theorems;

constexpr MomentPropagation::Wanted kWanted{false, true};

Setup setupOf(random_nets::NetSetup nets, const Values& v) {
    Setup s{std::move(nets)};
    s.expectation = expectationOf(v, s.nets.net);
    return s;
}

Cost costOf(const Request& request) {
    const Setup s = setupOf(random_nets::readNet(request.params), request.params);
    const Cost one = random_nets::costOfDraw(s.nets, kWanted);
    const double draws = static_cast<double>(s.nets.draws), layers = static_cast<double>(s.nets.net.layers + 1), P = s.nets.points();
    const double N = static_cast<double>(s.nets.net.width), field = std::min(256.0, N * std::pow(s.nets.net.taps, s.nets.net.dimensions));
    double expected = 0;
    if (s.expectation == Expectation::Fresh) expected = 1.1 * static_cast<double>(s.fresh()) * one.operations;
    if (s.expectation == Expectation::Exact) expected = layers * P * P * (N + 40);
    // The first network's units, and the closed first step from eigenvalues.
    const double first = one.operations + 20 * field * field * field + 2 * P * field * field;
    const double report = layers * draws * (draws + 400);
    const double pairs = s.expectation == Expectation::Exact || s.nets.net.kind == MomentKind::Vanilla ? 8 * P * P : 0;
    return {draws * (one.operations + expected) + first + report + 1e6,
            2 * one.bytes + 8 * P * field * 2 + pairs + layers * (draws * sizeof(LayerRecord) + 8 * N + 2000) + 4e6};
}

std::string costliestOf(const Request& request) { return random_nets::costliestParam(request, costOf); }

class TheoremsComputation final : public Computation {
public:
    explicit TheoremsComputation(const Request& request) : setup_(setupOf(random_nets::readNet(request), request.params)) {}

    bool step() override {
        if (!run_) {
            run_.emplace(setup_, progress_.draws.size());
            return true;
        }
        const bool more = run_->advance();
        if (progress_.draws.empty()) {
            progress_.switching = run_->switching();
            progress_.firstStep = run_->firstStep();
        }
        if (more) return true;
        if (progress_.collapse.empty()) progress_.collapse = run_->collapsed();
        progress_.draws.push_back(run_->records());
        run_.reset();
        progress_.finished = progress_.draws.size() == setup_.nets.draws;
        return !progress_.finished;
    }
    double progress() const override {
        const double layers = static_cast<double>(setup_.nets.net.linearLayers() + 1);
        const double inside = run_ ? static_cast<double>(run_->linearLayersDone()) / layers : 0;
        return (static_cast<double>(progress_.draws.size()) + inside) / static_cast<double>(setup_.nets.draws);
    }
    Report report() const override { return makeReport(setup_, progress_); }

private:
    Setup setup_;
    Progress progress_;
    std::optional<TheoremRun> run_;
};

std::unique_ptr<Computation> startTheorems(const Request& request) { return std::make_unique<TheoremsComputation>(request); }

}  // namespace

Model sensitivity_theorems_model() { return {"sensitivity-theorems", costOf, costliestOf, startTheorems}; }

}  // namespace kappaflow
