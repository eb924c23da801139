#include "app/window_glfw.h"
#include "cli/command_line.h"

int main(int argc, char** argv) {
    kappaflow::CommandLineHost host;
    host.openWindow = kappaflow::openWindow;
    return kappaflow::runCommandLine(argc, argv, host);
}
