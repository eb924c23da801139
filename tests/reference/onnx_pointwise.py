"""Activations, arithmetic with constants, and what passes numbers on. Used by onnx_operators.py."""
import numpy as np
import torch
import torch.nn.functional as F
from onnx import numpy_helper

from onnx_case import after_conv, after_dense, draw, tensor


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
