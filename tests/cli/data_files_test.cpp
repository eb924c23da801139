#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/capture.h"

using namespace kappaflow;

namespace {

using Json = nlohmann::json;

const std::string kPoints = "x,y,kind\n0,0,in\n0.1,0.2,in\n-0.1,0.1,in\n2,0,out\n0,2,out\n-2,0.5,out\n0.5,-2,out\n";

CommandResult runFile(const TemporaryFolder& folder, const std::string& text) {
    return runCommand({"run", "activation-regions", "--data", folder.write("points.csv", text), "--set", "steps=50"});
}

TEST_CASE("a data file's points train the network, and the figure names the file") {
    const TemporaryFolder folder;
    const auto result = runFile(folder, kPoints);
    REQUIRE_MESSAGE(result.status == 0, result.err);
    const Json json = Json::parse(result.out);
    CHECK(json["params"]["data"] == "file");
    CHECK(json["arrays"]["samplePoints"]["shape"] == Json::array({7, 2}));
    CHECK(json["scalars"]["trainedSteps"]["value"] == 50);
    const auto figure = runCommand({"render", "activation-regions", "--data", folder.path("points.csv"), "--set", "steps=50"});
    CHECK(figure.out.find("points.csv") != std::string::npos);
}

TEST_CASE("a data file that is no table, or stands beside a scene without data, is refused in one sentence") {
    const TemporaryFolder folder;
    for (const std::string& text : {std::string(), std::string("hello\n"), std::string("1,2,a\n1,x,b\n"), std::string(1000, '\0'),
                                    std::string("\xff\xfe\x31\x00", 4), std::string("1,2,a\n")}) {
        const auto result = runFile(folder, text);
        CHECK(result.status == 2);
        CHECK_MESSAGE(isComplaint(result), result.err);
        CHECK(result.err.find("points.csv") != std::string::npos);
    }
    for (const std::string& line :
         {std::string("run activation-regions --data /nonexistent.csv"), std::string("run activation-regions --data /"),
          std::string("run activation-regions --data /dev/zero"), std::string("run activation-regions --set data=file"),
          "run shattering --data " + folder.write("points.csv", kPoints)}) {
        const auto result = runCommand(line);
        CHECK_MESSAGE(result.status == 2, line);
        CHECK_MESSAGE(isComplaint(result), result.err);
    }
}

}  // namespace
