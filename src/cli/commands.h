#pragma once
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "scene/report.h"
#include "scene/scene.h"
#include "scene/state.h"

namespace kappaflow {

/// What stands on the command line, as texts.
struct CommandOptions {
    std::string scene, state, network, data, input, format, array, out;
    std::string size = "1200x800", theme = "light", contrast = "usual", ui = "figure";
    std::vector<std::string> settings;  ///< KEY=VALUE
    std::vector<std::string> over;      ///< KEY=VALUES
    std::string batch, shard;
    bool json = false, withNetwork = false, marks = false;
    int scale = 1, frames = 0;
    std::uint64_t memory = 0;  ///< bytes; 0: half of the machine's
    double time = 30;          ///< seconds of 10⁹ operations
};

/// The scene and values meant by SCENE, --state and --set together, and what a reader should know about them.
struct Meant {
    State state;
    Request request;  ///< filled by readRequest
    std::vector<std::string> warnings;
};
/// With the request, its files read. Throws InputError when no scene is named; the sentence begins with `command`.
Meant readRequest(const CommandOptions&, const std::string& command);
/// Runs a request to its end with a bar on the terminal. Throws what the request throws.
Report compute(const Request&, const CommandLineHost&);

/// The commands themselves. Each returns the exit status; throws InputError for a wrong request, anything else for what went wrong here.
int listScenes(const CommandOptions&, const CommandLineHost&);
int describeScene(const CommandOptions&, const CommandLineHost&);
int runScene(const CommandOptions&, const CommandLineHost&);
/// One state's link a line, of every combination of values.
int sweepScene(const CommandOptions&, const CommandLineHost&);
/// render_command.cpp
int renderScene(const CommandOptions&, const CommandLineHost&);
int showScene(const CommandOptions&, const CommandLineHost&);
/// network_command.cpp
int describeNetwork(const CommandOptions&, const CommandLineHost&);

}  // namespace kappaflow
