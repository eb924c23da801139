#pragma once
#include <string>

#include "core/base/errors.h"

namespace kappaflow {

/// The sentence with which an action refuses its input, or "" when it does not.
template <typename Action>
std::string refusal(Action&& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

/// One line that ends like a sentence and is short enough to be read at a glance.
inline bool isOneSentence(const std::string& text) {
    return !text.empty() && text.size() < 400 && text.find('\n') == text.npos && (text.back() == '.' || text.back() == '?');
}

}  // namespace kappaflow
