#include "scenes/linear_models/walk_model.h"

#include <algorithm>
#include <cmath>

#include "core/linear/constraints.h"
#include "core/linear/subspace.h"

namespace kappaflow::linear {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// Spectra cost 50·n³ each; longer models show none along the timeline.
constexpr Size kSpectrumLength = 128;
/// Steps of the timeline lie this factor apart, so that a thousand iterations are some thirty frames.
constexpr double kStepRatio = 1.25;

/// Eigenvalues of K̃K̃ᵀ over the largest, not below 0, and the threshold on that scale.
ConstraintSpectrum relativeSpectrum(const LinearTask& task, const LinearModel& model, const Vector& weights, bool raw) {
    ConstraintSpectrum spectrum = constraintSpectrum(model, weights, task.covariance, raw);
    const double largest = spectrum.eigenvalues.empty() ? 0 : spectrum.eigenvalues.front();
    for (double& value : spectrum.eigenvalues) value = largest > 0 ? std::max(value, 0.0) / largest : 0;
    spectrum.threshold = largest > 0 ? spectrum.threshold / largest : 0;
    return spectrum;
}

/// `eigenvectors`: of Σ, where the basis is these.
Frame frameAt(const LinearTask& task, Basis basis, const Matrix& eigenvectors, const LinearModel& model, Vector weights) {
    Frame frame;
    const Constraints k = constraints(model, weights, task.covariance);
    const Vector response = model.response(weights);
    frame.parameters = static_cast<double>(model.parameters());
    frame.totalCapacity = static_cast<double>(model.exactRank());
    frame.numericalRank = static_cast<double>(k.rank);
    frame.loss = taskLoss(task, response);
    frame.optimality = optimality(k, task, response);
    frame.capacity = newestFirst(capacityPerInput(k.basis));
    frame.inBasis = basis == Basis::Fourier      ? capacityPerFrequency(k.basis)
                    : basis == Basis::Covariance ? capacityInBasis(k.basis, eigenvectors)
                                                 : frame.capacity;
    frame.coefficients = newestFirst(response);
    ModelAutocovariance generated = modelAutocovariance(response);
    frame.generated = std::move(generated.autocovariance);
    frame.largestPartial = generated.largestPartial;
    if (model.length() <= kSpectrumLength) {
        ConstraintSpectrum spectrum = relativeSpectrum(task, model, weights, false);
        frame.eigenvalues = std::move(spectrum.eigenvalues);
        if (spectrum.threshold > 0) frame.threshold = spectrum.threshold;
    }
    frame.weights = std::move(weights);
    return frame;
}

Vector distances(const Vector& a, const Vector& b) {
    Vector result(a.size());
    for (Size i = 0; i < a.size(); ++i) result[i] = std::abs(a[i] - b[i]);
    return result;
}

/// |a − b|/|b|, undefined where b is 0.
Vector relative(const Vector& a, const Vector& b) {
    Vector result = distances(a, b);
    for (Size i = 0; i < a.size(); ++i) result[i] = b[i] == 0 ? kNone : result[i] / std::abs(b[i]);
    return result;
}

/// The least number of newest lags that hold half of the capacity.
Size halfOf(const Vector& capacity, double total) {
    double sum = 0;
    for (Size lag = 0; lag < capacity.size(); ++lag)
        if ((sum += capacity[lag]) >= total / 2) return lag + 1;
    return capacity.size();
}

/// Constraints, a basis, an autocovariance, and spectra where they are shown: of the columns that the model has, at most. Trains need their
/// whole Jacobian for spectra alone.
double frameOperations(const LinearModel& model) {
    const double n = static_cast<double>(model.inputs()), weights = static_cast<double>(model.parameters());
    const double columns = std::min(weights, 2 * n), rank = std::min(weights, n);
    const bool spectra = model.length() <= kSpectrumLength;
    if (!spectra && isTrain(model)) return 4 * n * rank * rank + n * n * n / 2;
    return 6 * n * n * columns + 2.5 * n * n * weights + n * n * n / 2 + (spectra ? 14 * n * n * n + 4 * columns * n * n : 0);
}

/// The best search of a model beside those asked for.
OptimumOptions optionsOf(const LinearModel& other, const Family& family) {
    OptimumOptions options = family.options;
    options.start = OptimumStart::Best;
    if (isTrain(other)) options.iterations = std::min(options.iterations, kTreeIterations);
    return options;
}

}  // namespace

