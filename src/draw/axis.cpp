#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "draw/number_text.h"
#include "draw/plot.h"

namespace kappaflow {
namespace {

constexpr double kLargest = 1e300;
constexpr double kLeastPositive = 1e-300;

void widenLinear(AxisSpec& axis) {
    const double size = std::max(std::abs(axis.lo), std::abs(axis.hi));
    if (axis.hi - axis.lo > 1e-12 * size && axis.hi - axis.lo > 1e-305) return;
    const double middle = 0.5 * axis.lo + 0.5 * axis.hi;
    const double half = axis.whole || size < 1e-290 ? 0.5 : 0.1 * size;
    axis.lo = std::max(middle - half, -kLargest), axis.hi = std::min(middle + half, kLargest);
}

void makePositive(AxisSpec& axis) {
    if (!(axis.hi > 0)) axis.lo = 0.1, axis.hi = 1;
    axis.hi = std::max(axis.hi, kLeastPositive * 10);
    // Nothing at or below zero has a place: three decades show what there is.
    if (!(axis.lo > 0)) axis.lo = axis.hi * 1e-3;
    axis.lo = std::max(axis.lo, kLeastPositive);
    if (axis.hi / axis.lo > 1 + 1e-9) return;
    axis.lo /= 3, axis.hi *= 3;
}

double transform(const AxisSpec& axis, double value) {
    if (axis.scale == Scale::Asinh) return std::asinh(value / kAsinhUnit);
    return axis.scale == Scale::Log ? std::log10(value) : value;
}

}  // namespace

AxisSpec usableAxis(AxisSpec axis) {
    if (std::isnan(axis.lo)) axis.lo = std::isnan(axis.hi) ? 0 : axis.hi;
    if (std::isnan(axis.hi)) axis.hi = axis.lo;
    if (axis.lo > axis.hi) std::swap(axis.lo, axis.hi);
    axis.lo = std::clamp(axis.lo, -kLargest, kLargest), axis.hi = std::clamp(axis.hi, -kLargest, kLargest);
    if (axis.scale == Scale::Log)
        makePositive(axis);
    else
        widenLinear(axis);
    return axis;
}

double axisPlace(const AxisSpec& axis, double value) {
    if (axis.scale == Scale::Log && !(value > 0)) return std::numeric_limits<double>::quiet_NaN();
    const double lo = transform(axis, axis.lo), hi = transform(axis, axis.hi);
    const double place = (transform(axis, value) - lo) / (hi - lo);
    return axis.reversed ? 1 - place : place;
}

double axisValue(const AxisSpec& axis, double place) {
    const double lo = transform(axis, axis.lo), hi = transform(axis, axis.hi), t = axis.reversed ? 1 - place : place;
    // The ends exactly: log10 and back would miss them by an ulp.
    if (t == 0) return axis.lo;
    if (t == 1) return axis.hi;
    const double value = lo + t * (hi - lo);
    if (axis.scale == Scale::Asinh) return kAsinhUnit * std::sinh(value);
    return axis.scale == Scale::Log ? std::pow(10, value) : value;
}

namespace {

constexpr double kMost = 6;  // more ticks are read no faster

/// Ticks at whole multiples of mantissa · 10^exponent.
struct Step {
    int mantissa, exponent;
    double size() const { return mantissa * std::pow(10, exponent); }
    // Dividing by a power of ten that is a whole number rounds once: 3 · 10^-1 is 0.3, as printed.
    double multiple(double k) const {
        return exponent < 0 && exponent > -300 ? k * mantissa / std::pow(10, -exponent) : k * mantissa * std::pow(10, exponent);
    }
    Step finer() const { return mantissa == 5 ? Step{2, exponent} : mantissa == 2 ? Step{1, exponent} : Step{5, exponent - 1}; }
};

Step stepAtLeast(double least) {
    least = std::clamp(least, 1e-300, 1e300);  // a range of no width has steps too
    int exponent = static_cast<int>(std::floor(std::log10(least)));
    for (;; ++exponent)
        for (const int mantissa : {1, 2, 5})
            if (Step{mantissa, exponent}.size() >= least * (1 - 1e-9)) return {mantissa, exponent};
}

std::vector<double> multiplesWithin(const Step& step, double lo, double hi) {
    std::vector<double> values;
    const double size = step.size(), slack = 1e-6;
    for (double k = std::ceil(lo / size - slack), last = std::floor(hi / size + slack); k <= last; ++k)
        values.push_back(step.multiple(k == 0 ? 0 : k));
    return values;
}

int exponentOf(double value) { return value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-12)); }

// Mantissas of one common exponent, so that neighbours can be compared at a glance.
std::string scientific(double value, int exponent, int decimals) {
    if (value == 0) return "0";
    const double power = std::pow(10, std::abs(exponent));
    const std::string mantissa = fixedText(exponent < 0 && exponent > -300 ? value * power : value / std::pow(10, exponent), decimals);
    return (mantissa == "1" ? "" : mantissa == "−1" ? "−" : mantissa + "·") + powerOfTenText(exponent);
}

std::vector<Tick> labelled(const std::vector<double>& values, const Step& step) {
    double largest = 0;
    for (const double v : values) largest = std::max(largest, std::abs(v));
    const int magnitude = exponentOf(largest);
    std::vector<Tick> ticks;
    for (const double v : values)
        ticks.push_back({v, magnitude >= 5 || magnitude < -3 ? scientific(v, magnitude, std::max(0, magnitude - step.exponent))
                                                             : fixedText(v, std::max(0, -step.exponent))});
    return ticks;
}

