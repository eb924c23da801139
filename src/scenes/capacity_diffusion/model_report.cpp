#include "scenes/capacity_diffusion/model_report.h"

#include <algorithm>
#include <cmath>

#include "core/capacity/diffusion_theory.h"
#include "scenes/capacity_diffusion/model_summary.h"

namespace kappaflow::diffusion {
namespace {

const Field& fieldNamed(const std::string& name) {
    const auto& fields = findDeclaration("capacity-diffusion")->fields;
    return *std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
}

std::vector<double> counted(std::size_t n, double first = 0) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = first + static_cast<double>(i);
    return values;
}

/// Fills in what the declaration says about a field.
class Builder {
public:
    Builder(const Setup& setup, const Chain& chain, const Totals& totals) : setup_(setup), chain_(chain), totals_(totals) {}

    Array& add(const std::string& name, std::vector<Axis> axes, std::vector<double> values) {
        const Field& field = fieldNamed(name);
        report_.arrays.push_back({name, std::move(axes), std::move(values), field.symbol, field.about, field.role, {}, false});
        return report_.arrays.back();
    }
    Scalar& add(const std::string& name, double value) {
        const Field& field = fieldNamed(name);
        report_.scalars.push_back({name, value, field.symbol, field.about, {}, 0});
        return report_.scalars.back();
    }
    Axis layers() const { return {"layer", counted(totals_.rows()), {}}; }
    Axis weightLayers() const { return {"weightLayer", counted(totals_.rows() - 1, 1), {}}; }
    Axis positions() const { return {"position", counted(totals_.width()), {}}; }
    double draws() const { return totals_.capacity.count(); }

    void addCapacity();
    void addMoments();
    void addTheory(const std::vector<double>& gaussian);
    void addGradient();
    void addFlow();
    void addShares();
    Report& report() { return report_; }

private:
    void addStart();
    void addKernels(const Theory&);
    void addPrediction(const Theory&);

