#!/usr/bin/python3
"""Small ONNX models with every form of every operator that the reader takes, and what PyTorch computes for them in double precision.

Each model is checked by onnx's own checker and its output shape by onnx's shape inference, so that what it says is what the
specification means; its weights are float32, the input float64 values of few digits.
    tests/reference/onnx_operators.py tests/data/onnx_operators.json            writes the file
    tests/reference/onnx_operators.py --check tests/data/onnx_operators.json    fails when a number in it differs by more than 1e-12
Run by /usr/bin/python3 (Debian's python3-onnx and python3-torch).
"""
import base64
import json
import math
import sys

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

    def node(self, op, inputs, output, outputs=None, **attributes):
        self.nodes.append(helper.make_node(op, inputs, outputs or [output], f"n{len(self.nodes)}", **attributes))
        return output

    def finish(self, output, compute):
        x = np.round(rng.normal(size=self.shape), 3)
        with torch.no_grad():
            y = compute(torch.from_numpy(x)[None])[0]
        assert torch.isfinite(y).all(), self.name
        graph = helper.make_graph(self.nodes, self.name,
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch"] + self.shape)],
                                  [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch"] + [f"d{i}" for i in range(y.dim())])], self.initialisers)
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


def conv(name, shape, out, kernel, opset=13, bias=True, stated=True, **attributes):
    case = Case(name, shape, opset)
    group = attributes.get("group", 1)
    w = case.weight("w", draw(out, shape[0] // group, *kernel))
    b = case.weight("b", draw(out)) if bias else None
    if stated:
        attributes["kernel_shape"] = kernel
    case.node("Conv", ["x", "w"] + (["b"] if bias else []), "y", **attributes)
    pads, strides, dilations = window(shape, kernel, attributes)
    function = F.conv1d if len(kernel) == 1 else F.conv2d
    case.finish("y", lambda x: function(padded(x, pads), w, b, strides, 0, dilations, group))


def convolutions():
    conv("conv 2-D", [2, 5, 6], 3, [3, 2])
    conv("conv 2-D opset 7", [2, 5, 6], 3, [3, 2], opset=7)
    conv("conv 2-D without bias, kernel inferred", [2, 5, 6], 3, [3, 2], bias=False, stated=False)
    conv("conv 2-D pads strides dilations", [2, 7, 9], 2, [3, 3], pads=[1, 2, 0, 3], strides=[2, 1], dilations=[1, 2])
    conv("conv 2-D groups", [4, 5, 5], 6, [3, 3], group=2, pads=[1, 1, 1, 1])
    conv("conv 2-D depthwise", [3, 5, 5], 3, [3, 3], group=3, strides=[2, 2])
    conv("conv 2-D 1 by 1 stride 2", [3, 5, 6], 4, [1, 1], strides=[2, 2])
    conv("conv 1-D", [2, 9], 3, [3])
    conv("conv 1-D pads strides dilations", [3, 14], 2, [4], pads=[3, 1], strides=[3], dilations=[2])
    conv("conv 1-D groups without bias", [4, 7], 2, [2], group=2, bias=False)
    for auto in ("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"):
        conv(f"conv 2-D {auto}", [2, 6, 7], 2, [4, 3], auto_pad=auto, strides=[2, 3])
        conv(f"conv 1-D {auto} dilated", [2, 9], 2, [2], auto_pad=auto, dilations=[3])
    conv("conv 1-D SAME_UPPER with a stride wider than the kernel", [1, 5], 2, [2], auto_pad="SAME_UPPER", strides=[4])


def max_pool(name, shape, kernel, opset=12, **attributes):
    case = Case(name, shape, opset)
    case.weight("w", draw(2, 2))
    pool(case, shape, "MaxPool", kernel, attributes)


def pool(case, shape, op, kernel, attributes):
    """A 1 by 1 convolution first, since a model must have weights."""
    w = case.weight("k", draw(2, shape[0], *[1] * len(kernel)))
    case.initialisers = case.initialisers[-1:]
    case.node("Conv", ["x", "k"], "z")
    case.node(op, ["z"], "y", kernel_shape=kernel, **attributes)
    pads, strides, dilations = window(shape, kernel, attributes)
    ceil, counts = bool(attributes.get("ceil_mode", 0)), bool(attributes.get("count_include_pad", 0))
    two = len(kernel) == 2

    def compute(x):
        z = (F.conv2d if two else F.conv1d)(x, w)
        if op == "MaxPool":
            # Equal pads are left to torch, which with ceil_mode leaves out a window that would start behind the input.
            front = pads[:len(kernel)] if pads[:len(kernel)] == pads[len(kernel):] else None
            return (F.max_pool2d if two else F.max_pool1d)(z if front else padded(z, pads, -math.inf), kernel, strides, front or 0,
                                                           dilations, ceil)
        # The mean over the cells that count: sums over sums of ones. The divisor 1 makes torch's average a sum.
        def total(values):
            if not two:
                values = values[:, :, None]
            k, s = (kernel, strides) if two else ([1] + kernel, [1] + strides)
            summed = F.avg_pool2d(values, k, s, 0, ceil, True, 1)
            return summed if two else summed[:, :, 0]
        ones = torch.ones_like(z)
        return total(padded(z, pads)) / total(padded(ones, pads, 1.0 if counts else 0.0))

    case.finish("y", compute)


def average_pool(name, shape, kernel, opset=13, **attributes):
    pool(Case(name, shape, opset), shape, "AveragePool", kernel, attributes)


def poolings():
    max_pool("max pool 2-D", [2, 6, 7], [2, 3], strides=[2, 2])
    max_pool("max pool 2-D opset 7, stride 1", [2, 4, 4], [2, 2], opset=7)
    max_pool("max pool 2-D pads dilations", [2, 8, 7], [2, 3], pads=[1, 0, 0, 2], dilations=[3, 2])
    max_pool("max pool 2-D ceil", [2, 6, 8], [3, 3], strides=[2, 2], ceil_mode=1)
    max_pool("max pool 2-D ceil with pads", [2, 6, 6], [3, 3], strides=[2, 3], pads=[1, 1, 1, 1], ceil_mode=1)
    max_pool("max pool 2-D ceil, a last window in the padding left out", [2, 6, 8], [3, 3], strides=[2, 3], pads=[1, 1, 1, 1], ceil_mode=1)
    max_pool("max pool 1-D", [2, 9], [3], strides=[2], pads=[1, 0])
    max_pool("max pool 1-D ceil", [2, 8], [3], strides=[2], ceil_mode=1)
    average_pool("average pool 2-D", [2, 6, 7], [2, 3], strides=[2, 2])
    average_pool("average pool 2-D opset 7", [2, 6, 7], [2, 3], opset=7, strides=[2, 2])
    average_pool("average pool 2-D pads left out", [2, 5, 5], [3, 3], pads=[1, 0, 2, 1], strides=[2, 1])
    average_pool("average pool 2-D pads counted", [2, 5, 5], [3, 3], pads=[1, 0, 2, 1], strides=[2, 1], count_include_pad=1)
    average_pool("average pool 2-D ceil", [2, 6, 8], [3, 3], strides=[2, 2], ceil_mode=1)
    average_pool("average pool 1-D", [2, 9], [4], strides=[2])
    average_pool("average pool 1-D pads counted", [2, 9], [3], pads=[2, 1], count_include_pad=1)
    average_pool("average pool 1-D pads left out, ceil", [2, 9], [2], strides=[3], pads=[1, 0], ceil_mode=1)
    for auto in ("SAME_UPPER", "SAME_LOWER", "VALID"):
        max_pool(f"max pool 2-D {auto}", [2, 6, 7], [4, 3], auto_pad=auto, strides=[2, 3])
        average_pool(f"average pool 2-D {auto}", [2, 6, 7], [4, 3], auto_pad=auto, strides=[2, 3])
    average_pool("average pool 2-D SAME_LOWER counted", [2, 6, 7], [4, 3], auto_pad="SAME_LOWER", strides=[2, 3], count_include_pad=1)


def after_conv(name, shape, add, compute, opset=13, out=3):
    """A convolution, then what `add(case, value)` appends; `compute(z, weights)` is the same in torch."""
    case = Case(name, shape, opset)
    axes = len(shape) - 1
    w, b = case.weight("w", draw(out, shape[0], *[3] * axes)), case.weight("b", draw(out))
    case.node("Conv", ["x", "w", "b"], "z", pads=[1] * 2 * axes)
    last = add(case, "z")
    function = F.conv1d if axes == 1 else F.conv2d
    case.finish(last, lambda x: compute(function(x, w, b, padding=1), {t.name: tensor(numpy_helper.to_array(t)) for t in case.initialisers}))


def after_dense(name, inputs, outputs, add, compute, opset=13):
    case = Case(name, [inputs], opset)
    w, b = case.weight("w", draw(outputs, inputs)), case.weight("b", draw(outputs))
    case.node("Gemm", ["x", "w", "b"], "z", transB=1)
    last = add(case, "z")
    case.finish(last, lambda x: compute(F.linear(x, w, b), {t.name: tensor(numpy_helper.to_array(t)) for t in case.initialisers}))


def norm_weights(case, prefix, *shape):
    for name in ("scale", "shift", "mean"):
        case.weight(prefix + name, draw(*shape))
    case.weight(prefix + "var", np.abs(draw(*shape)) + np.float32(0.25))
    return [prefix + name for name in ("scale", "shift", "mean", "var")]


def normed(z, w, prefix="", epsilon=1e-5):
    scale, shift, mean, var = (w[prefix + name] for name in ("scale", "shift", "mean", "var"))
    # float32(1e-5) is what the attribute holds; left out it is the specification's 1e-5.
    return F.batch_norm(z, mean, var, scale, shift, False, 0.0, epsilon)


def batch_norms():
    def plain(channels, **attributes):
        return lambda case, z: case.node("BatchNormalization", [z] + norm_weights(case, "", channels), "y", **attributes)

    after_conv("batch norm 2-D", [2, 4, 5], plain(3), normed)
    after_conv("batch norm 2-D opset 7", [2, 4, 5], plain(3), normed, opset=7)
    after_conv("batch norm 2-D opset 17", [2, 4, 5], plain(3, training_mode=0), normed, opset=17)
    after_conv("batch norm 1-D, epsilon 0.125", [2, 6], plain(3, epsilon=0.125, momentum=0.5), lambda z, w: normed(z, w, "", 0.125))
    after_dense("batch norm after dense", 4, 3, plain(3, epsilon=0.25), lambda z, w: normed(z, w, "", 0.25))

    def of_units(z, w):
        return (z - w["mean"]) / torch.sqrt(w["var"] + 1e-5) * w["scale"] + w["shift"]

    after_conv("batch norm of units, opset 7", [2, 3, 4],
               lambda case, z: case.node("BatchNormalization", [z] + norm_weights(case, "", 3, 3, 4), "y", spatial=0), of_units, opset=7)


def activations():
    simple = {"Relu": F.relu, "Abs": torch.abs, "Tanh": torch.tanh, "Sigmoid": torch.sigmoid}
    for op, function in simple.items():
        after_conv(op, [2, 3, 4], lambda case, z: case.node(op, [z], "y"), lambda z, w: function(z))
    after_dense("LeakyRelu", 3, 5, lambda case, z: case.node("LeakyRelu", [z], "y"), lambda z, w: F.leaky_relu(z, 0.01))
    after_dense("LeakyRelu 0.25", 3, 5, lambda case, z: case.node("LeakyRelu", [z], "y", alpha=0.25), lambda z, w: F.leaky_relu(z, 0.25))
    after_dense("HardSigmoid", 3, 5, lambda case, z: case.node("HardSigmoid", [z], "y"), lambda z, w: torch.clamp(0.2 * z + 0.5, 0, 1))
    sixth = float(np.float32(1 / 6))
    after_conv("HardSigmoid 1/6", [2, 3, 4], lambda case, z: case.node("HardSigmoid", [z], "y", alpha=1 / 6, beta=0.5),
               lambda z, w: torch.clamp(sixth * z + 0.5, 0, 1))
    after_dense("HardSigmoid falling", 3, 5, lambda case, z: case.node("HardSigmoid", [z], "y", alpha=-0.5, beta=0.75),
                lambda z, w: torch.clamp(-0.5 * z + 0.75, 0, 1))

    def prelu(*shape):
        def add(case, z):
            case.weight("slope", draw(*shape))
            return case.node("PRelu", [z, "slope"], "y")
        return add

    def leaky(z, w):
        return torch.where(z > 0, z, w["slope"] * z)

    after_conv("PRelu of one slope", [2, 3, 4], prelu(1), leaky)
    after_conv("PRelu of one slope a channel", [2, 3, 4], prelu(3, 1, 1), leaky)
    after_conv("PRelu of one slope a channel, 1-D", [2, 7], prelu(3, 1), leaky)
    after_conv("PRelu of one slope a column", [2, 3, 4], prelu(4), leaky)
    after_conv("PRelu of one slope a unit", [2, 3, 4], prelu(3, 3, 4), leaky)
    after_dense("PRelu of one slope a unit, dense", 3, 5, prelu(5), leaky)

    after_dense("Clip by attributes", 3, 5, lambda case, z: case.node("Clip", [z], "y", min=-1.0, max=1.0),
                lambda z, w: torch.clamp(z, -1, 1), opset=7)

    def clip(low, high):
        def add(case, z):
            inputs = [z]
            for name, bound in (("low", low), ("high", high)):
                if bound is not None:
                    case.weight(name, np.float32(bound))
                inputs.append(name if bound is not None else "")
            return case.node("Clip", inputs if inputs[-1] else inputs[:-1], "y")
        return add

    after_dense("Clip 0 to 6", 3, 5, clip(0, 6), lambda z, w: torch.clamp(z, 0, 6))
    after_dense("Clip from 0", 3, 5, clip(0, None), lambda z, w: torch.clamp(z, min=0))


def arithmetic():
    def with_constant(op, shape, first=False):
        def add(case, z):
            values = draw(*shape)
            if op == "Div":
                values = np.where(np.abs(values) < 0.25, np.float32(0.5), values).astype(np.float32)
            case.weight("c", values)
            return case.node(op, ["c", z] if first else [z, "c"], "y")
        return add

    two = {"Add": lambda z, w: z + w["c"], "Sum": lambda z, w: z + w["c"], "Sub": lambda z, w: z - w["c"], "Mul": lambda z, w: z * w["c"],
           "Div": lambda z, w: z / w["c"]}
    for op, function in two.items():
        after_conv(f"{op} a number", [2, 3, 4], with_constant(op, []), function)
        after_conv(f"{op} a number a channel", [2, 3, 4], with_constant(op, [3, 1, 1]), function)
        after_dense(f"{op} a number a unit", 3, 5, with_constant(op, [5]), function)
    after_conv("Add a number a channel with the batch axis, 1-D", [2, 6], with_constant("Add", [1, 3, 1]), two["Add"])
    after_conv("Mul a number a row, first operand", [2, 4, 5], with_constant("Mul", [4, 1], True), two["Mul"])
    after_conv("Add a number a unit, first operand", [2, 3, 4], with_constant("Add", [3, 3, 4], True), two["Add"])
    after_conv("Sub from a number a channel", [2, 3, 4], with_constant("Sub", [3, 1, 1], True), lambda z, w: w["c"] - z)

    def twice(case, z):
        case.node("Relu", [z], "a")
        return case.node("Add", ["a", "a"], "y")

    after_dense("a value added to itself", 3, 5, twice, lambda z, w: 2 * F.relu(z))


def dense():
    for name, transposed, attributes in (("Gemm", True, {"transB": 1}), ("Gemm, inputs first", False, {}),
                                         ("Gemm with alpha and beta", True, {"transB": 1, "alpha": 0.5, "beta": -2.0})):
        case = Case(name, [4])
        w = case.weight("w", draw(*([3, 4] if transposed else [4, 3])))
        b = case.weight("b", draw(3))
        case.node("Gemm", ["x", "w", "b"], "y", **attributes)
        matrix = w.T if transposed else w
        alpha, beta = attributes.get("alpha", 1.0), attributes.get("beta", 1.0)
        case.finish("y", lambda x: alpha * x @ matrix + beta * b)
    case = Case("MatMul", [4])
    w, b = case.weight("w", draw(4, 3)), case.weight("b", draw(3))
    case.node("MatMul", ["x", "w"], "z")
    case.node("Add", ["b", "z"], "y")
    case.finish("y", lambda x: x @ w + b)


def reshapes():
    def to_dense(name, shape, reshape, opset=13):
        case = Case(name, shape, opset)
        units = int(np.prod(shape))
        flat = reshape(case)
        w = case.weight("w", draw(units, 2))
        case.node("MatMul", [flat, "w"], "y")
        case.finish("y", lambda x: x.reshape(1, -1) @ w)

    def reshape(target, opset=13, **attributes):
        def add(case):
            case.weight("shape", np.array(target, dtype=np.int64))
            return case.node("Reshape", ["x", "shape"], "f", **attributes)
        return add

    to_dense("Flatten", [2, 3, 2], lambda case: case.node("Flatten", ["x"], "f"))
    to_dense("Flatten from the end", [2, 3, 2], lambda case: case.node("Flatten", ["x"], "f", axis=-3))
    to_dense("Reshape 0, -1", [2, 3, 2], reshape([0, -1]))
    to_dense("Reshape -1, units", [2, 3, 2], reshape([-1, 12]))
    to_dense("Reshape 1, -1, opset 7", [3, 4], reshape([1, -1]), 7)
    to_dense("Reshape allowzero", [3, 4], reshape([-1, 12], allowzero=1), 14)

    def squeezed(attribute):
        def add(case):
            if attribute:
                return case.node("Squeeze", ["x"], "f", axes=[2, 3])
            case.weight("axes", np.array([2, -1], dtype=np.int64))
            return case.node("Squeeze", ["x", "axes"], "f")
        return add

    to_dense("Squeeze, opset 11", [5, 1, 1], squeezed(True), 11)
    to_dense("Squeeze, opset 13", [5, 1, 1], squeezed(False), 13)

    def to_conv(name, shape, grid, change, opset=13):
        case = Case(name, shape, opset)
        changed = change(case)
        w = case.weight("w", draw(2, grid[0], *[2] * (len(grid) - 1)))
        case.node("Conv", [changed, "w"], "y")
        case.finish("y", lambda x: (F.conv1d if len(grid) == 2 else F.conv2d)(x.reshape(1, *grid), w))

    to_conv("Reshape back to a grid", [12], [2, 2, 3], reshape([0, 2, -1, 3]))
    to_conv("Reshape with zeros that copy", [4, 6], [4, 3, 2], reshape([0, 0, 3, 2]))
    to_conv("Unsqueeze, opset 11", [6], [1, 6], lambda case: case.node("Unsqueeze", ["x"], "f", axes=[1]), 11)

    def unsqueezed(case):
        case.weight("axes", np.array([1], dtype=np.int64))
        return case.node("Unsqueeze", ["x", "axes"], "f")

    to_conv("Unsqueeze, opset 13", [4, 6], [1, 4, 6], unsqueezed)
    to_conv("Transpose of a single channel", [4, 6, 1], [1, 4, 6], lambda case: case.node("Transpose", ["x"], "f", perm=[0, 3, 1, 2]))


def global_poolings():
    after_conv("GlobalAveragePool", [2, 4, 5], lambda case, z: case.node("GlobalAveragePool", [z], "y"), lambda z, w: z.mean((2, 3), True))
    after_conv("GlobalAveragePool 1-D", [2, 5], lambda case, z: case.node("GlobalAveragePool", [z], "y"), lambda z, w: z.mean(2, True))
    after_conv("GlobalMaxPool", [2, 4, 5], lambda case, z: case.node("GlobalMaxPool", [z], "y"), lambda z, w: z.amax((2, 3), True))
    after_conv("ReduceMean", [2, 4, 5], lambda case, z: case.node("ReduceMean", [z], "y", axes=[2, 3]), lambda z, w: z.mean((2, 3), True))
    after_conv("ReduceMean without the axes", [2, 5], lambda case, z: case.node("ReduceMean", [z], "y", axes=[-1], keepdims=0),
               lambda z, w: z.mean(2))


def passing_on():
    def dropped(case, z):
        case.node("Dropout", [z], "d", outputs=["d", "mask"])
        case.node("Identity", ["d"], "i")
        return case.node("Tanh", ["i"], "y")

    after_dense("Dropout with a mask", 3, 4, dropped, lambda z, w: torch.tanh(z))

    def old_dropout(case, z):
        case.node("Dropout", [z], "d", ratio=0.25)
        return case.node("Tanh", ["d"], "y")

    after_dense("Dropout, opset 7", 3, 4, old_dropout, lambda z, w: torch.tanh(z), opset=7)

    def new_dropout(case, z):
        case.weight("ratio", np.float32(0.25))
        case.weight("training", np.array(False))
        case.node("Dropout", [z, "ratio", "training"], "d")
        return case.node("Tanh", ["d"], "y")

    after_dense("Dropout, opset 12", 3, 4, new_dropout, lambda z, w: torch.tanh(z), opset=12)
    for op in ("Softmax", "LogSoftmax"):
        after_dense(f"{op} last is left out", 3, 4, lambda case, z: case.node(op, [z], "y"), lambda z, w: z)

    def constants(case, z):
        case.node("Constant", [], "c", value_float=0.5)
        case.node("Constant", [], "d", value_floats=[0.5, -1.0, 2.0, 0.25])
        case.node("Constant", [], "s", value_ints=[0, 2, 2])
        case.node("Constant", [], "e", value=numpy_helper.from_array(np.array([[2.0], [-3.0]], dtype=np.float32)))
        case.node("Mul", [z, "c"], "m")
        case.node("Add", ["m", "d"], "a")
        case.node("Reshape", ["a", "s"], "r")
        return case.node("Mul", ["r", "e"], "y")

    after_dense("constants", 3, 4, constants, lambda z, w: (z * 0.5 + tensor([0.5, -1, 2, 0.25])).reshape(1, 2, 2) * tensor([[2], [-3]]))


def residuals():
    def block(case, x, prefix, channels, out, stride=1):
        axes = 2
        case.weight(prefix + "w1", draw(out, channels, 3, 3) * np.float32(0.5))
        case.weight(prefix + "w2", draw(out, out, 3, 3) * np.float32(0.5))
        case.node("Conv", [x, prefix + "w1"], prefix + "c1", pads=[1] * 4, strides=[stride] * axes)
        case.node("BatchNormalization", [prefix + "c1"] + norm_weights(case, prefix, out), prefix + "n1")
        case.node("Relu", [prefix + "n1"], prefix + "r1")
        return case.node("Conv", [prefix + "r1", prefix + "w2"], prefix + "c2", pads=[1] * 4)

    def branch(z, w, prefix, stride=1):
        z = F.relu(normed(F.conv2d(z, w[prefix + "w1"], None, stride, 1), w, prefix))
        return F.conv2d(z, w[prefix + "w2"], None, 1, 1)

    def identity(order):
        def add(case, z):
            last = block(case, z, "a", 3, 3)
            case.node("Add", [last, z] if order else [z, last], "s")
            return case.node("Relu", ["s"], "y")
        return add

    after_conv("identity skip, second operand", [2, 4, 5], identity(True), lambda z, w: F.relu(branch(z, w, "a") + z))
    after_conv("identity skip, first operand", [2, 4, 5], identity(False), lambda z, w: F.relu(z + branch(z, w, "a")))

    def projection(case, z):
        last = block(case, z, "a", 3, 4, 2)
        case.weight("p", draw(4, 3, 1, 1))
        case.node("Conv", [z, "p"], "pc", strides=[2, 2])
        case.node("BatchNormalization", ["pc"] + norm_weights(case, "p", 4), "pn")
        case.node("Sum", ["pn", last], "s")
        return case.node("Relu", ["s"], "y")

    after_conv("projection skip of 1 by 1 convolution and batch norm", [2, 5, 6], projection,
               lambda z, w: F.relu(normed(F.conv2d(z, w["p"], None, 2), w, "p") + branch(z, w, "a", 2)))

    def pooled(case, z):
        last = block(case, z, "a", 3, 4, 2)
        case.weight("p", draw(4, 3, 1, 1))
        case.node("AveragePool", [z], "pp", kernel_shape=[2, 2], strides=[2, 2])
        case.node("Conv", ["pp", "p"], "pc")
        return case.node("Add", [last, "pc"], "y")

    after_conv("projection skip of average pool and convolution", [2, 6, 4], pooled,
               lambda z, w: F.conv2d(F.avg_pool2d(z, 2), w["p"]) + branch(z, w, "a", 2))

    def nested(case, z):
        inner = block(case, z, "a", 3, 3)
        case.node("Add", [inner, z], "s1")
        outer = block(case, "s1", "b", 3, 3)
        case.node("Add", [outer, z], "s2")
        return case.node("Tanh", ["s2"], "y")

    after_conv("a block inside a block, from one fork", [2, 3, 4], nested,
               lambda z, w: torch.tanh(branch(branch(z, w, "a") + z, w, "b") + z))

    def three(case, z):
        first, second = block(case, z, "a", 3, 3), block(case, z, "b", 3, 3)
        case.node("Add", [first, second], "s")
        return case.node("Add", [z, "s"], "y")

    after_conv("three ways added in two steps", [2, 3, 4], three, lambda z, w: z + branch(z, w, "a") + branch(z, w, "b"))

    def following(case, z):
        first = block(case, z, "a", 3, 3)
        case.node("Add", [first, z], "s1")
        case.node("Relu", ["s1"], "r1")
        second = block(case, "r1", "b", 3, 3)
        case.node("Add", ["r1", second], "s2")
        case.node("Relu", ["s2"], "r2")
        case.node("GlobalAveragePool", ["r2"], "g")
        case.node("Flatten", ["g"], "f")
        case.weight("top", draw(2, 3))
        return case.node("Gemm", ["f", "top"], "y", transB=1)

    def followed(z, w):
        z = F.relu(branch(z, w, "a") + z)
        return F.linear(F.relu(z + branch(z, w, "b")).mean((2, 3)), w["top"])

    after_conv("a residual network", [2, 4, 4], following, followed)

    def dense_block(case, z):
        case.weight("w1", draw(4, 5))
        case.weight("w2", draw(5, 4))
        case.node("MatMul", [z, "w2"], "h1")
        case.node("Relu", ["h1"], "h2")
        case.node("MatMul", ["h2", "w1"], "h3")
        return case.node("Add", ["h3", z], "y")

    after_dense("a dense block", 3, 5, dense_block, lambda z, w: F.relu(z @ w["w2"]) @ w["w1"] + z)

    def from_input():
        case = Case("a block around the input itself", [2, 3, 4])
        w = case.weight("w", draw(2, 2, 3, 3))
        case.node("Conv", ["x", "w"], "c", pads=[1] * 4)
        case.node("Add", ["x", "c"], "y")
        case.finish("y", lambda x: x + F.conv2d(x, w, None, 1, 1))

    from_input()


def differences(old, new):
    """Names of cases that differ by more than rounding."""
    if [case["name"] for case in old] != [case["name"] for case in new]:
        return ["the list of cases"]
    changed = []
    for a, b in zip(old, new):
        same = a["model"] == b["model"] and a["input"] == b["input"] and a["shape"] == b["shape"]
        if not same or not np.allclose(a["output"], b["output"], rtol=1e-12, atol=1e-12):
            changed.append(a["name"])
    return changed


def main():
    check, path = sys.argv[1] == "--check", sys.argv[-1]
    for group in (dense, convolutions, batch_norms, activations, poolings, global_poolings, reshapes, arithmetic, passing_on, residuals):
        group()
    if check:
        with open(path) as file:
            changed = differences(json.load(file)["cases"], CASES)
        print(f"{len(CASES)} cases, {len(changed)} differ{': ' if changed else ''}{', '.join(changed)}")
        sys.exit(1 if changed else 0)
    with open(path, "w") as file:
        file.write('{"cases": [\n' + ",\n".join(json.dumps(case) for case in CASES) + "\n]}\n")


if __name__ == "__main__":
    main()