std::vector<Tick> linearTicks(const AxisSpec& axis, double wanted) {
    Step step = stepAtLeast((axis.hi - axis.lo) / wanted);
    std::vector<double> values = multiplesWithin(step, axis.lo, axis.hi);
    // One number on an axis says nothing about its scale.
    while (values.size() < 2 && (!axis.whole || step.size() > 1)) step = step.finer(), values = multiplesWithin(step, axis.lo, axis.hi);
    if (axis.whole && step.size() < 1) step = {1, 0}, values = multiplesWithin(step, axis.lo, axis.hi);
    return labelled(values, step);
}

// Every decade, or every 2nd, 5th, 10th …, or where those are fewer than two the first and the last; plain numbers while all are short.
std::vector<Tick> decadeTicks(int first, int last, double wanted, double decadePixels) {
    int step = std::max(1, static_cast<int>(std::lround(stepAtLeast((last - first) / std::max(wanted - 1, 1.0)).size())));
    int begin = static_cast<int>(std::ceil(static_cast<double>(first) / step)) * step;
    if (begin + step > last && last > first) begin = first, step = last - first;
    const bool plain = first >= -2 && last <= 3;
    std::vector<Tick> ticks;
    for (int e = first - 1; e <= last; ++e) {
        const bool major = e >= begin && (e - begin) % step == 0;
        const double decade = std::pow(10, e);
        if (e >= first && (major || decadePixels >= 3))
            ticks.push_back({decade, !major ? "" : plain || e == 0 ? fixedText(decade, std::max(0, -e)) : powerOfTenText(e)});
        for (int digit = 2; digit < 10 && step == 1 && decadePixels >= 24; ++digit) ticks.push_back({digit * decade, ""});
    }
    return ticks;
}

// Less than two decades: 1, 2, 5 carry labels, the other digits are minor ticks.
std::vector<Tick> digitTicks(int first, int last) {
    const bool plain = first >= -3 && last <= 4;
    std::vector<Tick> ticks;
    for (int e = first; e <= last; ++e)
        for (int digit = 1; digit < 10; ++digit) {
            const double value = e < 0 ? digit / std::pow(10, -e) : digit * std::pow(10, e);
            const bool major = digit == 1 || digit == 2 || digit == 5;
            ticks.push_back({value, !major ? "" : plain ? fixedText(value, std::max(0, -e)) : scientific(value, e, 0)});
        }
    return ticks;
}

std::vector<Tick> logTicks(const AxisSpec& axis, double pixels, double wanted, double minSpacing) {
    const double lo = std::log10(axis.lo), hi = std::log10(axis.hi);
    const int first = static_cast<int>(std::ceil(lo - 1e-9)), last = static_cast<int>(std::floor(hi + 1e-9));
    // 1, 2, 5 stand 0.3 of a decade apart.
    const bool digits = last - first < 1 || (hi - lo < 2 && 0.3 * pixels / (hi - lo) >= minSpacing);
    std::vector<Tick> ticks = digits ? digitTicks(static_cast<int>(std::floor(lo)), static_cast<int>(std::floor(hi)))
                                     : decadeTicks(first, last, wanted, pixels / (hi - lo));
    const auto outside = [&](const Tick& tick) { return tick.value < axis.lo * (1 - 1e-9) || tick.value > axis.hi * (1 + 1e-9); };
    ticks.erase(std::remove_if(ticks.begin(), ticks.end(), outside), ticks.end());
    const auto shown = std::count_if(ticks.begin(), ticks.end(), [](const Tick& tick) { return !tick.label.empty(); });
    if (shown >= 2 || (shown == 1 && last > first)) return ticks;
    // Less than a decade in sight: even steps tell more, but zero is on no log axis.
    auto even = linearTicks(axis, wanted);
    even.erase(std::remove_if(even.begin(), even.end(), outside), even.end());
    return even;
}

// 0 and the decades beyond kAsinhUnit, with 3 between them where there is room; even steps where fewer than two of these are in sight.
std::vector<Tick> asinhTicks(const AxisSpec& axis, double pixels, double wanted, double minSpacing) {
    const double spread = axisPlace(axis, 10 * kAsinhUnit) - axisPlace(axis, kAsinhUnit), decadePixels = std::abs(spread) * pixels;
    std::vector<Tick> ticks;
    if (axis.lo <= 0 && axis.hi >= 0) ticks.push_back({0, "0"});
    const int first = exponentOf(kAsinhUnit) + 1, last = exponentOf(axis.hi);
    for (const Tick& tick : axis.hi < kAsinhUnit ? std::vector<Tick>{} : decadeTicks(first, last, wanted, decadePixels)) {
        if (tick.value < kAsinhUnit * (1 - 1e-9) || tick.value < axis.lo || tick.value > axis.hi * (1 + 1e-9)) continue;
        const int exponent = exponentOf(tick.value);
        const bool three = std::lround(tick.value / std::pow(10, exponent)) == 3 && decadePixels >= 2 * minSpacing;
        ticks.push_back(three ? Tick{tick.value, fixedText(tick.value, std::max(0, -exponent))} : tick);
    }
    const auto shown = std::count_if(ticks.begin(), ticks.end(), [](const Tick& tick) { return !tick.label.empty(); });
    return shown >= 2 && axis.lo >= 0 ? ticks : linearTicks(axis, wanted);
}

}  // namespace

std::vector<Tick> ticksFor(const AxisSpec& wish, double pixels, double minSpacing) {
    const AxisSpec axis = usableAxis(wish);
    const double wanted = std::clamp(std::floor(pixels / std::max(minSpacing, 1.0)), 2.0, kMost);
    if (axis.scale == Scale::Asinh) return asinhTicks(axis, pixels, wanted, minSpacing);
    return axis.scale == Scale::Log ? logTicks(axis, pixels, wanted, minSpacing) : linearTicks(axis, wanted);
}

}  // namespace kappaflow
