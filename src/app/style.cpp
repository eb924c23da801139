#include "app/style.h"

#include "app/imgui_support.h"

namespace kappaflow {
namespace {

void setColors(ImGuiStyle& style, const Theme& theme) {
    const Color clear = theme.panel.withAlpha(0);
    const Color hovered = mix(theme.raised, theme.text, 0.06), pressed = mix(theme.raised, theme.text, 0.12);
    // What is not named here is not drawn by us, but must not glare when it is.
    for (auto& color : style.Colors) color = toIm4(theme.raised);
    const auto set = [&](int which, Color color) { style.Colors[which] = toIm4(color); };
    set(ImGuiCol_Text, theme.text);
    set(ImGuiCol_TextDisabled, theme.muted);
    set(ImGuiCol_WindowBg, theme.panel);
    set(ImGuiCol_ChildBg, clear);
    set(ImGuiCol_PopupBg, theme.panel);
    set(ImGuiCol_Border, theme.line);
    set(ImGuiCol_BorderShadow, clear);
    set(ImGuiCol_FrameBg, theme.raised);
    set(ImGuiCol_FrameBgHovered, hovered);
    set(ImGuiCol_FrameBgActive, pressed);
    set(ImGuiCol_Button, theme.raised);
    set(ImGuiCol_ButtonHovered, hovered);
    set(ImGuiCol_ButtonActive, pressed);
    set(ImGuiCol_Header, mix(theme.panel, theme.accent, 0.16));
    set(ImGuiCol_HeaderHovered, mix(theme.panel, theme.accent, 0.1));
    set(ImGuiCol_HeaderActive, mix(theme.panel, theme.accent, 0.22));
    set(ImGuiCol_ScrollbarBg, clear);
    set(ImGuiCol_ScrollbarGrab, theme.line);
    set(ImGuiCol_ScrollbarGrabHovered, mix(theme.line, theme.text, 0.2));
    set(ImGuiCol_ScrollbarGrabActive, mix(theme.line, theme.text, 0.4));
    set(ImGuiCol_Separator, theme.line);
    set(ImGuiCol_TextSelectedBg, theme.accent.withAlpha(0.3f));
    set(ImGuiCol_NavHighlight, theme.accent);
}

}  // namespace

void applyStyle(const Theme& theme) {
    ImGuiStyle& style = ImGui::GetStyle();
    style = ImGuiStyle();
    style.WindowPadding = {16, 14};
    style.FramePadding = {10, 6};
    style.ItemSpacing = {0, 0};  // rows bring their own distances
    style.ItemInnerSpacing = {6, 4};
    style.WindowRounding = style.WindowBorderSize = 0;
    style.PopupRounding = 10;
    style.PopupBorderSize = 1;
    style.FrameRounding = 7;
    style.FrameBorderSize = 0;
    style.ScrollbarSize = 9;
    style.ScrollbarRounding = 5;
    style.GrabRounding = 7;
    setColors(style, theme);
}

}  // namespace kappaflow
