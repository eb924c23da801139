#include "scene/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "core/base/decimal.h"

namespace kappaflow {

std::vector<std::string> AxisRows::names() const {
    std::vector<std::string> names;
    for (const AxisRow* axis : rows()) names.emplace_back(axis->name);
    return names;
}

std::size_t Array::rowLength() const {
    std::size_t length = 1;
    for (std::size_t i = 1; i < axes.size(); ++i) length *= axes[i].size();
    return length;
}

const Scalar* Report::scalar(std::string_view name) const {
    const auto found = std::find_if(scalars.begin(), scalars.end(), [&](const Scalar& scalar) { return scalar.name == name; });
    return found == scalars.end() ? nullptr : &*found;
}

const std::string* Report::note(std::string_view part) const {
    const auto found = std::find_if(notes.begin(), notes.end(), [&](const Note& note) { return note.part == part; });
    return found == notes.end() ? nullptr : &found->text;
}

const Array* Report::array(std::string_view name) const {
    const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const Array& array) { return array.name == name; });
    return found == arrays.end() ? nullptr : &*found;
}

std::vector<double> countUp(std::size_t n, double first) {
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), first);
    return values;
}

std::string inWords(double value, int digits) {
    if (std::isnan(value)) return "undefined";
    if (std::isinf(value)) return value > 0 ? "infinite" : "minus infinite";
    char text[64];
    std::snprintf(text, sizeof text, "%.*e", std::clamp(digits, 1, 17) - 1, value);
    // The rounded decimal is itself a double's shortest text, up to 15 digits.
    return formatNumber(decimalNumber(text) + 0.0);
}

std::string counted(double count, const std::string& noun) { return inWords(count, 9) + " " + noun + (count == 1 ? "" : "s"); }

std::string powerInWords(double log10) {
    if (log10 > -3 && log10 < 5) return inWords(std::pow(10, log10));
    double exponent = std::floor(log10), mantissa = std::pow(10, log10 - exponent);
    // 9.996 would be written 10.
    if (mantissa >= 9.995) mantissa = 1, ++exponent;
    static const char* const kRaised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string raised = exponent < 0 ? "⁻" : "";
    for (const char digit : std::to_string(static_cast<long long>(std::abs(exponent)))) raised += kRaised[digit - '0'];
    return inWords(mantissa) + "·10" + raised;
}

}  // namespace kappaflow
