#include "cli/command_files.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

constexpr std::size_t kMaxFileBytes = 64u << 20;

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string systemSays(const std::string& action, const std::string& path) {
    return "Cannot " + action + " " + quote(path) + ": " + std::strerror(errno) + ".";
}

}  // namespace

std::shared_ptr<const Attachment> readAttachment(const std::string& path) {
    const File file(std::fopen(path.c_str(), "rb"));
    if (!file) throw InputError(systemSays("read", path));
    auto attachment = std::make_shared<Attachment>();
    attachment->name = std::filesystem::path(path).filename().string();
    std::array<unsigned char, 1 << 16> chunk;
    while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
        if (attachment->bytes.size() + count > kMaxFileBytes) throw InputError("The file " + quote(path) + " is larger than 64 MB.");
        attachment->bytes.insert(attachment->bytes.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(count));
    }
    if (std::ferror(file.get())) throw InputError(systemSays("read", path));
    return attachment;
}

void checkWritable(const std::string& path) {
    std::error_code ignored;
    const bool existed = std::filesystem::exists(path, ignored);
    // Appending nothing leaves an existing file as it is.
    if (!File(std::fopen(path.c_str(), "ab"))) throw InputError(systemSays("write", path));
    if (!existed) std::filesystem::remove(path, ignored);
}

void writeFile(const std::string& path, std::string_view text) {
    File file(std::fopen(path.c_str(), "wb"));
    if (!file) throw std::runtime_error(systemSays("write", path));
    const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
    if (std::fclose(file.release()) != 0 || !written) throw std::runtime_error(systemSays("write", path));
}

}  // namespace kappaflow
