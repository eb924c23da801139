#include "scenes/linear_models/model_series.h"

#include <algorithm>
#include <limits>

namespace kappaflow::wide {

Cost costOfSeries(const std::vector<Member>& members, const SearchSettings& settings) {
    Cost cost{1e6, 4e6};
    for (const Member& member : members) {
        const Cost one = costOfStack(member.shape, settings, member.pairs);
        cost.operations += one.operations;
        cost.bytes = std::max(cost.bytes, 4e6 + one.bytes);
    }
    return cost;
}

std::string costliestOf(const Request& request, Cost (*cost)(const Request&), const std::vector<const char*>& keys, const char* last) {
    const Values defaults = findDeclaration(request.scene)->defaults();
    const Cost now = cost(request);
    for (const char* key : keys) {
        Request fewer = request;
        fewer.params.set(key, defaults.at(key));
        const Cost less = cost(fewer);
        if (less.operations < 0.5 * now.operations || less.bytes < 0.5 * now.bytes) return key;
    }
    return last;
}

std::vector<double> numbersOf(const SeriesRun& series, std::size_t first, std::size_t count, double (*number)(const StackCapacity&)) {
    std::vector<double> values;
    for (std::size_t i = first; i < first + count; ++i)
        values.push_back(series.found()[i] ? number(*series.found()[i]) : std::numeric_limits<double>::quiet_NaN());
    return values;
}

SeriesRun::SeriesRun(std::vector<Member> members, std::function<LinearTask(std::size_t)> task, SearchSettings settings)
    : members_(std::move(members)),
      makeTask_(std::move(task)),
      settings_(settings),
      found_(members_.size()),
      lowerBounds_(members_.size(), std::numeric_limits<double>::quiet_NaN()),
      shares_{0} {
    for (const Member& member : members_) {
        checkShape(member.shape);
        shares_.push_back(shares_.back() + costOfStack(member.shape, settings_, member.pairs).operations);
    }
}

bool SeriesRun::step() {
    if (finished()) return false;
    if (!run_) {
        task_ = std::make_unique<LinearTask>(makeTask_(done_));
        run_.emplace(members_[done_].shape, *task_, settings_);
        return true;
    }
    if (run_->step()) return true;
    found_[done_] = run_->result();
    lowerBounds_[done_] = task_->lowerBound / task_->variance;
    run_.reset();
    ++done_;
    return !finished();
}

void SeriesRun::addNetwork(Report& report, const std::vector<std::size_t>& members) const {
    for (const std::size_t member : members)
        for (const ReportLayer& layer : found_[member]->layers) report.network.push_back(layer);
}

double SeriesRun::progress() const {
    if (finished()) return 1;
    const double one = shares_[done_ + 1] - shares_[done_];
    return 0.999 * (shares_[done_] + one * (run_ ? run_->progress() : 0)) / shares_.back();
}

}  // namespace kappaflow::wide
