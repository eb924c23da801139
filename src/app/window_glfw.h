#pragma once
#include <string>

namespace kappaflow {

/// Opens the window on a state's link (empty: the first scene) with a network file and a data file (empty: none) and runs until it is
/// closed. Returns the exit status; 1 with one sentence on stderr when no window can be opened. For pictures of the window:
/// KAPPAFLOW_SCREENSHOT=path.ppm writes the first settled frame and ends, KAPPAFLOW_SIZE=1280x800 sets the size, KAPPAFLOW_THEME=dark and
/// KAPPAFLOW_CONTRAST=more the theme, KAPPAFLOW_UI=full|lesson|figure what is shown.
int openWindow(const std::string& link, const std::string& networkFile, const std::string& dataFile);

}  // namespace kappaflow