void setWalk(Family& family, const WalkParams& p, std::vector<std::size_t> shown) {
    shown.push_back(static_cast<Size>(p.channels));
    std::sort(shown.begin(), shown.end());
    shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
    family.shown = std::move(shown);
    family.options.start = startsRandom(p) ? OptimumStart::Random : OptimumStart::Best;
    family.options.seed = p.seed;
    // Only random starts differ from one another; the way that is watched is a single one.
    family.options.restarts = startsRandom(p) && !isOptimising(p) ? p.restarts : 1;
}

Walk takeWalk(const WalkParams& p, const Family& family, Progress& progress, const std::function<void(const Walk&)>& found) {
    const GaussianProcess process = processOf(p);
    Walk walk{autocovariance(process, family.length), predictionTask(process, family.length), {}, 0, {}, {}};
    const Matrix eigenvectors = p.basis == Basis::Covariance ? covarianceEigenvectors(walk.task.covariance).vectors : Matrix{};
    // First the model asked for, then its neighbours on the timeline.
    const auto asked = static_cast<Size>(p.channels);
    std::vector<Size> todo{asked};
    for (const Size channels : family.shown)
        if (channels != asked && !isOptimising(p)) todo.push_back(channels);
    const auto searches = static_cast<double>(todo.size() + family.others.size());
    double done = 0;
    /// To the optimum; `watch` sees every iteration.
    const auto search = [&](const LinearModel& model, const OptimumOptions& options, const auto& watch) {
        OptimumSearch search(model, walk.task, options);
        watch(search);
        while (search.step()) {
            watch(search);
            progress.tick((done + 0.99 * search.progress()) / searches);
            if (!walk.frames.empty()) found(walk);
        }
        ++done;
        return search;
    };
    for (const Size channels : todo) {
        const auto model = family.model(channels);
        const auto add = [&](const OptimumSearch& at, double place) {
            Frame frame = frameAt(walk.task, p.basis, eigenvectors, *model, family.pulled(*model, at.weights()));
            frame.iterations = at.iterations();
            frame.place = place;
            const auto after = std::find_if(walk.frames.begin(), walk.frames.end(), [&](const Frame& f) { return f.place > place; });
            walk.frames.insert(after, std::move(frame));
            const auto isAsked = [&](const Frame& f) { return isOptimising(p) || f.place == p.channels; };
            const auto last = std::find_if(walk.frames.rbegin(), walk.frames.rend(), isAsked);
            walk.asked = static_cast<Size>(walk.frames.rend() - last) - 1;
        };
        int next = 0;
        const auto watch = [&](const OptimumSearch& at) {
            if (!isOptimising(p) || at.iterations() < next) return;
            add(at, at.iterations());
            next = std::max(at.iterations() + 1, static_cast<int>(kStepRatio * at.iterations()));
        };
        const OptimumSearch ended = search(*model, family.options, watch);
        // The best weights belong to the last iteration, whether or not its turn to be a frame had come.
        if (!isOptimising(p) || walk.frames.back().place < ended.iterations())
            add(ended, isOptimising(p) ? ended.iterations() : static_cast<double>(channels));
        if (channels == asked && family.length <= kSpectrumLength)
            walk.rawSpectrum = relativeSpectrum(walk.task, *model, walk.frames[walk.asked].weights, true).eigenvalues;
    }
    for (const auto& other : family.others) {
        const OptimumSearch ended = search(*other, optionsOf(*other, family), [](const OptimumSearch&) {});
        walk.others.push_back(frameAt(walk.task, p.basis, eigenvectors, *other, ended.weights()));
    }
    return walk;
}

