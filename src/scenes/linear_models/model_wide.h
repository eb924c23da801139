#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/linear/hierarchical_model.h"
#include "core/linear/linear_task.h"
#include "core/linear/optimum.h"
#include "scene/filled_report.h"
#include "scenes/stepwise.h"

namespace kappaflow::wide {

/// How weights are looked for, alike for all stacks of a request. Steps 0: they stay random.
struct SearchSettings {
    int steps = 0, restarts = 1;
    std::uint64_t seed = 1;
};
SearchSettings searchSettings(const Values&);

/// What is known of a stack at its weights.
struct StackCapacity {
    double parameters = 0, inputs = 0;
    double total = 0, rank = 0;  ///< exact, and at these weights: what the capacities sum to
    double loss = 0, optimality = 0;
    std::vector<double> capacity;  ///< [position·components + component], newest position first
    std::size_t components = 1;
    std::vector<ReportLayer> layers;  ///< the weights, [out][in][tap] as convolutions are printed everywhere

    double at(std::size_t lag, std::size_t component) const { return capacity[lag * components + component]; }
    double ofLag(std::size_t lag) const;
    double meanLag() const;
};

/// A stack of layers on a task, slice by slice: weights, exact rank, capacities.
class StackRun {
public:
    /// Throws InputError as HierarchicalModel and OptimumSearch do. The task must outlive the run.
    StackRun(HierarchicalShape, const LinearTask&, const SearchSettings&);
    /// The next slice; false when the capacity is there.
    bool step();
    double progress() const;
    const StackCapacity& result() const { return result_; }

private:
    void finish();
    std::unique_ptr<HierarchicalModel> model_;
    const LinearTask& task_;
    std::optional<OptimumSearch> search_;
    std::vector<double> weights_;
    StackCapacity result_;
    int stepsPerSlice_ = 1, stage_ = 0;
};

/// Of one run, declared before it starts: shapes over the core's limits cost more than any request may. `pairs` of components depend on
/// each other.
Cost costOfStack(const HierarchicalShape&, const SearchSettings&, double pairs);

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

/// The report as it stands: whole once the series is, with its summary; "Weights of more `stacks` are being looked for." until then.
Report finished(FilledReport&, const SeriesRun&, const char* stacks, std::string summary);

/// What a summary says of the weights behind it: that not all of the exact capacity is found at them, how far from an optimum they are.
std::string aboutWeights(const StackCapacity&, const SearchSettings&);

/// The computation of a scene that is one series. Its Setup has members(), task(member), search, and shown(): the members whose weights
/// go with the report; makeReport(setup, series) stands beside it.
template <class Setup>
class SeriesComputation final : public Computation {
public:
    SeriesComputation(Setup setup, bool withNetwork)
        : setup_(std::move(setup)),
          series_(
              setup_.members(), [this](std::size_t member) { return setup_.task(member); }, setup_.search),
          withNetwork_(withNetwork) {}

    bool step() override { return series_.step(); }
    double progress() const override { return series_.progress(); }
    Report report() const override {
        Report report = makeReport(setup_, series_);
        if (withNetwork_ && series_.finished()) series_.addNetwork(report, setup_.shown());
        return report;
    }

private:
    Setup setup_;
    SeriesRun series_;
    bool withNetwork_;
};

}  // namespace kappaflow::wide
