#pragma once
#include <cstdint>
#include <vector>

namespace kappaflow {

/// The prime 2³¹ − 1: products of two residues fit in 62 bits.
inline constexpr std::uint64_t kModularPrime = 2147483647;

/// Rank over the field of integers modulo 2³¹ − 1 of a row-major [rows][columns] matrix of residues, by elimination: exact, no
/// threshold. With random residues for the unknowns it is the generic real rank but for a chance of about degree/2³¹.
/// Takes its argument by value and works in it. Cost: rows · columns · rank multiply-adds.
std::size_t modularRank(std::vector<std::uint32_t> matrix, std::size_t rows, std::size_t columns);

}  // namespace kappaflow
