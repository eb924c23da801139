#include "scenes/capacity_flow/capacity_diffusion/model_builder.h"

#include <algorithm>

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

}  // namespace kappaflow::diffusion
