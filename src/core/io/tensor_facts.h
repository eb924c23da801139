#pragma once
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/errors.h"
#include "core/io/named_tensors.h"
#include "core/io/printable.h"

namespace kappaflow::tensors {

/// The entries between commas, without spaces.
inline std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts(1);
    for (const char c : text)
        if (c == ',')
            parts.emplace_back();
        else if (c != ' ')
            parts.back() += c;
    return parts;
}

/// What the file says beside its arrays.
class Facts {
public:
    explicit Facts(const TensorFile& file) {
        for (const char* key : {"activation", "input", "stride", "padding", "epsilon"}) {
            const auto found = file.facts.find(key);
            if (found == file.facts.end()) continue;
            if (found->second.size() > kMaxLength) refuse(key, "it is longer than " + std::to_string(kMaxLength) + " characters");
            lists_[key] = split(found->second);
        }
    }

    bool has(std::string_view key) const { return lists_.find(key) != lists_.end(); }
    const std::vector<std::string>& list(std::string_view key) const { return lists_.find(key)->second; }
    /// Throws InputError unless there is one entry for all `count` places, or one for each.
    void requireEach(std::string_view key, std::size_t count, const std::string& places) const {
        if (has(key) && list(key).size() != 1 && list(key).size() != count)
            refuse(key, "it has " + std::to_string(list(key).size()) + " entries for " + std::to_string(count) + " " + places);
    }
    /// Of place `index`, where `requireEach` was content.
    std::string each(std::string_view key, std::size_t index) const { return list(key)[list(key).size() == 1 ? 0 : index]; }
    int whole(std::string_view key, std::size_t index, int standard, int least) const {
        return has(key) ? number(key, each(key, index), least) : standard;
    }
    int number(std::string_view key, const std::string& text, int least) const {
        const bool digits =
            !text.empty() && text.size() < 7 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (!digits || std::atoi(text.c_str()) < least)
            refuse(key, quoted(text) + " is no whole number from " + std::to_string(least) + " to 999999");
        return std::atoi(text.c_str());
    }
    double epsilon() const {
        if (!has("epsilon")) return 1e-5;
        requireEach("epsilon", 1, "value");
        const std::string& text = list("epsilon").front();
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (text.empty() || *end != '\0' || !(value >= 0 && value <= 1)) refuse("epsilon", quoted(text) + " is no number from 0 to 1");
        return value;
    }
    [[noreturn]] static void refuse(std::string_view key, const std::string& reason) {
        throw InputError("The file's " + quoted(key) + " makes no sense: " + reason + ".");
    }

private:
    static constexpr std::size_t kMaxLength = 1u << 16;
    std::map<std::string, std::vector<std::string>, std::less<>> lists_;
};

}  // namespace kappaflow::tensors
