#pragma once
#include "support/summary_reader.h"

// What summaries of several linear models quote and compare.
namespace kappaflow {

/// Newest lags that hold half of the capacity.
inline void addHalf(const Report& r, Numbers& into) {
    const Array& capacity = *r.array("capacity");
    double whole = 0, sum = 0, lags = 0;
    for (const double k : capacity.values) whole += k;
    while (lags < static_cast<double>(capacity.values.size()) && sum < 0.5 * whole - 1e-9)
        sum += capacity.values[static_cast<std::size_t>(lags++)];
    into.insert(into.end(), {lags, static_cast<double>(capacity.values.size())});
}

inline bool optimal(const Report& r) { return valueIn(r, "optimality") <= 1e-6; }
inline bool notOptimal(const Report& r) { return valueIn(r, "optimality") > 1e-6; }

inline const std::vector<Rule> kOptimumOrNot{{"At this optimum", optimal}, {"which are no optimum", notOptimal}};
inline const std::vector<Rule> kOptimalStackOrNot{
    {"The weights are an optimum", [](const Report& r) { return atParam(r, "optimality") <= 1e-6; }},
    {"not an optimum", [](const Report& r) { return atParam(r, "optimality") > 1e-6; }}};

}  // namespace kappaflow
