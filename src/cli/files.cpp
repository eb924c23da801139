#include "cli/files.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "core/base/errors.h"
#include "jobs/attachment.h"

namespace kappaflow {
namespace {

void writeInto(const std::string& file, const std::string& path, std::string_view text) {
    OpenFile out(std::fopen(file.c_str(), "wb"));
    if (!out) throw std::runtime_error(systemSays("write", path));
    const bool written = std::fwrite(text.data(), 1, text.size(), out.get()) == text.size();
    if (std::fclose(out.release()) != 0 || !written) throw std::runtime_error(systemSays("write", path));
}

/// Whole or not at all where the folder allows a file beside it: a full disk or an interrupt leaves what was there before. Throws
/// std::runtime_error when not all of the text arrived.
void writeFile(const std::string& path, std::string_view text) {
    std::error_code none;
    const auto status = std::filesystem::status(path, none);
    const auto real = std::filesystem::weakly_canonical(path, none);
    const std::string target = real.empty() ? path : real.string(), part = target + "." + std::to_string(getpid()) + ".part";
    const bool device = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
    if (device || !OpenFile(std::fopen(part.c_str(), "wb"))) return writeInto(path, path, text);
    try {
        writeInto(part, path, text);
    } catch (const std::runtime_error&) {
        std::filesystem::remove(part, none);
        throw;
    }
    if (std::filesystem::exists(status)) std::filesystem::permissions(part, status.permissions(), none);
    if (std::rename(part.c_str(), target.c_str()) == 0) return;
    std::filesystem::remove(part, none);  // a file mounted by itself, for one, cannot be replaced
    writeInto(path, path, text);
}

}  // namespace

void checkWritable(const std::string& path) {
    std::error_code ignored;
    const bool existed = std::filesystem::exists(path, ignored) || std::filesystem::is_symlink(path, ignored);
    // Appending nothing leaves an existing file as it is.
    if (!OpenFile(std::fopen(path.c_str(), "ab"))) throw InputError(systemSays("write", path));
    if (!existed) std::filesystem::remove(path, ignored);
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

ProgressBar::ProgressBar(const CommandLineHost& host) : err_(*host.err), shown_(host.err == &std::cerr && isatty(STDERR_FILENO)) {}

ProgressBar::~ProgressBar() {
    if (drawn_) err_ << "\r\033[K" << std::flush;
}

void ProgressBar::heard(double progress) {
    const auto now = Clock::now();
    // Short runs show none: the first bar comes after the same while as each following one.
    if (!shown_ || now - last_ < std::chrono::milliseconds(150)) return;
    last_ = now;
    drawn_ = true;
    const auto done = static_cast<std::size_t>(progress * kWidth);
    err_ << "\r[" << std::string(done, '#') << std::string(kWidth - done, '.') << "] " << static_cast<int>(progress * 100) << " %"
         << std::flush;
}

}  // namespace kappaflow
