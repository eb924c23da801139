#include <algorithm>
#include <cmath>
#include <optional>

#include "core/moments/moment_propagation.h"
#include "scenes/moments/moments/model_given.h"

namespace kappaflow {
namespace {

using namespace moments;
using random_nets::NetSetup;

constexpr MomentKind kKinds[] = {MomentKind::Vanilla, MomentKind::BatchNorm, MomentKind::Resnet, MomentKind::ResnetPlain};
constexpr double kSlice = 3e6;  ///< operations between two looks at the clock, unless one layer takes more

/// The kind asked for, and the others where all are compared.
std::vector<NetSetup> netsOf(const Values& v, const NetSetup& asked) {
    std::vector<NetSetup> nets{asked};
    if (v.is("compare", "all"))
        for (const MomentKind kind : kKinds)
            if (kind != asked.net.kind) nets.push_back(random_nets::withKind(asked, kind));
    return nets;
}

Cost costOf(const Request& request) {
    if (isGiven(request.params)) return costOfGiven(request);
    const NetSetup asked = random_nets::readNet(request.params);
    const double layers = static_cast<double>(asked.net.layers + 1), draws = static_cast<double>(asked.draws);
    const double curves = layers * draws * (kCurveCount + kTheoryCount + 2);
    const double clouds = layers * std::min<double>(asked.points(), kCloudPoints) * 4;
    Cost cost{1e5, 4e6};
    double largest = 0;
    for (const NetSetup& net : netsOf(request.params, asked)) {
        const Cost one = random_nets::costOfDraw(net);
        cost.operations += one.operations * (draws + 0.5) + 300 * curves + 50 * clouds;
        cost.bytes += 8 * (curves + 3 * clouds + 4 * layers * (3 * kCurveCount + kTheoryCount));
        largest = std::max(largest, one.bytes);
    }
    cost.bytes += largest;
    return cost;
}

std::string costliestOf(const Request& request) {
    return isGiven(request.params) ? costliestOfGiven(request) : random_nets::costliestParam(request, costOf);
}

/// The plateau of an infinitely wide network, from the norms of the inputs drawn: all of them align, x^l → ‖x⁰‖·v.
struct InputNorms {
    double count = 0, sum = 0, squares = 0;
    void add(const PointValues& inputs) {
        for (Size p = 0; p < inputs.points(); ++p) {
            double square = 0;
            for (Size c = 0; c < inputs.channels(); ++c) square += inputs.values(p, c) * inputs.values(p, c);
            ++count, sum += std::sqrt(square), squares += square;
        }
    }
    /// √(E‖x⁰‖²/Var‖x⁰‖), 0 where the norms are all the same.
    double plateau() const {
        const double mean = sum / count, square = squares / count, variance = square - mean * mean;
        return variance > 1e-9 * square ? std::sqrt(square / variance) : 0;
    }
};

bool levelsOff(const MomentNet& net) {
    return net.kind == MomentKind::Vanilla && net.dimensions == 0 && net.activation == Activation::Relu && net.biasVariance == 0;
}

/// Draws of one kind of network.
struct NetDraws {
    NetSetup setup;
    std::vector<DrawCurves> draws;
    std::vector<LayerCloud> clouds;  ///< of the first draw, aligned once it is whole
    Size collapsed = 0;
    std::string collapse;

    double linearLayers() const { return static_cast<double>(setup.net.linearLayers()); }
};

class MomentsComputation final : public Computation {
public:
    explicit MomentsComputation(const Request& request) {
        for (NetSetup& net : netsOf(request.params, random_nets::readNet(request))) nets_.push_back({std::move(net), {}, {}, 0, {}});
        for (const NetDraws& net : nets_) total_ += (net.linearLayers() + 1) * static_cast<double>(net.setup.draws);
    }

    bool step() override {
        if (!run_) return begin();
        for (Size left = perSlice(); left > 0; --left) {
            const bool more = run_->advance();
            layerDone();
            if (!more) return finishDraw();
        }
        return true;
    }
    double progress() const override {
        return finished_ ? 1 : std::min(1.0, (done_ + (run_ ? static_cast<double>(run_->linearLayersDone()) : 0)) / total_);
    }
    Report report() const override {
        Progress shown;
        for (const NetDraws& net : nets_) shown.nets.push_back(resultOf(net));
        shown.finished = finished_;
        if (levelsOff(nets_[0].setup.net) && norms_.count > 0) shown.plateau = norms_.plateau();
        return makeReport(nets_[0].setup, shown);
    }

private:
    Size perSlice() const {
        const NetSetup& s = nets_[net_].setup;
        return static_cast<Size>(std::max(1.0, kSlice * nets_[net_].linearLayers() / random_nets::costOfDraw(s).operations));
    }
    bool begin() {
        run_.emplace(random_nets::propagationOf(nets_[net_].setup, draw_));
        if (draw_ == 0) unit_ = noiseUnit(run_->state(), run_->layers()[0]);
        if (net_ == 0) norms_.add(run_->state().signal);
        layerDone();
        return true;
    }
    /// The first draw's cloud of a layer that is whole.
    void layerDone() {
        if (draw_ == 0 && run_->layers().size() > nets_[net_].clouds.size())
            nets_[net_].clouds.push_back(cloudOf(run_->state(), run_->layers().back(), unit_));
    }
    /// False when that was the last draw of the last network.
    bool finishDraw() {
        NetDraws& net = nets_[net_];
        net.draws.push_back(curvesOf(run_->layers(), net.setup.net.kind));
        if (net.draws.back().layers() <= net.setup.net.layers && ++net.collapsed == 1) net.collapse = run_->collapsed();
        if (draw_ == 0) net.clouds = aligned(std::move(net.clouds));
        done_ += net.linearLayers() + 1;
        run_.reset();
        net_ = (net_ + 1) % nets_.size();
        if (net_ == 0) ++draw_;
        finished_ = draw_ == nets_[0].setup.draws;
        return !finished_;
    }
    /// Of whole draws; before the first is whole, as far as it came.
    NetResult resultOf(const NetDraws& net) const {
        const bool first = net.draws.empty(), running = first && run_ && &net == &nets_[net_];
        NetResult result{net.setup.net.kind, {},          {}, first ? aligned(net.clouds) : net.clouds, net.draws.size(),
                         net.collapsed,      net.collapse};
        std::vector<DrawCurves> begun;
        if (running) begun.push_back(curvesOf(run_->layers(), result.kind));
        const auto& draws = first ? begun : net.draws;
        result.statistics = statisticsOf(draws, net.setup.net.layers);
        result.fits = fitsOf(draws, result.statistics, net.setup.net);
        return result;
    }

    std::vector<NetDraws> nets_;  ///< the one asked for first
    std::optional<MomentPropagation> run_;
    Size net_ = 0, draw_ = 0;
    bool finished_ = false;
    double unit_ = 1, done_ = 0, total_ = 0;
    InputNorms norms_;
};

std::unique_ptr<Computation> startMoments(const Request& request) {
    if (isGiven(request.params)) return startGiven(request);
    return std::make_unique<MomentsComputation>(request);
}

}  // namespace

Model moments_model() { return {"moments", costOf, costliestOf, startMoments}; }

}  // namespace kappaflow
