#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "scene/report.h"

namespace kappaflow {

/// Named objects that one request of a scene leaves for the next: a partition before a changed weight, training steps already done.
class Leftovers {
public:
    /// The thing of that name, default-constructed when there is none. A name always stands for the same type.
    template <class T>
    T& at(std::string_view name) {
        auto found = things_.find(name);
        if (found == things_.end()) found = things_.emplace(std::string(name), std::make_shared<T>()).first;
        return *static_cast<T*>(found->second.get());
    }
    void clear() { things_.clear(); }
    /// A scene begins: what belongs to another one is dropped.
    void enter(std::string_view scene) {
        if (scene != scene_) things_.clear();
        scene_ = scene;
    }

private:
    std::string scene_;
    std::map<std::string, std::shared_ptr<void>, std::less<>> things_;
};

/// A computation's only link to the outside.
class Progress {
public:
    explicit Progress(Leftovers* leftovers = nullptr) : leftovers_(leftovers ? leftovers : &own_) {}
    virtual ~Progress() = default;
    Progress(const Progress&) = delete;

    /// Says how far the computation is, 0 … 1; throws Cancelled when it is to stop. A few ns: to be called at least every 10 ms.
    void tick(double fraction);
    /// Publishes an unfinished result, made by `make` only when somebody wants one (at most every 100 ms). To be called after tick.
    template <class Make>
    void partial(Make&& make) {
        partialReport([&] {
            auto result = make();
            return asReport_(&result);
        });
    }
    /// Publishes an unfinished report that `make` makes, at most every 100 ms.
    template <class Make>
    void partialReport(Make&& make) {
        if (!wantsPartial()) return;
        Report report = make();
        if (answer_) answer_(report);
        publish(std::move(report));
    }
    /// The object of that name that the scene's last request, finished or stopped, left behind; the next request finds it as this one
    /// leaves it.
    template <class T>
    T& reuse(std::string_view name) {
        return leftovers_->at<T>(name);
    }
    /// How partial() makes a Report of the scene's Result; set by whoever calls the scene.
    void setReport(std::function<Report(void*)> asReport) { asReport_ = std::move(asReport); }
    /// The scene whose computation begins, and what is added to its partial reports: the question they answer.
    void begin(std::string_view scene, std::function<void(Report&)> answer) {
        leftovers_->enter(scene);
        answer_ = std::move(answer);
    }

protected:
    virtual bool stopped() const { return false; }
    /// Never falling.
    virtual void heard(double) {}
    virtual bool wantsPartial() { return false; }
    virtual void publish(Report) {}  // NOLINT(performance-unnecessary-value-param): overriders keep it
    double told() const { return told_; }

private:
    static constexpr double kSmallestStep = 0.002;
    Leftovers own_;
    Leftovers* leftovers_;
    std::function<Report(void*)> asReport_;
    std::function<void(Report&)> answer_;
    double told_ = 0;
};

}  // namespace kappaflow
