#pragma once
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace kappaflow {

struct CommandResult {
    int status = 0;
    std::string out, err;
};

/// Runs the command line as main() would, with its output caught. Words are split at blanks.
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

inline CommandResult runCommand(const std::string& line) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return runCommand(words);
}

/// One line on the error output with the program's name in front and a sentence behind it, and nothing printed.
inline bool isComplaint(const CommandResult& result) {
    const std::string prefix = "kappaflow: ";
    const auto& err = result.err;
    return result.out.empty() && err.compare(0, prefix.size(), prefix) == 0 && err.size() > prefix.size() + 8 && err.size() < 500 &&
           err.find('\n') == err.size() - 1 && (err[err.size() - 2] == '.' || err[err.size() - 2] == '?');
}

/// A folder of this test's own, gone afterwards.
class TemporaryFolder {
public:
    TemporaryFolder() {
        static std::atomic<int> count{0};
        path_ = std::filesystem::temp_directory_path() / ("kappaflow-" + std::to_string(getpid()) + "-" + std::to_string(count++));
        std::filesystem::create_directories(path_);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::string path(const std::string& name) const { return (path_ / name).string(); }
    std::string write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
        return path(name);
    }

private:
    std::filesystem::path path_;
};

inline std::string readText(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace kappaflow
