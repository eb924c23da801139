#include "app/imgui_support.h"
#include "app/panels.h"

namespace kappaflow {
namespace {

bool hit(ImGuiKey key) { return ImGui::IsKeyPressed(key, true); }
bool hitOnce(ImGuiKey key) { return ImGui::IsKeyPressed(key, false); }

void followHistoryKeys(Desk& desk) {
    const ImGuiIO& io = ImGui::GetIO();
    const bool command = io.ConfigMacOSXBehaviors ? io.KeySuper : io.KeyCtrl;
    if (!command) return;
    if (hit(ImGuiKey_Z)) io.KeyShift ? desk.session.redo() : desk.session.undo();
    if (hit(ImGuiKey_Y)) desk.session.redo();
}

// Arrows belong to the focused handle; without one they step along the timeline.
void followArrows(Desk& desk) {
    const int across = (hit(ImGuiKey_RightArrow) ? 1 : 0) - (hit(ImGuiKey_LeftArrow) ? 1 : 0);
    const int up = (hit(ImGuiKey_UpArrow) ? 1 : 0) - (hit(ImGuiKey_DownArrow) ? 1 : 0);
    if (across + up != 0 && desk.app.nudgeHandle(across + up)) return;
    if (across != 0) desk.app.step(across);
}

}  // namespace

void followKeys(Desk& desk) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.WantTextInput) return;
    followHistoryKeys(desk);
    if (io.KeyCtrl || io.KeySuper || io.KeyAlt) return;
    if (hitOnce(ImGuiKey_Space)) desk.app.togglePlay();
    if (hitOnce(ImGuiKey_LeftBracket)) desk.app.changeScene(-1);
    if (hitOnce(ImGuiKey_RightBracket)) desk.app.changeScene(1);
    if (hitOnce(ImGuiKey_M)) desk.folds.diagnostics = !desk.folds.diagnostics;
    if (hitOnce(ImGuiKey_R)) desk.app.resetView();
    followArrows(desk);
}

}  // namespace kappaflow
