"""Residual blocks in all their forms. Used by onnx_operators.py."""
import torch
import torch.nn.functional as F
import numpy as np

from onnx_case import Case, after_conv, after_dense, draw, norm_weights, normed


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
