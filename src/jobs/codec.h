#pragma once
#include <span>
#include <vector>

#include "jobs/runner.h"
#include "scene/report.h"
#include "scene/scene.h"

namespace kappaflow {

/// Requests, events and reports as bytes, little-endian, for a worker's messages: no per-scene code. Decoding never trusts
/// lengths (InputError on anything malformed).
std::vector<unsigned char> encodeRequest(const Request&);
Request decodeRequest(std::span<const unsigned char>);
std::vector<unsigned char> encodeReport(const Report&);
Report decodeReport(std::span<const unsigned char>);
std::vector<unsigned char> encodeEvent(const JobEvent&);
JobEvent decodeEvent(std::span<const unsigned char>);

}  // namespace kappaflow
