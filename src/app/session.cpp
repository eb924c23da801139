#include "app/session.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

constexpr double kSameGesture = 1.0;  // seconds between two changes of one gesture
constexpr std::size_t kDeepest = 200;
constexpr std::size_t kMostFileBytes = 128u << 20;  // two files of the largest size; the page's whole memory is a gigabyte

// Bytes of the files that the moments speak of, each once: neighbours share theirs.
std::size_t fileBytes(const std::vector<Moment>& moments) {
    std::set<const Attachment*> files;
    std::size_t bytes = 0;
    for (const auto& moment : moments)
        for (const Attachment* file : {moment.network.get(), moment.data.get()})
            if (file && files.insert(file).second) bytes += file->bytes.size();
    return bytes;
}

Moment takeLast(std::vector<Moment>& from, std::vector<Moment>& to, Moment present) {
    assert(!from.empty());
    present.withTimeline = from.back().withTimeline;
    to.push_back(std::move(present));
    Moment moment = std::move(from.back());
    from.pop_back();
    return moment;
}

}  // namespace

void History::remember(const Moment& before, std::string key, double now) {
    const bool continues = key == key_ && now - when_ < kSameGesture && !past_.empty();
    key_ = std::move(key);
    when_ = now;
    future_.clear();
    if (continues) return;
    past_.push_back(before);
    while (past_.size() > kDeepest || (past_.size() > 1 && fileBytes(past_) > kMostFileBytes)) past_.erase(past_.begin());
}

Moment History::undo(Moment present) {
    key_.clear();
    return takeLast(past_, future_, std::move(present));
}

Moment History::redo(Moment present) {
    key_.clear();
    return takeLast(future_, past_, std::move(present));
}

void History::cutTo(std::size_t depth) {
    key_.clear();
    if (past_.size() > depth) past_.erase(past_.begin() + static_cast<std::ptrdiff_t>(depth), past_.end());
}

namespace {

constexpr std::string_view kPlay = "play", kFile = "file";

bool sameQuestion(const Request& a, const Request& b) {
    return a.scene == b.scene && a.params == b.params && a.network == b.network && a.data == b.data;
}

bool begins(const Change& change) {
    return change.what == Change::What::Scene || change.what == Change::What::Preset || change.what == Change::What::Reset;
}

// Changes under one key within a moment are one undo step, and so is what a drag does to several numbers of the view.
std::string gestureOf(const Change& change, const Declaration& scene) {
    const Param* param = change.what == Change::What::Param ? scene.param(change.key) : nullptr;
    const bool turned = param && param->affects == Affects::View && param->kind == Kind::Number;
    return std::to_string(static_cast<int>(change.what)) + (turned ? " view" : change.key);
}

}  // namespace

Session::Session(std::unique_ptr<Runner> runner, Clock clock)
    : clock_(clock),
      jobs_(std::move(runner), clock),
      state_(initialState(declarations().front().id)),
      author_(openingState(state_.scene)) {}

const Declaration& Session::scene() const {
    const Declaration* scene = findDeclaration(state_.scene);
    assert(scene);
    return *scene;
}

bool Session::isVisible(const Param& param) const { return param.visible(state_.params); }

void Session::openLink(std::string_view link) {
    warnings_.clear();
    message_.clear();
    state_ = parseLink(link, warnings_);
    std::vector<std::string> said;
    author_ = parseLink(authorPart(link), said);
    withoutMissingFiles(state_, warnings_);
    withoutMissingFiles(author_, said);
    keepLocked(state_, warnings_);
    ++beginnings_;
    touch();
    submitIfNew();
}

void Session::withoutMissingFiles(State& state, std::vector<std::string>& warnings) const {
    for (const auto& param : findDeclaration(state.scene)->params) {
        const bool data = param.kind == Kind::Data;
        if (!takesFile(param.kind) || (data ? data_ : network_) || state.params.text(param.key) != kFile) continue;
        warnings.push_back("The link shows a " + std::string(data ? "data" : "network") +
                           " file, which a link cannot carry: open the file to see it.");
        state.params.set(param.key, param.standard);
    }
}

void Session::keepLocked(State& state, std::vector<std::string>& warnings) const {
    if (state.scene != author_.scene) return;
    for (const auto& key : locked_) {
        if (!state.params.contains(key) || state.params.at(key) == author_.params.at(key)) continue;
        state.params.set(key, author_.params.at(key));
        warnings.push_back(key + " is fixed on this page.");
    }
}

