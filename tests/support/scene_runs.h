#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "scene/scene.h"
#include "support/report_checks.h"

namespace kappaflow {

/// Params of a scene as texts, on top of the defaults.
using Settings = std::vector<std::pair<std::string, std::string>>;

inline Request requestOf(std::string_view scene, const Settings& settings) {
    const auto& declaration = *findDeclaration(scene);
    Request request;
    request.scene = declaration.id;
    for (const auto& [key, text] : settings) request.params.set(key, parseValue(*declaration.param(key), text).value);
    return request;
}

/// The report, and that it is one that its declaration promises.
inline Report runChecked(std::string_view scene, const Settings& settings) {
    Report report = runRequest(requestOf(scene, settings));
    checkReport(*findDeclaration(scene), report);
    return report;
}

inline Request diffusionRequest(const Settings& settings) { return requestOf("capacity-diffusion", settings); }
inline Report runDiffusion(const Settings& settings) { return runRequest(diffusionRequest(settings)); }

inline double scalarOf(const Report& report, const char* name) {
    const auto* scalar = report.scalar(name);
    REQUIRE_MESSAGE(scalar, name);
    return scalar->value;
}

inline const Array& arrayOf(const Report& report, const char* name) {
    const auto* found = report.array(name);
    REQUIRE_MESSAGE(found, name);
    return *found;
}

/// Sum of a row's defined part.
inline double rowTotal(const Array& rows, std::size_t l) {
    double sum = 0;
    for (std::size_t i = 0; i < rows.rowLength(); ++i)
        if (!std::isnan(rows.row(l)[i])) sum += rows.row(l)[i];
    return sum;
}

inline bool warnsOf(const Report& report, const char* what) {
    return std::any_of(report.warnings.begin(), report.warnings.end(),
                       [&](const std::string& w) { return w.find(what) != std::string::npos; });
}

}  // namespace kappaflow
