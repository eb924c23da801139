#include "scenes/linear_models/feature_map/model_setup.h"

#include "scenes/linear_models/model_task.h"

namespace kappaflow::feature_map {

HierarchicalShape Setup::shape(int upTo) const { return dilatedTree(layers, 2, channels, static_cast<int>(featureCount(family, upTo))); }

std::vector<wide::Member> Setup::members() const {
    std::vector<wide::Member> all;
    for (int k = 1; k <= degree; ++k) {
        const double features = static_cast<double>(featureCount(family, k));
        // Half of the Fourier functions' pairs depend on each other: sines on sines, cosines on cosines.
        all.push_back({shape(k), family == FeatureFamily::Fourier ? 0.5 * features * features : features});
    }
    return all;
}

LinearTask Setup::task(std::size_t member) const {
    return predictionTask(featureCovariance(family, static_cast<int>(member) + 1, autocovariance(process, length())));
}

Setup readSetup(const Values& v) {
    Setup s;
    s.family = v.is("functions", "fourier") ? FeatureFamily::Fourier : FeatureFamily::Hermite;
    s.degree = v.integer("degree");
    s.channels = v.integer("channels");
    s.layers = v.integer("layers");
    s.process = linear::processOf(v);
    s.search = wide::searchSettings(v);
    return s;
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request.params);
    Cost cost = wide::costOfSeries(s.members(), s.search);
    if (s.family == FeatureFamily::Hermite) return cost;
    for (int k = 1; k <= s.degree; ++k) {
        const double inputs = static_cast<double>(s.length() * featureCount(s.family, k));
        cost.operations += inputs * inputs * inputs / 3;
        cost.bytes += 16 * inputs * inputs;
    }
    return cost;
}

std::string costliestOf(const Request& request) { return wide::costliestOf(request, costOf, {"steps", "layers", "channels"}, "degree"); }

}  // namespace kappaflow::feature_map
