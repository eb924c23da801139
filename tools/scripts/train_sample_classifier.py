#!/usr/bin/python3
"""Trains the sample network src/samples/shapes-classifier.onnx: which of ten shapes is drawn on 8 x 8 pixels?

The data are drawn here: each shape shifted, scaled, of varying stroke and contrast, under pixel noise. A dense 64-32-24-16-10 network
with ReLU is trained by Adam on the cross-entropy, in numpy, from a fixed seed. Run by Debian's /usr/bin/python3 (python3-numpy,
python3-onnx):  tools/scripts/train_sample_classifier.py src/samples/shapes-classifier.onnx
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIDE = 8
WIDTHS = [SIDE * SIDE, 32, 24, 16, 10]
SHAPES = ["horizontal", "vertical", "rising", "falling", "plus", "cross", "ring", "square", "disc", "triangle"]


def segment_distance(x, y, a, b):
    """Distance of the points (x, y) from the segment a b."""
    (ax, ay), (bx, by) = a, b
    t = np.clip(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2), 0, 1)
    return np.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay))


def polyline_distance(x, y, points):
    return np.min([segment_distance(x, y, a, b) for a, b in zip(points, points[1:])], axis=0)


def distance(shape, x, y, r):
    """Distance of the pixels from the shape's line (from the filled disc's rim, negative inside), r its half size."""
    bars = {"horizontal": [[(-r, 0), (r, 0)]], "vertical": [[(0, -r), (0, r)]],
            "rising": [[(-r, r), (r, -r)]], "falling": [[(-r, -r), (r, r)]]}
    bars["plus"] = bars["horizontal"] + bars["vertical"]
    bars["cross"] = bars["rising"] + bars["falling"]
    bars["square"] = [[(-r, -r), (r, -r), (r, r), (-r, r), (-r, -r)]]
    bars["triangle"] = [[(-r, r), (r, r), (0, -r), (-r, r)]]
    if shape == "ring":
        return np.abs(np.hypot(x, y) - r)
    if shape == "disc":
        return np.hypot(x, y) - r
    return np.min([polyline_distance(x, y, points) for points in bars[shape]], axis=0)


def draw(rng, shape):
    """One picture, row by row, values about 0 (paper) to 1 (ink)."""
    shift = rng.uniform(-0.8, 0.8, 2)
    r, half_stroke = rng.uniform(2.2, 3.0), rng.uniform(0.4, 0.7)
    y, x = np.mgrid[0:SIDE, 0:SIDE] - (SIDE - 1) / 2
    ink = np.clip(0.5 + half_stroke - distance(shape, x - shift[0], y - shift[1], r), 0, 1)
    return (rng.uniform(0.7, 1.0) * ink + rng.normal(0, 0.12, ink.shape)).ravel()


def make_data(rng, count):
    labels = np.arange(count) % len(SHAPES)
    return np.array([draw(rng, SHAPES[label]) for label in labels]), labels


def forward(weights, biases, inputs):
    states = [inputs]
    for l, (w, b) in enumerate(zip(weights, biases)):
        z = states[-1] @ w.T + b
        states.append(np.maximum(z, 0) if l + 1 < len(weights) else z)
    return states


def gradients(weights, biases, inputs, labels):
    states = forward(weights, biases, inputs)
    p = np.exp(states[-1] - states[-1].max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(len(labels)), labels] -= 1
    g, pairs = p / len(labels), []
    for l in reversed(range(len(weights))):
        pairs.insert(0, (g.T @ states[l], g.sum(axis=0)))
        g = (g @ weights[l]) * (states[l] > 0)
    return [w for w, _ in pairs] + [b for _, b in pairs]


def train(rng, inputs, labels, epochs=40, batch=64, rate=2e-3, decay=1e-4):
    weights = [rng.normal(0, np.sqrt(2 / k), (n, k)) for k, n in zip(WIDTHS, WIDTHS[1:])]
    biases = [np.zeros(n) for n in WIDTHS[1:]]
    params = weights + biases
    mean, square, step = [0 * p for p in params], [0 * p for p in params], 0
    for epoch in range(epochs):
        order = rng.permutation(len(labels))
        for at in range(0, len(order), batch):
            chosen, step = order[at:at + batch], step + 1
            falling = rate * (1 - epoch / epochs)
            for i, g in enumerate(gradients(weights, biases, inputs[chosen], labels[chosen])):
                mean[i] += 0.1 * (g - mean[i])
                square[i] += 0.001 * (g * g - square[i])
                adam = mean[i] / (1 - 0.9 ** step) / (np.sqrt(square[i] / (1 - 0.999 ** step)) + 1e-8)
                params[i] -= falling * (adam + decay * params[i])
    return weights, biases


def accuracy(weights, biases, inputs, labels):
    return np.mean(forward(weights, biases, inputs)[-1].argmax(axis=1) == labels)


def to_onnx(weights, biases):
    nodes, tensors, current = [helper.make_node("Flatten", ["pixels"], ["flat"], name="flatten")], [], "flat"
    for l, (w, b) in enumerate(zip(weights, biases), start=1):
        tensors += [numpy_helper.from_array(w.astype(np.float32), f"fc{l}.weight"),
                    numpy_helper.from_array(b.astype(np.float32), f"fc{l}.bias")]
        top = l == len(weights)
        linear = "scores" if top else f"z{l}"
        nodes.append(helper.make_node("Gemm", [current, f"fc{l}.weight", f"fc{l}.bias"], [linear], name=f"fc{l}", transB=1))
        if not top:
            nodes.append(helper.make_node("Relu", [linear], [f"y{l}"], name=f"relu{l}"))
            current = f"y{l}"
    graph = helper.make_graph(nodes, "shapes-classifier",
                              [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["batch", 1, SIDE, SIDE])],
                              [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", len(SHAPES)])], tensors)
    model = helper.make_model(graph, producer_name="train_sample_classifier.py", opset_imports=[helper.make_opsetid("", 13)])
    onnx.checker.check_model(model)
    return model


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: train_sample_classifier.py OUT.onnx")
    rng = np.random.default_rng(2024)
    (inputs, labels), (test_inputs, test_labels) = make_data(rng, 12000), make_data(rng, 4000)
    weights, biases = train(rng, inputs, labels)
    rounded = [w.astype(np.float32).astype(float) for w in weights], [b.astype(np.float32).astype(float) for b in biases]
    tested = accuracy(*rounded, test_inputs, test_labels)
    print(f"accuracy: training {accuracy(*rounded, inputs, labels):.4f}, test {tested:.4f}")
    if tested < 0.95:
        sys.exit("the network is not good enough to be a sample")
    onnx.save(to_onnx(weights, biases), sys.argv[1])


if __name__ == "__main__":
    main()