    const Setup& setup_;
    const Chain& chain_;
    const Totals& totals_;
    Report report_;
};

void Builder::addCapacity() {
    auto& capacity = add("capacity", {layers(), positions()}, totals_.capacity.mean());
    capacity.mayBeUndefined = true;
    if (draws() > 1) capacity.standardError = totals_.capacity.standardError();
    add("total", {layers()}, totals_.total.mean());
    add("unattributed", {layers()}, totals_.unattributed.mean());
    const auto& widths = chain_.shape().widths;
    add("widths", {layers()}, {widths.begin(), widths.end()});
    addStart();
}

void Builder::addStart() {
    const auto& profile = setup_.start.profile;
    add("profileStart", {{"topPosition", counted(profile.size()), {}}}, profile);
}

/// Of the average profile: mean M and variance S − M², with the error of both from the draws.
void Builder::addMoments() {
    const std::size_t rows = totals_.rows(), n = totals_.first.size();
    EnsembleMean first, second, within;
    for (std::size_t d = 0; d < n; ++d) {
        first.add(totals_.first[d]);
        second.add(totals_.second[d]);
        std::vector<double> own(rows);
        for (std::size_t l = 0; l < rows; ++l) own[l] = std::max(0.0, totals_.second[d][l] - totals_.first[d][l] * totals_.first[d][l]);
        within.add(own);
    }
    const auto& M = first.mean();
    std::vector<double> variance(rows), deviation(rows), deviationError(rows);
    EnsembleMean influence;
    for (std::size_t d = 0; d < n; ++d) {
        std::vector<double> part(rows);
        for (std::size_t l = 0; l < rows; ++l) part[l] = totals_.second[d][l] - 2 * M[l] * totals_.first[d][l];
        influence.add(part);
    }
    const auto varianceError = influence.standardError();
    for (std::size_t l = 0; l < rows; ++l) {
        variance[l] = std::max(0.0, second.mean()[l] - M[l] * M[l]);
        deviation[l] = std::sqrt(variance[l]);
        deviationError[l] = deviation[l] > 0 ? varianceError[l] / (2 * deviation[l]) : 0;
    }
    auto& mean = add("mean", {layers()}, M);
    if (n > 1) mean.standardError = first.standardError();
    auto& spread = add("spread", deviation[0]);
    if (n > 1) {
        spread.standardError = deviationError[0];
        spread.draws = draws();
        double wander = 0;
        for (const auto& own : totals_.first) wander += (own[0] - M[0]) * (own[0] - M[0]);
        add("centreWander", std::sqrt(wander / static_cast<double>(n - 1))).draws = draws();
        add("varianceWithin", {layers()}, within.mean()).standardError = within.standardError();
    }
    auto& varianceArray = add("variance", {layers()}, std::move(variance));
    if (n > 1) varianceArray.standardError = varianceError;
    auto& deviationArray = add("standardDeviation", {layers()}, std::move(deviation));
    if (n > 1) deviationArray.standardError = std::move(deviationError);
}

void Builder::addKernels(const Theory& theory) {
    const std::size_t taps = totals_.kernelShares.front().size();
    std::vector<double> drift, diffusion, shares;
    for (std::size_t l = 0; l < theory.layers.size(); ++l) {
        const auto& step = theory.layers[l];
        drift.push_back(step.time * step.drift);
        diffusion.push_back(step.time * step.diffusion);
        auto kernel = totals_.kernelShares[l];
        for (double& share : kernel) share /= draws();
        kernel = sharesWithIdentity(setup_, theory, std::move(kernel), l);
        shares.insert(shares.end(), kernel.begin(), kernel.end());
    }
    add("driftByLayer", {weightLayers()}, std::move(drift));
    add("diffusionByLayer", {weightLayers()}, std::move(diffusion));
    add("kernelShares", {weightLayers(), {"tap", counted(taps, -static_cast<double>(taps / 2)), {}}}, std::move(shares));
}

void Builder::addPrediction(const Theory& theory) {
    const auto& start = setup_.start;
    double first = 0, second = 0;
    for (std::size_t x = 0; x < start.profile.size(); ++x) {
        first += start.profile[x] * start.offset[x];
        second += start.profile[x] * start.offset[x] * start.offset[x];
    }
    std::vector<double> mean, variance, deviation;
    for (std::size_t l = 0; l < totals_.rows(); ++l) {
        mean.push_back(theory.scale[l] * first + theory.mean[l]);
        variance.push_back(theory.scale[l] * theory.scale[l] * std::max(0.0, second - first * first) + theory.variance[l]);
        deviation.push_back(std::sqrt(variance.back()));
    }
    add("meanPredicted", {layers()}, std::move(mean));
    add("variancePredicted", {layers()}, std::move(variance));
    add("standardDeviationPredicted", {layers()}, std::move(deviation));
}

void Builder::addTheory(const std::vector<double>& gaussian) {
    const auto theory = makeTheory(setup_, totals_);
    add("drift", theory.drift);
    add("diffusion", theory.diffusion);
    addKernels(theory);
    addPrediction(theory);
    if (gaussian.empty()) return;
    add("gaussian", {layers(), positions()}, gaussian).mayBeUndefined = true;
    add("totalVariation", totalVariation(totals_.rowOf(totals_.capacity.mean(), 0), totals_.rowOf(gaussian, 0)));
}

void Builder::addGradient() {
    if (totals_.gradient.count() == 0) return;
    auto& gradient = add("gradient", {layers(), positions()}, totals_.gradient.mean());
    gradient.mayBeUndefined = true;
    gradient.standardError = totals_.gradient.count() > 1 ? totals_.gradient.standardError() : totals_.gradientSampleError;
    const auto measured = totals_.rowOf(totals_.gradient.mean(), 0);
    if (std::isnan(measured.front())) {
        report_.warnings.push_back("Every gradient vanished: none of the sampled inputs moves the chosen outputs.");
        return;
    }
    add("gradientTotalVariation", totalVariation(totals_.rowOf(totals_.capacity.mean(), 0), measured));
}

void Builder::addFlow() {
    std::vector<double> from, to, amount, offsets{0};
    for (const auto& edges : totals_.flow) {
        from.insert(from.end(), edges.from.begin(), edges.from.end());
        to.insert(to.end(), edges.to.begin(), edges.to.end());
        for (const double a : edges.amount) amount.push_back(a / draws());
        offsets.push_back(static_cast<double>(from.size()));
    }
    const Axis edge{"edge", counted(from.size()), {}};
    add("flowFrom", {edge}, std::move(from));
    add("flowTo", {edge}, std::move(to));
    add("flowAmount", {edge}, std::move(amount));
    add("flowOffsets", {layers()}, std::move(offsets));
    add("flowBinSize", {layers()}, std::vector<double>(totals_.rows(), totals_.binSize));
}

void Builder::addShares() {
    if (!totals_.wantsShares) return;
    std::vector<double> all, offsets{0}, rows, columns;
    for (std::size_t l = 0; l < totals_.shares.size(); ++l) {
        for (const double share : totals_.shares[l]) all.push_back(share / draws());
        offsets.push_back(static_cast<double>(all.size()));
        rows.push_back(chain_.shape().geometry[l].inWidth);
        columns.push_back(chain_.shape().geometry[l].outWidth);
    }
    const Axis share{"share", counted(all.size()), {}};
    add("shares", {share}, std::move(all));
    add("sharesOffsets", {layers()}, std::move(offsets));
    add("sharesRows", {weightLayers()}, std::move(rows));
    add("sharesColumns", {weightLayers()}, std::move(columns));
}

/// A warning for every layer whose dead units keep capacity.
void warnDead(const Totals& totals, std::vector<std::string>& warnings) {
    const auto& kept = totals.unattributed.mean();
    for (std::size_t l = kept.size() - 1; l > 0; --l)
        if (kept[l - 1] - kept[l] > 1e-12)
            warnings.push_back("Layer " + std::to_string(l) + " has units without weights: " + inWords(100 * (kept[l - 1] - kept[l])) +
                               " % of the capacity ends there, unattributed.");
}

std::vector<std::size_t> kernelShape(const Layer& layer) {
    std::vector<std::size_t> shape{static_cast<std::size_t>(layer.out.channels),
                                   static_cast<std::size_t>(layer.in.channels / layer.groups)};
    if (!layer.shared) shape.insert(shape.begin(), static_cast<std::size_t>(layer.out.height) * static_cast<std::size_t>(layer.out.width));
    if (layer.in.height > 1 || layer.window.size[0] > 1) shape.push_back(static_cast<std::size_t>(layer.window.size[0]));
    shape.push_back(static_cast<std::size_t>(layer.window.size[1]));
    return shape;
}

}  // namespace

