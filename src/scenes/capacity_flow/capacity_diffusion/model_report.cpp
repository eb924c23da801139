#include <algorithm>
#include <cmath>

#include "core/capacity/diffusion_theory.h"
#include "scenes/capacity_flow/capacity_diffusion/model.h"

namespace kappaflow::diffusion {
namespace {

const Field& fieldNamed(const std::string& name) {
    const auto& fields = findDeclaration("capacity-diffusion")->fields;
    return *std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
}

}  // namespace

std::vector<double> counted(std::size_t n, double first) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = first + static_cast<double>(i);
    return values;
}

Array& Builder::add(const std::string& name, std::vector<Axis> axes, std::vector<double> values) {
    const Field& field = fieldNamed(name);
    report.arrays.push_back({name, std::move(axes), std::move(values), field.symbol, field.about, field.role, {}, false});
    return report.arrays.back();
}

Scalar& Builder::add(const std::string& name, double value) {
    const Field& field = fieldNamed(name);
    report.scalars.push_back({name, value, field.symbol, field.about, {}, 0});
    return report.scalars.back();
}

Axis Builder::layers() const { return {"layer", counted(totals.rows()), {}}; }

Axis Builder::weightLayers() const { return {"weightLayer", counted(totals.rows() - 1, 1), {}}; }

std::vector<Axis> Builder::everywhere() const {
    if (plane()) return {layers(), {"y", counted(totals.tallest()), {}}, {"x", counted(totals.widest()), {}}};
    return {layers(), {"position", counted(totals.widest()), {}}};
}

std::vector<Axis> Builder::byAxis(Axis axis) const {
    if (plane()) return {std::move(axis), {"axis", {}, {"y", "x"}}};
    return {std::move(axis)};
}

namespace {

std::vector<double> asDoubles(const std::vector<int>& values) { return {values.begin(), values.end()}; }

void addStart(Builder& b) {
    const auto& start = b.setup.start;
    const auto height = static_cast<std::size_t>(start.height()), width = static_cast<std::size_t>(start.width());
    if (height > 1 || (b.plane() && !b.setup.file))
        b.add("profileStart", {{"topY", counted(height), {}}, {"topX", counted(width), {}}}, start.profile);
    else
        b.add("profileStart", {{"topPosition", counted(width), {}}}, start.profile);
}

void addChannels(Builder& b) {
    const auto& shape = b.chain.shape();
    std::vector<double> counts;
    for (std::size_t l = 0; l < shape.units.size(); ++l) counts.push_back(static_cast<double>(shape.channels(l)));
    const double most = *std::max_element(counts.begin(), counts.end());
    b.add("channelCounts", {b.layers()}, std::move(counts));
    if (b.setup.channel >= most)
        b.report.warnings.push_back("There is no channel " + std::to_string(b.setup.channel) + ": the last is " + inWords(most - 1, 6) +
                                    ".");
    else if (b.totals.channel.count() > 0)
        b.add("channelCapacity", b.everywhere(), b.totals.channel.mean()).mayBeUndefined = true;
}

void addCapacity(Builder& b) {
    auto& capacity = b.add("capacity", b.everywhere(), b.totals.capacity.mean());
    capacity.mayBeUndefined = true;
    if (b.draws() > 1) capacity.standardError = b.totals.capacity.standardError();
    b.add("total", {b.layers()}, b.totals.total.mean());
    b.add("unattributed", {b.layers()}, b.totals.unattributed.mean());
    if (b.plane()) b.add("heights", {b.layers()}, asDoubles(b.chain.shape().heights));
    b.add("widths", {b.layers()}, asDoubles(b.chain.shape().widths));
    if (b.plane()) addChannels(b);
    addStart(b);
}

void addGradient(Builder& b) {
    if (b.totals.gradient.count() == 0) return;
    auto& gradient = b.add("gradient", b.everywhere(), b.totals.gradient.mean());
    gradient.mayBeUndefined = true;
    gradient.standardError = b.totals.gradient.count() > 1 ? b.totals.gradient.standardError() : b.totals.gradientSampleError;
    const auto measured = b.totals.rowOf(b.totals.gradient.mean(), 0);
    if (std::isnan(measured.front())) {
        b.report.warnings.push_back("Every gradient vanished: none of the sampled inputs moves the chosen outputs.");
        return;
    }
    b.add("gradientTotalVariation", totalVariation(b.totals.rowOf(b.totals.capacity.mean(), 0), measured));
}

void addFlow(Builder& b) {
    std::vector<double> from, to, amount, offsets{0};
    for (const auto& edges : b.totals.flow) {
        from.insert(from.end(), edges.from.begin(), edges.from.end());
        to.insert(to.end(), edges.to.begin(), edges.to.end());
        for (const double a : edges.amount) amount.push_back(a / b.draws());
        offsets.push_back(static_cast<double>(from.size()));
    }
    const Axis edge{"edge", counted(from.size()), {}};
    b.add("flowFrom", {edge}, std::move(from));
    b.add("flowTo", {edge}, std::move(to));
    b.add("flowAmount", {edge}, std::move(amount));
    b.add("flowOffsets", {b.layers()}, std::move(offsets));
    b.add("flowBinSize", {b.layers()}, std::vector<double>(b.totals.rows(), b.totals.binSize));
}

void addShares(Builder& b) {
    if (!b.totals.wantsShares) return;
    std::vector<double> all, offsets{0}, rows, columns;
    for (std::size_t l = 0; l < b.totals.shares.size(); ++l) {
        for (const double share : b.totals.shares[l]) all.push_back(share / b.draws());
        offsets.push_back(static_cast<double>(all.size()));
        rows.push_back(b.chain.shape().geometry[l].inWidth);
        columns.push_back(b.chain.shape().geometry[l].outWidth);
    }
    const Axis share{"share", counted(all.size()), {}};
    b.add("shares", {share}, std::move(all));
    b.add("sharesOffsets", {b.layers()}, std::move(offsets));
    b.add("sharesRows", {b.weightLayers()}, std::move(rows));
    b.add("sharesColumns", {b.weightLayers()}, std::move(columns));
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
    Report& report = builder.report;
    report.status = finished ? Status::Ok : Status::Partial;
    report.message.clear();
    report.warnings = setup.warnings;
    addCapacity(builder);
    if (chain.tracking() != Tracking::None) addMoments(builder);
    if (setup.local()) addTheory(builder, gaussian);
    if (setup.file && builder.plane()) addFit(builder);
    addGradient(builder);
    if (!builder.plane()) {
        addFlow(builder);
        addShares(builder);
    }
    warnDead(totals, report.warnings);
    if (setup.withNetwork && finished) report.network = reportLayers(chain.network(0)->layers);
    report.summary = summaryOf(setup, chain, totals, report);
    return std::move(report);
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
