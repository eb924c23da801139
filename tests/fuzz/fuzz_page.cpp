// Bytes nobody vouches for → what a reader does: scenes, presets, params, handles, the timeline, pointer, wheel and keys, sizes, looks,
// files, undo. Every frame is drawn into lists that nobody renders, between results that come whole, in parts, or not any more.
#include <imgui.h>

#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/app.h"
#include "app/screen.h"
#include "core/base/errors.h"
#include "fuzz/network_checks.h"
#include "fuzz/param_text.h"
#include "jobs/runner.h"
#include "sampleBytes.h"

namespace {

using namespace kappaflow;
using fuzz::require;
using fuzz::textOf;

constexpr Cost kLimit{4e6, 6e7};  // of a request; larger ones say nothing new and cost time
constexpr std::size_t kAction = 6, kMostActions = 40, kMostParts = 3;

/// Computes when it is asked for events.
class LazyRunner final : public Runner {
public:
    void start(JobId job, const Request& request) override { job_ = job, request_ = request; }
    void cancel() override { job_ = 0; }
    bool busy() const override { return job_ != 0; }
    std::vector<JobEvent> poll() override {
        if (job_ == 0 || (waits_ > 0 && waits_-- > 0)) return {};
        std::vector<JobEvent> events;
        Parts parts(leftovers_, job_, events);
        try {
            events.push_back({JobEvent::What::Done, job_, 1, openRequest(request_, kLimit)->run(parts).report, ""});
        } catch (const OverBudget& refused) {
            JobEvent event{JobEvent::What::Failed, job_, 1, {}, refused.what()};
            event.report.params = refused.nearest;
            events.push_back(std::move(event));
        } catch (const InputError& error) {
            fuzz::requireSentence(error);
            events.push_back({JobEvent::What::Failed, job_, 1, {}, error.what()});
        }
        if (std::exchange(partly_, false) && events.size() > 1) events.pop_back(), waits_ = 1;  // the rest comes with the next request
        job_ = 0;
        return events;
    }
    /// The next job says nothing for so many frames, or never more than its parts.
    void wait(int frames) { waits_ = frames; }
    void stopPartly() { partly_ = true; }

private:
    class Parts final : public Progress {
    public:
        Parts(Leftovers& leftovers, JobId job, std::vector<JobEvent>& events) : Progress(&leftovers), job_(job), events_(events) {}

    private:
        bool wantsPartial() override { return events_.size() < kMostParts; }
        void publish(Report report) override { events_.push_back(partialEvent(job_, told(), std::move(report))); }
        JobId job_;
        std::vector<JobEvent>& events_;
    };

    Leftovers leftovers_;
    JobId job_ = 0;
    Request request_;
    int waits_ = 0;
    bool partly_ = false;
};

class Reader {
public:
    Reader() { app_.screen().useHeadless(); }
    void does(int what, unsigned choice, std::uint32_t amount);
    void frame(double seconds = 0.016) {
        size_.now = now_ += seconds;
        app_.frame(size_);
    }

private:
    template <class List>
    const auto& oneOf(const List& list, std::size_t which) {
        return list[which % std::size(list)];
    }
    void points(double x, double y) { io().AddMousePosEvent(static_cast<float>(x * size_.width), static_cast<float>(y * size_.height)); }
    ImGuiIO& io() { return app_.screen().io(); }
    void press(ImGuiKey key) {
        io().AddKeyEvent(key, true);
        frame();
        io().AddKeyEvent(key, false);
    }

