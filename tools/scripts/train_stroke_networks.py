#!/usr/bin/python3
"""Trains the sample networks src/samples/strokes-cnn.onnx (a plain CNN) and src/samples/strokes-resnet.onnx (a residual CNN): which of ten
digits is drawn on 24 × 24 pixels?

The pictures are drawn by stroke_pictures.py. Training is by Adam on the cross-entropy from a fixed seed, in one thread. The plain CNN's
dense layer is kept sparse by a penalty on the norm of each class's weights at each place (group lasso), so that a class looks at few places.
Weights are rounded to 8 significant bits (a float32 whose lower half is zero: half the size when compressed); the accuracies are those of
the rounded networks, in evaluation mode.
Run by Debian's /usr/bin/python3 (python3-numpy, python3-torch, python3-onnx), about three minutes a network:
    tools/scripts/train_stroke_networks.py src/samples
"""
import pathlib
import sys

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from stroke_pictures import DIGITS, SIDE, make_pictures

TRAINING, TESTED = 10000, 4000
CHANNELS = 12  # the plain CNN's, before its dense layer


class Block(nn.Module):
    """relu(skip(x) + bn(conv(relu(bn(conv(x)))))), the skip an identity or, where shapes change, bn(1 × 1 convolution)."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.branch = nn.Sequential(*conv3(inputs, outputs, stride), nn.ReLU(), *conv3(outputs, outputs))
        same = inputs == outputs and stride == 1
        self.skip = nn.Sequential() if same else nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return torch.relu(self.skip(x) + self.branch(x))


def conv3(inputs, outputs, stride=1):
    return [nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False), nn.BatchNorm2d(outputs)]


def plain_cnn():
    layers = [nn.Conv2d(1, 8, 3, padding=1), nn.ReLU()]
    for _ in range(3):
        layers += conv3(8, 8) + [nn.ReLU()]
    layers += [nn.MaxPool2d(2)] + conv3(8, CHANNELS) + [nn.ReLU()]
    for _ in range(3):
        layers += conv3(CHANNELS, CHANNELS) + [nn.ReLU()]
    return nn.Sequential(*layers, nn.AvgPool2d(2), nn.Flatten(), nn.Linear((SIDE // 4) ** 2 * CHANNELS, len(DIGITS)))


def residual_cnn():
    return nn.Sequential(*conv3(1, 8), nn.ReLU(), Block(8, 8, 1), Block(8, 8, 1), Block(8, 12, 2), Block(12, 12, 1), Block(12, 16, 2),
                         Block(16, 16, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, len(DIGITS)))


def train(network, pictures, labels, epochs, sparsity=0.0, batch=64, rate=4e-3):
    optimizer = torch.optim.Adam(network.parameters(), rate)
    loss = nn.CrossEntropyLoss(label_smoothing=0.02)
    for epoch in range(epochs):
        network.train()
        order = torch.randperm(len(labels))
        for at in range(0, len(order) - batch + 1, batch):
            falling = rate * (1 - (epoch + at / len(order)) / epochs)
            for group in optimizer.param_groups:
                group["lr"] = falling
            chosen = order[at:at + batch]
            optimizer.zero_grad()
            loss(network(pictures[chosen]), labels[chosen]).backward()
            optimizer.step()
            if sparsity:
                shrink_groups(network[-1].weight, falling * sparsity)
        print(f"  epoch {epoch + 1}: training accuracy {accuracy(network, pictures[:2000], labels[:2000]):.4f}", flush=True)


def shrink_groups(weight, by):
    """The penalty's proximal step: a class's weights at one place shrink together, in the end to exactly 0."""
    with torch.no_grad():
        groups = weight.view(len(DIGITS), CHANNELS, -1)  # [class][channel][place]
        groups *= (1 - by / groups.norm(dim=1, keepdim=True).clamp(min=1e-12)).clamp(min=0)


def accuracy(network, pictures, labels):
    network.eval()
    with torch.no_grad():
        right = [(network(p).argmax(dim=1) == l).sum().item() for p, l in zip(pictures.split(500), labels.split(500))]
    return sum(right) / len(labels)


def round_weights(network):
    """Every float to its nearest with 8 significant bits."""
    with torch.no_grad():
        for tensor in list(network.parameters()) + list(network.buffers()):
            if tensor.is_floating_point():
                bits = tensor.numpy().view(np.uint32)
                bits[...] = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000


class GraphWriter:
    """The network's evaluation as ONNX nodes, nothing folded away."""

    def __init__(self):
        self.nodes, self.tensors, self.count = [], [], {}

    def node(self, kind, inputs, **attributes):
        self.count[kind] = self.count.get(kind, 0) + 1
        name = f"{kind.lower()}{self.count[kind]}"
        self.nodes.append(helper.make_node(kind, inputs, [name + ".out"], name=name, **attributes))
        return name + ".out"

    def parameters(self, kind, **values):
        owner = f"{kind.lower()}{self.count.get(kind, 0) + 1}"
        present = {key: value for key, value in values.items() if value is not None}
        self.tensors += [numpy_helper.from_array(value.detach().numpy(), f"{owner}.{key}") for key, value in present.items()]
        return [f"{owner}.{key}" for key in present]

    def layer(self, module, x):
        if isinstance(module, nn.Conv2d):
            pads = [*module.padding, *module.padding]
            return self.node("Conv", [x] + self.parameters("Conv", weight=module.weight, bias=module.bias),
                             kernel_shape=module.kernel_size, strides=module.stride, pads=pads)
        if isinstance(module, nn.BatchNorm2d):
            values = self.parameters("BatchNormalization", scale=module.weight, shift=module.bias, mean=module.running_mean,
                                     variance=module.running_var)
            return self.node("BatchNormalization", [x] + values, epsilon=module.eps)
        if isinstance(module, Block):
            skip, branch = self.sequence(module.skip, x), self.sequence(module.branch, x)
            return self.node("Relu", [self.node("Add", [skip, branch])])
        if isinstance(module, nn.Linear):
            return self.node("Gemm", [x] + self.parameters("Gemm", weight=module.weight, bias=module.bias), transB=1)
        if isinstance(module, (nn.MaxPool2d, nn.AvgPool2d)):
            kind = "MaxPool" if isinstance(module, nn.MaxPool2d) else "AveragePool"
            return self.node(kind, [x], kernel_shape=[module.kernel_size] * 2, strides=[module.stride] * 2)
        return self.node({nn.ReLU: "Relu", nn.AdaptiveAvgPool2d: "GlobalAveragePool", nn.Flatten: "Flatten"}[type(module)], [x])

    def sequence(self, modules, x):
        for module in modules:
            x = self.layer(module, x)
        return x


