#pragma once
#include <string>
#include <string_view>

namespace kappaflow {

/// A formula's TeX source as one line of Painter text: letters in italics, ^ and _ raised and lowered, commands as their signs.
/// For the window, which sets no formulas; the page has them as MathML. A command it does not know stands as its name.
std::string latexText(std::string_view tex);

}  // namespace kappaflow
