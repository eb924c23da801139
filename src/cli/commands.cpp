#include "cli/commands.h"

#include <stdexcept>

#include "cli/command_files.h"
#include "cli/command_report.h"
#include "cli/command_request.h"
#include "core/base/errors.h"
#include "jobs/export.h"

namespace kappaflow {
namespace {

/// The format that was asked for; naming an array asks for csv.
std::string exportFormat(const CommandOptions& options) {
    std::string format = !options.format.empty() ? options.format : options.array.empty() ? "json" : "csv";
    exportReport(Report{}, format, "");  // refuses an unknown one before anything is computed
    if (format != "csv" && !options.array.empty()) exportReport(Report{}, format, options.array);
    return format;
}

}  // namespace

int listScenes(const CommandOptions& options, const CommandLineHost& host) {
    print(host, options.json ? listJson() : listText());
    return 0;
}

int describeScene(const CommandOptions& options, const CommandLineHost& host) {
    const Declaration& declaration = requireDeclaration(options.scene);
    print(host, options.json ? declarationJson(declaration) : declarationText(declaration));
    return 0;
}

int runScene(const CommandOptions& options, const CommandLineHost& host) {
    const std::string format = exportFormat(options);
    Meant meant = readRequest(options, "run");
    if (!options.out.empty()) checkWritable(options.out);
    Report report = compute(meant.request, host);
    report.warnings.insert(report.warnings.begin(), meant.warnings.begin(), meant.warnings.end());
    const std::string text = exportReport(report, format, options.array);
    deliver(host, options.out, text);
    return report.status == Status::Ok ? 0 : 1;
}

int showScene(const CommandOptions& options, const CommandLineHost& host) {
    if (!host.openWindow) throw std::runtime_error("This program was built without a window.");
    for (const auto& path : {options.network, options.data})
        if (!path.empty()) readAttachment(path);
    const std::string scene = meantScene(options);
    if (scene.empty() && options.settings.empty() && options.state.empty() && options.network.empty() && options.data.empty())
        return host.openWindow("", {});
    const Meant meant = readState(scene.empty() ? declarations().front().id : scene, options);
    warn(host, meant.warnings);
    return host.openWindow(formatLink(meant.state), {options.network, options.data});
}

}  // namespace kappaflow
