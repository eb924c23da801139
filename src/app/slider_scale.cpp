#include "app/slider_scale.h"

#include <algorithm>
#include <cmath>

#include "scene/report.h"

namespace kappaflow {
namespace {

bool whole(const Param& param) { return param.kind == Kind::Integer || param.kind == Kind::Seed; }

// A logarithmic scale that includes zero or less would have no beginning: those move in equal steps.
bool inRatios(const Param& param) { return param.logarithmic && param.min > 0; }

double admissibleWhole(const Param& param, double value) {
    if (!param.odd) return std::round(value);
    const double odd = 2 * std::round((value - 1) / 2) + 1;
    return odd > param.max ? odd - 2 : odd;
}

// To a 1-2-5 grain fine enough for a few hundred places along the slider.
double grained(double value, double grainAtLeast) {
    const double power = std::pow(10, std::floor(std::log10(grainAtLeast)));
    const double ratio = grainAtLeast / power;
    const double grain = power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
    // Dividing by a whole number gives the double that is nearest to the short decimal; multiplying by 0.002 does not.
    if (grain >= 1) return std::round(value / grain) * grain;
    const double perUnit = std::round(1 / grain);
    return std::round(value * perUnit) / perUnit;
}

}  // namespace

double sliderPosition(const Param& param, double value) {
    value = std::clamp(value, param.min, param.max);
    if (param.max <= param.min) return 0;
    if (inRatios(param)) return std::log(value / param.min) / std::log(param.max / param.min);
    return (value - param.min) / (param.max - param.min);
}

double sliderValue(const Param& param, double position) {
    position = std::clamp(position, 0.0, 1.0);
    double value = param.min + position * (param.max - param.min);
    if (inRatios(param)) value = param.min * std::pow(param.max / param.min, position);
    if (whole(param)) return std::clamp(admissibleWhole(param, value), param.min, param.max);
    if (position == 0 || position == 1) return position == 0 ? param.min : param.max;
    const double grain = inRatios(param) ? value / 200 : (param.max - param.min) / 500;
    return std::clamp(grained(value, grain), param.min, param.max);
}

std::string valueLabel(const Param& param, double value) {
    for (const auto& option : param.options)
        if (option.number == value) return option.label;
    // Three digits leave the name room, more only before the point.
    const int before = 1 + static_cast<int>(std::floor(std::log10(std::max(1.0, std::abs(value)))));
    return whole(param) ? formatNumber(value) : inWords(value, std::max(3, before));
}

}  // namespace kappaflow
