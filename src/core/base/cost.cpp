#include "core/base/cost.h"

#include <algorithm>

namespace kappaflow {
namespace {

double room = kCostLimit.bytes, mostOperations = kCostLimit.operations;

}  // namespace

double memoryRoom() { return room; }
void setMemoryRoom(double bytes) { room = bytes; }
double operationsRoom() { return mostOperations; }
void setOperationsRoom(double operations) { mostOperations = operations; }
double roomFactor() { return std::max(1.0, room / kCostLimit.bytes); }

}  // namespace kappaflow
