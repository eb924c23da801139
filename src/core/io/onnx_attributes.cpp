#include "core/io/onnx_attributes.h"

#include <cmath>
#include <cstdio>

#include "core/base/errors.h"

namespace kappaflow::onnx {

void refuse(const Node& node, const std::string& reason) { throw InputError(label(node) + ": " + reason + "."); }

void requireNone(const Node& node, const std::string& reason) {
    if (!reason.empty()) refuse(node, reason);
}

const Attribute* attribute(const Node& node, std::string_view name) {
    for (const Attribute& candidate : node.attributes)
        if (candidate.name == name) return &candidate;
    return nullptr;
}

double numberAttribute(const Node& node, std::string_view name, double standard) {
    const Attribute* found = attribute(node, name);
    if (!found) return standard;
    if (!found->number || !std::isfinite(*found->number)) refuse(node, "its attribute " + std::string(name) + " must be a finite number");
    return static_cast<double>(*found->number);
}

std::int64_t integerAttribute(const Node& node, std::string_view name, std::int64_t standard) {
    const Attribute* found = attribute(node, name);
    if (!found) return standard;
    if (!found->integer) refuse(node, "its attribute " + std::string(name) + " must be a whole number");
    return *found->integer;
}

bool flagAttribute(const Node& node, std::string_view name, bool standard) {
    const std::int64_t value = integerAttribute(node, name, standard ? 1 : 0);
    if (value != 0 && value != 1) refuse(node, std::string(name) + " = " + std::to_string(value) + " must be 0 or 1");
    return value == 1;
}

std::string_view textAttribute(const Node& node, std::string_view name, std::string_view standard) {
    const Attribute* found = attribute(node, name);
    if (!found) return standard;
    if (!found->text) refuse(node, "its attribute " + std::string(name) + " must be a text");
    return *found->text;
}

std::vector<std::int64_t> integersAttribute(const Node& node, std::string_view name) {
    const Attribute* found = attribute(node, name);
    if (!found) return {};
    if (found->isCut)
        refuse(node, "its attribute " + std::string(name) + " has more than the " + std::to_string(found->integers.size() - 1) +
                         " whole numbers that are read");
    if (found->integers.empty()) refuse(node, "its attribute " + std::string(name) + " must be a list of whole numbers");
    return found->integers;
}

std::string shortNumber(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

}  // namespace kappaflow::onnx
