#include "app/app.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include "app/panels.h"
#include "app/screen.h"
#include "draw/imgui_painter.h"
#include "draw/imgui_support.h"
#include "draw/painter.h"

namespace kappaflow {
namespace {

constexpr double kLongestPause = 0.1;  // a longer time between frames was sleep, not motion
constexpr double kPollSeconds = 0.01;  // while a job runs: how often its answer is looked for, and whether it has grown old
constexpr double kInstant = 0.15;      // answers later than this show that something is being computed

bool sameHandles(const std::vector<Handle>& a, const std::vector<Handle>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Handle& x, const Handle& y) {
        return x.id == y.id && x.value == y.value && x.min == y.min && x.max == y.max && x.rect == y.rect;
    });
}

}  // namespace

App::App(std::unique_ptr<Runner> runner, Session::Clock clock)
    : session_(std::move(runner), clock), clock_(std::move(clock)), screen_(std::make_unique<Screen>()) {}

App::~App() = default;

double App::frame(const FrameInput& input) {
    ++counters_.ticks;
    const double seconds = takeTime(input);
    session_.poll();
    followScene();
    followReport();
    moveTimeline(seconds);
    drew_ = needsFrame();
    if (drew_) draw();
    countVersions();
    return nextWanted();
}

double App::takeTime(const FrameInput& input) {
    if (input.width != input_.width || input.height != input_.height || input.pixelRatio != input_.pixelRatio) wake();
    const double passed = std::clamp(input.now - input_.now, 0.0, kLongestPause);
    input_ = input;
    if (animating()) seconds_ += passed;
    return passed;
}

void App::followScene() {
    if (pictureScene_ != session_.state().scene) {
        pictureScene_ = session_.state().scene;
        giveBack();
        picture_.reset();
        axes_ = {};
    }
    if (!picture_ && pictureReady()) picture_ = makePicture(pictureScene_);
    if (beginning_ == session_.beginnings()) return;
    beginning_ = session_.beginnings();
    resultsAtBeginning_ = session_.resultsSeen();
    seconds_ = 0;
    played_ = false;
    axes_ = {};
    // A link that says where the timeline stands is taken at its word.
    const std::string_view param = session_.timeline().param;
    startOver_ = !param.empty() && session_.state().params.at(param) == session_.scene().param(param)->standard;
}

void App::changeScene(int direction) {
    const auto& all = declarations();
    const auto count = static_cast<int>(all.size());
    const auto here = static_cast<int>(&session_.scene() - all.data());
    session_.change(Change::scene(all[static_cast<std::size_t>((here + direction + count) % count)].id));
}

void App::resetView() {
    // A copy: every change makes a new state.
    const auto zooms = session_.state().zooms;
    for (const auto& [plot, range] : zooms) session_.change(Change::unzoom(plot));
}

void App::openLink(std::string_view link) {
    session_.openLink(link);
    wake();
}

std::string App::link() const {
    State state = session_.state();
    const std::string_view param = session_.timeline().param;
    if (!param.empty() && (playing() || playedToEnd()))
        state.params.set(param, standardBeside(*session_.scene().param(param), state.params));
    return formatLink(state);
}

void App::setOptions(Options options) {
    if (options.spots != options_.spots) {
        spots_.clear();
        for (const std::string& id : options.spots) spots_.push_back({.id = id});
    }
    options_ = std::move(options);
    session_.setLocked(options_.lock);
    wake();
}

void App::wake(int frames) { framesOwed_ = std::max(framesOwed_, frames); }

bool App::animating() const { return playing() || playhead_.stepping() || (pictureAnimates_ && !options_.reducedMotion); }

bool App::needsFrame() const {
    if (framesOwed_ > 0 || animating() || session_.version() != drawnVersion_) return true;
    return screen_->wants(input_.now) == 0 || lagging() != lagShown_;
}

double App::nextWanted() const {
    if (needsFrame()) return 0;
    const double next = screen_->wants(input_.now);
    if (!session_.busy()) return next;
    return next < 0 ? kPollSeconds : std::min(next, kPollSeconds);
}

bool App::lagging() const { return session_.busy() && session_.busyFor() > kInstant; }

const std::vector<NoteLine>& App::notes() {
    if (notesSource_ && notesScene_ != session_.scene().id) {
        notesScene_ = session_.scene().id;
        notes_ = notesSource_(notesScene_);
    }
    return notes_;
}

void App::layOut() {
    const bool timeline = !session_.timeline().param.empty() && !options_.isHidden("timeline");
    layout_ = computeLayout({input_.width, input_.height, options_.ui, timeline, folds_.listFolded, folds_.words && options_.native});
}

void App::draw() {
    const auto before = std::chrono::steady_clock::now();
    // ImGui measures a new slip or popup in one frame and shows it in the next.
    if (session_.version() != drawnVersion_) wake(2);
    drawnVersion_ = session_.version();
    lagShown_ = lagging();
    if (framesOwed_ > 0) --framesOwed_;
    ++counters_.frames;
    layOut();
    screen_->usable() ? drawPanels() : drawUnseen();
    counters_.drawMilliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before).count();
}

