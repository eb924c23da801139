#pragma once
#include <functional>
#include <iostream>
#include <string>

#include "scene/scene.h"

namespace kappaflow {

/// What the command line cannot do itself, and where it writes; tests put string streams here.
struct CommandLineHost {
    /// Opens the window on a state's link (empty: the first scene) with files attached (empty: none); returns the exit status.
    std::function<int(const std::string& link, const std::string& networkFile, const std::string& dataFile)> openWindow;
    std::ostream* out = &std::cout;
    std::ostream* err = &std::cerr;
    std::function<Report(const Request&, Progress&)> compute;  ///< in place of runRequest, for tests
};

/// The program's commands: list, describe, run, sweep, render, network, show; none at all opens the window. Returns the exit status: 0
/// done, 2 the request is wrong, 1 anything else; both with one sentence on `err`.
int runCommandLine(int argc, char** argv, const CommandLineHost& host);

}  // namespace kappaflow
