#include "scenes/capacity_flow/lower_layers/picture_view.h"

#include <algorithm>
#include <cmath>

#include "draw/number_text.h"

namespace kappaflow::lower {
namespace {

// Scaled outputs agree to about 1e-15 where the scale is redundant and differ by tenths where it is not.
constexpr double kRounding = 1e-9;

/// log₂ s at the timeline's steps: 1, 4, 1, 1/4, 1.
double exponentAt(double at) {
    constexpr double kSteps[] = {0, 2, 0, -2, 0};
    const Between b = between(at, 4);
    return kSteps[b.below] + (kSteps[b.above] - kSteps[b.below]) * b.fraction;
}

void place(View& view, std::size_t unit) {
    for (std::size_t l = 1; l < view.layers(); ++l) {
        if (unit < view.widths[l]) {
            view.layer = l;
            view.place = unit;
            return;
        }
        unit -= view.widths[l];
    }
}

double scalarOf(const Report& report, const char* name) {
    const Scalar* scalar = report.scalar(name);
    return scalar ? scalar->value : 0;
}

}  // namespace

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {{&view.rank, "rank"},
                                                            {&view.functionRank, "functionRank"},
                                                            {&view.predictedRank, "predictedRank"},
                                                            {&view.onePiece, "onePieceUnits"},
                                                            {&view.singular, "singularValues"},
                                                            {&view.pathSingular, "pathSingularValues"},
                                                            {&view.growth, "rankByInputs"},
                                                            {&view.weights, "weights"},
                                                            {&view.weightLayer, "weightLayer"},
                                                            {&view.weightFrom, "weightFrom"},
                                                            {&view.weightTo, "weightTo"},
                                                            {&view.weightTap, "weightTap"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    const Array* widths = r.array("widths");
    if (!widths || widths->values.size() < 2) return false;
    view.output = r.array("outputAlongScale");
    view.change = r.array("outputChange");
    view.keys = view.rank->axes[0].keys;
    for (const double width : widths->values) view.widths.push_back(static_cast<std::size_t>(width));
    const auto found = std::find(view.keys.begin(), view.keys.end(), f.state.params.text("shown"));
    view.shown = found == view.keys.end() ? 0 : static_cast<std::size_t>(found - view.keys.begin());
    view.parameters = scalarOf(r, "parameters");
    view.hidden = scalarOf(r, "hiddenUnits");
    view.predicted = scalarOf(r, "predicted");
    view.threshold = scalarOf(r, "threshold");
    view.unit = static_cast<std::size_t>(std::clamp(f.state.params.number("unit"), 0.0, std::max(view.hidden - 1, 0.0)));
    view.exponent = exponentAt(f.state.params.number("at"));
    place(view, view.unit);
    return !view.keys.empty();
}

bool View::redundant(std::size_t hiddenUnit) const { return change && change->row(shown)[hiddenUnit] < kRounding; }

std::vector<double> View::outputAt(double e) const {
    const std::size_t factors = output->axes[2].size(), places = output->axes[3].size();
    const double* rows = output->row(shown) + unit * factors * places;
    // Factors are a step of √2 apart.
    const Between b = between(static_cast<double>(factors - 1) / 2 + 2 * e, factors - 1);
    std::vector<double> y(places);
    for (std::size_t i = 0; i < places; ++i) {
        const double low = rows[b.below * places + i], high = rows[b.above * places + i];
        y[i] = b.fraction == 0 ? low : low + (high - low) * b.fraction;
    }
    return y;
}

std::string activationName(const std::string& key) {
    for (const auto& option : findDeclaration("lower-layers")->param("shown")->options)
        if (option.key == key) return option.label;
    return key;
}

std::string scaleText(double exponent) {
    const double s = std::exp2(exponent);
    return s < 0.999 ? "1/" + numberText(1 / s, 2) : numberText(s, 2);
}

}  // namespace kappaflow::lower
