#pragma once

namespace kappaflow {

/// What a request would take, estimated from its params alone, in double because products of sizes overflow integers.
struct Cost {
    double operations = 0;  ///< floating-point operations, about 1e9 a second
    double bytes = 0;       ///< largest live memory, report included
};

/// The most a request may take: half a minute of one core, and memory that keeps a wasm heap within 256 MB. A network file of 64 MB
/// and its weights as doubles fit.
inline constexpr Cost kCostLimit{3e10, 2.3e8};

}  // namespace kappaflow
