#pragma once
#include <vector>

#include "core/io/onnx_chain.h"

namespace kappaflow::onnx {

/// Throws InputError unless the value is a signal [N, C, W] or a picture [N, C, H, W].
void requireGrid(const Node&, const Value&);

/// The window of a Conv, MaxPool or AveragePool node over what the chain has come to, from its attributes strides, dilations, pads and
/// auto_pad, as the ONNX specification defines them, and from the padding that nodes in front of it made. Throws InputError naming node
/// and attribute.
Window windowOf(const Node&, LayerChain&, const std::vector<std::int64_t>& kernel);

/// ceil_mode: more padding behind, so that the last window may hang over the end. A window that would start behind the input is left
/// out. Returns whether any padding was added.
bool roundUp(Window&, const Value& in);

/// What the window makes of `in`. Throws InputError when the window does not fit or there is too much of anything.
Value windowOutput(const Node&, const Value& in, const Window&, int channels);

}  // namespace kappaflow::onnx
