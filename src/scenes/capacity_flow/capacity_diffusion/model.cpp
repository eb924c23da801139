#include "scenes/capacity_flow/capacity_diffusion/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/rng.h"
#include "core/capacity/capacity_network.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace diffusion {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

void addTo(std::vector<double>& sums, const std::vector<double>& values) {
    if (sums.empty()) sums.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

}  // namespace

Totals::Totals(const Setup& setup, const Chain& chain) : setup_(setup), shape_(chain.shape()), tracking_(chain.tracking()) {
    height_ = static_cast<std::size_t>(*std::max_element(shape_.heights.begin(), shape_.heights.end()));
    width_ = static_cast<std::size_t>(*std::max_element(shape_.widths.begin(), shape_.widths.end()));
    // A file's start speaks of its output units, a drawn network's of positions.
    const std::size_t channels = shape_.units.back() / setup.start.profile.size();
    for (std::size_t c = 0; c < channels; ++c)
        for (const double share : setup.start.profile) top_.capacity.push_back(share / static_cast<double>(channels));
    top_.offsets = topOffsets(setup.start, channels, tracking_, shape_.plane);
    kernelShares.resize(shape_.work.size());
    shares.resize(shape_.work.size());
    flow.resize(shape_.geometry.size());
    binSize = flowBinSize(shape_.geometry, kMaxFlowEdges);
    double entries = 0;
    for (const auto& g : shape_.geometry) entries += static_cast<double>(g.inWidth) * g.outWidth;
    wantsShares = !setup.local() && !shape_.plane && entries <= kMaxShares;
}

Descent Totals::begin() const {
    Descent descent;
    descent.state = top_;
    descent.capacity = undefinedRows();
    if (setup_.channel >= 0) descent.channel = undefinedRows();
    for (auto* perLayer : {&descent.total, &descent.unattributed}) perLayer->assign(rows(), 0);
    descent.moments.resize(rows());
    descent.kernelShares.resize(kernelShares.size());
    descent.shares.resize(shares.size());
    descent.flow.resize(flow.size());
    storeRow(descent, rows() - 1, 0);
    return descent;
}

void Totals::storeRow(Descent& descent, std::size_t l, double unattributed) const {
    const auto& units = descent.state.capacity;
    const std::size_t positions = shape_.positions(l), channel = static_cast<std::size_t>(std::max(0, setup_.channel));
    const auto row = byPosition(units, positions);
    setRow(descent.capacity, l, row);
    if (!descent.channel.empty() && channel < shape_.channels(l)) {
        const auto first = units.begin() + static_cast<std::ptrdiff_t>(channel * positions);
        setRow(descent.channel, l, {first, first + static_cast<std::ptrdiff_t>(positions)});
    }
    descent.total[l] = sumOf(units);
    descent.unattributed[l] = unattributed;
    if (tracking_ != Tracking::None) descent.moments[l] = momentsOf(shape_, l, setup_.start, tracking_, descent.state.offsets, row);
}

void Totals::descend(Chain& chain, int l, std::uint64_t draw, Descent& descent) {
    const auto below = static_cast<std::size_t>(l) - 1;
    FlowLayer edges(binSize, shape_.plane ? 1 : shape_.widths[below]);
    double unattributed = descent.unattributed[below + 1];
    const StepRecord record{shape_.plane ? nullptr : &edges, &descent.kernelShares[below], wantsShares ? &descent.shares[below] : nullptr};
    descent.state = chain.stepDown(l, draw, descent.state, unattributed, record);
    storeRow(descent, below, unattributed);
    if (!shape_.plane) descent.flow[below] = edges.finish();
}

void Totals::add(Descent&& descent) {
    capacity.add(descent.capacity);
    total.add(descent.total);
    unattributed.add(descent.unattributed);
    if (!descent.channel.empty()) channel.add(descent.channel);
    moments.push_back(std::move(descent.moments));
    for (std::size_t l = 0; l < shares.size(); ++l) {
        addTo(kernelShares[l], descent.kernelShares[l]);
        addTo(shares[l], descent.shares[l]);
    }
    for (std::size_t l = 0; l < flow.size(); ++l) {
        if (flow[l].from.empty()) {
            flow[l] = std::move(descent.flow[l]);
        } else {
            addTo(flow[l].amount, descent.flow[l].amount);
        }
    }
}

void Totals::addGradient(const std::vector<double>& values, std::vector<double> sampleError) {
    gradient.add(values);
    gradientSampleError = std::move(sampleError);
}

std::vector<double> Totals::rowOf(const std::vector<double>& array, std::size_t l) const {
    const auto height = static_cast<std::size_t>(shape_.heights[l]), width = static_cast<std::size_t>(shape_.widths[l]);
    std::vector<double> row;
    for (std::size_t y = 0; y < height; ++y) {
        const auto first = array.begin() + static_cast<std::ptrdiff_t>((l * height_ + y) * width_);
        row.insert(row.end(), first, first + static_cast<std::ptrdiff_t>(width));
    }
    return row;
}

