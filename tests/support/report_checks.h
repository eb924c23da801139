#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "scene/scene.h"

namespace kappaflow {

inline const FieldRow* fieldOf(const Declaration& declaration, const std::string& name) {
    const auto found =
        std::find_if(declaration.fields.begin(), declaration.fields.end(), [&](const FieldRow& f) { return f.name == name; });
    return found == declaration.fields.end() ? nullptr : &*found;
}

/// Numbers are finite, or NaN where the array says that this may be.
inline void checkNumbers(const Array& array) {
    for (double value : array.values) {
        if (std::isfinite(value) || (std::isnan(value) && array.mayBeUndefined)) continue;
        FAIL_CHECK(array.name << " holds " << value);
        return;
    }
}

inline void checkArray(const Declaration& declaration, const Array& array) {
    CAPTURE(array.name);
    std::size_t size = 1;
    std::vector<std::string> axes;
    for (const auto& axis : array.axes) {
        size *= axis.size();
        axes.push_back(axis.name);
        CHECK((axis.values.empty() || axis.keys.empty()));
    }
    CHECK(array.values.size() == size);
    CHECK((array.standardError.empty() || array.standardError.size() == size));
    checkNumbers(array);
    const FieldRow* field = fieldOf(declaration, array.name);
    REQUIRE_MESSAGE(field, "not declared");
    CHECK((field->axes.names() == axes || field->gridAxes.names() == axes));
    CHECK(field->role == array.role);
}

/// A finished report is well-formed: what every scene promises whatever its params.
inline void checkReport(const Declaration& declaration, const Report& report) {
    CHECK(report.status == Status::Ok);
    CHECK(report.scene == declaration.id);
    CHECK(report.summary.size() > 20);
    CHECK(report.summary.back() == '.');
    for (const char* bad : {"nan", "inf", "undefined"}) CHECK_MESSAGE(report.summary.find(bad) == std::string::npos, report.summary);
    for (const auto& param : declaration.params) CHECK(report.params.contains(param.key));
    std::set<std::string> names;
    for (const auto& array : report.arrays) {
        CHECK(names.insert(array.name).second);
        checkArray(declaration, array);
    }
    for (const auto& scalar : report.scalars) {
        CAPTURE(scalar.name);
        CHECK(names.insert(scalar.name).second);
        CHECK(std::isfinite(scalar.value));
        const FieldRow* field = fieldOf(declaration, scalar.name);
        REQUIRE_MESSAGE(field, "not declared");
        CHECK(field->axes.rows().empty());
    }
}

/// Numbers of two reports are the same to the bit, NaN like NaN.
inline void checkSameReports(const Report& a, const Report& b) {
    CHECK(a.summary == b.summary);
    CHECK(a.warnings == b.warnings);
    REQUIRE(a.scalars.size() == b.scalars.size());
    REQUIRE(a.arrays.size() == b.arrays.size());
    const auto same = [](const std::vector<double>& x, const std::vector<double>& y) {
        const auto alike = [](double p, double q) { return p == q || (std::isnan(p) && std::isnan(q)); };
        return std::equal(x.begin(), x.end(), y.begin(), y.end(), alike);
    };
    for (std::size_t i = 0; i < a.scalars.size(); ++i)
        CHECK_MESSAGE((a.scalars[i].name == b.scalars[i].name && a.scalars[i].value == b.scalars[i].value), a.scalars[i].name);
    for (std::size_t i = 0; i < a.arrays.size(); ++i) {
        CHECK(a.arrays[i].name == b.arrays[i].name);
        CHECK_MESSAGE(same(a.arrays[i].values, b.arrays[i].values), a.arrays[i].name);
        CHECK_MESSAGE(same(a.arrays[i].standardError, b.arrays[i].standardError), a.arrays[i].name);
    }
}

/// A request with one value after the other set on top of the defaults.
inline Request requestWith(const Declaration& declaration, std::vector<std::pair<std::string, Value>> values) {
    Request request;
    request.scene = declaration.id;
    for (auto& [key, value] : values) request.params.set(key, std::move(value));
    std::vector<std::string> warnings;
    request.params = completeValues(declaration, request.params, warnings);
    return request;
}

}  // namespace kappaflow
