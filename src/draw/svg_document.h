#pragma once
#include <string>

#include "draw/theme.h"

namespace kappaflow {

/// What a figure says of itself, in plain text. Empty ones are left out.
struct FigureWords {
    std::string title;
    std::string caption;
    std::string scene;      ///< id
    std::string generator;  ///< program and version
    std::string link;       ///< the state: opens or draws the same picture again
    std::string source;     ///< what it is a figure of: paper, equations
    std::string file;       ///< a reader's own file that the link does not hold
};

/// A complete SVG document of so many pixels on the theme's ground: title and caption for readers of every kind (title, desc), the words
/// as Dublin Core in RDF (metadata: title, description, identifier, creator, source = link, relation, requires = file), then the marks.
/// It refers to nothing outside itself.
std::string svgDocument(double width, double height, const Theme&, const FigureWords&, const std::string& marks);

}  // namespace kappaflow
