#include "draw/headless_fonts.h"

#include <imgui.h>

#include "draw/imgui_shapes.h"

namespace kappaflow {

HeadlessFonts::HeadlessFonts(const FontFiles& files) {
    ImGuiContext* before = ImGui::GetCurrentContext();
    context_ = ImGui::CreateContext();
    ImGui::SetCurrentContext(context_);
    fonts_.setFiles(files);
    fonts_.bake(1);
    ImGui::SetCurrentContext(before);
}

HeadlessFonts::~HeadlessFonts() { ImGui::DestroyContext(context_); }

MeasureText HeadlessFonts::measure() const { return textMeasure(fonts_); }

}  // namespace kappaflow