void App::drawPanels() {
    screen_->begin(input_, theme());
    Desk desk{*this, session_, *screen_, theme(), layout_, options_, folds_, input_.pixelRatio};
    followKeys(desk);
    followScene(), followReport();  // a key may have led to another
    const Pointer pointer = screen_->pointer(layout_.picture, options_.native);
    handles_.beginFrame(pointer);
    Handles none;  // where the page has none, the picture still draws its marks
    none.beginFrame({});
    Handles& offered = options_.isHidden("handles") ? none : handles_;
    {
        auto painter = screen_->picturePainter(theme());
        SpotPainter spots(*painter, spots_, options_.lit, pointer.inside ? pointer.at : Vec2{-1e6, -1e6});
        apply(paint(spots_.empty() ? *painter : spots, offered, pictureArea()));
    }
    handles_.endFrame();
    if (handles_.holding() || (pointer.inside && handles_.hits(pointer.at, 0))) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    drawSceneList(desk);
    drawToolbar(desk);
    drawHeading(desk);
    drawTimeline(desk);
    folds_.words&& options_.native ? drawWords(desk) : drawParams(desk);
    drawDiagnostics(desk);
    drawMessages(desk);
    drawProgress(desk);
    screen_->end(theme());
}

// Without a screen the picture is still gone through: its handles are what keyboards and screen readers use.
void App::drawUnseen() {
    NullPainter nowhere;
    SpotPainter spots(nowhere, spots_, {}, {-1e6, -1e6});
    Handles none;
    none.beginFrame({});
    handles_.beginFrame({});
    apply(paint(spots, options_.isHidden("handles") ? none : handles_, pictureArea()));
    handles_.endFrame();
    pictureAnimates_ = false;
}

void App::apply(Asked asked) {
    pictureAnimates_ = asked.animating;
    for (const auto& change : asked.changes) {
        if (change.what == Change::What::Param && change.key == session_.timeline().param) {
            if (playing()) play(false);
            if (session_.state().params.at(change.key) != change.value) session_.rememberTimeline();
        }
        session_.change(change);
    }
}

// The picture's marks keep clear of the panels beside it.
Rect App::pictureArea() const {
    const double side = layout_.compact ? 2 : 10;
    return layout_.picture.inset(side, 0, side, 0);
}

void App::giveBack() {
    if (Report* const report = session_.reportToTake(); picture_ && report) picture_->giveBack(*report, session_.resultsSeen());
}

const Report* App::wholeReport() {
    giveBack();
    return session_.report();
}

void App::forgetNumbers() {
    if (!session_.report() || session_.asked().networkOnly) return;
    if (picture_) picture_->free();
    session_.reportToTake()->arrays.clear();
}

App::Asked App::paint(Painter& painter, Handles& handles, Rect area) {
    const Report* report = session_.report();
    if (!picture_ || !report || area.width() < 1 || area.height() < 1) return {};
    picture_->take(*session_.reportToTake(), session_.resultsSeen());
    const bool still = options_.reducedMotion && !motionAsked_;
    PictureFrame frame{
        painter, theme(), handles,         *report, session_.resultsSeen(), session_.state(), area, seconds_, layout_.compact, still, {},
        false,   false,   options_.panels, &axes_};
    axes_.held = handles.holding();
    painter.pushClip(area);
    picture_->draw(frame);
    painter.popClip();
    return {std::move(frame.changes), frame.animating};
}

void App::drawPicture(Painter& painter, Rect area) {
    followScene();
    Handles untouched;
    untouched.beginFrame({});
    paint(painter, untouched, area);
}

void App::moveHandle(std::string id, double value) {
    handles_.moveTo(std::move(id), value);
    wake();
}

void App::focusHandle(std::string id) {
    handles_.focus(std::move(id));
    wake();
}

bool App::nudgeHandle(int steps) {
    if (!handles_.nudge(steps)) return false;
    wake();
    return true;
}

void App::wish(Wish wish) { wishes_.push_back(std::move(wish)); }

std::vector<Wish> App::takeWishes() {
    std::vector<Wish> wishes = std::exchange(wishes_, {});
    if (session_.hasNetworkFile()) wishes.push_back({Wish::What::Download, "onnx"});
    return wishes;
}

Counters App::counters() const {
    Counters counters = counters_;
    counters.results = session_.resultsSeen();
    counters.jobMilliseconds = 1000 * session_.lastJobSeconds();
    return counters;
}

// While something moves by itself, whoever mirrors the state hears of every step, not of every frame.
void App::countVersions() {
    const Told now{animating() ? told_.session : session_.version(),
                   session_.lastingVersion(),
                   hasTimeline() ? playhead_.stepAt(at()) : 0,
                   session_.busy(),
                   playing(),
                   speed_};
    if (now == told_ && !drew_) return;
    const bool same = now == told_ && (animating() || sameHandles(handles_.shown(), toldHandles_));
    if (same) return;
    ++version_;
    told_ = now;
    toldHandles_ = handles_.shown();
}

