#include "app/screen.h"

#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "app/app.h"
#include "draw/gl/gl_api.h"
#include "draw/gl/gl_context.h"
#include "draw/imgui_painter.h"
#include "draw/imgui_shapes.h"
#include "draw/imgui_support.h"
#include "draw/markup.h"

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

namespace {

constexpr double kTooltipDelay = 0.35, kCaretBlink = 0.4, kLongestStep = 0.1, kNotch = 1.1;

bool inAny(const std::vector<Rect>& rects, Vec2 at) {
    return std::any_of(rects.begin(), rects.end(), [&](const Rect& rect) { return rect.contains(at); });
}

std::string rendererName() {
    const auto text = [](GLenum name) {
        const auto* bytes = reinterpret_cast<const char*>(glGetString(name));
        return std::string(bytes ? bytes : "unknown");
    };
    return text(GL_VERSION) + ", " + text(GL_RENDERER);
}

// The back end's own shutdown would delete objects of a context that is gone: it is made to forget them instead.
void forgetBackEnd() {
    ImGuiIO& io = ImGui::GetIO();
    if (io.BackendRendererUserData) ImGui::MemFree(io.BackendRendererUserData);
    io.BackendRendererUserData = nullptr;
    io.BackendRendererName = nullptr;
    io.BackendFlags &= ~ImGuiBackendFlags_RendererHasVtxOffset;
    io.Fonts->SetTexID(nullptr);
}

}  // namespace

Screen::Screen() : context_(nullptr), fonts_(std::make_unique<FontSet>()), context3d_(std::make_unique<GlContext>()) {
    IMGUI_CHECKVERSION();
    context_ = ImGui::CreateContext();
    io().IniFilename = io().LogFilename = nullptr;
    io().ConfigFlags |= ImGuiConfigFlags_NoMouseCursorChange;
    io().ConfigInputTrickleEventQueue = true;
}

Screen::~Screen() {
    ImGui::SetCurrentContext(context_);
    if (ready_) forgetBackEnd();
    ImGui::DestroyContext(context_);
}

ImGuiIO& Screen::io() {
    ImGui::SetCurrentContext(context_);
    return ImGui::GetIO();
}

std::string Screen::glReady() {
    io();
    if (ready_) glLost();
#ifdef __EMSCRIPTEN__
    ready_ = ImGui_ImplOpenGL3_Init("#version 300 es");
#else
    ready_ = ImGui_ImplOpenGL3_Init("#version 330 core");
#endif
    if (!ready_) return "Nothing can be drawn: OpenGL did not start.";
    fontsUploaded_ = false;
    glInfo_ = rendererName();
    const std::string why = context3d_->create();
    if (!why.empty()) glInfo_ += "; " + why;
    return why;
}

void Screen::glLost() {
    io();
    if (!ready_) return;
    forgetBackEnd();
    context3d_->forget();
    ready_ = false;
    glInfo_ = "lost";
}

void Screen::glDestroy() {
    io();
    if (!ready_) return;
    context3d_->destroy();
    ImGui_ImplOpenGL3_Shutdown();
    ready_ = false;
}

void Screen::begin(const FrameInput& input, const Theme& theme) {
    ImGuiIO& io = this->io();
    input_ = input;
    io.DisplaySize = {static_cast<float>(input.width), static_cast<float>(input.height)};
    io.DisplayFramebufferScale = {static_cast<float>(input.pixelRatio), static_cast<float>(input.pixelRatio)};
    io.DeltaTime = static_cast<float>(std::clamp(input.now - before_, 1e-4, kLongestStep));
    before_ = input.now;
    bakeFonts(input.pixelRatio);
    applyStyle(theme);
    if (ready_) ImGui_ImplOpenGL3_NewFrame();
    if (ready_) context3d_->beginFrame(input.width, input.height, input.pixelRatio);
    interactiveBefore_.swap(interactive_);
    interactive_.clear();
    scrollable_.clear();
    drawAgainAt_ = -1;
    ImGui::NewFrame();
}

void Screen::bakeFonts(double pixelRatio) {
    if (fonts_->bake(pixelRatio)) {
        if (ready_ && fontsUploaded_) {
            ImGui_ImplOpenGL3_DestroyFontsTexture();
            ImGui_ImplOpenGL3_CreateFontsTexture();
        }
        ImGui::GetIO().FontDefault = fonts_->font(FontFace::Regular, 15);
    }
    fontsUploaded_ = ready_;
    // Nobody uploads the atlas when there is no back end; ImGui still wants it built.
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    if (!ready_) ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
}

