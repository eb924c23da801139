#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/capture.h"
#include "scene/state.h"
#include "support/sentence.h"

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

TEST_CASE("what a link gets wrong is a warning, as is what is clamped or means nothing here; what --set gets wrong ends the program") {
    CHECK(ran("run shattering --state layers=many&nonsense=1 --set layers=3")["warnings"].size() == 2);
    CHECK(ran("run shattering --set layers=-7")["warnings"] == Json{"layers was raised from -7 to 1, the smallest it takes."});
    const Json idle = ran("run capacity-diffusion --set layers=3 --set layer=plain --set epsilon=0.5")["warnings"];
    CHECK(idle == Json{"epsilon has no effect beside the other settings."});
    CHECK(runCommand("run shattering --set layers=many").status == 2);
}

TEST_CASE("csv, text and one array by name") {
    CHECK(runCommand("run shattering --set layers=4 --format csv").out.find("name,value,standardError,draws,symbol,about\n") == 0);
    const std::string table = runCommand("run shattering --set layers=4 --set kind=uniform --array maxPathWeight").out;
    CHECK(table.find("kind,layer,value\n") == 0);
    CHECK(std::count(table.begin(), table.end(), '\n') == 1 + 5);
    CHECK(runCommand("run shattering --set layers=4 --format text").out.find("Arrays") != std::string::npos);
}

TEST_CASE("--out writes the same text to a file, and status 1 says that it did not take all") {
    const TemporaryFolder folder;
    const auto result = runCommand("run shattering --set layers=4 --out " + folder.path("report.json"));
    CHECK(result.status == 0);
    CHECK(result.out.empty());
    CHECK(readText(folder.path("report.json")) == runCommand("run shattering --set layers=4").out);
    const auto full = runCommand("run shattering --out /dev/full");
    CHECK(full.status == 1);
    CHECK(isComplaint(full));
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
    const std::string lines[] = {
        "frobnicate",
        "lst",
        "run",
        "run shatering",
        "describe",
        "run shattering extra",
        "list extra",
        "--frobnicate",
        "run shattering --frobnicate",
        "run shattering --set",
        "run shattering --set layers",
        "run shattering --set =3",
        "run shattering --set layer=3",
        "run shattering --set layers=many",
        "run shattering --set layers=\xff\xfe\x80",
        "run shattering --set layers=" + std::string(100000, 'x'),
        "run shattering --format xml",
        "run shattering --array nothing",
        "run shattering --format json --array capacity",
        "run shattering --state scene=capacity-diffusion",
        "run --state scene=nowhere",
        "run shattering --out /nonexistent/report.json",
        "run shattering --out /",
        "run shattering --network /nonexistent.onnx",
        "run capacity-diffusion --network /",
        "run capacity-diffusion --set network=file",
        "run capacity-diffusion --set space=dense --set kernel=random --set extent=2048 --set layers=400 --set draws=1000",
        "run shattering --data /dev/null",
        "show nowhere",
        "show --set layer=3"};
    CommandLineHost host;
    host.openWindow = [](auto&&...) { return 0; };
    const auto check = [&](const std::vector<std::string>& words) {
        const auto result = runCommand(words, host);
        CAPTURE(words.back().substr(0, 80));
        CHECK(result.status == 2);
        CHECK_MESSAGE(isComplaint(result), result.err);
    };
    for (const auto& line : lines) check(wordsOf(line));
    check({"run", "shattering", "--set", "layers=a\nb\r\nc"});
    check({"run", "capacity-diffusion", "--network", ""});
    check({"run", "activation-regions", "--data", ""});
}

TEST_CASE("a param without --set is told how it is set") {
    CHECK(runCommand("run shattering layers=3").err == "kappaflow: A param is set by --set layers=3, not by \"layers=3\".\n");
    CHECK(runCommand("run shattering --layers 3").err == "kappaflow: A param is set by --set layers=VALUE, not by \"--layers\".\n");
    CHECK(runCommand("render shattering --seed=4").err == "kappaflow: A param is set by --set seed=4, not by \"--seed=4\".\n");
    CHECK(runCommand("list seed").err.find("--set") == std::string::npos);
    CHECK(runCommand("run shattering sheep=3").err.find("not expected") != std::string::npos);
}

TEST_CASE("of a param that is set twice the last value counts, with a sentence") {
    const auto twice = runCommand("run shattering --set layers=4 --set layers=5");
    CHECK(twice.status == 0);
    CHECK(twice.out.find("is set more than once") != std::string::npos);
    CHECK(twice.out.find("\"layers\":5") != std::string::npos);
}

TEST_CASE("a number that stands for a named value is told, the name itself is not") {
    const auto saysIt = [](const std::string& setting) {
        const auto result = runCommand("run capacity-diffusion --set layers=2 --set " + setting);
        CHECK(result.status == 0);
        return result.out.find(" means \\\"") != std::string::npos;
    };
    CHECK(saysIt("dilation=0"));
    CHECK_FALSE(saysIt("dilation=doubling"));
    CHECK_FALSE(saysIt("dilation=2"));
}

TEST_CASE("what is no text is shown as replacement characters") {
    const auto result = runCommand("run caf\xff\xfe");
    CHECK(result.status == 2);
    CHECK(result.err.find("\"caf\uFFFD\uFFFD\"") != std::string::npos);
}

TEST_CASE("help that nobody can read is a failure") {
    std::ostream broken(nullptr);
    std::ostringstream errors;
    CommandLineHost host;
    host.out = &broken;
    host.err = &errors;
    std::string program = "kappaflow", help = "--help";
    char* words[] = {program.data(), help.data()};
    CHECK(runCommandLine(2, words, host) == 1);
    CHECK(isOneSentence(errors.str().substr(0, errors.str().size() - 1)));
}

TEST_CASE("no command and show open the window on the state that was asked for") {
    std::string link, networkFile, dataFile;
    CommandLineHost host;
    host.openWindow = [&](const std::string& l, const std::string& n, const std::string& d) {
        link = l, networkFile = n, dataFile = d;
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
    CHECK(networkFile.empty());
    const TemporaryFolder folder;
    const std::string network = folder.write("net.onnx", "bytes");
    CHECK(runCommand({"show", "--network", network}, host).status == 7);
    CHECK(link == "v=1&scene=capacity-diffusion&network=file");
    CHECK(networkFile == network);
    CHECK(runCommand({"show", "activation-regions", "--data", network}, host).status == 7);
    CHECK(link == "v=1&scene=activation-regions&data=file");
    CHECK(dataFile == network);
    CHECK(runCommand({"show", "activation-regions", "--data", "/nonexistent.csv"}, host).status == 2);
    const auto without = runCommand(std::vector<std::string>{});
    CHECK(without.status == 1);
    CHECK(isComplaint(without));
}

}  // namespace
