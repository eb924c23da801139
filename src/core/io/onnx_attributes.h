#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/io/onnx_graph.h"

namespace kappaflow::onnx {

/// Throws InputError: `node "conv1": REASON.`
[[noreturn]] void refuse(const Node&, const std::string& reason);

/// The same unless there is no reason.
void requireNone(const Node&, const std::string& reason);

/// Attributes of a node, or their standard values; each throws InputError when the attribute is of another kind.
const Attribute* attribute(const Node&, std::string_view name);
double numberAttribute(const Node&, std::string_view name, double standard);
std::int64_t integerAttribute(const Node&, std::string_view name, std::int64_t standard);
/// 0 or 1.
bool flagAttribute(const Node&, std::string_view name, bool standard);
std::string_view textAttribute(const Node&, std::string_view name, std::string_view standard);
/// Empty when it is not given.
std::vector<std::int64_t> integersAttribute(const Node&, std::string_view name);

/// "0.1", as a sentence quotes it.
std::string shortNumber(double);

}  // namespace kappaflow::onnx
