#pragma once
#include <string>
#include <vector>

#include "scenes/linear_models/model_series.h"

namespace kappaflow::wavenet {

/// A request read once and for all.
struct Setup {
    std::vector<int> block;
    int repeats = 1, channels = 1;
    std::vector<bool> repeated;  ///< [arrangement]
    GaussianProcess process;
    wide::SearchSettings search;

    std::size_t arrangements() const { return repeated.size(); }
    const char* key(std::size_t arrangement) const { return repeated[arrangement] ? "repeated" : "tiled"; }
    HierarchicalShape shape(std::size_t arrangement, int times) const;
    /// The same function space with equal layers in a row as one layer of more taps.
    HierarchicalShape composed(std::size_t arrangement, int times) const;
    std::size_t inputs(int times) const;
    /// With one repeat, or a block of one dilation, both arrangements are one stack.
    bool alike(int times) const { return times == 1 || block.size() == 1; }
    /// Every stack that is to be run, by repeats and then by arrangement, those that are alike once.
    std::vector<wide::Member> members() const;
    std::size_t memberOf(std::size_t arrangement, int times) const;
    int timesOf(std::size_t member) const;
    LinearTask task(std::size_t member) const { return predictionTask(process, inputs(timesOf(member))); }
    /// The last repeat of every arrangement.
    std::vector<std::size_t> shown() const;
    /// Number of paths from each lag to the output, [lags of all repeats].
    std::vector<double> paths(int times) const;
};
Setup readSetup(const Values&);

Cost costOf(const Request&);
std::string costliestOf(const Request&);

}  // namespace kappaflow::wavenet
