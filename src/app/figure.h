#pragma once
#include <string>

namespace kappaflow {

class App;

/// How a reader wants to keep what is on the screen.
struct FigureWish {
    double width = 0, height = 0;  ///< CSS pixels; 0: as large as on the screen
    bool dark = false;
    std::string link = {};     ///< a link to the program; what stands behind its # becomes the state as it stands
    std::string caption = {};  ///< "": the report's own words
};

/// The picture as it stands, of the newest report, as an SVG document; "" while there is no report.
std::string figureSvg(App&, const FigureWish&);

}  // namespace kappaflow
