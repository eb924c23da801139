#pragma once
#include "scene/filled_report.h"
#include "scenes/linear_models/model_series.h"

namespace kappaflow::wide {

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
