#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "app/app.h"

namespace kappaflow {

// What there is to know without seeing the picture: the source of native controls, live words and tests.

/// A param as a native control needs it; values as text, as in links.
struct ControlView {
    const Param* param;
    double step;  ///< of a number's slider or spin box
    std::string value;
    bool visible;  ///< by its declaration, and not hidden by the author
    bool offered;  ///< and the page has controls of its kind: a lesson the main ones, a figure none
};
std::vector<ControlView> controlsOf(const App&);
/// Names of the examples that the page offers.
std::vector<std::string> examplesOf(const App&);

/// The sentences at the head of a picture. The scene's own speak of its first preset, a preset's sentence of that; where params that decide
/// what is computed leave them all, lookAt is what the report says, "" until there is one. claim and tryThis are the first preset's alone.
struct Heading {
    std::string claim, lookAt, tryThis;
};
Heading headingOf(const Session&);

/// "computing", "ok", "partial", "failed", "empty".
std::string statusOf(const Session&);
/// "43 %, about 3 s left" of what is being computed; "" when nothing is, or not yet for a second.
std::string progressWords(const Session&);
/// Smallest sensible step of a number param: 1 for whole numbers (2 when odd), else a 1-2-5 share of the range.
double stepOf(const Param&);
/// "number", "integer", …, as JSON and JavaScript spell it.
std::string_view kindText(Kind);
/// The preset that gives the present params, the timeline left aside; −1 none.
int presetOf(const Session&);

}  // namespace kappaflow
