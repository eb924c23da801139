#include <emscripten/bind.h>

#include "bindings/convert.h"
#include "bindings/run.h"
#include "bindings/task.h"
#include "jobs/export.h"

// What JavaScript sees of the computing half. web/kappaflow.d.mts says it in its own words; {error: sentence} stands for a throw.
namespace kappaflow {
namespace {

emscripten::val listScenes() { return parseJson(listJson()); }

emscripten::val describeScene(const std::string& id) {
    return guarded([&] { return parseJson(declarationJson(requireDeclaration(id))); });
}

EMSCRIPTEN_BINDINGS(kappaflow_core) {
    using namespace emscripten;

    constant("version", std::string(KAPPAFLOW_VERSION));
    function("listScenes", &listScenes);
    function("describeScene", &describeScene);
    function("exampleNetworks", &exampleNetworks);
    function("run", &run);
    function("exportReport", &exportBytes);

    function("startRequest", &startTask);
    function("failureBytes", &failureBytes);
    class_<Task>("Task")
        .smart_ptr<std::shared_ptr<Task>>("Task")
        .function("step", &Task::step)
        .function("progress", &Task::progress)
        .function("failed", &Task::failed)
        .function("eventBytes", &Task::eventBytes);
}

}  // namespace
}  // namespace kappaflow
