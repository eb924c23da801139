#include <string>

#include "app/window_glfw.h"
#include "cli/command_line.h"
#include "jobs/export.h"

int main(int argc, char** argv) {
    using namespace kappaflow;
    const WindowServices services{[](const Report& report, const std::string& format) { return exportReport(report, format); }};
    CommandLineHost host;
    host.openWindow = [&](const std::string& link, const GivenFiles& files) {
        return openWindow(link, files.network, files.data, services);
    };
    return runCommandLine(argc, argv, host);
}
