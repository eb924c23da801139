#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/capture.h"
#include "scene/state.h"

using namespace kappaflow;

namespace {

using Json = nlohmann::json;

Json ran(const std::string& line) {
    const auto result = runCommand(line);
    REQUIRE_MESSAGE(result.status == 0, line, ": ", result.err);
    CHECK(result.err.empty());
    return Json::parse(result.out);
}

TEST_CASE("version and help are answered without a complaint") {
    CHECK(runCommand("--version").out == std::string("kappaflow ") + KAPPAFLOW_VERSION + "\n");
    for (const char* line :
         {"--version", "--help", "run --help", "list", "list --json", "describe shattering", "describe shattering --json"}) {
        const auto result = runCommand(line);
        CHECK_MESSAGE(result.status == 0, line);
        CHECK_MESSAGE(result.err.empty(), line);
        CHECK_MESSAGE(!result.out.empty(), line);
    }
}

TEST_CASE("run prints a report with what was set, and defaults for the rest") {
    const Json json = ran("run shattering --set layers=4 --set epsilon=0.25 --set kind=residual");
    CHECK(json["scene"] == "shattering");
    CHECK(json["status"] == "ok");
    CHECK(json["params"]["layers"] == 4);
    CHECK(json["params"]["epsilon"] == 0.25);
    CHECK(json["params"]["taps"] == 3);
    CHECK(json["arrays"]["maxPathWeight"]["shape"].back() == 5);
}

TEST_CASE("a link's state is run, and --set goes on top of it") {
    const Json json = ran("run shattering --state https://example.org/?ui=figure#v=1&scene=shattering&layers=6&taps=5 --set layers=4");
    CHECK(json["params"]["taps"] == 5);
    CHECK(json["params"]["layers"] == 4);
    CHECK(ran("run --state scene=shattering&layers=6")["params"]["layers"] == 6);
    CHECK(ran("run shattering --state layers=6")["params"]["layers"] == 6);
}

TEST_CASE("a default follows what it depends on, what was set by name does not") {
    const auto extent = [](const std::string& settings) {
        return ran("run capacity-diffusion --set layers=2 " + settings)["params"]["extent"];
    };
    CHECK(extent("") == 65);
    CHECK(extent("--set space=grid") == 33);
    CHECK(extent("--state v=1&space=grid") == 33);
    CHECK(extent("--state v=1&extent=21 --set space=grid") == 21);
    CHECK(extent("--set extent=65 --set space=grid") == 65);
    CHECK(extent("--set space=grid --set extent=65") == 65);
}

TEST_CASE("what a link gets wrong is a warning, what --set gets wrong ends the program") {
    const Json json = ran("run shattering --state layers=many&nonsense=1 --set layers=3");
    CHECK(json["warnings"].size() == 2);
    CHECK(runCommand("run shattering --set layers=many").status == 2);
}

TEST_CASE("a value outside its range is clamped and reported") {
    const Json json = ran("run shattering --set layers=-7");
    CHECK(json["params"]["layers"] == 1);
    REQUIRE(json["warnings"].size() == 1);
    CHECK(json["warnings"][0] == "layers was raised from -7 to 1, the smallest it takes.");
}

TEST_CASE("a value that means nothing beside the others is reported") {
    const Json json = ran("run capacity-diffusion --set layers=3 --set layer=plain --set epsilon=0.5");
    REQUIRE(json["warnings"].size() == 1);
    CHECK(json["warnings"][0].get<std::string>().find("epsilon") == 0);
}

TEST_CASE("csv, text and one array by name") {
    CHECK(runCommand("run shattering --set layers=4 --format csv").out.find("name,value,standardError,draws,symbol,about\n") == 0);
    const std::string table = runCommand("run shattering --set layers=4 --set kind=uniform --array maxPathWeight").out;
    CHECK(table.find("kind,layer,value\n") == 0);
    CHECK(std::count(table.begin(), table.end(), '\n') == 1 + 5);
    CHECK(runCommand("run shattering --set layers=4 --format text").out.find("Arrays") != std::string::npos);
}

TEST_CASE("--out writes the same text to a file") {
    const TemporaryFolder folder;
    const auto result = runCommand("run shattering --set layers=4 --out " + folder.path("report.json"));
    CHECK(result.status == 0);
    CHECK(result.out.empty());
    CHECK(readText(folder.path("report.json")) == runCommand("run shattering --set layers=4").out);
}

TEST_CASE("a refused run leaves no file behind and an old one as it was") {
    const TemporaryFolder folder;
    folder.write("old.json", "old");
    CHECK(runCommand("run capacity-diffusion --set network=file --out " + folder.path("new.json")).status == 2);
    CHECK(!std::filesystem::exists(folder.path("new.json")));
    CHECK(runCommand("run capacity-diffusion --set network=file --out " + folder.path("old.json")).status == 2);
    CHECK(readText(folder.path("old.json")) == "old");
}

TEST_CASE("a wrong request is one sentence and status 2") {
    for (const std::string line : {"frobnicate",
                                   "lst",
                                   "run",
                                   "run shatering",
                                   "describe",
                                   "describe nowhere",
                                   "run shattering extra",
                                   "list extra",
                                   "--frobnicate",
                                   "run shattering --frobnicate",
                                   "run shattering --set",
                                   "run shattering --set layers",
                                   "run shattering --set =3",
                                   "run shattering --set layer=3",
                                   "run shattering --set layers=",
                                   "run shattering --set layers=many",
                                   "run shattering --set layers=3.5",
                                   "run shattering --set layers=0x10",
                                   "run shattering --set layers=nan",
                                   "run shattering --set layers=1e999",
                                   "run shattering --set taps=4",
                                   "run shattering --set play=yes",
                                   "run shattering --set kind=none",
                                   "run shattering --set seed=1.5",
                                   "run shattering --format xml",
                                   "run shattering --array nothing",
                                   "run shattering --format json --array capacity",
                                   "run shattering --state scene=capacity-diffusion",
                                   "run --state scene=nowhere",
                                   "run shattering --out /nonexistent/report.json",
                                   "run shattering --out /",
                                   "run shattering --network /nonexistent.onnx",
                                   "run capacity-diffusion --network /nonexistent.onnx",
                                   "run capacity-diffusion --network /",
                                   "run capacity-diffusion --set network=file",
                                   "run capacity-diffusion --set network=other",
                                   "run shattering --data /dev/null",
                                   "show nowhere",
                                   "show --set layer=3"}) {
        CommandLineHost host;
        host.openWindow = [](const std::string&, const GivenFiles&) { return 0; };
        std::istringstream in(line);
        std::vector<std::string> words;
        for (std::string word; in >> word;) words.push_back(word);
        const auto result = runCommand(words, host);
        CHECK_MESSAGE(result.status == 2, line);
        CHECK_MESSAGE(isComplaint(result), line, ": ", result.err);
    }
}

TEST_CASE("texts with line breaks and broken UTF-8 still give one line") {
    for (const std::string& text : {std::string("a\nb\r\nc"), std::string("\xff\xfe\x80"), std::string(100000, 'x')}) {
        const auto result = runCommand({"run", "shattering", "--set", "layers=" + text});
        CHECK(result.status == 2);
        CHECK(isComplaint(result));
    }
}

TEST_CASE("too much is refused with the param to lower, at once") {
    const auto result =
        runCommand("run capacity-diffusion --set space=dense --set kernel=random --set extent=2048 --set layers=400 --set draws=1000");
    CHECK(result.status == 2);
    CHECK(isComplaint(result));
    CHECK(result.err.find("; lower ") != std::string::npos);
}

TEST_CASE("an output that does not take all is status 1") {
    CHECK(runCommand("run shattering --out /dev/full").status == 1);
    CHECK(isComplaint(runCommand("run shattering --out /dev/full")));
}

TEST_CASE("no command and show open the window on the state that was asked for") {
    std::string link, file;
    CommandLineHost host;
    host.openWindow = [&](const std::string& l, const GivenFiles& f) {
        link = l;
        file = f.network;
        return 7;
    };
    CHECK(runCommand(std::vector<std::string>{}, host).status == 7);
    CHECK(link.empty());
    CHECK(runCommand({"show"}, host).status == 7);
    CHECK(link.empty());
    CHECK(runCommand({"show", "shattering"}, host).status == 7);
    CHECK(link == "v=1&scene=shattering");
    CHECK(runCommand({"show", "shattering", "--set", "layers=80"}, host).status == 7);
    CHECK(link == "v=1&scene=shattering&layers=80");
    CHECK(file.empty());
    const TemporaryFolder folder;
    const std::string network = folder.write("net.onnx", "bytes");
    CHECK(runCommand({"show", "--network", network}, host).status == 7);
    CHECK(link == "v=1&scene=capacity-diffusion&network=file");
    CHECK(file == network);
    const auto without = runCommand(std::vector<std::string>{});
    CHECK(without.status == 1);
    CHECK(isComplaint(without));
}

}  // namespace
