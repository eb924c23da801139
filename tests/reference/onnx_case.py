"""ONNX models being put together beside what PyTorch computes for them in double precision. Used by onnx_operators.py."""
import base64
import math

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper, numpy_helper, shape_inference

torch.set_default_dtype(torch.float64)
rng = np.random.default_rng(20240229)


def draw(*shape):
    """Weights of few bits: the same in float32 and float64."""
    return np.round(rng.normal(size=shape), 2).astype(np.float32)


def tensor(values):
    return torch.from_numpy(np.asarray(values, dtype=np.float64))


class Case:
    """A model being put together; `weight` names a tensor and gives it back for torch."""

    def __init__(self, name, shape, opset=13):
        self.name, self.shape, self.opset = name, list(shape), opset
        self.nodes, self.initialisers = [], []

    def weight(self, name, values):
        values = np.asarray(values)
        self.initialisers.append(numpy_helper.from_array(values, name))
        return tensor(values) if values.dtype == np.float32 else values

    def weights(self):
        return {t.name: tensor(numpy_helper.to_array(t)) for t in self.initialisers}

    def node(self, op, inputs, output, outputs=None, **attributes):
        self.nodes.append(helper.make_node(op, inputs, outputs or [output], f"n{len(self.nodes)}", **attributes))
        return output

    def finish(self, output, compute):
        """Takes value `output` as the model's output, `compute` as what it means, and adds the case to CASES."""
        x = np.round(rng.normal(size=self.shape), 3)
        with torch.no_grad():
            y = compute(torch.from_numpy(x)[None])[0]
        assert torch.isfinite(y).all(), self.name
        names = ["batch"] + [f"d{i}" for i in range(y.dim())]
        graph = helper.make_graph(self.nodes, self.name,
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch"] + self.shape)],
                                  [helper.make_tensor_value_info(output, TensorProto.FLOAT, names)], self.initialisers)
        model = helper.make_model(graph, producer_name="reference", ir_version=8,
                                  opset_imports=[helper.make_operatorsetid("", self.opset)])
        onnx.checker.check_model(model)
        inferred = shape_inference.infer_shapes(model, strict_mode=True).graph.output[0].type.tensor_type.shape
        sizes = [d.dim_value for d in inferred.dim][1:]
        agree = len(sizes) == y.dim() and all(a in (0, b) for a, b in zip(sizes, y.shape))
        assert agree or self.name in NEWER_SHAPES, (self.name, sizes, tuple(y.shape))
        CASES.append({"name": self.name, "model": base64.b64encode(model.SerializeToString()).decode(),
                      "input": x.reshape(-1).tolist(), "shape": list(y.shape), "output": y.reshape(-1).tolist()})


CASES = []
# Where a last window would lie in the padding alone, version 19 of the operators leaves it out as PyTorch does; earlier ones were silent.
NEWER_SHAPES = ["max pool 2-D ceil, a last window in the padding left out"]


def same_pads(sizes, kernel, strides, dilations, lower):
    before, after = [], []
    for size, k, s, d in zip(sizes, kernel, strides, dilations):
        total = max((math.ceil(size / s) - 1) * s + (k - 1) * d + 1 - size, 0)
        small, large = total // 2, total - total // 2
        before.append(large if lower else small)
        after.append(small if lower else large)
    return before + after


def window(case_shape, kernel, attributes):
    """Pads (all in front, then all behind), strides and dilations as the specification reads the attributes."""
    axes = len(kernel)
    strides, dilations = attributes.get("strides", [1] * axes), attributes.get("dilations", [1] * axes)
    auto = attributes.get("auto_pad", "NOTSET")
    pads = attributes.get("pads", [0] * 2 * axes)
    if auto.startswith("SAME"):
        pads = same_pads(case_shape[1:], kernel, strides, dilations, auto == "SAME_LOWER")
    return pads, strides, dilations


def padded(x, pads, value=0.0):
    axes = len(pads) // 2
    order = [p for axis in reversed(range(axes)) for p in (pads[axis], pads[axes + axis])]
    return F.pad(x, order, value=value)


def after_conv(name, shape, add, compute, opset=13, out=3):
    """A convolution, then what `add(case, value)` appends; `compute(z, weights)` is the same in torch."""
    case = Case(name, shape, opset)
    axes = len(shape) - 1
    w, b = case.weight("w", draw(out, shape[0], *[3] * axes)), case.weight("b", draw(out))
    case.node("Conv", ["x", "w", "b"], "z", pads=[1] * 2 * axes)
    last = add(case, "z")
    function = F.conv1d if axes == 1 else F.conv2d
    case.finish(last, lambda x: compute(function(x, w, b, padding=1), case.weights()))


def after_dense(name, inputs, outputs, add, compute, opset=13):
    case = Case(name, [inputs], opset)
    w, b = case.weight("w", draw(outputs, inputs)), case.weight("b", draw(outputs))
    case.node("Gemm", ["x", "w", "b"], "z", transB=1)
    last = add(case, "z")
    case.finish(last, lambda x: compute(F.linear(x, w, b), case.weights()))


def norm_weights(case, prefix, *shape):
    for name in ("scale", "shift", "mean"):
        case.weight(prefix + name, draw(*shape))
    case.weight(prefix + "var", np.abs(draw(*shape)) + np.float32(0.25))
    return [prefix + name for name in ("scale", "shift", "mean", "var")]


def normed(z, w, prefix="", epsilon=1e-5):
    scale, shift, mean, var = (w[prefix + name] for name in ("scale", "shift", "mean", "var"))
    # float32(1e-5) is what the attribute holds; left out it is the specification's 1e-5.
    return F.batch_norm(z, mean, var, scale, shift, False, 0.0, epsilon)
