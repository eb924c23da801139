#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace kappaflow {

/// What a stream of random numbers is for. A new purpose gets a new number at the end, never a reused one, so that adding a
/// draw somewhere changes no draw elsewhere.
enum class Purpose : std::uint64_t { Weights = 1, Biases = 2, Signs = 3, Inputs = 4, Data = 5, Training = 6, MonteCarlo = 7, Parcels = 8 };

/// Generator keyed by (seed, purpose, index): xoshiro256++ (Blackman and Vigna) whose state is filled by splitmix64.
/// The same key gives the same numbers on every platform and compiler, bit for bit, whatever was drawn elsewhere.
class Rng {
public:
    Rng(std::uint64_t seed, Purpose purpose, std::uint64_t index = 0);

    std::uint64_t bits();
    /// In [0, 1), multiples of 2^-53.
    double uniform();
    /// N(0, 1), Marsaglia's polar method on a logarithm made of + - * / alone (see portableLog), hence bit-identical everywhere.
    double gaussian();
    /// 0 … n-1 without bias (n >= 1).
    std::uint64_t below(std::uint64_t n);
    /// +1 or -1.
    double sign() { return (bits() >> 63) ? 1.0 : -1.0; }

private:
    std::array<std::uint64_t, 4> state_;
    double spare_ = 0;
    bool hasSpare_ = false;
};

/// Advances x and returns its mix (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014): the hash behind
/// the keys, and of whatever else must look random but follow from its bits.
std::uint64_t splitmix64(std::uint64_t& x);

/// Natural logarithm of a positive finite normal number from + - * / and exponent bits only: error below 2 ulp, and the same
/// bits on every platform, which std::log does not promise.
double portableLog(double x);

/// One weight as every platform draws it: gaussian times scale, rounded once to float, held as double.
double drawWeight(Rng& rng, double scale);

/// The numbers that `count` calls of rng.gaussian() would give, to the bit, more than twice as fast: the logarithms of a block of pairs are
/// taken side by side. That holds for a generator without a spare number, which a new one is: an odd count leaves one behind, and whole
/// blocks pass it by, so that it comes out late. Cost: about 10 ns each.
void fillGaussian(Rng& rng, double* values, std::size_t count);

}  // namespace kappaflow
