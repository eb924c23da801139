"""Capacity of the states of an ONNX network, from the file's nodes alone (numpy, onnx; none of the project's code).

The capacity goes from node to node against the arrows, on the tensors of the file's own graph, by the rules for real networks with nu = 0
(P1 Eqs 25-27):
- Conv, Gemm, MatMul: unit j shares its capacity among the inputs it reads in proportion to its squared weights; taps on zero padding
  do not exist, the others are renormalised. A unit without weights keeps its capacity: it is lost to the layers below.
- MaxPool, AveragePool and their global forms: in equal parts over the window's existing cells.
- BatchNormalization: its scale gamma / sqrt(var + eps) belongs to the linear map right before it; else, past activations, to the one
  behind it; else to nobody. Capacity passes it as it is, unless the scale is 0.
- Add of two branches: unit j splits its capacity s_j : b_j, the squared norms of the branches' last linear maps at unit j: 1 for a bare
  connection, a max pooling picks one cell (1), an average of n cells has 1/n, an Add of branches has the sum of both.
- Flatten, Reshape, Dropout, activations, an added constant: as it is.
"""
import numpy as np

from onnx_network import LINEAR, POOLS, Network, attributes, group_slices, planes

UNCHANGED = {"Relu", "LeakyRelu", "PRelu", "Abs", "Tanh", "Sigmoid", "HardSigmoid", "Clip", "Identity", "Dropout", "Flatten", "Reshape",
             "Softmax"}