void Totals::setRow(std::vector<double>& array, std::size_t l, const std::vector<double>& values) const {
    const auto width = static_cast<std::size_t>(shape_.widths[l]);
    for (std::size_t i = 0; i < values.size(); ++i) array[(l * height_ + i / width) * width_ + i % width] = values[i];
}

std::vector<double> Totals::undefinedRows() const { return std::vector<double>(rows() * width(), kNothing); }

GradientRun::GradientRun(const Setup& setup, const Chain& chain, std::uint64_t draw)
    : setup_(setup), draw_(draw), network_(chain.network(draw)), states_(chain.states()) {
    const auto& shape = chain.shape();
    first_.push_back(0);
    for (std::size_t l = 0; l < shape.units.size(); ++l) {
        positions_.push_back(shape.positions(l));
        first_.push_back(first_.back() + positions_.back());
    }
    const auto& profile = setup.start.profile;
    const std::size_t units = shape.units.back();
    for (std::size_t i = 0; i < units; ++i)
        top_.push_back(profile[i % profile.size()] * static_cast<double>(profile.size()) / static_cast<double>(units));
}

void GradientRun::sample() {
    Rng rng(setup_.drawn.seed, Purpose::Inputs, (draw_ << 32) | static_cast<std::uint64_t>(mean_.count()));
    const auto squares = squaredGradient(*network_, top_, rng);
    std::vector<double> rows;
    for (std::size_t l = 0; l < positions_.size(); ++l) {
        const auto row = byPosition(squares[states_[l]], positions_[l]);
        rows.insert(rows.end(), row.begin(), row.end());
    }
    addComoments(rows);
}

void GradientRun::addComoments(const std::vector<double>& rows) {
    std::vector<double> totals;
    for (std::size_t l = 0; l < positions_.size(); ++l)
        totals.push_back(std::accumulate(&rows[first_[l]], &rows[first_[l]] + positions_[l], 0.0));
    const auto before = mean_.count() > 0 ? mean_.mean() : rows;
    mean_.add(rows);
    total_.add(totals);
    comoments_.resize(rows.size());
    for (std::size_t l = 0; l < positions_.size(); ++l)
        for (auto i = first_[l]; i < first_[l + 1]; ++i) comoments_[i] += (rows[i] - before[i]) * (totals[l] - total_.mean()[l]);
}

void GradientRun::finish(Totals& totals) const {
    const double n = mean_.count(), pairs = std::max(1.0, n * (n - 1));
    const auto error = mean_.standardError(), totalError = total_.standardError();
    auto rows = totals.undefinedRows(), errors = rows;
    for (std::size_t l = 0; l < positions_.size(); ++l) {
        const double total = total_.mean()[l], variance = totalError[l] * totalError[l];
        std::vector<double> shares, shareErrors;
        for (auto i = first_[l]; i < first_[l + 1] && total > 0; ++i) {
            const double share = mean_.mean()[i] / total;
            shares.push_back(share);
            const double square = error[i] * error[i] - 2 * share * comoments_[i] / pairs + share * share * variance;
            // A share that never varies leaves only the rounding of the three terms, whose root would look like an error.
            shareErrors.push_back(square > 1e-13 * error[i] * error[i] ? std::sqrt(square) / total : 0);
        }
        totals.setRow(rows, l, shares);
        totals.setRow(errors, l, shareErrors);
    }
    totals.addGradient(rows, std::move(errors));
}

