#pragma once
#include "core/linear/linear_task.h"
#include "scenes/linear_models/model_wide.h"

namespace kappaflow::feature_map {

/// A request read once and for all.
struct Setup {
    FeatureFamily family = FeatureFamily::Hermite;
    int degree = 1, channels = 1, layers = 1;
    GaussianProcess process;
    wide::SearchSettings search;

    std::size_t length() const { return std::size_t{1} << layers; }
    /// A model for every degree up to the one asked for: its features are the components of its input.
    std::vector<wide::Member> members() const;
    HierarchicalShape shape(int upTo) const;
    /// Σ^φ and the best prediction of the functions' sum at the next sample.
    LinearTask task(std::size_t member) const;
    std::vector<std::size_t> shown() const { return {static_cast<std::size_t>(degree - 1)}; }
};
Setup readSetup(const Values&);

Cost costOf(const Request&);
std::string costliestOf(const Request&);

/// What is known so far.
Report makeReport(const Setup&, const wide::SeriesRun&);

}  // namespace kappaflow::feature_map