void Screen::end(const Theme& theme) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.WantTextInput) drawAgainIn(kCaretBlink);
    // ImGui takes a quick press and release in two frames: what it still holds back must not wait for the next event.
    if (!context_->InputEventsQueue.empty()) drawAgainIn(0);
    if (hoveredNow_ == 0) hovered_ = pressed_ = 0;
    hoveredNow_ = 0;
    pinchNotches_ = 0;
    wantsText_ = io.WantTextInput;
    holding_ = ImGui::IsAnyItemActive();
    popupOpen_ = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
    cursor_ = ImGui::GetMouseCursor();
    ImGui::Render();
    if (!ready_) return;
    glViewport(0, 0, static_cast<int>(std::lround(input_.width * input_.pixelRatio)),
               static_cast<int>(std::lround(input_.height * input_.pixelRatio)));
    glClearColor(theme.ground.r, theme.ground.g, theme.ground.b, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

MeasureText Screen::measureText() {
    io();
    if (fonts_->pixelRatio() == 0) bakeFonts(1);
    return textMeasure(*fonts_);
}

std::unique_ptr<Painter> Screen::picturePainter(const Theme& theme) {
    GlContext* gl = ready_ && context3d_->ready() ? context3d_.get() : nullptr;
    return std::make_unique<ImGuiPainter>(*ImGui::GetBackgroundDrawList(), *fonts_, theme, input_.pixelRatio, gl);
}

Pointer Screen::pointer(Rect picture, bool wheelZooms) {
    const ImGuiIO& io = ImGui::GetIO();
    Pointer pointer;
    pointer.at = fromIm(io.MousePos);
    const bool tracked = io.MousePos.x > -FLT_MAX / 2;
    if (ImGui::IsMouseClicked(0)) pressedOnPicture_ = tracked && picture.contains(pointer.at) && !io.WantCaptureMouse;
    pointer.touch = io.MouseSource == ImGuiMouseSource_TouchScreen;
    pointer.pressed = ImGui::IsMouseClicked(0) && pressedOnPicture_;
    pointer.down = io.MouseDown[0] && pressedOnPicture_;
    pointer.released = ImGui::IsMouseReleased(0) && pressedOnPicture_;
    pointer.doubleClicked = ImGui::IsMouseDoubleClicked(0) && pressedOnPicture_;
    pointer.inside = tracked && (pointer.down || (picture.contains(pointer.at) && !io.WantCaptureMouse));
    pointer.zoomKey = io.KeyCtrl || io.KeySuper;
    pointer.wheel = pointer.inside && wheelZooms ? io.MouseWheel : 0;
    if (pinchNotches_ != 0 && picture.contains(pinchAt_)) {
        pointer.at = pinchAt_;
        pointer.inside = pointer.zoomKey = true;
        pointer.down = pointer.pressed = false;
        pointer.wheel = pinchNotches_;
    }
    return pointer;
}

void Screen::pinch(Vec2 at, double factor) {
    if (!(factor > 0) || !std::isfinite(factor)) return;
    pinchAt_ = at;
    pinchNotches_ += std::log(factor) / std::log(kNotch);
}

void Screen::interactive(Rect rect) { interactive_.push_back(rect); }

void Screen::scrollable(Rect rect) { scrollable_.push_back(rect); }

bool Screen::wasInteractive(Vec2 at) const { return inAny(interactiveBefore_, at); }

bool Screen::interactiveAt(Vec2 at) const { return popupOpen_ || inAny(interactive_, at) || inAny(scrollable_, at); }

bool Screen::scrollableAt(Vec2 at) const { return popupOpen_ || inAny(scrollable_, at); }

void Screen::drawAgainIn(double seconds) {
    const double at = input_.now + seconds;
    drawAgainAt_ = drawAgainAt_ < 0 ? at : std::min(drawAgainAt_, at);
}

double Screen::wants(double now) const { return drawAgainAt_ < 0 ? -1 : std::max(0.0, drawAgainAt_ - now); }

void Screen::tooltip(const std::string& text) {
    if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    const unsigned item = ImGui::GetItemID();
    const bool finger = ImGui::GetIO().MouseSource == ImGuiMouseSource_TouchScreen;  // a resting finger asks for the explanation
    if (ImGui::IsItemActive() && !finger) pressed_ = item;
    if (pressed_ == item) return void(hoveredNow_ = item);  // who has used it knows what it does
    pressed_ = 0;
    if (item != hovered_) {
        hovered_ = item;
        hoveredSince_ = input_.now;
        tooltipFrames_ = 0;
    }
    hoveredNow_ = item;
    const double left = kTooltipDelay - (input_.now - hoveredSince_);
    if (left > 0) return drawAgainIn(left);
    // ImGui measures a new window in one frame and shows it in the next.
    if (++tooltipFrames_ <= 2) drawAgainIn(0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {10, 7});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 7);
    ImGui::PushFont(fonts_->font(FontFace::Regular, 13));
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(300);
    const std::string_view words = inWords(text);
    ImGui::TextUnformatted(words.data(), words.data() + words.size());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
    ImGui::PopFont();
    ImGui::PopStyleVar(2);
}

namespace {

/// The state as it is seen now, standing still (while playing, App::link() leaves out where the timeline is), behind the address.
std::string stillLink(const std::string& address, State state) {
    if (state.params.contains("play")) state.params.set("play", false);
    return (address.empty() ? "" : address.substr(0, address.find('#')) + '#') + formatLink(state);
}

}  // namespace

std::optional<FigureRequest> figureRequest(App& app, const FigureWish& wish) {
    const Session& session = app.session();
    const Report* report = app.wholeReport();
    if (!report || !app.pictureReady()) return {};
    const Layout& layout = app.layout();
    return FigureRequest{.report = *report,
                         .state = session.state(),
                         .width = wish.width > 0 ? wish.width : layout.picture.width(),
                         .height = wish.height > 0 ? wish.height : layout.picture.height(),
                         .dark = wish.dark,
                         .highContrast = app.options().highContrast,
                         .compact = layout.compact,
                         .panels = app.options().panels,
                         .link = stillLink(wish.link, session.state()),
                         .caption = wish.caption,
                         .file = session.shownFile(),
                         .lent = app.session().reportToTake()};
}

std::string figureSvg(App& app, const FigureWish& wish) {
    const auto request = figureRequest(app, wish);
    return request ? pictureSvg(*request, app.screen().measureText()) : std::string();
}

}  // namespace kappaflow
