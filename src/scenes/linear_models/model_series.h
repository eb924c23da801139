#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "scenes/linear_models/model_stack.h"

namespace kappaflow::wide {

/// A stack of a series, on a task whose components depend on each other in so many pairs (as many as there are: independent ones).
struct Member {
    HierarchicalShape shape;
    double pairs = 1;
};

Cost costOfSeries(const std::vector<Member>&, const SearchSettings&);

/// The first of these params whose return to its default halves operations or bytes, else `last`.
std::string costliestOf(const Request&, Cost (*cost)(const Request&), const std::vector<const char*>& keys, const char* last);

class SeriesRun;
/// What arrays of a series hold: a number of every stack in this order, NaN for those to come.
std::vector<double> numbersOf(const SeriesRun&, std::size_t first, std::size_t count, double (*number)(const StackCapacity&));

/// Stacks, each on a task of its own, one after another.
class SeriesRun {
public:
    /// Throws InputError when a shape cannot be.
    SeriesRun(std::vector<Member>, std::function<LinearTask(std::size_t member)> task, SearchSettings);
    /// The next slice; false when all are done.
    bool step();
    /// 0 … 1; below 1 until all are done.
    double progress() const;
    bool finished() const { return done_ == members_.size(); }
    /// [member], empty for those to come.
    const std::vector<std::optional<StackCapacity>>& found() const { return found_; }
    /// Puts the weights of these members into a report that a reader wants the network of, once all are found.
    void addNetwork(Report&, const std::vector<std::size_t>& members) const;
    /// v* over the variance of what is predicted, [member], NaN for those to come.
    const std::vector<double>& lowerBounds() const { return lowerBounds_; }

private:
    std::vector<Member> members_;
    std::function<LinearTask(std::size_t)> makeTask_;
    SearchSettings settings_;
    std::unique_ptr<LinearTask> task_;
    std::optional<StackRun> run_;
    std::vector<std::optional<StackCapacity>> found_;
    std::vector<double> lowerBounds_, shares_;
    std::size_t done_ = 0;
};

}  // namespace kappaflow::wide