class CapacityNetwork(Network):
    def __init__(self, source):
        super().__init__(source)
        self.passed = {self.input.name: [self.input.name]}  # tensors that every path from the input to this one passes
        for node in self.nodes:
            sides = [self.passed[name] for name in self.computed(node)]
            self.passed[node.output[0]] = [name for name in sides[0] if all(name in side for side in sides)] + [node.output[0]]

    def scale(self, norm):
        """[channel] gamma / sqrt(var + eps)."""
        gamma, _, _, var = (self.constants[name] for name in norm.input[1:])
        return gamma / np.sqrt(var + attributes(norm).get("epsilon", 1e-5))

    @staticmethod
    def per_unit(channels, state):
        return channels.reshape((-1,) + (1,) * (state.ndim - 1))

    def behind_linear(self, norm):
        """Whether nothing but other norms, added constants and what does nothing stands between a linear map and this batch norm."""
        node = self.producer.get(norm.input[0])
        while node is not None and len(self.consumers(node.output[0])) == 1:
            if node.op_type in LINEAR:
                return True
            constant_added = node.op_type == "Add" and len(self.computed(node)) == 1
            if node.op_type not in ("BatchNormalization", "Identity", "Dropout") and not constant_added:
                return False
            node = self.producer.get(self.computed(node)[0])
        return False

    def norm_in_front(self, linear):
        """The batch norm that waits for this linear map, or None."""
        name = linear.input[0]
        while name in self.producer and len(self.consumers(name)) == 1:
            node = self.producer[name]
            if node.op_type == "BatchNormalization":
                return None if self.behind_linear(node) else node
            if node.op_type not in UNCHANGED:
                return None
            name = node.input[0]
        return None

    def squares(self, node):
        """Squared weights of a linear node with the batch norm in front of it folded in: [out][in] or [out][in / groups][ky][kx]."""
        w = self.matrix(node) if node.op_type != "Conv" else self.kernel(node)[0]
        norm = self.norm_in_front(node)
        if norm is None:
            return w ** 2
        per_channel = self.scale(norm) ** 2
        if node.op_type != "Conv":
            return w ** 2 * np.repeat(per_channel, w.shape[1] // len(per_channel))
        front = np.empty(w.shape[:2])
        for outs, ins in group_slices(w, self.kernel(node)[2]):
            front[outs] = per_channel[ins]
        return w ** 2 * front[:, :, None, None]

    def column_sums(self, node):
        """Squared norm of every output unit's column, shaped as the node's output."""
        squares, shape = self.squares(node), self.values[node.output[0]].shape
        if node.op_type != "Conv":
            return squares.sum(axis=1).reshape(shape)
        window = self.kernel(node)[1]
        return sum(squares[:, :, ky, kx].sum(axis=1)[:, None, None] * there for (ky, kx), there in window.existing().items()).reshape(shape)

    def squared_norm(self, name, fork):
        """Squared norm, at every unit of a tensor, of the last linear map between `fork` and it."""
        if name == fork:
            return np.ones(self.values[name].shape)
        node = self.producer[name]
        if node.op_type in LINEAR:
            sums = self.column_sums(node)
            return sums * attributes(node).get("alpha", 1.0) ** 2 if node.op_type == "Gemm" else sums
        if node.op_type in POOLS:
            shape = self.values[name].shape
            if node.op_type.endswith("MaxPool"):
                return np.ones(shape)
            cells = sum(self.window(node).existing().values())
            return np.broadcast_to(1 / cells, planes(np.empty(shape)).shape).reshape(shape)
        below = self.computed(node)
        if len(below) == 2:
            inner = self.fork(node)
            return self.squared_norm(below[0], inner) + self.squared_norm(below[1], inner)
        sums = self.squared_norm(below[0], fork)
        if node.op_type == "BatchNormalization":
            return sums * self.per_unit(self.scale(node) ** 2, sums)
        return sums.reshape(self.values[name].shape)

    def fork(self, add):
        """The nearest tensor that both sides of an Add come from."""
        first, second = (self.passed[name] for name in self.computed(add))
        return next(name for name in reversed(first) if name in second)

    def descend(self, node, above):
        """Shares of the capacity `above` of the node's output for each of its computed inputs."""
        below = [self.values[name] for name in self.computed(node)]
        if node.op_type == "Conv":
            return [self.descend_conv(node, above)]
        if node.op_type in POOLS:
            return [self.descend_pool(node, above)]
        if node.op_type in LINEAR:
            squares = self.squares(node)
            return [(ratio(above, squares.sum(axis=1)) @ squares).reshape(below[0].shape)]
        if len(below) == 2:
            fork = self.fork(node)
            parts = [self.squared_norm(name, fork) for name in self.computed(node)]
            return [part * ratio(above, parts[0] + parts[1]) for part in parts]
        if node.op_type == "BatchNormalization":
            return [above * self.per_unit(self.scale(node) != 0, above)]
        return [above.reshape(below[0].shape)]

    def descend_conv(self, node, above):
        squares, (_, window, groups) = self.squares(node), self.kernel(node)
        per_square = planes(ratio(above, self.column_sums(node)))
        shape = planes(self.values[node.input[0]]).shape
        grid = np.zeros((shape[0], *window.padded))
        for outs, ins in group_slices(squares, groups):
            for (ky, kx), at in window.taps():
                grid[(ins, *at)] += np.einsum("oi,oyx->iyx", squares[outs, :, ky, kx], per_square[outs])
        return window.crop(grid).reshape(self.values[node.input[0]].shape)

    def descend_pool(self, node, above):
        x = self.values[node.input[0]]
        window = self.window(node)
        part = planes(above.reshape(planes(x).shape[0], *window.out)) / sum(window.existing().values())
        grid = np.zeros((part.shape[0], *window.padded))
        for _, at in window.taps():
            grid[(slice(None), *at)] += part
        return window.crop(grid).reshape(x.shape)

    def capacities(self, top):
        """Capacity of every tensor when the outputs hold `top`; what arrives on several ways adds up."""
        flow = {name: np.zeros(value.shape) for name, value in self.values.items()}
        flow[self.output] = np.asarray(top, dtype=np.float64).reshape(self.values[self.output].shape)
        for node in reversed(self.nodes):
            for name, share in zip(self.computed(node), self.descend(node, flow[node.output[0]])):
                flow[name] += share
        return flow

    def states(self):
        """(layer, tensor it makes, last tensor before the next layer) from the input to the output, of tensors that everything passes. A
        layer is what moves capacity: a linear map, a pooling, a whole residual block, a batch norm that no linear map could take in."""
        taken = [self.norm_in_front(node) for node in self.nodes if node.op_type in LINEAR]
        states, below = [["input", self.input.name, self.input.name]], self.input.name
        for node in self.nodes:
            if node.output[0] not in self.passed[self.output]:
                continue
            block = self.computed(node) != [below]
            free = node.op_type == "BatchNormalization" and not self.behind_linear(node) and not any(node is norm for norm in taken)
            if block or free or node.op_type in LINEAR | POOLS:
                states.append([node.name, node.output[0], ""])
            states[-1][2] = below = node.output[0]
        return states


def ratio(above, sums):
    """above / sums, 0 where a unit has no weights."""
    return np.divide(above, sums, out=np.zeros(np.shape(above)), where=sums > 0)
