#include "scenes/moments/sensitivity_theorems/model.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/moments/moment_theory.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace sensitivity_theorems {
namespace {

using Size = std::size_t;

/// Receptive fields of more numbers are not worth their eigenvalues.
constexpr double kMostField = 256;

/// μ₂(x^l) over the half of what the activation reads: its expectation is what Theorems 2 and 3 take to the power −1/2.
double varianceLeft(const MomentNet& net, const LayerMoments& m, double before) {
    if (net.residual() || net.activation != Activation::Relu) return kUndefined;
    return net.normalised() ? 2 * m.mu2 / m.mu2Normalised : m.mu2 / (before * net.weightScale * net.weightScale);
}

void readInner(LayerRecord& record, const LayerMoments& m) {
    if (m.inner.empty()) return;
    record.inner = 1;
    record.innerLow = record.innerHigh = m.inner[0].deltaChi;
    for (const InnerMoments& inner : m.inner) {
        record.inner *= inner.deltaChi;
        record.innerLow = std::min(record.innerLow, inner.deltaChi);
        record.innerHigh = std::max(record.innerHigh, inner.deltaChi);
    }
    record.branch = m.mu2Branch;
}

}  // namespace

Expectation expectationOf(const Values& v, const MomentNet& net) {
    if (v.is("expectation", "channels")) return Expectation::Channels;
    return v.is("expectation", "exact") && hasExactIncrement(net) ? Expectation::Exact : Expectation::Fresh;
}

TheoremRun::TheoremRun(const Setup& setup, std::size_t draw)
    : setup_(setup), draw_(draw), network_(random_nets::propagationOf(setup.nets, draw, {false, true})), records_(1) {
    // The skip starts from the input, which Eq 13 counts as the zeroth branch.
    if (setup_.nets.net.residual()) records_[0].branch = network_.layers().front().mu2;
    if (draw_ == 0) firstStep_ = closedFirstStep();
    expect();
}

/// Theorem 2's exactly, for one layer's weights and the inputs drawn; batch norm's by the eigenvalues of the inputs' covariance with a
/// Gaussian for the activation.
double TheoremRun::closedFirstStep() const {
    const MomentNet& net = setup_.nets.net;
    if (hasExactIncrement(net)) return exactIncrement(network_.state().signal);
    const double field = std::pow(static_cast<double>(net.taps), net.dimensions) * static_cast<double>(net.inputs);
    if (net.kind != MomentKind::BatchNorm || net.activation != Activation::Relu || field > kMostField) return kUndefined;
    return firstBatchNormStep(receptiveFieldEigenvalues(net, network_.state().signal)) * kGaussianIncrement;
}

void TheoremRun::expect() {
    const MomentNet& net = setup_.nets.net;
    const Size layer = records_.size();
    if (layer > net.layers) return;
    const std::uint64_t seed = setup_.nets.seed;
    if (setup_.expectation == Expectation::Fresh)
        expected_ = freshTheorems(net, network_.state(), layer, setup_.fresh(), seed, draw_ * setup_.fresh());
    if (setup_.expectation == Expectation::Exact) expected_.increment.value = exactIncrement(network_.state().signal);
    if (draw_ == 0 && net.activation == Activation::Relu)
        switching_.push_back(unitSwitching(net, network_.state(), drawMomentWeights(net, (layer - 1) * net.innerLayers(), seed, draw_)));
}

void TheoremRun::finishLayer() {
    const MomentNet& net = setup_.nets.net;
    const LayerMoments &m = network_.layers().back(), &before = network_.layers()[network_.layers().size() - 2];
    const bool channels = setup_.expectation == Expectation::Channels;
    LayerRecord record;
    record.deltaChi = m.deltaChi;
    record.theorem = channels ? m.theorem : expected_.increment.value;
    if (net.normalised()) {
        record.batchNorm = m.deltaBatchNorm;
        record.activation = m.deltaActivation;
        // Fresh units of a resnet give its increment as a whole: the terms of its first inner layer are the drawn channels'.
        const bool own = channels || net.residual();
        record.batchNormTheorem = own ? m.batchNormTheorem : expected_.batchNorm.value;
        record.activationTheorem = own ? m.activationTheorem : expected_.activation.value;
    }
    record.logChi = m.logChi;
    record.logTheorem = records_.back().logTheorem + std::log(record.theorem);
    record.variance = varianceLeft(net, m, before.mu2);
    readInner(record, m);
    records_.push_back(record);
}

bool TheoremRun::advance() {
    const bool more = network_.advance();
    if (network_.layers().size() > records_.size()) {
        finishLayer();
        if (more) expect();
    }
    return more;
}

namespace {

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
}  // namespace sensitivity_theorems

Model sensitivity_theorems_model() {
    return stepwise<sensitivity_theorems::costOf, sensitivity_theorems::costliestOf, sensitivity_theorems::startTheorems>("sensitivity-theorems");
}

}  // namespace kappaflow
