#pragma once
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "scene/report.h"
#include "scene/scene.h"

namespace kappaflow {

/// Runs a request to its end with a bar on the terminal. Throws what the request throws.
Report compute(const Request&, const CommandLineHost&);

/// Warnings on the error output, a line each.
void warn(const CommandLineHost&, const std::vector<std::string>& warnings);

/// Writes to the standard output. Throws std::runtime_error when it does not take everything.
void print(const CommandLineHost&, const std::string& text);
/// Writes to the file `out`, or to the standard output when that is empty.
void deliver(const CommandLineHost&, const std::string& out, const std::string& text);

}  // namespace kappaflow
