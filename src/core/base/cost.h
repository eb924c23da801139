#pragma once

namespace kappaflow {

/// What a request would take, estimated from its params alone, in double because products of sizes overflow integers.
struct Cost {
    double operations = 0;  ///< floating-point operations, about 1e9 a second
    double bytes = 0;       ///< largest live memory, report included
};

/// The most a request may take on the page: half a minute of one core, and memory that keeps a wasm heap within 256 MB.
inline constexpr Cost kCostLimit{3e10, 2.3e8};

/// Bytes that a request with a reader's own network may take on the page: a file of 200 MB and its weights as doubles fit.
inline constexpr double kFileRoom = 7.2e8;

/// Bytes that a request may take here: the page's unless the program sets others, before it reads anything.
double memoryRoom();
void setMemoryRoom(double bytes);
/// Operations that a request may take here: those of kCostLimit unless the program sets others, once, before it reads anything.
double operationsRoom();
void setOperationsRoom(double operations);
inline Cost costLimit() { return {operationsRoom(), memoryRoom()}; }
/// How many times the page's room there is, at least 1: what a network from a file may have grows with it.
double roomFactor();

}  // namespace kappaflow
