#include "scenes/linear_models/model_frame.h"

#include <algorithm>

namespace kappaflow::linear {

Scope::Scope(const GaussianProcess& process, std::size_t length, const std::string& basisKey)
    : autocovariance(kappaflow::autocovariance(process, length)), task(predictionTask(process, length)), basis(basisKey, task.covariance) {}

ConstraintSpectrum relativeSpectrum(const Scope& scope, const LinearModel& model, const std::vector<double>& weights, bool raw) {
    ConstraintSpectrum spectrum = constraintSpectrum(model, weights, scope.task.covariance, raw);
    const double largest = spectrum.eigenvalues.empty() ? 0 : spectrum.eigenvalues.front();
    for (double& value : spectrum.eigenvalues) value = largest > 0 ? std::max(value, 0.0) / largest : 0;
    spectrum.threshold = largest > 0 ? spectrum.threshold / largest : 0;
    return spectrum;
}

Frame frameAt(const Scope& scope, const LinearModel& model, std::vector<double> weights) {
    Frame frame;
    const Constraints k = constraints(model, weights, scope.task.covariance);
    const std::vector<double> response = model.response(weights);
    frame.parameters = static_cast<double>(model.parameters());
    frame.exactRank = static_cast<double>(model.exactRank());
    frame.rank = static_cast<double>(k.rank);
    frame.loss = taskLoss(scope.task, response);
    frame.optimality = optimality(k, scope.task, response);
    frame.capacity = newestFirst(capacityPerInput(k.basis));
    frame.inBasis = scope.basis.capacity(k.basis);
    frame.coefficients = newestFirst(response);
    frame.generated = modelAutocovariance(response);
    if (model.length() <= kSpectrumLength) {
        ConstraintSpectrum spectrum = relativeSpectrum(scope, model, weights, false);
        frame.eigenvalues = std::move(spectrum.eigenvalues);
        frame.threshold = spectrum.threshold;
    }
    frame.weights = std::move(weights);
    return frame;
}

}  // namespace kappaflow::linear
