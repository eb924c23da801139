#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/runner.h"
#include "scene/param.h"
#include "scene/report.h"
#include "scene/state.h"

namespace kappaflow {

/// What undo goes back to: a state and the files it speaks of.
struct Moment {
    State state;
    std::shared_ptr<const Attachment> network, data;
    bool withTimeline = false;  ///< going back brings the timeline back too
};

/// Undo as a list of moments. Changes that follow each other under the same key within a second (a slider being dragged)
/// are one step. The oldest steps are forgotten beyond 200, and where the files they speak of pass 128 MB together.
class History {
public:
    /// Before a change: remembers the moment it starts from. `key` names what is changed.
    void remember(const Moment& before, std::string key, double now);
    bool canUndo() const { return !past_.empty(); }
    bool canRedo() const { return !future_.empty(); }
    /// Gives the moment to go to; `present` becomes what the opposite direction returns to.
    Moment undo(Moment present);
    Moment redo(Moment present);
    std::size_t depth() const { return past_.size(); }
    /// Forgets the steps since the history was `depth` deep: their changes came to nothing.
    void cutTo(std::size_t depth);

private:
    std::vector<Moment> past_, future_;
    std::string key_;
    double when_ = -1e9;
};

/// Content of a file that a reader drops: a network, points (CSV, JSON, npz), images (IDX, CIFAR), or the labels of such images (IDX).
enum class FileContent { Network, Points, Images, Labels };

/// By its first bytes and its length, else by its name; a network is what nothing else claims. Whether the file is sound is for its reader
/// to say.
FileContent contentOf(std::string_view fileName, std::span<const unsigned char> bytes);

/// Whether a file of that content can be the param's.
bool takes(const Param&, FileContent);
/// The same in words, for a control: "open images of your own (MNIST, CIFAR)".
const char* invitation(const Param&);

/// An IDX file of images with a file of labels behind, in the place of any that followed it.
std::vector<unsigned char> withLabels(std::span<const unsigned char> images, std::span<const unsigned char> labels);

/// What a reader does and what comes of it, without any screen: the state and its history, the attached files, the job that
/// computes the state, the newest report. Nothing a reader supplies throws out of here: it becomes `message` or `warnings`.
class Session {
public:
    using Clock = JobQueue::Clock;
    Session(std::unique_ptr<Runner>, Clock);

    const State& state() const { return state_; }
    const Declaration& scene() const;
    /// The scene's timeline beside the present params.
    const TimelineRow& timeline() const { return scene().timelineBeside(state_.params); }
    /// Params the scene shows now, `visible` applied.
    bool isVisible(const Param&) const;

    /// Starts from a link (fragment, query or whole); what it cannot use becomes warnings. No undo step. What stands before a fragment
    /// is the author's: a reset comes back to it.
    void openLink(std::string_view link);
    /// Params that keep the author's values in the author's scene, whatever a reader, a preset, a handle or a fragment says.
    void setLocked(std::set<std::string, std::less<>> keys) { locked_ = std::move(keys); }
    bool isLocked(std::string_view key) const { return state_.scene == author_.scene && locked_.contains(key); }
    /// One change by the reader: an undo step, unless it only moves the timeline, which goes by itself too.
    void change(const Change&);
    /// Before the reader moves the timeline: where it stands is what undo goes back to.
    void rememberTimeline() { history_.remember(moment(true), "timeline", clock_()); }
    /// A param from its text. The sentence says why not; empty: done.
    std::string setText(std::string_view key, std::string_view text);
    bool canUndo() const { return history_.canUndo(); }
    bool canRedo() const { return history_.canRedo(); }
    void undo();
    void redo();

    /// A file: shown, once its report has come, by the current scene if that takes what the file holds, else by the first that does;
    /// refused with a message, and everything stays as it was. Labels join the images that came before them, or wait for those.
    void attach(std::string name, std::vector<unsigned char> bytes);
    /// The same for a file that is meant as a network or as data, whatever it looks like.
    void attachAs(Kind, std::string name, std::vector<unsigned char> bytes);
    const Attachment* network() const { return network_.get(); }
    const Attachment* data() const { return data_.get(); }
    /// Name of the file that the state shows, "" without one.
    std::string shownFile() const;

