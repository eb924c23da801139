#include <algorithm>
#include <cmath>
#include <optional>

#include "core/moments/moment_propagation.h"
#include "scenes/moments/model_report.h"

namespace kappaflow {
namespace {

using namespace moments;
using random_nets::NetSetup;

bool comparing(const Values& v) { return v.is("compare", "all"); }

Cost costOf(const Request& request) {
    const NetSetup s = random_nets::readNet(request.params);
    const double layers = static_cast<double>(s.net.layers + 1), draws = static_cast<double>(s.draws);
    const double curves = 8 * layers * (kCurveCount + kTheoryCount + 2);
    const double points = std::min<double>(s.points(), kCloudPoints), shown = 8 * layers * (points * 4 + 3);
    Cost cost{1e5, 4e6};
    for (const MomentKind kind : {MomentKind::Vanilla, MomentKind::BatchNorm, MomentKind::Resnet, MomentKind::ResnetPlain}) {
        if (!comparing(request.params) && kind != s.net.kind) continue;
        const Cost one = random_nets::costOfDraw(random_nets::withKind(s, kind));
        cost.operations += one.operations * (draws + 0.5) + layers * (draws * draws + 400) * kCurveCount * 2;
        cost.bytes = std::max(cost.bytes, one.bytes) + draws * curves + 3 * shown;
    }
    return cost;
}

std::string costliestOf(const Request& request) { return random_nets::costliestParam(request, costOf); }

class MomentsComputation final : public Computation {
public:
    explicit MomentsComputation(const Request& request) : setup_(random_nets::readNet(request)) {
        addNet(setup_.net.kind);
        if (comparing(request.params))
            for (const MomentKind kind : {MomentKind::Vanilla, MomentKind::BatchNorm, MomentKind::Resnet, MomentKind::ResnetPlain})
                if (kind != setup_.net.kind) addNet(kind);
        for (const NetSetup& net : nets_) total_ += static_cast<double>(net.net.linearLayers() + 1) * static_cast<double>(net.draws);
    }

    bool step() override {
        if (!run_) return begin();
        if (run_->advance()) {
            layerDone();
            return true;
        }
        layerDone();
        finishDraw();
        return next();
    }
    double progress() const override {
        return progress_.finished ? 1 : std::min(1.0, (done_ + (run_ ? static_cast<double>(run_->linearLayersDone()) : 0)) / total_);
    }
    Report report() const override {
        Progress shown = progress_;
        for (Size k = 0; k < nets_.size(); ++k) {
            if (draws_[k].empty()) shown.nets[k] = firstDraw(k);
            shown.nets[k].clouds = draws_[k].empty() ? aligned(clouds_[k]) : clouds_[k];
        }
        return makeReport(setup_, shown);
    }

private:
    void addNet(MomentKind kind) {
        nets_.push_back(random_nets::withKind(setup_, kind));
        progress_.nets.emplace_back();
        progress_.nets.back().kind = kind;
        clouds_.emplace_back();
        draws_.emplace_back();
    }
    bool begin() {
        run_.emplace(random_nets::propagationOf(nets_[net_], draw_));
        if (draw_ == 0) unit_ = noiseUnit(run_->state(), run_->layers()[0]);
        if (net_ == 0) addInputs(run_->state().signal);
        layerDone();
        return true;
    }
    /// The first draw's cloud of a layer that is whole.
    void layerDone() {
        if (draw_ == 0 && run_->layers().size() > clouds_[net_].size())
            clouds_[net_].push_back(cloudOf(run_->state(), run_->layers().back(), unit_));
    }
    void finishDraw() {
        NetResult& result = progress_.nets[net_];
        draws_[net_].push_back(curvesOf(run_->layers(), result.kind));
        ++result.draws;
        if (draws_[net_].back().layers() <= nets_[net_].net.layers) {
            if (++result.collapsed == 1 && !run_->collapsed().empty()) result.collapse = run_->collapsed();
        }
        result.statistics = statisticsOf(draws_[net_], nets_[net_].net.layers);
        result.fits = fitsOf(draws_[net_], result.statistics, nets_[net_].net);
        if (draw_ == 0) clouds_[net_] = aligned(std::move(clouds_[net_]));
        done_ += static_cast<double>(nets_[net_].net.linearLayers() + 1);
        run_.reset();
    }
    /// False when that was the last draw of the last network.
    bool next() {
        net_ = (net_ + 1) % nets_.size();
        if (net_ == 0) ++draw_;
        progress_.finished = draw_ == setup_.draws;
        return !progress_.finished;
    }
    /// What a network says before its first draw is whole.
    NetResult firstDraw(Size k) const {
        NetResult result = progress_.nets[k];
        const bool running = run_ && k == net_;
        const std::vector<DrawCurves> draws{curvesOf(running ? run_->layers() : std::vector<LayerMoments>{}, result.kind)};
        result.statistics = statisticsOf(draws, nets_[k].net.layers);
        result.fits = fitsOf(draws, result.statistics, nets_[k].net);
        return result;
    }
    /// E‖x⁰‖² and Var‖x⁰‖ of all inputs so far (specs 8.6).
    void addInputs(const PointValues& inputs) {
        const MomentNet& net = setup_.net;
        if (net.kind != MomentKind::Vanilla || net.dimensions > 0 || net.activation != Activation::Relu || net.biasVariance > 0) return;
        for (Size p = 0; p < inputs.points(); ++p) {
            double square = 0;
            for (Size c = 0; c < inputs.channels(); ++c) square += inputs.values(p, c) * inputs.values(p, c);
            ++norms_;
            normSum_ += std::sqrt(square);
            normSquares_ += square;
        }
        const double mean = normSum_ / norms_, square = normSquares_ / norms_, variance = square - mean * mean;
        progress_.plateau = variance > 1e-9 * square ? std::sqrt(square / variance) : 0;
    }

    NetSetup setup_;
    std::vector<NetSetup> nets_;
    Progress progress_;
    std::vector<std::vector<DrawCurves>> draws_;  ///< [net][draw]
    std::vector<std::vector<LayerCloud>> clouds_;
    std::optional<MomentPropagation> run_;
    Size net_ = 0, draw_ = 0;
    double unit_ = 1, done_ = 0, total_ = 0;
    double norms_ = 0, normSum_ = 0, normSquares_ = 0;
};

std::unique_ptr<Computation> startMoments(const Request& request) { return std::make_unique<MomentsComputation>(request); }

}  // namespace

Model moments_model() { return {"moments", costOf, costliestOf, startMoments}; }

}  // namespace kappaflow
