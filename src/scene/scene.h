#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/cost.h"
#include "core/base/errors.h"
#include "scene/param.h"
#include "scene/progress.h"
#include "scene/report.h"

namespace kappaflow {

struct Network;

/// Bytes a reader attached (a dropped network), shared because requests are copied.
struct Attachment {
    std::string name;
    std::vector<unsigned char> bytes;
};

/// What a job is asked: a scene, a value for every param, attached bytes.
struct Request {
    std::string scene;
    Values params;
    std::shared_ptr<const Attachment> network, data;
    bool withNetwork = false;  ///< put the drawn or read network's weights, and it as a file, into the report
    bool networkOnly = false;  ///< with it: the rest of the report may be left out, where the network is still there from the last run
};

/// How the timeline moves through a scene: a param walks along an axis of the report. One that affects the request waits, while it
/// plays, for each result.
struct TimelineRow {
    std::string_view param{};  ///< key of a number; empty: there is no timeline
    std::string_view axis{};   ///< axis of the report whose values are the steps
    std::string_view label{};  ///< "layer"
    bool backward = false;     ///< plays from the axis's last value to its first
    double secondsPerStep = 0.4;
    int slowSteps = 0;         ///< the first so many take three times as long, so that what happens in one is understood
    bool whenReached = false;  ///< between two steps it says the one that was reached, as the numbers beside it do; else the nearest
};

struct PresetRow {
    const char* name;
    void (*change)(void* params) = nullptr;
    const char* lookAt = "";  ///< one sentence about it; "": the scene's own, or what its report says
};

/// Everything about a scene but its computing half, as the scene itself says it: constant data.
struct SceneTable {
    const char *id, *title, *claim, *group;
    /// A sign for the folded scene list: strokes through points "xy" of a square from 00 to 88, y downwards; one point is a dot.
    const char* icon = "";
    const char *source, *lookAt, *tryThis;
    std::span<const ParamRow> params;
    std::span<const FieldRow> fields;
    std::span<const PresetRow> presets;
    TimelineRow timeline{}, instead{};
    const char* opening = "";  ///< the preset that a reader meets first; "": the first
    bool savesNetwork = false;
    std::shared_ptr<void> (*makeParams)() = nullptr;
};

struct Preset {
    std::string name;
    const char* lookAt = "";
    std::vector<std::pair<std::string, std::string>> values;  ///< key, text; the rest are defaults
};

/// The table with its defaults and presets as values: shared by page, panel, link, schema, docs and tests.
struct Declaration {
    std::string id, title, claim;  ///< claim: one line for the scene list
    std::string group, source;     ///< "Capacity flow", "P1 Fig 4; Eqs 24–28"
    const char* icon = "";         ///< of the scene's table
    std::string bundle;            ///< set from scenes.def: whose wasm module has the model
    /// One sentence each, shown with the first preset. Read where they stand: a page has them, and those of presets, with the pictures.
    const char *lookAt = "", *tryThis = "";
    std::string opening;  ///< a preset's name
    std::vector<Param> params;
    std::span<const FieldRow> fields;
    std::vector<Preset> presets;
    TimelineRow timeline;
    TimelineRow instead;            ///< takes its place while its param is visible
    bool savesNetwork = false;      ///< its computations have a `network`: there is one to save as a file
    std::vector<std::string> bits;  ///< arrays whose numbers depend chaotically on rounding; compared statistically

    const Param* param(std::string_view key) const;
    const Param* paramOf(Kind) const;  ///< the first of the kind, null when there is none
    const TimelineRow& timelineBeside(const Values&) const;
    Values defaults() const;
};

struct Finished {
    Report report;
    std::shared_ptr<const Network> network;  ///< what the report is about, of scenes that save networks; or null
};

/// A request with its files read and its sizes known; made once for the cost, the computation and the saving of its network.
class OpenRequest {
public:
    virtual ~OpenRequest() = default;
    /// Upper estimate.
    virtual Cost cost() const = 0;
    /// The param to lower when the cost is over the limit.
    virtual std::string costliest() const = 0;
    /// Throws InputError and Cancelled.
    virtual Finished run(Progress&) const = 0;
};

/// A scene's computing half.
struct Model {
    std::string_view scene;
    std::unique_ptr<OpenRequest> (*open)(const Request&);
};

const std::vector<Declaration>& declarations();           ///< in the order of scenes.def
const Declaration* findDeclaration(std::string_view id);  ///< null when unknown
/// Throws InputError naming the scene meant, or all there are.
const Declaration& requireDeclaration(std::string_view id);
std::span<const Model> models();
const Model& modelOf(std::string_view id);

/// Every key present and admissible: fills in defaults, clamps, collects warnings; throws InputError on an unknown key or kind.
Values completeValues(const Declaration&, const Values& given, std::vector<std::string>& warnings);
/// A report's params as they are written, see `named`.
Values namedParams(const Report&);
/// One sentence for each given value that differs from its default and means nothing beside all the values (its param is not
/// visible), and for each number that stands for a named value: for readers who set it by name, on the command line or from JavaScript, and
/// would wait for an effect.
std::vector<std::string> idleValues(const Declaration&, const Values& given, const Values& all);
/// The known word that differs least from a mistyped one, or "" when none is near. Cost: product of lengths, each at most 64.
std::string nearestWord(std::string_view word, const std::vector<std::string>& known);
/// Of a request that would take too much. `nearest`: its params, some of them lowered, each to the most that the limit then admits (to a
/// thousandth); empty where lowering numbers does not help, and where files are attached.
struct OverBudget : InputError {
    OverBudget(const std::string& sentence, Values admitted) : InputError(sentence), nearest(std::move(admitted)) {}
    Values nearest;
};

/// Checks and opens a request. Throws InputError when it is refused, OverBudget where it would take more than `limit`, naming the param to
/// lower. Reports say which scene and params they answer.
std::unique_ptr<OpenRequest> openRequest(const Request&, const Cost& limit = costLimit());
/// Opens and runs on the spot.
Report runRequest(const Request&);
Report runRequest(const Request&, Progress&);

}  // namespace kappaflow