namespace {

// How time passes in the app: the timeline follows the report's axis, plays, steps and is scrubbed.

constexpr std::string_view kPlay = "play";

}  // namespace

// The timeline walks along an axis of what is shown, which may lag behind the params.
void App::followReport() {
    const Report* report = session_.report();
    const TimelineRow& timeline = session_.timeline();
    Track track = report ? trackOf(session_.scene(), timeline, *report) : Track{};
    const bool steps = !track.steps.empty();
    const bool moves = playedToEnd() && track != playhead_.track();
    playhead_.setTrack(std::move(track));
    if (moves && !playhead_.empty()) setAt(playhead_.valueAt(static_cast<double>(playhead_.lastStep())));
    const bool answered = session_.resultsSeen() != resultsAtBeginning_ || !session_.busy();
    if (!steps || !startOver_ || !answered) return;
    startOver_ = false;
    if (playing()) setAt(playhead_.valueAt(0));
}

void App::moveTimeline(double seconds) {
    if (!hasTimeline()) return;
    if (playing()) {
        if (awaitingResult() || handles_.holding() || screen_->holding()) return;
        setAt(playhead_.play(at(), speed_ * seconds));
        played_ = playhead_.ended();
    } else if (playhead_.stepping())
        setAt(playhead_.glide(at(), seconds));
}

bool App::awaitingResult() const {
    const Param* param = session_.scene().param(session_.timeline().param);
    return param && param->affects == Affects::Request && session_.busy();
}

void App::setAt(double at) { session_.change(Change::param(std::string(session_.timeline().param), at)); }

double App::at() const {
    const std::string_view param = session_.timeline().param;
    if (param.empty() || playhead_.empty()) return 0;
    const auto& steps = playhead_.track().steps;
    return std::clamp(session_.state().params.number(param), steps.front(), steps.back());
}

bool App::playing() const {
    if (playhead_.empty() || !session_.state().params.contains(kPlay)) return false;
    return session_.state().params.flag(kPlay) && !played_ && (!options_.reducedMotion || motionAsked_);
}

bool App::playedToEnd() const {
    return played_ && !playhead_.empty() && playhead_.timeOf(at()) == static_cast<double>(playhead_.lastStep());
}

void App::play(bool on) {
    motionAsked_ = on;
    played_ = false;
    playhead_.release();
    if (session_.state().params.contains(kPlay)) session_.change(Change::param(std::string(kPlay), on));
    wake();
}

void App::setSpeed(double speed) {
    speed_ = std::isfinite(speed) ? std::clamp(speed, 0.1, 10.0) : 1;
    wake();
}

void App::changeSpeed(int direction) {
    constexpr double kSpeeds[] = {0.25, 0.5, 1, 2, 4};
    const auto above = std::upper_bound(std::begin(kSpeeds), std::end(kSpeeds), speed_);
    const auto from = std::lower_bound(std::begin(kSpeeds), std::end(kSpeeds), speed_);
    if (direction > 0 && above != std::end(kSpeeds)) setSpeed(*above);
    if (direction < 0 && from != std::begin(kSpeeds)) setSpeed(*(from - 1));
}

void App::step(int direction) {
    if (!hasTimeline()) return;
    if (playing()) play(false);
    playhead_.step(at(), direction);
    if (playhead_.stepping()) session_.rememberTimeline();
    wake();
}

void App::scrub(double at) {
    if (!hasTimeline()) return;
    if (playing()) play(false);
    playhead_.release();
    if (at != this->at()) session_.rememberTimeline();
    setAt(at);
}

namespace {

bool hit(ImGuiKey key) { return ImGui::IsKeyPressed(key, true); }
bool hitOnce(ImGuiKey key) { return ImGui::IsKeyPressed(key, false); }

void followHistoryKeys(Desk& desk) {
    const ImGuiIO& io = ImGui::GetIO();
    const bool command = io.ConfigMacOSXBehaviors ? io.KeySuper : io.KeyCtrl;
    if (!command) return;
    if (hit(ImGuiKey_Z)) io.KeyShift ? desk.app.redo() : desk.app.undo();
    if (hit(ImGuiKey_Y)) desk.app.redo();
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
    if (hitOnce(ImGuiKey_Escape) && desk.app.lagging() && !desk.screen.popupOpen()) desk.session.stop();
    if (io.KeyCtrl || io.KeySuper || io.KeyAlt) return;
    if (hitOnce(ImGuiKey_Space) && !desk.options.isHidden("timeline")) desk.app.togglePlay();
    if (io.KeyShift && hitOnce(ImGuiKey_Comma)) desk.app.changeSpeed(-1);
    if (io.KeyShift && hitOnce(ImGuiKey_Period)) desk.app.changeSpeed(1);
    if (hitOnce(ImGuiKey_LeftBracket)) desk.app.changeScene(-1);
    if (hitOnce(ImGuiKey_RightBracket)) desk.app.changeScene(1);
    if (hitOnce(ImGuiKey_M)) desk.folds.diagnostics = !desk.folds.diagnostics;
    if (hitOnce(ImGuiKey_R)) desk.app.resetView();
    followArrows(desk);
}

}  // namespace kappaflow
