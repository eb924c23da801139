#!/usr/bin/python3
"""Small ONNX models with every form of every operator that the reader takes, and what PyTorch computes for them in double precision.

Each model is checked by onnx's own checker and its output shape by onnx's shape inference, so that what it says is what the
specification means; its weights are float32, the input float64 values of few digits.
    tests/reference/onnx_operators.py tests/data/onnx_operators.json            writes the file
    tests/reference/onnx_operators.py --check tests/data/onnx_operators.json    fails when a number in it differs by more than 1e-12
Run by /usr/bin/python3 (Debian's python3-onnx and python3-torch).
"""
import json
import math
import sys

import numpy as np
import torch
import torch.nn.functional as F

from onnx_blocks import residuals
from onnx_case import CASES, Case, after_conv, after_dense, draw, norm_weights, normed, padded, window
from onnx_padded import padded_windows
from onnx_pointwise import activations, arithmetic, passing_on


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
    pool(Case(name, shape, opset), shape, "MaxPool", kernel, attributes)


def pool(case, shape, op, kernel, attributes):
    """A 1 by 1 convolution first, since a model must have weights."""
    w = case.weight("k", draw(2, shape[0], *[1] * len(kernel)))
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
    for group in (dense, convolutions, batch_norms, activations, poolings, global_poolings, reshapes, arithmetic, passing_on, residuals, padded_windows):
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
