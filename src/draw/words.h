#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace kappaflow {

/// The program's texts are English. With a translation set, `measure` and `text` of painters that are seen look them up, whole and before
/// they are broken into lines. Each text is asked for once, later taken from a table; nullptr: English again. One for the whole program.
void setTranslation(std::function<std::string(std::string_view english)>);
/// What stands for this text on the screen; itself without a translation. Valid until the next call.
std::string_view inWords(std::string_view english);
/// Part of a translated text, which is not looked up again.
void keepAsIs(std::string_view translated);

}  // namespace kappaflow
