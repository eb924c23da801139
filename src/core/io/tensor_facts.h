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
    explicit Facts(const TensorFile& file) : facts_(file.facts) {}

    bool has(std::string_view key) const { return facts_.find(key) != facts_.end(); }
    std::vector<std::string> list(std::string_view key) const { return split(facts_.find(key)->second); }
    /// Number `index` of a list with one for each or one for all.
    int whole(std::string_view key, std::size_t index, int standard, int least) const {
        if (!has(key)) return standard;
        const std::vector<std::string> given = list(key);
        if (given.size() != 1 && index >= given.size())
            refuse(key, "it has " + std::to_string(given.size()) + " numbers, too few for the convolutions");
        return number(key, given[given.size() == 1 ? 0 : index], least);
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
        const std::string text = list("epsilon").front();
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (text.empty() || *end != '\0' || !(value >= 0 && value <= 1)) refuse("epsilon", quoted(text) + " is no number from 0 to 1");
        return value;
    }
    [[noreturn]] static void refuse(std::string_view key, const std::string& reason) {
        throw InputError("The file's " + quoted(key) + " makes no sense: " + reason + ".");
    }

private:
    const std::map<std::string, std::string, std::less<>>& facts_;
};

}  // namespace kappaflow::tensors
