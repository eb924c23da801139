#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/cost.h"
#include "scene/param.h"
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
};

/// How the timeline moves through a scene: a param walks along an axis of the report. One that affects the request waits, while it
/// plays, for each result.
struct Timeline {
    std::string param;      ///< key of a number
    std::string axis;       ///< axis of the report whose values are the steps
    std::string label;      ///< "layer"
    bool backward = false;  ///< plays from the axis's last value to its first
    double secondsPerStep = 0.4;
};

struct Preset {
    Preset(Text name, std::initializer_list<std::pair<const char*, const char*>> values);
    Preset(const Preset&);
    Preset(Preset&&) noexcept;
    Preset& operator=(const Preset&);
    Preset& operator=(Preset&&) noexcept;
    ~Preset();

    std::string name;
    std::vector<std::pair<std::string, std::string>> values;  ///< key, text; the rest are defaults
};

/// Everything about a scene that needs no computing: shared by page, panel, link, schema, docs and tests.
struct Declaration {
    std::string id, title, claim;  ///< claim: one line for the scene list
    std::string group, source;     ///< "Capacity flow", "P1 Fig 4; Eqs 24–28"
    std::string room;              ///< set from scenes.def: whose wasm module has the model
    std::string lookAt, tryThis;   ///< one sentence each, shown with the first picture
    std::vector<Param> params;
    std::vector<Field> fields;
    std::vector<Preset> presets;
    Timeline timeline;              ///< param empty: none
    Timeline instead;               ///< takes its place while its param is visible; param empty: never
    bool savesNetwork = false;      ///< its computations have a `network`: there is one to save as a file
    std::vector<std::string> bits;  ///< arrays whose numbers depend chaotically on rounding; compared statistically

    const Param* param(std::string_view key) const;
    const Param* paramOf(Kind) const;  ///< the first of the kind, null when there is none
    const Timeline& timelineBeside(const Values&) const;
    Values defaults() const;
};

/// A running request, cut into slices so that it can run in a thread, a worker or between two frames alike.
class Computation {
public:
    virtual ~Computation() = default;
    /// Does the next slice (aim: a few milliseconds); false when nothing is left. Throws InputError.
    virtual bool step() = 0;
    /// 0 … 1, never falling.
    virtual double progress() const = 0;
    /// The result so far: status Partial until the last step, then Ok.
    virtual Report report() const = 0;
    /// Whether the next request of the scene may begin with what this one has: its model can resume.
    virtual bool reusable() const { return false; }
    /// The network that a finished report is about, with its weights, for a file; null where there is none.
    virtual std::shared_ptr<const Network> network() const { return nullptr; }
};

/// A scene's computing half.
struct Model {
    std::string_view scene;
    /// Upper estimate from params alone (a dropped network: from its size).
    Cost (*cost)(const Request&);
    /// The param to lower when the cost is over the limit.
    std::string (*costliest)(const Request&);
    std::unique_ptr<Computation> (*start)(const Request&);
    /// The same from the computation that this model made last (never null, perhaps stopped half way): takes over what still holds, as
    /// layers before a changed weight or training steps already done. The report is that of `start`, to the bit. Null: always anew.
    std::unique_ptr<Computation> (*resume)(const Request&, std::unique_ptr<Computation> previous) = nullptr;
};

const std::vector<Declaration>& declarations();           ///< in the order of scenes.def
const Declaration* findDeclaration(std::string_view id);  ///< null when unknown
/// Throws InputError naming the scene meant, or all there are.
const Declaration& requireDeclaration(std::string_view id);
std::span<const Model> models();
const Model& modelOf(std::string_view id);

/// Every key present and admissible: fills in defaults, clamps, collects warnings; throws InputError on an unknown key or kind.
Values completeValues(const Declaration&, const Values& given, std::vector<std::string>& warnings);
/// One sentence for each given value that differs from its default and means nothing beside all the values (its param is not
/// visible): for readers who set it by name, on the command line or from JavaScript, and would wait for an effect.
std::vector<std::string> idleValues(const Declaration&, const Values& given, const Values& all);
/// The known word that differs least from a mistyped one, or "" when none is near. Cost: product of lengths, each at most 64.
std::string nearestWord(std::string_view word, const std::vector<std::string>& known);
/// Checks the budget (InputError naming the param to lower), then starts. The returned computation's report carries scene,
/// params and warnings. `previous`: one that startRequest returned before, or null; of use when it is reusable and of the same scene.
std::unique_ptr<Computation> startRequest(const Request&, std::unique_ptr<Computation> previous = nullptr);
/// Runs to the end on the spot.
Report runRequest(const Request&);

}  // namespace kappaflow
