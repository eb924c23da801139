#include "scene/typed_model.h"

#include <algorithm>

#include "core/base/errors.h"

namespace kappaflow {

void Progress::tick(double fraction) {
    if (stopped()) throw Cancelled{};
    fraction = std::min(fraction, 1.0);
    // Also false for a fraction that is not a number.
    if (fraction >= told_ + kSmallestStep) heard(told_ = fraction);
}

namespace {

/// The costly param that saves most when it goes back to its default; the first of the table when none saves anything.
std::string costliestOf(const table::inner::Computing& scene, const void* opened, const Cost& cost) {
    const auto defaults = scene.table->makeParams();
    const bool slow = cost.operations / kCostLimit.operations > cost.bytes / kCostLimit.bytes;
    const auto share = [&](const Cost& c) { return slow ? c.operations : c.bytes; };
    std::string worst;
    double least = share(cost);
    for (const auto& row : scene.table->params) {
        if (!row.costly) continue;
        if (worst.empty()) worst = row.key;
        const auto lower = scene.copy(opened);
        resetParam(row, defaults.get(), scene.params(lower.get()));
        const double saved = share(scene.cost(lower.get()));
        if (saved < least) worst = row.key, least = saved;
    }
    return worst;
}

class TypedRequest final : public OpenRequest {
public:
    TypedRequest(const table::inner::Computing& scene, const Request& request) : scene_(scene), opened_(scene.open(request)) {}

    Cost cost() const override { return scene_.cost(opened_.get()); }
    std::string costliest() const override { return costliestOf(scene_, opened_.get(), cost()); }
    Finished run(Progress& progress) const override {
        progress.setReport([this](void* result) { return report(result, Status::Partial); });
        const auto result = scene_.run(opened_.get(), progress);
        return {report(result.get(), Status::Ok), scene_.findings(result.get()).network};
    }

private:
    Report report(void* result, Status status) const {
        Findings& findings = scene_.findings(result);
        const auto& opening = scene_.warnings(opened_.get());
        findings.warnings.insert(findings.warnings.begin(), opening.begin(), opening.end());
        std::string summary = scene_.summary(opened_.get(), result);
        const bool doubtful = status == Status::Ok && !findings.doubt.empty();
        Report report = takeReport(*scene_.table, result, findings);
        report.network = std::move(findings.printedWeights);
        report.summary = std::move(summary);
        report.status = doubtful ? Status::Partial : status;
        report.message = doubtful ? findings.doubt : status == Status::Ok ? "" : "The result is still being refined.";
        return report;
    }
    const table::inner::Computing& scene_;
    std::shared_ptr<void> opened_;
};

}  // namespace

std::unique_ptr<OpenRequest> table::inner::openTyped(const Computing& scene, const Request& request) {
    return std::make_unique<TypedRequest>(scene, request);
}

}  // namespace kappaflow
