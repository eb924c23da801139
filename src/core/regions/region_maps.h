#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/regions/partition_state.h"

namespace kappaflow {

/// Affine maps of faces from their patterns alone: rows of a register are its value at coordinates 0 and its derivatives by each
/// coordinate of register 0. The tree of faces is walked depth first, so that what faces of a depth share is computed once.
class RegionMaps {
public:
    using Register = std::vector<double>;  ///< [row][unit]

    /// The program may be another lowering of the network the partition was built of: its depths are the same.
    RegionMaps(const Program&, const std::vector<DepthRecord>&);

    /// Calls visit(final face, register `shown`) for every final face, or for one.
    using Visit = std::function<void(std::uint32_t face, const Register& rows)>;
    void everyFace(std::size_t shown, const Visit&);
    void oneFace(std::uint32_t face, std::size_t shown, const Visit&);

    std::size_t rows() const { return 1 + coordinates_; }

private:
    using Registers = std::vector<Register>;
    void descend(std::size_t operation, std::size_t depth, std::uint32_t face, Registers, const Visit&);
    void make(const Operation&, Registers&);
    void applyStates(const Operation&, Register&, std::size_t depth, std::uint32_t face) const;
    void pool(const DepthInfo&, std::size_t depth, std::uint32_t face, Registers&) const;
    Registers begin() const;

    const Program& program_;
    const std::vector<DepthRecord>& records_;
    std::size_t coordinates_, shown_ = 0;
    std::vector<std::vector<std::uint32_t>> start_, children_;  ///< [depth][face]: faces of the next depth
    std::vector<std::uint32_t> only_;                           ///< [depth] the one face to follow; empty: all
    LinearMap::Inputs inputs_;
};

/// State of every unit of a depth in one of its faces.
std::vector<std::uint16_t> statesOf(const Program&, const DepthRecord&, std::size_t depth, std::size_t face);

}  // namespace kappaflow
