#include "app/web_keys_web.h"

#include <utility>

namespace kappaflow {

ImGuiKey keyOfCode(std::string_view code) {
    static constexpr std::pair<std::string_view, ImGuiKey> kNamed[] = {{"ArrowLeft", ImGuiKey_LeftArrow},
                                                                       {"ArrowRight", ImGuiKey_RightArrow},
                                                                       {"ArrowUp", ImGuiKey_UpArrow},
                                                                       {"ArrowDown", ImGuiKey_DownArrow},
                                                                       {"Home", ImGuiKey_Home},
                                                                       {"End", ImGuiKey_End},
                                                                       {"PageUp", ImGuiKey_PageUp},
                                                                       {"PageDown", ImGuiKey_PageDown},
                                                                       {"Insert", ImGuiKey_Insert},
                                                                       {"Delete", ImGuiKey_Delete},
                                                                       {"Backspace", ImGuiKey_Backspace},
                                                                       {"Space", ImGuiKey_Space},
                                                                       {"Enter", ImGuiKey_Enter},
                                                                       {"NumpadEnter", ImGuiKey_KeypadEnter},
                                                                       {"Escape", ImGuiKey_Escape},
                                                                       {"BracketLeft", ImGuiKey_LeftBracket},
                                                                       {"BracketRight", ImGuiKey_RightBracket},
                                                                       {"Minus", ImGuiKey_Minus},
                                                                       {"Equal", ImGuiKey_Equal},
                                                                       {"Period", ImGuiKey_Period},
                                                                       {"Comma", ImGuiKey_Comma},
                                                                       {"ControlLeft", ImGuiKey_LeftCtrl},
                                                                       {"ControlRight", ImGuiKey_RightCtrl},
                                                                       {"ShiftLeft", ImGuiKey_LeftShift},
                                                                       {"ShiftRight", ImGuiKey_RightShift},
                                                                       {"AltLeft", ImGuiKey_LeftAlt},
                                                                       {"AltRight", ImGuiKey_RightAlt},
                                                                       {"MetaLeft", ImGuiKey_LeftSuper},
                                                                       {"MetaRight", ImGuiKey_RightSuper}};
    if (code.size() == 4 && code.substr(0, 3) == "Key" && code[3] >= 'A' && code[3] <= 'Z')
        return static_cast<ImGuiKey>(ImGuiKey_A + (code[3] - 'A'));
    if (code.size() == 6 && code.substr(0, 5) == "Digit" && code[5] >= '0' && code[5] <= '9')
        return static_cast<ImGuiKey>(ImGuiKey_0 + (code[5] - '0'));
    for (const auto& [name, key] : kNamed)
        if (name == code) return key;
    return ImGuiKey_None;
}

}  // namespace kappaflow