def to_onnx(network, name, about, facts):
    writer = GraphWriter()
    last = writer.sequence(network, "pixels")
    writer.nodes[-1].output[0] = "scores"
    assert last != "scores"
    graph = helper.make_graph(writer.nodes, name, [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["batch", 1, SIDE, SIDE])],
                              [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", len(DIGITS)])], writer.tensors)
    model = helper.make_model(graph, producer_name="train_stroke_networks.py", doc_string=about,
                              opset_imports=[helper.make_opsetid("", 13)])
    helper.set_model_props(model, facts)
    onnx.checker.check_model(model, full_check=True)
    return model


def make_sample(folder, name, build, data, epochs, sparsity, about):
    torch.manual_seed(7)
    network, (pictures, labels, test_pictures, test_labels) = build(), data
    print(name)
    train(network, pictures, labels, epochs, sparsity)
    round_weights(network)
    trained, tested = accuracy(network, pictures, labels), accuracy(network, test_pictures, test_labels)
    parameters = sum(p.numel() for p in network.parameters())
    print(f"  {parameters} parameters, accuracy: training {trained:.4f}, test {tested:.4f}")
    if tested < 0.95:
        sys.exit("the network is not good enough to be a sample")
    text = f"{about} It is right on {100 * tested:.1f} % of {TESTED} pictures it has not seen."
    facts = {"accuracy.training": f"{trained:.4f}", "accuracy.test": f"{tested:.4f}", "parameters": str(parameters),
             "classes": " ".join(DIGITS)}
    onnx.save(to_onnx(network, name, text, facts), str(folder / f"{name}.onnx"))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: train_stroke_networks.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    data = [torch.from_numpy(part) for seed, count in ((1, TRAINING), (2, TESTED)) for part in make_pictures(seed, count)]
    task = f"trained to tell ten digits drawn with strokes on {SIDE} × {SIDE} pixels apart."
    make_sample(folder, "strokes-cnn", plain_cnn, data, 10, 3, f"A plain CNN of eight 3 × 3 convolutions {task}")
    make_sample(folder, "strokes-resnet", residual_cnn, data, 10, 0, f"A residual CNN of six blocks {task}")


if __name__ == "__main__":
    main()
