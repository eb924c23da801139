#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "support/temporary_folder.h"

namespace kappaflow {

struct CommandResult {
    int status = 0;
    std::string out, err;
};

/// Runs the command line as main() would, with its output caught; of a line the words between blanks.
inline CommandResult runCommand(std::vector<std::string> words, CommandLineHost host = {}) {
    words.insert(words.begin(), "kappaflow");
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::ostringstream out, err;
    host.out = &out;
    host.err = &err;
    const int status = runCommandLine(static_cast<int>(words.size()), argv.data(), host);
    return {status, out.str(), err.str()};
}

inline std::vector<std::string> wordsOf(const std::string& line) {
    std::istringstream in(line);
    return {std::istream_iterator<std::string>(in), {}};
}
inline CommandResult runCommand(const std::string& line) { return runCommand(wordsOf(line)); }

/// One line on the error output with the program's name in front and a sentence behind it, and nothing printed.
inline bool isComplaint(const CommandResult& result) {
    const std::string prefix = "kappaflow: ";
    const auto& err = result.err;
    return result.out.empty() && err.compare(0, prefix.size(), prefix) == 0 && err.size() > prefix.size() + 8 && err.size() < 500 &&
           err.find('\n') == err.size() - 1 && (err[err.size() - 2] == '.' || err[err.size() - 2] == '?');
}

inline std::string readText(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace kappaflow
