#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kappaflow {

/// A value of an object inside a flat JSON document: a text, or a list of whole numbers.
using FlatValue = std::variant<std::string, std::vector<std::int64_t>>;
struct FlatObject {
    std::string name;
    std::vector<std::pair<std::string, FlatValue>> members;
};

/// {"name": {"key": "text", "key": [1, 2]}, …}: the JSON that a safetensors file begins with, and nothing beyond it. Lists have at most
/// `mostNumbers`. Throws InputError with the byte offset: anything else, names that occur twice. Texts are not checked to be UTF-8.
std::vector<FlatObject> parseFlatJson(std::string_view text, std::size_t mostNumbers);

}  // namespace kappaflow