Report makeReport(const Setup& setup, const Chain& chain, const Totals& totals, const std::vector<double>& gaussian, bool finished) {
    Builder builder(setup, chain, totals);
    builder.report().status = finished ? Status::Ok : Status::Partial;
    builder.report().message.clear();
    builder.report().warnings = setup.warnings;
    builder.addCapacity();
    if (setup.local()) {
        builder.addMoments();
        builder.addTheory(gaussian);
    }
    builder.addGradient();
    builder.addFlow();
    builder.addShares();
    warnDead(totals, builder.report().warnings);
    if (setup.withNetwork && finished) builder.report().network = reportLayers(chain.network(0).layers);
    builder.report().summary = summaryOf(setup, chain, builder.report());
    return std::move(builder.report());
}

std::vector<ReportLayer> reportLayers(const std::vector<Layer>& layers) {
    std::vector<ReportLayer> printed;
    for (const auto& layer : layers) {
        const auto inner = layer.kind == LayerKind::Residual ? reportLayers(layer.branch) : std::vector<ReportLayer>{};
        printed.insert(printed.end(), inner.begin(), inner.end());
        if (layer.kind == LayerKind::Dense) printed.push_back({"dense", {layer.out.units(), layer.in.units()}, layer.weights, layer.bias});
        if (layer.kind == LayerKind::Conv) printed.push_back({"convolution", kernelShape(layer), layer.weights, layer.bias});
    }
    return printed;
}

}  // namespace kappaflow::diffusion
