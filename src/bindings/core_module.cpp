// What the whole core has beside the jobs of job_module.cpp: the scenes by name. web/kappaflow.d.mts says it in its own words.
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bindings/convert.h"
#include "core/base/errors.h"
#include "core/io/network_file.h"
#include "jobs/codec.h"
#include "jobs/export.h"
#include "jobs/runner.h"
#include "sampleBytes.h"

namespace kappaflow {

// Stands in for the embedded samples of native programs: this definition comes first, so the linker never looks into that library.
std::span<const unsigned char> sampleBytes(std::string_view fileName) { return providedFile("samples/" + std::string(fileName)); }

namespace {

using emscripten::val;

/// options[name], or undefined when there are no options at all.
val optionOf(const val& options, const char* name) {
    if (options.isUndefined() || options.isNull()) return val::undefined();
    return options[name];
}

bool isFunction(const val& value) { return value.typeOf().as<std::string>() == "function"; }

/// As --network and --data do: the bytes are meant without saying so once more.
void pointAtFile(const Declaration& declaration, Request& request) {
    for (const auto& param : declaration.params)
        if ((param.kind == Kind::Network && request.network) || (param.kind == Kind::Data && request.data))
            request.params.set(param.key, std::string("file"));
}

/// Calls onProgress(fraction) and onPartial(report), where they are functions.
class TellingProgress final : public Progress {
public:
    TellingProgress(const val& onProgress, const val& onPartial) : onProgress_(onProgress), onPartial_(onPartial) {}

private:
    using Clock = std::chrono::steady_clock;
    void heard(double fraction) override {
        if (isFunction(onProgress_)) onProgress_(fraction);
    }
    bool wantsPartial() override { return isFunction(onPartial_) && Clock::now() - last_ >= std::chrono::milliseconds(100); }
    void publish(Report report) override {
        onPartial_(toReport(report));
        last_ = Clock::now();
    }
    val onProgress_, onPartial_;
    Clock::time_point last_ = Clock::now();
};

/// run(id, params, {network, data, withNetwork, onProgress, onPartial}): the report, or {error}. Synchronous; onProgress(fraction)
/// and onPartial(report) are called on the way, the latter at most every 100 ms.
val run(const std::string& scene, const val& params, const val& options) {
    return guarded([&] {
        const Declaration& declaration = requireDeclaration(scene);
        Request request;
        request.scene = scene;
        request.params = toValues(params);
        request.network = toAttachment(optionOf(options, "network"), "network");
        request.data = toAttachment(optionOf(options, "data"), "data");
        request.withNetwork = optionOf(options, "withNetwork").isTrue();
        pointAtFile(declaration, request);
        // Warnings in the command line's order: of values, of those without effect, of the computation.
        std::vector<std::string> warnings;
        const Values given = std::exchange(request.params, completeValues(declaration, request.params, warnings));
        for (auto& sentence : idleValues(declaration, given, request.params)) warnings.push_back(std::move(sentence));
        TellingProgress progress(optionOf(options, "onProgress"), optionOf(options, "onPartial"));
        Report report = runRequest(request, progress);
        report.warnings.insert(report.warnings.begin(), warnings.begin(), warnings.end());
        return toReport(report);
    });
}

/// [{id, label, about}] of the networks that come with the program.
val exampleNetworks() {
    val list = val::array();
    for (const auto& sample : sampleNetworks()) {
        val entry = val::object();
        entry.set("id", sample.id);
        entry.set("label", sample.label);
        entry.set("about", sample.about);
        list.call<void>("push", entry);
    }
    return list;
}

emscripten::val listScenes() { return parseJson(listJson()); }

emscripten::val describeScene(const std::string& id) {
    return guarded([&] { return parseJson(declarationJson(requireDeclaration(id))); });
}

/// The nearest number of 20 binary digits behind the first, which takes three bytes; whole numbers stay.
double ofSixDigits(double value) {
    if (value == std::floor(value) || !std::isfinite(value)) return value;
    int exponent = 0;
    const double part = std::frexp(value, &exponent);
    return std::ldexp(std::round(std::ldexp(part, 21)), exponent - 21);
}

/// beginningOf(event, names): the partial result that a job's end could have been preceded by, without the arrays of these names and with
/// numbers of six digits, a third of the size when compressed; {error} where the event is no result.
val beginningOf(const val& eventBytes, const val& names) {
    return guarded([&] {
        JobEvent event = decodeEvent(fromBytes(eventBytes));
        if (event.what != JobEvent::What::Done) throw InputError("Only a result has a beginning.");
        const auto later = emscripten::vecFromJSArray<std::string>(names);
        std::erase_if(event.report.arrays,
                      [&](const Array& array) { return std::find(later.begin(), later.end(), array.name) != later.end(); });
        for (Array& array : event.report.arrays)
            for (double& value : array.values) value = ofSixDigits(value);
        event.report.status = Status::Partial;
        return toBytes(encodeEvent(partialEvent(event.job, 0, std::move(event.report))));
    });
}

EMSCRIPTEN_BINDINGS(kappaflow_core) {
    using namespace emscripten;

    constant("version", std::string(KAPPAFLOW_VERSION));
    function("listScenes", &listScenes);
    function("describeScene", &describeScene);
    function("exampleNetworks", &exampleNetworks);
    function("run", &run);
    function("beginningOf", &beginningOf);
}

}  // namespace
}  // namespace kappaflow
