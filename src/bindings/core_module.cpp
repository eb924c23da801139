#include <emscripten/bind.h>

#include "bindings/convert.h"
#include "bindings/run.h"
#include "jobs/export.h"

// What the whole core has beside the jobs of job_module.cpp: the scenes by name. web/kappaflow.d.mts says it in its own words.
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
}

}  // namespace
}  // namespace kappaflow
