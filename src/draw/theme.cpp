#include "draw/theme.h"

namespace kappaflow {
namespace {

Theme makeLight() {
    Theme t;
    t.ground = hex(0xfcfcfb), t.panel = hex(0xf4f4f2), t.raised = hex(0xffffff);
    t.line = hex(0xc4c5c4), t.grid = hex(0xe9e9e7);
    t.text = hex(0x1c1f23), t.muted = hex(0x5a6068);
    t.accent = hex(0x1d5fbf), t.onAccent = hex(0xffffff), t.warning = hex(0x8a5200);
    t.theory = hex(0xc2480a);
    // Okabe–Ito with the pale ones darkened: blue, vermilion, bluish green, reddish purple, orange, sky, olive (yellow), ink (black).
    t.series = {hex(0x0068a8), hex(0xd05a00), hex(0x00916a), hex(0xb85a90), hex(0xa87a00), hex(0x3a8fc4), hex(0x6a7d10), hex(0x3b4047)};
    return t;
}

Theme makeNight() {
    Theme t;
    t.dark = true;
    t.ground = hex(0x13161a), t.panel = hex(0x1b1f24), t.raised = hex(0x272c33);
    t.line = hex(0x4b525c), t.grid = hex(0x262b31);
    t.text = hex(0xe6e8eb), t.muted = hex(0xa2a9b2);
    t.accent = hex(0x74abff), t.onAccent = hex(0x0a1526), t.warning = hex(0xf0b654);
    t.theory = hex(0xf5a05a);
    t.series = {hex(0x5aaae2), hex(0xec7f3c), hex(0x2dbd92), hex(0xda90bb), hex(0xeab02c), hex(0x93cff5), hex(0xe4da5c), hex(0xbcc2ca)};
    return t;
}

}  // namespace

const Theme& Theme::light() {
    static const Theme theme = makeLight();
    return theme;
}

const Theme& Theme::night() {
    static const Theme theme = makeNight();
    return theme;
}

}  // namespace kappaflow
