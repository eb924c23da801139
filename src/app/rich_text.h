#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "draw/markup.h"

namespace kappaflow {

/// Plain words as Painter text: its markup characters taken literally.
std::string plainText(std::string_view);
/// The same for declared sentences, whose powers ("10^−24") are raised.
std::string proseText(std::string_view);
/// A declared symbol ("κ^L", "σ²", "log₁₀ w") as Painter text in italics, words and digits upright, ^ and _ raised and lowered.
std::string symbolText(std::string_view symbol);

/// A scene's notes for the window: headings, lists and paragraphs kept, markdown's marks removed, formulas set in one line.
struct NoteLine {
    enum class What { Heading, Text, Item, Formula } what;
    std::string text;  ///< Painter's markup
};
std::vector<NoteLine> readNotes(std::string_view markdown);
/// Notes with their computed numbers ("[[0.37 ← shattering: limit]]", see tools/scripts/notes_numbers.mjs) as they are written.
std::string withoutSources(std::string_view markdown);

/// A formula's TeX source as one line of Painter text: letters in italics, ^ and _ raised and lowered, commands as their signs.
/// For the window, which sets no formulas; the page has them as MathML. A command it does not know stands as its name.
std::string latexText(std::string_view tex);

}  // namespace kappaflow
