#include "cli/command_report.h"

#include <unistd.h>

#include <chrono>
#include <stdexcept>

#include "cli/command_files.h"

namespace kappaflow {
namespace {

/// A bar on the terminal while a computation runs, wiped when it ends; silent when the errors go elsewhere.
class ProgressBar {
public:
    explicit ProgressBar(const CommandLineHost& host) : err_(*host.err), shown_(host.err == &std::cerr && isatty(STDERR_FILENO)) {}
    ~ProgressBar() {
        if (drawn_) err_ << "\r\033[K" << std::flush;
    }
    void show(double progress) {
        const auto now = Clock::now();
        // Short runs show none: the first bar comes after the same while as each following one.
        if (!shown_ || now - last_ < std::chrono::milliseconds(150)) return;
        last_ = now;
        drawn_ = true;
        const auto done = static_cast<std::size_t>(progress * kWidth);
        err_ << "\r[" << std::string(done, '#') << std::string(kWidth - done, '.') << "] " << static_cast<int>(progress * 100) << " %"
             << std::flush;
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t kWidth = 40;
    std::ostream& err_;
    bool shown_, drawn_ = false;
    Clock::time_point last_ = Clock::now();
};

}  // namespace

Report compute(const Request& request, const CommandLineHost& host) {
    ProgressBar bar(host);
    const auto computation = startRequest(request);
    while (computation->step()) bar.show(computation->progress());
    return computation->report();
}

void warn(const CommandLineHost& host, const std::vector<std::string>& warnings) {
    for (const auto& warning : warnings) *host.err << "kappaflow: " << warning << "\n";
}

void print(const CommandLineHost& host, const std::string& text) {
    *host.out << text << std::flush;
    if (!*host.out) throw std::runtime_error("Cannot write to the standard output.");
}

void deliver(const CommandLineHost& host, const std::string& out, const std::string& text) {
    if (out.empty())
        print(host, text);
    else
        writeFile(out, text);
}

}  // namespace kappaflow
