#include <doctest/doctest.h>

#include "core/io/network_file.h"
#include "core/net/network.h"
#include "scenes/scene.h"

using namespace kappaflow;

TEST_CASE("every scene that saves its network hands over a file that can be read, when it is asked to and not before") {
    int saving = 0;
    for (const Declaration& declaration : declarations()) {
        if (!declaration.savesNetwork) continue;
        CAPTURE(declaration.id);
        ++saving;
        Request request;
        request.scene = declaration.id;
        CHECK(runRequest(request).networkFile.empty());
        request.withNetwork = true;
        const Report report = runRequest(request);
        REQUIRE_FALSE(report.networkFile.empty());
        std::vector<std::string> notes;
        const Network network = readNetwork(report.networkFile, "saved.onnx", &notes);
        CHECK(notes.empty());
        CHECK(forward(network, std::vector<double>(network.input.units(), 0.5)).back().size() == network.output().units());
    }
    CHECK(saving >= 2);
}
