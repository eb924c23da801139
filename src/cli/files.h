#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "scene/progress.h"

namespace kappaflow {

/// Throws InputError when nothing could be written there, before any time goes into computing what to write.
void checkWritable(const std::string& path);
/// Warnings on the error output, a line each.
void warn(const CommandLineHost&, const std::vector<std::string>& warnings);
/// Writes to the standard output. Throws std::runtime_error when it does not take everything.
void print(const CommandLineHost&, const std::string& text);
/// Writes to the file `out`, or to the standard output when that is empty.
void deliver(const CommandLineHost&, const std::string& out, const std::string& text);

/// A bar on the terminal while a computation runs, wiped when it ends; silent when the errors go elsewhere.
class ProgressBar final : public Progress {
public:
    explicit ProgressBar(const CommandLineHost&);
    ~ProgressBar() override;

private:
    void heard(double progress) override;

    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t kWidth = 40;
    std::ostream& err_;
    bool shown_, drawn_ = false;
    Clock::time_point last_ = Clock::now();
};

}  // namespace kappaflow