// Moving the timeline is looking, not changing: it leaves no trace in the history and no message is outdated by it.
bool Session::quiet(const Change& change) const {
    return change.what == Change::What::Param && (change.key == kPlay || change.key == timeline().param);
}

void Session::change(const Change& change) {
    std::vector<std::string> warnings;
    const bool toAuthor = change.what == Change::What::Reset && author_.scene == state_.scene;
    State next = toAuthor ? author_ : apply(state_, change, warnings);
    keepLocked(next, warnings);
    const bool quietly = quiet(change);
    if (!quietly) warnings_ = std::move(warnings);
    if (next == state_) return touch();
    if (!quietly) {
        history_.remember(moment(begins(change)), gestureOf(change, scene()), clock_());
        message_.clear();
    }
    state_ = std::move(next);
    if (begins(change)) ++beginnings_;
    if (quietly)
        ++version_;
    else
        touch();
    submitIfNew();
}

std::string Session::setText(std::string_view key, std::string_view text) {
    const Param* param = scene().param(key);
    if (!param) return "There is no param \"" + std::string(key) + "\" in this scene.";
    try {
        ParsedValue parsed = parseValue(*param, text);
        change(Change::param(param->key, std::move(parsed.value)));
        if (!parsed.warning.empty()) warnings_ = {std::move(parsed.warning)};
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

void Session::restore(Moment to) {
    state_ = std::move(to.state);
    network_ = std::move(to.network);
    data_ = std::move(to.data);
    std::vector<std::string> known;
    keepLocked(state_, known);
    touch();
}

// The timeline stays where it is, unless what is undone has moved it: a reader's hand, or a beginning.
void Session::goBackTo(Moment to) {
    if (to.state.scene == state_.scene) {
        const std::string_view at = timeline().param;
        if (state_.params.contains(kPlay)) to.state.params.set(kPlay, !to.withTimeline && state_.params.flag(kPlay));
        if (!to.withTimeline && state_.params.contains(at)) to.state.params.set(at, state_.params.at(at));
    }
    trial_.reset();
    message_.clear();
    restore(std::move(to));
    submitIfNew();
}

void Session::undo() {
    if (canUndo()) goBackTo(history_.undo(moment()));
}

void Session::redo() {
    if (canRedo()) goBackTo(history_.redo(moment()));
}

// What only the view shows is not part of the question: it is asked with its defaults, so that looking never computes.
Request Session::requestOf(const State& state) const {
    const Declaration& scene = *findDeclaration(state.scene);
    Request request;
    request.scene = state.scene;
    request.params = state.params;
    for (const auto& param : scene.params) {
        if (param.affects == Affects::View) request.params.set(param.key, param.standard);
        if (!takesFile(param.kind) || state.params.text(param.key) != kFile) continue;
        (param.kind == Kind::Data ? request.data : request.network) = param.kind == Kind::Data ? data_ : network_;
    }
    return request;
}

void Session::submitIfNew() {
    Request request = requestOf(state_);
    if (sameQuestion(request, asked_)) return;
    submit(std::move(request));
}

void Session::submit(Request request) {
    asked_ = request;
    askedAt_ = clock_();
    progress_ = 0;
    if (trial_ && !(trial_->kind == Kind::Data ? request.data : request.network)) trial_.reset();
    jobs_.submit(std::move(request));
    noteStart();
}

void Session::askForNetworkFile() {
    if (!scene().savesNetwork) return say(scene().title + " has no network to save.");
    Request request = requestOf(state_);
    request.withNetwork = request.networkOnly = true;
    submit(std::move(request));
}

void Session::takeNetworkFile(Report& report, JobId job) {
    const auto question = started_.find(job);
    if (question == started_.end() || !question->second.withNetwork) return;
    networkFile_ = std::exchange(report.networkFile, {});
    report.network.clear();  // nothing on screen needs the weights
    if (networkFile_.empty()) say(report.warnings.empty() ? "There is no network to save." : report.warnings.back());
}

// The queue starts the newest request or lets it wait: whatever it started last was the newest then.
void Session::noteStart() {
    if (jobs_.newest() == lastStarted_) return;
    lastStarted_ = jobs_.newest();
    started_.insert_or_assign(lastStarted_, asked_);
}

bool Session::answersNewest(const JobEvent& event) const {
    const auto question = started_.find(event.job);
    return question != started_.end() && sameQuestion(question->second, asked_);
}

bool Session::poll() {
    // The first request waits until here: a link opened before is not to queue behind the first scene's defaults.
    if (asked_.scene.empty()) submitIfNew();
    auto events = jobs_.poll();
    noteStart();
    for (auto& event : events) take(event);
    return !events.empty();
}

void Session::take(JobEvent& event) {
    touch();
    switch (event.what) {
        case JobEvent::What::Progress:
            if (answersNewest(event)) progress_ = event.progress;
            return;
        case JobEvent::What::Partial:
            takeReport(event);
            return;
        case JobEvent::What::Done:
            if (event.report.status == Status::Failed) {
                event.message = event.report.message;
                fail(event);
            } else {
                takeReport(event);
            }
            break;
        case JobEvent::What::Failed:
            fail(event);
            break;
    }
    started_.erase(started_.begin(), started_.upper_bound(event.job));
}

void Session::takeReport(JobEvent& event) {
    // A superseded job's result still moves the picture along, unless the scene has changed meanwhile.
    if (event.report.scene != state_.scene) return;
    if (event.what == JobEvent::What::Done && answersNewest(event)) takeNetworkFile(event.report, event.job);
    // A saved network may come alone: what is on screen stays.
    if (event.report.arrays.empty() && event.report.scalars.empty() && report_ && event.report.status == Status::Ok) {
        progress_ = 1;
        return;
    }
    if (!report_ || report_->warnings != event.report.warnings) reportWarningsDismissed_ = false;
    report_ = std::move(event.report);
    ++results_;
    if (event.what != JobEvent::What::Done || !answersNewest(event)) return;
    shown_ = asked_;
    lastJobSeconds_ = clock_() - askedAt_;
    progress_ = 1;
    trial_.reset();
}

void Session::fail(const JobEvent& event) {
    if (!answersNewest(event)) return;
    message_ = event.message;
    if (!trial_ && !report() && event.report.params != Values{}) showNearest(event.report.params);
    if (!trial_) return;
    // Images may have been refused for want of labels.
    if (trial_->kind == Kind::Data && data_ && contentOf(data_->name, data_->bytes) == FileContent::Images) images_ = data_;
    dropTrial();
}

// A link or an author's state that is refused opens with what is nearest to it, beside the sentence why.
void Session::showNearest(const Values& nearest) {
    std::string lowered;
    State shown = state_;
    for (const Param& param : scene().params) {
        if (param.affects == Affects::View || !nearest.contains(param.key) || nearest.at(param.key) == state_.params.at(param.key))
            continue;
        if (isLocked(param.key)) return;
        shown.params.set(param.key, nearest.at(param.key));
        lowered +=
            (lowered.empty() ? " Shown instead: " : ", ") + std::string(param.key) + " = " + formatValue(param, nearest.at(param.key));
    }
    if (lowered.empty()) return;
    state_ = std::move(shown);
    message_ += lowered + ".";
    submitIfNew();
}

// The file came to nothing: back to what is on screen, without computing it again.
void Session::dropTrial() {
    const Trial trial = std::move(*trial_);
    trial_.reset();
    history_.cutTo(trial.depth);
    restore(trial.before);
    const Request back = requestOf(state_);
    if (sameQuestion(back, shown_)) asked_ = back;
    submitIfNew();
}

void Session::stop() {
    if (!jobs_.busy()) return;
    jobs_.cancel();
    started_.clear();
    if (trial_) dropTrial();
    if (!busy()) warn("Stopped before the end; the next change computes again.");
}

const Report* Session::report() const { return report_ && report_->scene == state_.scene ? &*report_ : nullptr; }

std::vector<std::string> Session::warnings() const {
    std::vector<std::string> all = warnings_;
    if (report() && !reportWarningsDismissed_)
        for (const auto& warning : report()->warnings)
            if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
    return all;
}

void Session::dismissMessage() {
    message_.clear();
    touch();
}

void Session::dismissWarnings() {
    warnings_.clear();
    reportWarningsDismissed_ = true;
    touch();
}

void Session::say(std::string message) {
    message_ = std::move(message);
    touch();
}

void Session::warn(std::string warning) {
    warnings_.push_back(std::move(warning));
    touch();
}

}  // namespace kappaflow