    double now_ = 100;
    LazyRunner* runner_ = new LazyRunner;
    App app_{std::unique_ptr<Runner>(runner_), [this] { return now_; }};
    FrameInput size_{0, 1280, 800, 1};
    bool held_ = false;
};

void Reader::does(int what, unsigned choice, std::uint32_t amount) {
    const double share = amount / 4294967296.0, other = (amount & 0xffff) / 65536.0;
    Session& session = app_.session();
    switch (what % 24) {
        case 0:
            session.change(Change::scene(oneOf(declarations(), choice).id));
            break;
        case 1:
            if (const auto& presets = session.scene().presets; !presets.empty())
                session.change(Change::preset(oneOf(presets, choice).name));
            break;
        case 2:
        case 3:
        case 4:
        case 5: {
            const Param here = adapted(oneOf(session.scene().params, choice), session.state().params);
            session.setText(here.key, textOf(here, amount));
            break;
        }
        case 6:
        case 7:
            if (const auto handles = app_.handles().shown(); !handles.empty()) {
                const Handle& handle = oneOf(handles, choice);
                app_.moveHandle(handle.id, handle.min + (handle.max - handle.min) * share);
            }
            break;
        case 8:
            app_.scrub(app_.hasTimeline() ? app_.playhead().valueAfter(share) : share);
            break;
        case 9:
            app_.play(choice % 2);
            frame(10 * share);
            break;
        case 10:
            app_.step(choice % 2 ? 1 : -1);
            break;
        case 11:
            choice % 3 ? app_.undo() : app_.redo();
            break;
        case 12:
            choice % 2 ? app_.resetView() : session.change(Change::reset());
            break;
        case 13: {
            Options options = app_.options();
            options.ui = static_cast<UiMode>(choice % 3);
            options.dark = choice & 8, options.highContrast = choice & 16, options.touch = choice & 32, options.native = choice & 64;
            options.embedded = choice & 128, options.reducedMotion = amount & 1;
            options.panels = amount & 2 ? amount >> 8 : ~0u;
            app_.setOptions(options);
            break;
        }
        case 14:
            size_.width = 1 + 2000 * share, size_.height = 1 + 1400 * other, size_.pixelRatio = 1 + choice % 3;
            break;
        case 15:
        case 16:
        case 17:  // a press or a drag
            points(share, other), frame();
            io().AddMouseButtonEvent(0, true), frame();
            if (choice & 1)
                for (int i = 1; i <= 3; ++i)
                    points(share + i * ((choice >> 1) % 16 - 8.0) / 40, other + i * ((choice >> 5) - 4.0) / 20), frame();
            io().AddMouseButtonEvent(0, false);
            break;
        case 18:
            points(share, other), frame();
            io().AddKeyEvent(ImGuiMod_Ctrl, choice & 1);
            io().AddMouseWheelEvent(0, (choice - 128.0f) / 32), frame();
            io().AddKeyEvent(ImGuiMod_Ctrl, false);
            break;
        case 19: {
            constexpr ImGuiKey kKeys[] = {ImGuiKey_Tab,       ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow,
                                          ImGuiKey_DownArrow, ImGuiKey_Space,     ImGuiKey_Escape,     ImGuiKey_Home,
                                          ImGuiKey_End,       ImGuiKey_A,         ImGuiKey_7,          ImGuiKey_D};
            press(oneOf(kKeys, choice));
            break;
        }
        case 20: {  // a sample, half of one, or rubbish under any name
            constexpr const char* kFiles[] = {"shapes-classifier.onnx", "strokes-cnn.onnx", "strokes-resnet.onnx"};
            constexpr const char* kRubbish[] = {"a.onnx", "b.npz", "c.safetensors", "d.csv", "e.json", "f.png", "g"};
            std::string name = oneOf(kFiles, choice);
            const auto sample = sampleBytes(name);
            std::vector<unsigned char> bytes(sample.begin(),
                                             choice & 4 ? sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2) : sample.end());
            if (choice & 8) {
                name = oneOf(kRubbish, choice >> 4);
                bytes.assign(1 + amount % 4000, 0);
                for (unsigned char& byte : bytes) byte = static_cast<unsigned char>((amount = amount * 1664525u + 1013904223u) >> 24);
            }
            session.attach(name, std::move(bytes));
            break;
        }
        case 21:
            require(figureSvg(app_, {320, 240, choice % 2 == 1, "", ""}).size() < 64u << 20,
                    "a figure is no larger than anyone could open");
            break;
        case 22:
            app_.folds() = {bool(choice & 1), bool(choice & 2), bool(choice & 4), bool(choice & 8)};
            break;
        default:
            choice % 2 ? runner_->wait(static_cast<int>(choice / 4)) : runner_->stopPartly();
    }
    app_.wake();
    for (int i = 0; i < 3; ++i) frame();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Reader reader;
    reader.frame();
    for (std::size_t at = 0, n = 0; at + kAction <= size && n < kMostActions; at += kAction, ++n) {
        std::uint32_t amount = 0;
        std::memcpy(&amount, data + at + 2, 4);
        reader.does(data[at], data[at + 1], amount);
    }
    return 0;
}
