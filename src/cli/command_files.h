#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "scene/scene.h"

namespace kappaflow {

/// Reads a file of at most 64 MB. Throws InputError naming the file and what the system says; devices that never end are cut off
/// at the limit.
std::shared_ptr<const Attachment> readAttachment(const std::string& path);

/// Throws InputError when nothing could be written there, before any time goes into computing what to write.
void checkWritable(const std::string& path);

/// Throws std::runtime_error when not all of the text arrived.
void writeFile(const std::string& path, std::string_view text);

}  // namespace kappaflow
