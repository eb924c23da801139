#pragma once
#include <string>
#include <vector>

#include "scenes/linear_models/model_wide.h"

namespace kappaflow::multi_input {

/// A request read once and for all.
struct Setup {
    int components = 1, layers = 1;
    double alphaLow = 0.3, alphaHigh = 0.7;
    std::vector<int> channels;                ///< of the stacks compared: 1, 2, 4, … and what was asked for
    std::vector<std::pair<int, int>> scaled;  ///< components and channels of the same ratio c²/d, by components
    wide::SearchSettings search;

    std::size_t length() const { return std::size_t{1} << layers; }
    /// Even steps from alphaLow to alphaHigh, their middle for a single component.
    std::vector<double> exponents(int components) const;
    /// The stacks by channels, then the scaled ones that are not among them.
    std::vector<wide::Member> members() const;
    std::size_t memberOfScaled(std::size_t i) const;
    int componentsOf(std::size_t member) const;
    LinearTask task(std::size_t member) const { return predictionTask(exponents(componentsOf(member)), length()); }
    std::vector<std::size_t> shown() const { return {channels.size() - 1}; }
};
Setup readSetup(const Values&);

Cost costOf(const Request&);
std::string costliestOf(const Request&);

/// What is known so far.
Report makeReport(const Setup&, const wide::SeriesRun&);

}  // namespace kappaflow::multi_input
