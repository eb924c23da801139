#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kappaflow {

/// A scene's notes for the window, which sets no formulas (the page has the notes as HTML): headings, lists and paragraphs kept,
/// markdown's marks removed, formulas set in one line.
struct NoteLine {
    enum class What { Heading, Text, Item, Formula } what;
    std::string text;  ///< Painter's markup
};
std::vector<NoteLine> readNotes(std::string_view markdown);
/// Notes with their computed numbers ("[[0.37 ← shattering: limit]]", see tools/scripts/notes_numbers.mjs) as they are written.
std::string withoutSources(std::string_view markdown);

/// A formula's TeX source as one line of Painter text: letters in italics, ^ and _ raised and lowered, commands as their signs. A command
/// it does not know stands as its name; malformed input ends early, it never fails.
std::string latexText(std::string_view tex);

}  // namespace kappaflow
