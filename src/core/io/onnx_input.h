#pragma once
#include "core/io/onnx_chain.h"

namespace kappaflow::onnx {

/// The one input that is no weight; old files list their weights as inputs too. Throws InputError when there are more or none.
const ValueInfo& onlyInput(const Graph&, const Constants&);
/// Its shape. Throws InputError naming input and dimension.
Value valueOfInput(const ValueInfo&);
/// Name of the one output. Throws InputError when there are more or none.
std::string_view onlyOutput(const Graph&);

}  // namespace kappaflow::onnx
