#pragma once
#include <memory>

#include "scene/table.h"

namespace kappaflow {

struct LabelledPoints;

/// A request with its params bound and its files read, made once for its cost, its computation and the saving of its network.
template <class Params_>
struct Opened {
    using Params = Params_;
    Params params;
    std::shared_ptr<const Network> network;  ///< of scenes that take one
    double networkFileBytes = 0;             ///< of the reader's file that it was read from
    double networkFileWeights = 0;           ///< the most weights in it, of scenes that look before they read
    std::shared_ptr<const Attachment> data;
    std::shared_ptr<const LabelledPoints> points;  ///< what `open` read of the data, of scenes that learn from labelled points
    bool withNetwork = false;                      ///< Result::network will be saved: worth some computing of its own
    std::vector<std::string> warnings;             ///< of reading the files
};

namespace table::inner {

/// A scene's computing half, for any Params and Result.
struct Computing {
    const SceneTable* table;
    std::shared_ptr<void> (*open)(const Request&);
    void* (*params)(void* opened);
    std::vector<std::string>& (*warnings)(void* opened);
    std::shared_ptr<void> (*copy)(const void* opened);
    Cost (*cost)(const void* opened);
    std::shared_ptr<void> (*run)(const void* opened, Progress&);
    Findings& (*findings)(void* result);
    std::string (*summary)(const void* opened, const void* result);
};
std::unique_ptr<OpenRequest> openTyped(const Computing&, const Request&);

template <class Params>
struct NoFiles {
    static void open(Opened<Params>&, const Request&) {}
};
template <class Function>
struct RunOf;
template <class Params_, class Result_>
struct RunOf<Result_ (*)(const Opened<Params_>&, Progress&)> {
    using Params = Params_;
    using Result = Result_;
};

}  // namespace table::inner

/// A scene's computing half: `Result run(const Opened<Params>&, Progress&)`, `Cost cost(const Opened<Params>&)`, `std::string
/// summary(const Params&, const Result&)`; `open` reads the files of scenes that take some.
template <const SceneTable& rows, auto run, auto cost, auto summary,
          auto open = table::inner::NoFiles<typename table::inner::RunOf<decltype(run)>::Params>::open>
Model sceneModel() {
    using Params = typename table::inner::RunOf<decltype(run)>::Params;
    using Result = typename table::inner::RunOf<decltype(run)>::Result;
    static constexpr table::inner::Computing kComputing{
        .table = &rows,
        .open =
            [](const Request& request) {
                auto opened = std::make_shared<Opened<Params>>();
                bindParams(rows, request.params, &opened->params);
                opened->data = request.data;
                opened->withNetwork = request.withNetwork;
                open(*opened, request);
                return std::shared_ptr<void>(std::move(opened));
            },
        .params = [](void* opened) -> void* { return &static_cast<Opened<Params>*>(opened)->params; },
        .warnings = [](void* opened) -> std::vector<std::string>& { return static_cast<Opened<Params>*>(opened)->warnings; },
        .copy = [](const void* opened) -> std::shared_ptr<void> {
            return std::make_shared<Opened<Params>>(*static_cast<const Opened<Params>*>(opened));
        },
        .cost = [](const void* opened) { return cost(*static_cast<const Opened<Params>*>(opened)); },
        .run = [](const void* opened, Progress& progress) -> std::shared_ptr<void> {
            return std::make_shared<Result>(run(*static_cast<const Opened<Params>*>(opened), progress));
        },
        .findings = [](void* result) -> Findings& { return *static_cast<Result*>(result); },
        .summary =
            [](const void* opened, const void* result) {
                return summary(static_cast<const Opened<Params>*>(opened)->params, *static_cast<const Result*>(result));
            }};
    return {rows.id, [](const Request& request) { return table::inner::openTyped(kComputing, request); }};
}

}  // namespace kappaflow
