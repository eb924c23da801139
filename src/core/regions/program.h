#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/regions/linear_map.h"
#include "core/regions/piecewise.h"
#include "core/regions/region_mesh.h"
#include "core/regions/slice.h"

namespace kappaflow {

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
    enum class Kind { Map, Sum, Copy };
    Kind kind = Kind::Copy;
    std::size_t source = 0, other = 0, target = 0;  ///< registers; 0 holds the vertices' slice coordinates
    double scale = 1, otherScale = 1;               ///< Sum: scale·source + otherScale·other
    LinearMap map;                                  ///< Map
    std::size_t width = 0;                          ///< of the target

    bool cuts = false;
    UnitFunctions functions;
    std::vector<CutBlock> blocks;
    int depth = 0;                     ///< cuts: counted from 1
    int pools = 0;                     ///< depth of the max pooling it is a round of
    bool endsDepth = false;            ///< the last that cuts for its depth
    std::vector<std::size_t> release;  ///< registers no later operation reads
    bool keepsTarget = true;           ///< false: nobody reads it
    bool intoNext = false;             ///< a last wide layer: the next operation, a map, is summed up block by block
    friend bool operator==(const Operation&, const Operation&) = default;
};

/// What a depth's pattern is made of.
struct DepthInfo {
    std::string name;                                 ///< "layer 4 (\"relu2\")"
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
