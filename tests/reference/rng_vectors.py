#!/usr/bin/env python3
"""The known answers of tests/core/base_rng_test.cpp, from a second implementation written from the algorithms' papers: splitmix64
(Steele, Lea, Flood 2014), xoshiro256++ (Blackman, Vigna 2021), Marsaglia's polar method. Prints them as they stand in the test."""
import math
import struct

MASK = (1 << 64) - 1


class SplitMix:
    def __init__(self, x):
        self.x = x

    def next(self):
        self.x = (self.x + 0x9E3779B97F4A7C15) & MASK
        z = self.x
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)


def rotl(x, k):
    return ((x << k) | (x >> (64 - k))) & MASK


def portable_log(x):
    m, e = math.frexp(x)
    if m < math.sqrt(0.5):
        m, e = 2 * m, e - 1
    s = (m - 1) / (m + 1)
    s2, total = s * s, 0.0
    for k in range(23, 1, -2):
        total = (total + 1 / k) * s2
    return e * 6.93147180369123816490e-01 + (2 * s + (2 * s * total + e * 1.90821492927058770002e-10))


class Stream:
    def __init__(self, seed, purpose, index):
        mixed = SplitMix(SplitMix(seed).next() ^ purpose).next() ^ index
        mixer = SplitMix(mixed)
        self.s = [mixer.next() for _ in range(4)]
        self.spare = None

    def bits(self):
        s = self.s
        result = (rotl((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)
        return result

    def uniform(self):
        return (self.bits() >> 11) * 2.0 ** -53

    def gaussian(self):
        if self.spare is not None:
            value, self.spare = self.spare, None
            return value
        while True:
            u, v = 2 * self.uniform() - 1, 2 * self.uniform() - 1
            r2 = u * u + v * v
            if 0 < r2 < 1:
                break
        factor = math.sqrt(-2 * portable_log(r2) / r2)
        self.spare = v * factor
        return u * factor


def main():
    for key in [(0, 1, 0), (1, 1, 0), (0, 2, 0), (0, 1, 1), (2**64 - 1, 7, 2**63)]:
        stream = Stream(*key)
        print(key, ", ".join(f"0x{stream.bits():016x}u" for _ in range(4)))
    stream = Stream(42, 4, 3)
    print("uniform", ", ".join(stream.uniform().hex() for _ in range(4)))
    stream = Stream(42, 1, 3)
    print("gaussian", ", ".join(stream.gaussian().hex() for _ in range(8)))
    stream = Stream(42, 1, 3)
    checksum = 0
    for _ in range(100000):
        checksum = (checksum * 31 + struct.unpack("<Q", struct.pack("<d", stream.gaussian()))[0]) & MASK
    print(f"checksum of 100000 gaussians 0x{checksum:016x}u")
    stream = Stream(42, 1, 3)
    print("weights", ", ".join(struct.unpack("<f", struct.pack("<f", stream.gaussian() * 0.125))[0].hex() for _ in range(4)))
    print("log", ", ".join(f"{x.hex()} {portable_log(x).hex()}" for x in [0.1, 0.5, 0.70710678118654746, 2.0, 3.0, 1e-300, 1.7e308]))
    x = SplitMix(0)
    print("splitmix", ", ".join(f"0x{x.next():016x}u" for _ in range(3)))


if __name__ == "__main__":
    main()
