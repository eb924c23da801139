#pragma once
#include <memory>
#include <string>

#include "core/linear/constraints.h"
#include "core/linear/optimum.h"
#include "scene/filled_report.h"
#include "scenes/linear_models/model_task.h"
#include "scenes/stepwise.h"

namespace kappaflow::linear {

/// A model at given weights, as the pictures show it. Lags from the newest.
struct Frame {
    double place = 0;  ///< on the timeline: channels, or step
    double parameters = 0, exactRank = 0, rank = 0, loss = 0, optimality = 0, iterations = 0, threshold = 0;
    std::vector<double> weights;
    std::vector<double> capacity, inBasis, coefficients;
    std::vector<double> eigenvalues;  ///< over the largest, [n]; empty beyond kSpectrumLength
    ModelAutocovariance generated;
};

/// Spectra cost 50·n³ each; longer models show none along the timeline.
inline constexpr std::size_t kSpectrumLength = 128;

/// What all frames of a request share.
struct Scope {
    Scope(const GaussianProcess&, std::size_t length, const std::string& basis);
    std::vector<double> autocovariance;  ///< c_0 … c_n
    LinearTask task;
    MeasuredBasis basis;
};

/// Cost: the constraints and the spectrum.
Frame frameAt(const Scope&, const LinearModel&, std::vector<double> weights);
/// Eigenvalues of K̃K̃ᵀ over the largest, not below 0, and the threshold on that scale.
ConstraintSpectrum relativeSpectrum(const Scope&, const LinearModel&, const std::vector<double>& weights, bool raw);

/// The family of models that a scene is about, by number of channels.
class Subject {
public:
    virtual ~Subject() = default;
    virtual std::unique_ptr<LinearModel> model(std::size_t channels) const = 0;
    /// The model compared with the one asked for, null for none.
    virtual std::unique_ptr<LinearModel> other() const = 0;
    /// An optimum's weights after the reader pulled at them.
    virtual std::vector<double> pulled(const LinearModel&, std::vector<double> weights) const = 0;
    /// What the scene alone has: arrays along the timeline's axis, one row a frame.
    virtual void addOwn(FilledReport&, const Axis& timeline, const std::vector<Frame>&) const = 0;
    virtual std::vector<ReportLayer> network(const Frame&) const = 0;
    /// "A tree of 6 layers with 2 channels".
    virtual std::string name(std::size_t channels) const = 0;
};

/// A request read once and for all, but for the family itself.
struct WalkSetup {
    std::string scene, basis;
    GaussianProcess process;
    std::size_t length = 1, channels = 1;
    std::vector<std::size_t> shown;  ///< channels on the timeline, rising; `channels` among them
    bool optimising = false;         ///< the timeline is the way to one optimum
    bool pulled = false;             ///< the reader has pulled at its weights
    bool withNetwork = false;
    OptimumOptions options;
    std::vector<std::string> warnings;
};
/// `length` and `shown` come from the scene.
WalkSetup readWalk(const Request&, std::size_t length);

/// What was found so far.
struct WalkResult {
    std::vector<Frame> frames;  ///< in the order of the timeline
    const Frame* asked = nullptr;
    std::unique_ptr<Frame> other;
    std::vector<double> rawSpectrum;  ///< of the model asked for, over its largest
};
Report walkReport(const WalkSetup&, const Scope&, const Subject&, const WalkResult&, bool finished);

std::unique_ptr<Computation> startWalk(WalkSetup, std::unique_ptr<Subject>);
Cost walkCost(const WalkSetup&, const Subject&);

}  // namespace kappaflow::linear