void fillWalk(const WalkParams& p, const Walk& walk, WalkResult& r) {
    r.asked = walk.frames[walk.asked];
    const Size n = r.asked.capacity.size();
    r.lags = countUp(n);
    r.lagsAndNext = countUp(n + 1);
    r.components = countUp(r.asked.inBasis.size());
    r.indices = countUp(r.asked.eigenvalues.size());
    r.eigenvaluesRaw = walk.rawSpectrum;
    r.target = newestFirst(walk.task.target);
    r.absoluteError = distances(r.asked.coefficients, r.target);
    r.relativeError = relative(r.asked.coefficients, r.target);
    r.autocovariance = walk.autocovariance;
    if (r.asked.generated.empty()) {
        r.warnings.emplace_back("The model is no stable autoregression: an autocovariance of its own does not exist.");
    } else {
        r.generatedAbsoluteError = distances(r.asked.generated, r.autocovariance);
        r.generatedRelativeError = relative(r.asked.generated, r.autocovariance);
    }
    r.lowerBound = walk.task.lowerBound;
    if (!walk.others.empty()) {
        const Frame& other = walk.others.front();
        r.capacityOther = other.capacity;
        r.totalCapacityOther = other.totalCapacity;
        r.numericalRankOther = other.numericalRank;
        r.lossOther = other.loss;
        r.optimalityOther = other.optimality;
    }
    if (walk.others.size() > 1) {
        r.capacityWindow = walk.others[1].capacity;
        r.totalCapacityWindow = walk.others[1].totalCapacity;
        r.lossWindow = walk.others[1].loss;
    }
    for (const Frame& frame : walk.frames) {
        (isOptimising(p) ? r.steps : r.channels).push_back(frame.place);
        append(r.capacityAlong, frame.capacity);
        append(r.inBasisAlong, frame.inBasis);
        append(r.eigenvaluesAlong, frame.eigenvalues);
        append(r.coefficientsAlong, frame.coefficients);
        append(r.generatedAlong, frame.generated.empty() ? Vector(n + 1, kNone) : frame.generated);
        r.totalCapacityAlong.push_back(frame.totalCapacity);
        r.numericalRankAlong.push_back(frame.numericalRank);
        r.parametersAlong.push_back(frame.parameters);
        r.lossAlong.push_back(frame.loss);
        r.optimalityAlong.push_back(frame.optimality);
    }
}

std::string walkSummary(const WalkParams& p, const WalkResult& r, const std::string& name) {
    std::string text = name + " has " + inWords(r.asked.parameters, 6) + " weights and a capacity of " + inWords(r.asked.totalCapacity, 6) +
                       " over " + std::to_string(r.lags.size()) + " lags";
    if (r.asked.numericalRank != r.asked.totalCapacity)
        text += ", of which " + inWords(r.asked.numericalRank, 6) + " are found at these weights";
    const Size half = halfOf(r.asked.capacity, r.asked.numericalRank);
    text += half == 1 ? "; half of it lies on the newest lag. " : "; half of it lies on the newest " + std::to_string(half) + " lags. ";
    const bool pulled = std::any_of(p.pull.begin(), p.pull.end(), [](double factor) { return factor != 1; });
    const bool asFound = !isOptimising(p) && !pulled;
    text += r.asked.optimality <= kOptimal ? "At this optimum"
                                           : (asFound ? "At the best weights found" : "At these weights") +
                                                 (", which are no optimum (‖KᵀX‖/‖X‖ is " + inWords(r.asked.optimality, 2) + "),");
    text += " the loss is " + lossInWords(r.asked.loss) + " beyond the lower bound " + inWords(r.lowerBound, 4) + ".";
    if (r.lossOther)
        text += " The model compared has capacity " + inWords(*r.totalCapacityOther, 6) + " and loss " + lossInWords(*r.lossOther) + ".";
    if (r.lossWindow)
        text += " The window has capacity " + inWords(*r.totalCapacityWindow, 6) + " and loss " + lossInWords(*r.lossWindow) + ".";
    return text;
}

Cost walkCost(const WalkParams& p, const Family& family) {
    const double n = static_cast<double>(family.length);
    Cost cost{1e6 + (p.basis == Basis::Covariance ? 6 * n * n * n : 0) + 2 * n * n * n, 2e6 + 60 * n * n};
    double jacobians = 0;
    const auto add = [&](const LinearModel& model, const OptimumOptions& options, double frames) {
        const double weights = static_cast<double>(model.parameters());
        cost.operations += optimumCost(p, model, options) + frames * frameOperations(model);
        cost.bytes += frames * (8 * weights + 100 * n) + 200 * weights + 16 * n * std::min(weights, 2 * n);
        // Jacobians: the constraints' by layer and side by side, the spectrum's, and copies on the way to a decomposition.
        jacobians = std::max(jacobians, 32 * n * weights);
    };
    // Frames along one way: every iteration first, then ever fewer. Best searches end after a few iterations, trains of every response at
    // once.
    if (isOptimising(p)) {
        const auto model = family.model(static_cast<Size>(p.channels));
        const double frames = 8 + std::log(std::max(family.options.iterations, 2)) / std::log(kStepRatio);
        add(*model, family.options, startsRandom(p) ? frames : beginsAtTarget(*model) ? 1 : std::min(frames, 9.0));
    } else {
        for (const Size channels : family.shown) add(*family.model(channels), family.options, 1);
    }
    for (const auto& other : family.others) add(*other, optionsOf(*other, family), 1);
    cost.bytes += jacobians;
    return cost;
}

}  // namespace kappaflow::linear
