#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/net/network.h"
#include "core/regions/partition.h"

namespace kappaflow {

/// y = A·x + b. Dense maps are kept [input][output], so that a zero input (half of a ReLU's) costs nothing; thin ones (convolutions,
/// pooling, batch norm) as entries by output. Sums run in the order of inputs on every platform.
class LinearMap {
public:
    struct Entry {
        std::uint32_t input = 0;
        double weight = 0;
        friend bool operator==(const Entry&, const Entry&) = default;
    };

    LinearMap() = default;
    /// rows[output] in rising order of inputs, one entry an input.
    LinearMap(std::size_t inputs, const std::vector<std::vector<Entry>>& rows, std::vector<double> bias);
    /// weights [output][input].
    LinearMap(std::size_t inputs, std::size_t outputs, const std::vector<double>& weights, std::vector<double> bias);

    std::size_t inputs() const { return inputs_; }
    std::size_t outputs() const { return outputs_; }
    bool thin() const { return dense_.empty(); }
    const std::vector<double>& bias() const { return bias_; }
    /// Sum of |weights| of an output.
    const std::vector<double>& norm() const { return norm_; }
    /// At most one entry an output.
    bool isDiagonal() const;

    /// Inputs of one row that are not zero, and the largest of them: found once for all blocks of outputs.
    struct Inputs {
        std::vector<std::uint32_t> index;
        std::vector<double> value;
        std::size_t count = 0;
        double largest = 0;
    };
    void gather(const double* x, Inputs&) const;
    /// y[0 … end − begin) = outputs begin … end − 1; writes up to the next multiple of eight. `begin` even. withBias false: A·x alone.
    void apply(const double* x, const Inputs&, std::size_t begin, std::size_t end, double* y, bool withBias = true) const;
    /// y += the part of A·x of inputs begin … end − 1, x[0] being input `begin`; all outputs.
    void accumulate(const double* x, std::size_t begin, std::size_t end, double* y) const;
    std::vector<double> operator()(const std::vector<double>& x, bool withBias = true) const;

    /// after ∘ before for a `before` of few inputs (columns are mapped one by one) or an `after` with one entry an output.
    friend LinearMap composed(const LinearMap& after, const LinearMap& before);
    friend bool operator==(const LinearMap&, const LinearMap&) = default;
    double bytes() const;

private:
    void setNorms();
    void applyDense(const Inputs&, std::size_t begin, std::size_t end, double* y, bool withBias) const;
    double weightAt(std::size_t output, std::size_t input) const;

    std::size_t inputs_ = 0, outputs_ = 0, stride_ = 0;
    std::vector<double> dense_;  ///< [input][output up to stride]
    std::vector<std::size_t> start_;
    std::vector<Entry> entries_;
    std::vector<double> bias_, norm_;  ///< bias: padded like a row of dense_
};

/// The map of a dense, convolution, batch norm or average pooling layer with weights, or of a route.
LinearMap linearMap(const Layer&);
/// For each output of a pooling layer the units under its window in the order of taps, padding left out.
std::vector<std::vector<std::uint32_t>> poolingWindows(const Layer&);
/// Upper estimate of the bytes and of the numbers that linearMap(layer) takes, from shapes alone.
double linearMapBytes(const Layer&);

/// At most 64 boundaries that are cut together: one machine word of signs a vertex.
struct CutBlock {
    struct Bit {
        std::uint32_t column = 0;  ///< from the block's first
        double threshold = 0;
        friend bool operator==(const Bit&, const Bit&) = default;
    };
    std::size_t begin = 0, end = 0;   ///< columns
    std::vector<Bit> bits;            ///< by state, then by column
    bool regular = false;             ///< bit i is of column i mod (end − begin)
    std::uint32_t firstBoundary = 0;  ///< number of bit 0's boundary in the program
    friend bool operator==(const CutBlock&, const CutBlock&) = default;
};

/// Piecewise-linear functions of a layer's units.
struct UnitFunctions {
    std::vector<LinearPieces> kinds;
    std::vector<std::uint32_t> kindOf;  ///< [unit]; empty: all of the one kind
    const LinearPieces& of(std::size_t unit) const { return kindOf.empty() ? kinds[0] : kinds[kindOf[unit]]; }
    friend bool operator==(const UnitFunctions&, const UnitFunctions&) = default;
};

/// One step over rows of values: a register is made from one or two others and, if it cuts, its faces are cut at the thresholds of its
/// functions and their values applied.
struct Operation {
    enum class Kind { Map, Sum, Larger, Copy };
    Kind kind = Kind::Copy;
    std::size_t source = 0, other = 0, target = 0;  ///< registers; 0 holds the vertices' slice coordinates
    double scale = 1, otherScale = 1;               ///< Sum: scale·source + otherScale·other; Larger: of source and other
    LinearMap map{};                                ///< Map
    std::size_t width = 0;                          ///< of the target

    bool cuts = false;
    UnitFunctions functions{};
    std::vector<CutBlock> blocks{};
    int depth = 0;                       ///< cuts: counted from 1
    int pools = 0;                       ///< depth of the max pooling it is a round of
    bool endsDepth = false;              ///< the last that cuts for its depth
    std::vector<std::size_t> release{};  ///< registers no later operation reads
    bool keepsTarget = true;             ///< false: nobody reads it
    bool intoNext = false;               ///< a last wide layer: the next operation, a map, is summed up block by block
    bool readsOther() const { return kind == Kind::Sum || kind == Kind::Larger; }
    friend bool operator==(const Operation&, const Operation&) = default;
};

/// What a depth's pattern is made of.
struct DepthInfo {
    std::size_t units = 0;                            ///< activation: units; max pooling: windows
    UnitFunctions functions;                          ///< activation
    std::vector<std::vector<std::uint32_t>> windows;  ///< max pooling: inputs of every window
    std::vector<std::size_t> operations;              ///< that cut for it, in their order
    std::size_t source = 0, target = 0;               ///< max pooling: registers
    bool pools() const { return !windows.empty(); }
    friend bool operator==(const DepthInfo&, const DepthInfo&) = default;
};

/// A network on a slice as operations on vertex values.
struct Program {
    std::vector<Operation> operations;
    std::vector<DepthInfo> depths;
    std::vector<Boundary> boundaries;
    std::size_t registers = 1;
    std::size_t output = 0;       ///< register
    std::size_t outputWidth = 0;  ///< 0: not kept
    /// Register of the last activation's values, kept to the end beside the output unless it is wider than a block of signs; 0: not kept.
    std::size_t lastActivation = 0;
    bool keepsOutput() const { return outputWidth > 0; }
};

/// Throws InputError: what validate throws for the network, a network without weights, an activation that is not piecewise linear
/// (named, with the scenes that can show it), one too large to unroll. Register 0 is taken to the network's input by `input`; the program
/// ends with the network's output if that is at most `widestOutput` wide, with the last cut otherwise.
Program lowered(const Network&, LinearMap input, std::size_t widestOutput);

/// What nobody reads goes; what only the cut after it reads is made by the cut itself, block by block.
void fuse(Program&);
/// Says after which operation each register is done with, and which last wide layer is summed up at once.
void setReleases(Program&);

/// (s, t) to input space. Throws what validate throws for the slice.
LinearMap sliceMap(const Slice&, std::size_t inputs);

/// Bytes that the lowered maps of a network take, from shapes alone.
double loweredBytes(const Network&);

}  // namespace kappaflow