    /// Asks for the network that the state shows, as an ONNX file: the scene is computed once more with it, and `takeNetworkFile` then has
    /// it, unless the state changes before; a message says why there is none.
    void askForNetworkFile();
    bool hasNetworkFile() const { return !networkFile_.empty(); }
    std::vector<unsigned char> takeNetworkFile() { return std::exchange(networkFile_, {}); }

    /// Ends what is being computed; unfinished results stay on screen, and the next change computes again. A file on trial goes.
    void stop();

    /// Takes what the jobs have to say. True when something to be seen changed.
    bool poll();
    /// Until the answer is what `report` gives: one that has come and was not taken yet is none.
    bool busy() const { return jobs_.busy() || !started_.empty(); }
    /// Seconds the running job has taken so far.
    double busyFor() const { return jobs_.runningFor(); }
    double progress() const { return progress_; }

    /// The newest result of the current scene, null before the first; it may lag behind the state.
    const Report* report() const;
    /// The newest result of whatever scene, for a picture to take its arrays and give them back.
    Report* reportToTake() { return report_ ? &*report_ : nullptr; }
    const std::string& message() const { return message_; }
    /// Clamped and ignored values, then the report's own warnings.
    std::vector<std::string> warnings() const;
    void dismissMessage();
    void dismissWarnings();
    /// For sentences that come from outside: a file that could not be opened; a setting of the page that means nothing.
    void say(std::string message);
    void warn(std::string warning);

    /// Grows with every change of anything above.
    std::uint64_t version() const { return version_; }
    /// The same without the moves of the timeline.
    std::uint64_t lastingVersion() const { return lastingVersion_; }
    /// Grows when a scene is begun anew: opened, reset, or given a preset.
    std::uint64_t beginnings() const { return beginnings_; }
    std::uint64_t resultsSeen() const { return results_; }
    double lastJobSeconds() const { return lastJobSeconds_; }
    /// What the running or newest job was asked.
    const Request& asked() const { return asked_; }

private:
    /// A file that has not shown yet that it can be used.
    struct Trial {
        Moment before;
        std::size_t depth;  ///< of the history before
        Kind kind;
    };
    bool quiet(const Change&) const;
    /// Puts what is locked back; the sentence says so where the reader meant it.
    void keepLocked(State&, std::vector<std::string>& warnings) const;
    void withoutMissingFiles(State&, std::vector<std::string>& warnings) const;
    Moment moment(bool withTimeline = false) const { return {state_, network_, data_, withTimeline}; }
    void attachImages(Attachment);
    void attachLabels(Attachment);
    void show(const Declaration&, const Param&, Attachment);
    std::shared_ptr<const Attachment>& fileOf(Kind kind) { return kind == Kind::Data ? data_ : network_; }
    void restore(Moment);
    void goBackTo(Moment);
    void submitIfNew();
    void submit(Request);
    void takeNetworkFile(Report&, JobId);
    void noteStart();
    Request requestOf(const State&) const;
    void take(JobEvent&);
    void takeReport(JobEvent&);
    void fail(const JobEvent&);
    void showNearest(const Values&);
    void dropTrial();
    bool answersNewest(const JobEvent&) const;
    void touch() { ++version_, ++lastingVersion_; }

    Clock clock_;
    JobQueue jobs_;
    State state_, author_;
    std::set<std::string, std::less<>> locked_;
    History history_;
    std::shared_ptr<const Attachment> network_, data_;
    std::shared_ptr<const Attachment> images_, labels_;  ///< a refused file of images, and one of labels: waiting for their other half
    std::optional<Trial> trial_;
    std::map<JobId, Request> started_;  ///< what the jobs still to be heard of were asked
    JobId lastStarted_ = 0;
    std::optional<Report> report_;
    std::vector<unsigned char> networkFile_;
    Request asked_, shown_;  ///< newest request, and the one whose finished report is shown
    double askedAt_ = 0, progress_ = 0, lastJobSeconds_ = 0;
    std::string message_;
    std::vector<std::string> warnings_;
    bool reportWarningsDismissed_ = false;
    std::uint64_t version_ = 1, lastingVersion_ = 1, beginnings_ = 1, results_ = 0;
};

}  // namespace kappaflow
