#include "draw/words.h"

#include <unordered_map>

namespace kappaflow {
namespace {

constexpr std::size_t kMost = 20000;  // texts with numbers in them come and go
std::function<std::string(std::string_view)> translation;
std::unordered_map<std::string, std::string> known;

std::string& entry(std::string_view english) {
    if (known.size() >= kMost) known.clear();
    return known[std::string(english)];
}

}  // namespace

void setTranslation(std::function<std::string(std::string_view)> of) {
    translation = std::move(of);
    known.clear();
}

std::string_view inWords(std::string_view english) {
    if (!translation || english.empty()) return english;
    if (const auto found = known.find(std::string(english)); found != known.end()) return found->second;
    std::string translated = translation(english);
    return entry(english) = std::move(translated);
}

void keepAsIs(std::string_view translated) {
    if (translation) entry(translated) = translated;
}

}  // namespace kappaflow
