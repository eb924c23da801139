#pragma once
#include <cstdio>
#include <memory>
#include <string>

#include "scene/scene.h"

namespace kappaflow {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
/// A file of the system's; null where it could not be opened.
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

/// "Cannot read "name": " and what the system's last error says.
std::string systemSays(const std::string& action, const std::string& path);
/// Reads a file of at most fileLimits().bytes. Throws InputError naming the file and what the system says. Pipes and devices are refused:
/// one that nobody writes to would be waited for without end.
std::shared_ptr<const Attachment> readAttachment(const std::string& path);
/// Reads a network's file as readAttachment does, and puts weights inside that an ONNX model keeps in other files of its folder or below.
/// Any other file stays as it is.
std::shared_ptr<const Attachment> readNetworkFile(const std::string& path);

}  // namespace kappaflow