namespace {

std::string countOf(int n, const std::string& what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

std::string percent(double share) { return inWords(100 * share, 2) + " %"; }

/// "The capacity of one output unit".
std::string subject(const Setup& setup) {
    const auto& profile = setup.start.profile;
    const auto units = std::count_if(profile.begin(), profile.end(), [](double p) { return p > 0; });
    if (units == 1)
        return setup.local() && setup.drawn.channels > 1 ? "The capacity of one output position" : "The capacity of one output unit";
    return "The capacity of " + std::to_string(units) + " output " + (setup.local() ? "positions" : "units");
}

/// "±4 positions", in a plane "±4 rows and ±4.1 columns".
std::string plusMinus(bool plane, double y, double x) {
    if (!plane) return "±" + inWords(x);
    return "±" + inWords(y) + " rows and ±" + inWords(x) + " columns";
}

/// Values at the input, [axis] in a plane.
struct AtInput {
    double y, x;
};
AtInput atInput(const Report& report, const char* name, bool plane) {
    const auto& values = report.array(name)->values;
    return plane ? AtInput{values[0], values[1]} : AtInput{0, values[0]};
}

/// Is the mean of the centres 0, as v = 0 says? In standard errors.
std::string meanCentreSentence(const Report& report) {
    const Array& mean = *report.array("mean");
    const double error = mean.standardError[0], centre = mean.values[0];
    if (!(error > 0)) return "";
    return " On average the centre is at " + inWords(centre, 2) + " ± " + inWords(error, 2) +
           (std::abs(centre) < 3 * error ? ": v = 0 holds on average, for no single network." : ", further from 0 than chance allows.");
}

std::string wanderSentence(const Setup& setup, const Report& report, bool plane) {
    const auto *x = report.scalar("centreWander"), *y = report.scalar("centreWanderY");
    if (!setup.random() || !x) return "";
    const std::string start = " This is the average of " + countOf(setup.draws, "network");
    const Array* width = report.array("deviationWithin");
    if (plane || !width) return start + ", whose centres wander by " + plusMinus(plane, y ? y->value : 0, x->value) + ".";
    return start + ": each is ±" + inWords(width->values[0]) + " wide about its own centre, and the centres wander by ±" +
           inWords(x->value) + "." + meanCentreSentence(report);
}

std::string spreadSentences(const Setup& setup, const Report& report) {
    const bool plane = setup.plane();
    const AtInput predicted = atInput(report, "standardDeviationPredicted", plane), mean = atInput(report, "mean", plane);
    const double spreadY = plane ? report.scalar("spreadY")->value : 0;
    std::string text = subject(setup) + " spreads over about " + plusMinus(plane, spreadY, report.scalar("spread")->value) +
                       (plane ? " (standard deviations)" : " positions (standard deviation)") + " on its way through " +
                       countOf(setup.drawn.layers, "layer") + "; the diffusion equation predicts " +
                       plusMinus(plane, predicted.y, predicted.x);
    const auto* distance = report.scalar("totalVariation");
    if (distance && distance->value < 1e-9) text += ", and the profile is its Gaussian";
    if (distance && distance->value >= 1e-9)
        text += ", and " + percent(distance->value) + " of the capacity lies elsewhere than its Gaussian says";
    text += ".";
    if (setup.draws == 1 && std::max(std::abs(mean.y), std::abs(mean.x)) > 0.05)
        text += plane ? " Its centre drifts by " + inWords(mean.y) + " rows and " + inWords(mean.x) + " columns."
                      : " Its centre drifts by " + inWords(mean.x) + " positions.";
    return text + wanderSentence(setup, report, plane);
}

/// How many inputs hold the capacity, as if it were shared equally: e to the entropy.
double effectiveInputs(const std::vector<double>& capacity, double total) {
    double entropy = 0;
    for (const double c : capacity)
        if (c > 0) entropy -= c / total * std::log(c / total);
    return std::exp(entropy);
}

/// What the inputs are called, and one of them by name.
std::string inputsInWords(const ChainShape& shape) {
    if (!shape.plane) return countOf(shape.widths[0], "input");
    return std::to_string(shape.heights[0]) + " × " + std::to_string(shape.widths[0]) + " positions of the input";
}
std::string inputInWords(const ChainShape& shape, std::size_t input) {
    if (!shape.plane) return "input " + std::to_string(input);
    const auto width = static_cast<std::size_t>(shape.widths[0]);
    return "row " + std::to_string(input / width) + ", column " + std::to_string(input % width);
}

std::string sharingSentences(const Setup& setup, const Chain& chain, const Totals& totals, const Report& report) {
    const auto& shape = chain.shape();
    const auto capacity = totals.rowOf(report.array("capacity")->values, 0);
    const double total = report.array("total")->values[0];
    if (!(total > 0)) return subject(setup) + " reaches no input: every way down ends at units without weights.";
    const auto most = std::max_element(capacity.begin(), capacity.end());
    std::string text = subject(setup) + " reaches the " + inputsInWords(shape) + " through " + countOf(shape.layers(), "layer") +
                       " and is spread there as if " + inWords(effectiveInputs(capacity, total)) + " of them shared it equally; " +
                       inputInWords(shape, static_cast<std::size_t>(most - capacity.begin())) + " gets most, " + percent(*most / total) +
                       ".";
    if (shape.plane)
        text += " About its mean it extends over " + plusMinus(true, report.scalar("spreadY")->value, report.scalar("spread")->value) +
                " (standard deviations).";
    return text;
}

}  // namespace

std::string summaryOf(const Setup& setup, const Chain& chain, const Totals& totals, const Report& report) {
    std::string text = setup.local() ? spreadSentences(setup, report) : sharingSentences(setup, chain, totals, report);
    if (const auto* distance = report.scalar("gradientTotalVariation"))
        return text + " The mean squared gradient lies at the input where the capacity does, up to " + percent(distance->value) + " of it.";
    const double lost = report.array("unattributed")->values[0];
    return text + (lost > 1e-12 ? " Units without weights keep " + percent(lost) + " of it." : " Its total stays 1 in every layer.");
}

namespace {

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
}  // namespace diffusion

Model capacity_diffusion_model() { return stepwise<diffusion::costOf, diffusion::costliestOf, diffusion::startDiffusion>("capacity-diffusion"); }

}  // namespace kappaflow
