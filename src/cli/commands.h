#pragma once
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace kappaflow {

/// What stands on the command line, as texts.
struct CommandOptions {
    std::string scene, state, network, data, input, format, array, out;
    std::string size = "1200x800", theme = "light", ui = "figure";
    std::vector<std::string> settings;  ///< KEY=VALUE
    std::vector<std::string> over;      ///< KEY=VALUES
    std::string batch, shard;
    bool json = false, withNetwork = false, marks = false;
    int scale = 1;
    std::uint64_t memory = 0;  ///< bytes; 0: half of the machine's
};

/// The commands themselves. Each returns the exit status; throws InputError for a wrong request, anything else for what went wrong here.
int listScenes(const CommandOptions&, const CommandLineHost&);
int describeScene(const CommandOptions&, const CommandLineHost&);
int runScene(const CommandOptions&, const CommandLineHost&);
/// One state's link a line, of every combination of values.
int sweepScene(const CommandOptions&, const CommandLineHost&);
int renderScene(const CommandOptions&, const CommandLineHost&);
int showScene(const CommandOptions&, const CommandLineHost&);
/// network_command.cpp
int describeNetwork(const CommandOptions&, const CommandLineHost&);

}  // namespace kappaflow
