#pragma once
#include <string>
#include <string_view>

namespace kappaflow {

/// Text from a file as it may be shown: invalid UTF-8 and control characters become U+FFFD (�), and what is longer than 60 characters is
/// cut with an ellipsis.
std::string printable(std::string_view);
/// The same between double quotes.
std::string quoted(std::string_view);
/// Digits of a whole number of any size, products of claimed dimensions for instance.
std::string whole(double);

}  // namespace kappaflow
