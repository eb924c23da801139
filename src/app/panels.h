#pragma once
#include "app/app.h"
#include "app/screen.h"

namespace kappaflow {

/// What every panel reads and where its wishes go.
struct Desk {
    App& app;
    Session& session;
    Screen& screen;
    const Theme& theme;
    const Layout& layout;
    const Options& options;
    Folds& folds;
    double pixelRatio;

    bool touch() const { return options.touch || layout.compact; }
};

void drawSceneList(Desk&);
void drawToolbar(Desk&);
void drawHeading(Desk&);
void drawParams(Desk&);
void drawTimeline(Desk&);
void drawMessages(Desk&);
/// Progress as a thin line over the picture, once an answer takes its time.
void drawProgress(Desk&);
void drawDiagnostics(Desk&);
/// The notes in place of the params (window only; the page has them as HTML).
void drawWords(Desk&);

/// One control, made from its declaration alone.
void drawParam(Desk&, const Param&);

/// Keys of the window and of the focused canvas; nothing browsers use.
void followKeys(Desk&);

}  // namespace kappaflow
