// Capacity of the inputs over a grid of ν (P1 2.4–2.5 and between), rows from coarse to fine.
#include <algorithm>
#include <cmath>

#include "scenes/capacity_flow/nu_continuum/model_report.h"

namespace kappaflow {
namespace {

using namespace continuum;

class ContinuumComputation final : public Computation {
public:
    explicit ContinuumComputation(const Request& request)
        : values_(request.params), sweep_(familyOf(values_), static_cast<std::size_t>(values_.integer("nuPoints"))) {}

    bool step() override { return sweep_.step(); }
    double progress() const override { return sweep_.progress(); }
    Report report() const override { return reportOf(sweep_, values_); }

private:
    Values values_;
    Sweep sweep_;
};

/// Values of ν that the search for the half-way point asks for.
constexpr double kSearched = 15;

/// Operations of one row, and of one ν's layers apart from it.
struct RowCost {
    double row = 0, layers = 0;
};

// 64 units × 16 layers take 5.3 ms.
RowCost denseCost(const Values& v) {
    const double layers = v.number("layers"), width = std::max(v.number("inputs"), v.number("features")),
                 free = std::min(v.number("free"), v.number("features"));
    const double row = layers * (1.3 * width * width * width + 30 * width * width + 3000) + 20 * free * free * free + width * width * width;
    return {row, free == 1 ? 2 * row : row * layers / 2};
}

RowCost treeCost(const Values& v) {
    const double layers = v.number("layers"), channels = v.number("channels");
    const double paths = std::pow(2, layers) * std::pow(channels, layers - 1);
    const double weights = 4 * channels + 2 * channels * channels * std::max(layers - 2, 0.0);
    return {paths * paths * (6 * layers + 1.5 * weights) + 8 * paths * weights * weights + 100 * weights * weights * weights, 0};
}

RowCost rowCost(const Values& v) {
    if (v.is("kernel", "ring3")) return {continuumRingOperations(ringOf(v)) + 1e4, 0};
    return v.is("kernel", "tree") ? treeCost(v) : denseCost(v);
}

double unitsOf(const Values& v) {
    if (v.is("kernel", "ring3")) return v.number("extent");
    return v.is("kernel", "tree") ? std::pow(2, v.number("layers")) : std::max(v.number("inputs"), v.number("features"));
}

Cost costOf(const Request& request) {
    const Values& v = request.params;
    const RowCost one = rowCost(v);
    const double points = v.number("nuPoints"), layers = v.number("layers"), units = unitsOf(v);
    // Rows, the report, and the report once more to be sent; weights, or the states of a ring's three walkers and two steps of them.
    const double numbers = 3 * points * units * (v.is("kernel", "tree") ? 2 : layers + 3);
    const double working = v.is("kernel", "ring3")  ? 3 * 9 * std::pow(layers + 2, 3)
                           : v.is("kernel", "tree") ? units * 4e3
                                                    : units * units * (layers + 8);
    return {(points + kSearched) * one.row + points * one.layers + 1e5, 8 * (numbers + working) + 1e6};
}

/// The param whose return to its default saves most operations or, where these are within the limit, bytes.
std::string costliestOf(const Request& request) {
    const auto weight = [](const Cost& cost) { return std::max(cost.operations / kCostLimit.operations, cost.bytes / kCostLimit.bytes); };
    const auto defaults = findDeclaration(request.scene)->defaults();
    std::string worst = "layers";
    double least = weight(costOf(request));
    for (const char* key : {"layers", "features", "inputs", "nuPoints", "extent"}) {
        Request lower = request;
        lower.params.set(key, defaults.at(key));
        if (request.params.number(key) <= defaults.number(key) || weight(costOf(lower)) >= least) continue;
        least = weight(costOf(lower));
        worst = key;
    }
    return worst;
}

std::unique_ptr<Computation> start(const Request& request) { return std::make_unique<ContinuumComputation>(request); }

}  // namespace

Model nu_continuum_model() { return {"nu-continuum", costOf, costliestOf, start}; }

}  // namespace kappaflow
