#pragma once
#include <algorithm>
#include <cassert>
#include <numeric>

#include "scene/scene.h"

namespace kappaflow {

/// 0, 1, … n − 1 as an axis.
inline Axis countedAxis(std::string name, std::size_t n) {
    Axis axis{std::move(name), std::vector<double>(n), {}};
    std::iota(axis.values.begin(), axis.values.end(), 0.0);
    return axis;
}

/// A report under construction whose scalars and arrays take symbol, role and words from the scene's declared fields. A name that is
/// not declared, or as many values as its axes do not span, is a programmer's mistake (assert).
class FilledReport {
public:
    explicit FilledReport(std::string_view scene) : declaration_(*findDeclaration(scene)) {}

    Array& add(std::string_view name, std::vector<Axis> axes, std::vector<double> values) {
        const Field& field = fieldOf(name);
        assert(spans(axes, values.size()));
        report.arrays.push_back({field.name, std::move(axes), std::move(values), field.symbol, field.about, field.role, {}, false});
        return report.arrays.back();
    }
    Scalar& add(std::string_view name, double value) {
        const Field& field = fieldOf(name);
        report.scalars.push_back({field.name, value, field.symbol, field.about, {}, 0});
        return report.scalars.back();
    }

    Report report;

private:
    [[maybe_unused]] static bool spans(const std::vector<Axis>& axes, std::size_t values) {
        std::size_t cells = 1;
        for (const Axis& axis : axes) cells *= axis.size();
        return cells == values;
    }
    const Field& fieldOf(std::string_view name) const {
        const auto& fields = declaration_.fields;
        const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
        assert(found != fields.end());
        return *found;
    }
    const Declaration& declaration_;
};

}  // namespace kappaflow
