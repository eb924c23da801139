#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/layout.h"
#include "app/session.h"
#include "draw/color.h"
#include "draw/handles.h"
#include "draw/notes.h"
#include "draw/painter.h"
#include "draw/spots.h"
#include "scene/playhead.h"
#include "scenes/picture.h"

namespace kappaflow {

class Screen;

/// The program without its window: owns what a reader does (Session), how time passes (Playhead), the scene's picture, and the
/// screen it is drawn on, if there is one. Everything but drawing works without a screen.
class App {
public:
    App(std::unique_ptr<Runner>, Session::Clock);
    ~App();

    Session& session() { return session_; }
    const Session& session() const { return session_; }
    const Options& options() const { return options_; }
    void setOptions(Options);
    /// Of the options' spots, as the last frame met them.
    const std::vector<Spot>& spots() const { return spots_; }
    const Theme& theme() const { return Theme::of(options_.dark, options_.highContrast); }
    /// Where the panels, fonts and GL objects live; events for ImGui go through it.
    Screen& screen() { return *screen_; }
    const Screen& screen() const { return *screen_; }
    Folds& folds() { return folds_; }
    /// Where the window finds a scene's notes, by its id; the page shows them as HTML.
    void setNotesSource(std::function<std::vector<NoteLine>(std::string_view)> source) { notesSource_ = std::move(source); }
    /// Whether a bundle's pictures can be made: where their code comes later than the program, nothing is drawn before. Default: always.
    void setPicturesReady(std::function<bool(const std::string& bundle)> ready) { picturesReady_ = std::move(ready); }
    bool pictureReady() const { return !picturesReady_ || picturesReady_(session_.scene().bundle); }
    /// The newest result with all its numbers: those that the picture has taken are given back until the next frame.
    const Report* wholeReport();
    /// Forgets the numbers of the shown result, before one comes that leaves no room for both. Keeps them while a network is saved: its
    /// file may come alone.
    void forgetNumbers();
    /// The current scene's notes.
    const std::vector<NoteLine>& notes();

    /// Takes the time and the size, moves everything on, draws when there is something new to see. Returns the seconds until
    /// the next wanted call: 0 at the next animation frame, −1 never (until something happens).
    double frame(const FrameInput&);
    /// Something happened: draw again. An input takes ImGui three frames to settle.
    void wake(int frames = 3);
    /// Whether frame() would draw now.
    bool needsFrame() const;
    bool drewLastFrame() const { return drew_; }

    /// The scene's picture, as it stands, on any painter (tests, exports). Changes nothing.
    void drawPicture(Painter&, Rect);

    bool hasTimeline() const { return !playhead_.empty(); }
    /// The reader's wish, unless motion is not wanted and nobody asked for it.
    bool playing() const;
    /// Playing came to the end, and nobody has moved the timeline since: what a change makes is shown at its end too.
    bool playedToEnd() const;
    void play(bool);
    void togglePlay() { play(!playing()); }
    /// One step along the timeline in playing order (+1, −1); stops playing.
    void step(int direction);
    /// Puts the timeline at an axis value; stops playing.
    void scrub(double at);
    /// One of the reader's changes back or forth, moves of the timeline among them.
    void undo() { playhead_.release(), session_.undo(), wake(); }
    void redo() { playhead_.release(), session_.redo(), wake(); }
    /// How fast playing is, as a multiple of the scene's own pace: 0.1 … 10, what lies outside is clamped.
    double speed() const { return speed_; }
    void setSpeed(double);
    /// The next of 0.25, 0.5, 1, 2, 4 in a direction (+1, −1).
    void changeSpeed(int direction);
    /// Where the timeline stands, an axis value inside the report's axis.
    double at() const;
    const Playhead& playhead() const { return playhead_; }

    /// Neighbour in the scene list.
    void changeScene(int direction);
    void resetView();
    /// A link; the timeline starts from its beginning unless the link says where it stands.
    void openLink(std::string_view);
    /// The state as a link. While playing it does not say where the timeline stands, so that it stays the same.
    std::string link() const;

    Handles& handles() { return handles_; }
    const Handles& handles() const { return handles_; }
    void moveHandle(std::string id, double value);
    void focusHandle(std::string id);
    /// Moves the focused handle by steps of its own; false: none has the focus.
    bool nudgeHandle(int steps);

    void wish(Wish);
    std::vector<Wish> takeWishes();

    const Layout& layout() const { return layout_; }
    Counters counters() const;
    /// Only the page knows them; the diagnostics panel tells them.
    void noteContexts(const Contexts& contexts) { counters_.contexts = contexts; }
    /// Grows when anything that describe.h tells has changed; while playing, once a step.
    std::uint64_t version() const { return version_; }
    /// Whether "computing" is worth showing: the answer takes longer than a reader takes for instant.
    bool lagging() const;

private:
    /// What a picture asked for while it was painted.
    struct Asked {
        std::vector<Change> changes;
        bool animating = false;
    };
    double takeTime(const FrameInput&);
    void followScene();
    void followReport();
    void moveTimeline(double seconds);
    void setAt(double);
    bool awaitingResult() const;
    bool animating() const;
    double nextWanted() const;
    void layOut();
    void draw();
    void drawPanels();
    void drawUnseen();
    void apply(Asked);
    void countVersions();
    Rect pictureArea() const;
    void giveBack();
    Asked paint(Painter&, Handles&, Rect);

    Session session_;
    Session::Clock clock_;
    Options options_;
    std::vector<Spot> spots_;
    Folds folds_;
    Playhead playhead_;
    std::unique_ptr<Picture> picture_;
    std::string pictureScene_;
    Handles handles_;
    AxisMemory axes_;
    std::function<std::vector<NoteLine>(std::string_view)> notesSource_;
    std::function<bool(const std::string&)> picturesReady_;
    std::vector<NoteLine> notes_;
    std::string notesScene_;
    std::unique_ptr<Screen> screen_;
    Layout layout_;
    FrameInput input_;
    std::vector<Wish> wishes_;
    Counters counters_;
    int framesOwed_ = 3;
    bool drew_ = false, pictureAnimates_ = false, motionAsked_ = false, played_ = false, startOver_ = true, lagShown_ = false;
    double seconds_ = 0;  ///< since the scene was opened
    double speed_ = 1;
    std::uint64_t drawnVersion_ = 0, beginning_ = 0, resultsAtBeginning_ = 0;
    /// What version() has told of so far.
    struct Told {
        std::uint64_t session = 0, lasting = 0;
        std::size_t step = 0;
        bool busy = false, playing = false;
        double speed = 1;
        friend bool operator==(const Told&, const Told&) = default;
    } told_;
    std::vector<Handle> toldHandles_;
    std::uint64_t version_ = 1;
};

}  // namespace kappaflow
