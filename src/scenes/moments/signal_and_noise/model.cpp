#include <cmath>
#include <optional>

#include "core/moments/scalar_batch_norm.h"
#include "scenes/moments/signal_and_noise/model_report.h"

namespace kappaflow {
namespace {

using namespace signal_and_noise;
using Size = std::size_t;
using Vector = std::vector<double>;

constexpr double kSlice = 4e6;  ///< multiply-adds between two looks at the clock
constexpr int kGains = 33;

GainChart emptyChart() {
    GainChart chart;
    for (int i = 0; i < kGains; ++i) chart.gains.push_back(std::pow(10.0, -1 + 2.0 * i / (kGains - 1)));
    chart.activations = {Activation::Identity, Activation::Tanh,     Activation::Relu,
                         Activation::Abs,      Activation::HardTanh, Activation::Sigmoid};
    return chart;
}

Vector thinned(const Vector& values) {
    Vector some;
    for (Size i = 0; i < values.size(); i += kStride) some.push_back(values[i]);
    return some;
}

class SignalAndNoiseComputation final : public Computation {
public:
    explicit SignalAndNoiseComputation(const Request& request) : setup_(readSetup(request.params)) {
        results_.grid = setup_.grid();
        const Vector ones(kPoints, 1.0);
        analyse({results_.grid.x, ones}, [](double x) { return x; });
        if (setup_.deep) {
            net_.emplace(results_.grid, setup_.phi, setup_.width, setup_.layers, setup_.seed);
            analyseNet();
        } else {
            const auto phi = [this](double x) { return activate(setup_.phi, setup_.gain * x, 0); };
            analyse(layerCurve(results_.grid, setup_.phi, setup_.gain), phi);
            results_.layers.back().sensitivity = layerSensitivity(setup_.mixture, setup_.phi, setup_.gain);
            results_.layers.back().shown = true;  // by quadrature, without a step
            results_.chart = emptyChart();
        }
    }

    bool step() override {
        const bool more = net_ ? stepNet() : stepChart();
        results_.finished = !more;
        return more;
    }
    double progress() const override {
        if (net_) return results_.finished ? 1 : 0.99 * net_->progress();
        return static_cast<double>(results_.chart.chi.size()) / static_cast<double>(kGains * results_.chart.activations.size());
    }
    Report report() const override { return makeReport(setup_, results_); }

private:
    bool stepNet() {
        const bool more = net_->advance(kSlice);
        analyseNet();
        return more;
    }
    bool stepChart() {
        GainChart& chart = results_.chart;
        const Activation phi = chart.activations[chart.chi.size() / chart.gains.size()];
        for (const double gain : chart.gains) chart.chi.push_back(layerSensitivity(setup_.mixture, phi, gain).chi());
        return chart.chi.size() < chart.gains.size() * chart.activations.size();
    }
    void analyseNet() {
        while (results_.layers.size() < net_->curves().size()) {
            const ScalarCurve& curve = net_->curves()[results_.layers.size()];
            analyse(curve, [&](double x) { return valueAt(results_.grid, curve.y, x); });
        }
    }
    void analyse(const ScalarCurve& curve, const std::function<double(double)>& phi) {
        LayerResult layer;
        const ScalarMixture& mixture = setup_.mixture;
        const ScalarGrid& grid = results_.grid;
        layer.sensitivity = curveSensitivity(mixture, grid, curve);
        layer.chiFromJacobian = chiOfChords(mixture, grid, curve.y);
        layer.shown = stepShows(layer.sensitivity.chi(), layer.chiFromJacobian);
        layer.curve = thinned(curve.y);
        for (const double slope : thinned(curve.slope)) layer.firstOrder.push_back(std::abs(slope) * setup_.noise);
        layer.actual = pushedNoise(thinned(grid.x), phi, setup_.noise);
        layer.chiActual = actualChi(layer);
        layer.out = outputDensity(mixture, grid, curve.y, kBins);
        results_.layers.push_back(std::move(layer));
    }
    /// The thinned grid still has steps well below the spread.
    double actualChi(const LayerResult& layer) const {
        const Vector weight = thinned(results_.grid.weight);
        double sum = 0, square = 0;
        for (Size i = 0; i < weight.size(); ++i) sum += weight[i], square += weight[i] * layer.actual[i] * layer.actual[i];
        return std::sqrt(square / sum) / (setup_.noise * layer.sensitivity.rescaling);
    }

    Setup setup_;
    Results results_;
    std::optional<ScalarBatchNorm> net_;
};

std::unique_ptr<Computation> startSignalAndNoise(const Request& request) { return std::make_unique<SignalAndNoiseComputation>(request); }

}  // namespace

Model signal_and_noise_model() { return {"signal-and-noise", costOf, costliestOf, startSignalAndNoise}; }

}  // namespace kappaflow
