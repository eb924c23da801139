#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace kappaflow {

/// Text from a file as it may be shown: invalid UTF-8 and control characters become U+FFFD (�), and what is longer than 60 characters is
/// cut with an ellipsis.
std::string printable(std::string_view);
/// What of a text is no UTF-8 as U+FFFD.
std::string validText(std::string_view);
/// The same as `printable` between double quotes.
std::string quoted(std::string_view);
/// A character by its code, at most 0x10FFFF, in UTF-8.
void appendUtf8(std::string&, std::uint32_t code);
/// Digits of a whole number of any size, products of claimed dimensions for instance.
std::string whole(double);

/// "The file is empty." → `The file "cnn.onnx" is empty.`, also "The file's header …"; what speaks of a part of the file stays as it is.
std::string withFileName(const std::string& sentence, std::string_view name);

}  // namespace kappaflow
