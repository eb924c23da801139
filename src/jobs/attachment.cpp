#include "jobs/attachment.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "core/base/errors.h"
#include "core/io/file_limits.h"
#include "core/io/onnx.h"

namespace kappaflow {
std::string systemSays(const std::string& action, const std::string& path) {
    return "Cannot " + action + " " + quote(path) + ": " + std::strerror(errno) + ".";
}

std::shared_ptr<const Attachment> readAttachment(const std::string& path) {
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        throw InputError("Cannot read " + quote(path) + ": it is no regular file.");
    const OpenFile file(std::fopen(path.c_str(), "rb"));
    if (!file) throw InputError(systemSays("read", path));
    auto attachment = std::make_shared<Attachment>();
    attachment->name = std::filesystem::path(path).filename().string();
    if (const auto size = std::filesystem::file_size(path, ignored); !ignored && size <= fileLimits().bytes)
        attachment->bytes.reserve(size);
    std::array<unsigned char, 1 << 16> chunk;
    while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
        if (attachment->bytes.size() + count > fileLimits().bytes)
            throw InputError("The file " + quote(path) + " is larger than " + std::to_string(fileLimits().bytes >> 20) + " MB.");
        attachment->bytes.insert(attachment->bytes.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(count));
    }
    if (std::ferror(file.get())) throw InputError(systemSays("read", path));
    return attachment;
}

std::shared_ptr<const Attachment> readNetworkFile(const std::string& path) {
    const auto model = readAttachment(path);
    double total = static_cast<double>(model->bytes.size());
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    const auto read = [&](const std::string& location, std::uint64_t offset, std::optional<std::uint64_t> length) {
        const std::string name = (folder / location).string();
        std::error_code ignored;
        const auto real = std::filesystem::weakly_canonical(name, ignored),
                   root = std::filesystem::weakly_canonical(folder.empty() ? "." : folder, ignored);
        if (std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first != root.end())
            throw InputError("The model's weights are in " + quote(location) + ", which is not in the model's folder.");
        if (!std::filesystem::is_regular_file(real, ignored))
            throw InputError("The model's weights are in " + quote(location) + ", which is not beside it.");
        const std::uint64_t size = std::filesystem::file_size(real, ignored), end = length ? offset + *length : size;
        if (ignored || offset > size || end > size || end < offset)
            throw InputError("The file " + quote(location) + " has " + std::to_string(size) +
                             " bytes, too few for what the model keeps in it.");
        total += static_cast<double>(end - offset);
        if (total > static_cast<double>(fileLimits().bytes))
            throw InputError("The model and its data are larger than " + std::to_string(fileLimits().bytes >> 20) + " MB.");
        std::string bytes(end - offset, '\0');
        const OpenFile file(std::fopen(real.c_str(), "rb"));
        if (!file || std::fseek(file.get(), static_cast<long>(offset), SEEK_SET) != 0 ||
            std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size())
            throw InputError(systemSays("read", name));
        return bytes;
    };
    auto whole = withExternalData(model->bytes, read);
    if (!whole) return model;
    return std::make_shared<Attachment>(Attachment{model->name, std::move(*whole)});
}

}  // namespace kappaflow
