#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/capture.h"

using namespace kappaflow;

namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

Lines linesOf(const std::string& text) {
    std::istringstream in(text);
    Lines lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

Lines sweep(const std::string& words) {
    const auto result = runCommand("sweep shattering --set layers=4 " + words);
    REQUIRE_MESSAGE(result.status == 0, result.err);
    return linesOf(result.out);
}

std::string complaint(const std::string& words) {
    const auto result = runCommand(words);
    CHECK(result.status == 2);
    CHECK_MESSAGE(isComplaint(result), result.err);
    return result.err;
}

TEST_CASE("sweep prints the link of every combination, the last param fastest") {
    const Lines lines = sweep("--over seed=1..3 --over extent=17,19");
    REQUIRE(lines.size() == 6);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto result = runCommand({"run", "shattering", "--state", lines[i]});
        const Json params = Json::parse(result.out)["params"];
        CHECK(params["layers"] == 4);
        CHECK(params["seed"] == 1 + i / 2);
        CHECK(params["extent"] == 17 + 2 * (i % 2));
    }
    CHECK(sweep("").size() == 1);
    CHECK(linesOf(runCommand("sweep shattering --over seed=1..1000").out).size() == 1000);
}

TEST_CASE("what is no sweep is refused in a sentence") {
    complaint("sweep");
    complaint("sweep shattering --over seed");
    complaint("sweep shattering --over seed=");
    complaint("sweep shattering --over seed=1,,2");
    complaint("sweep shattering --over seed=3..1");
    complaint("sweep shattering --over seed=1.5..3");
    complaint("sweep shattering --over nothing=1,2");
    CHECK(complaint("sweep shattering --over seed=1..2000000").find("more than a million") != std::string::npos);
    CHECK(complaint("sweep shattering --over seed=1..2000 --over strands=1..2000").find("more than a million") != std::string::npos);
    const TemporaryFolder folder;
    complaint("run --batch " + folder.path("nowhere") + " --out " + folder.path("x"));
    complaint("run --shard 1/2 shattering");
    const std::string batch = folder.write("batch", "#scene=shattering\n"), other = folder.write("other", "something else\n");
    complaint("run --batch " + batch);
    complaint("run shattering --batch " + batch + " --out " + folder.path("r"));
    CHECK(complaint("run --batch " + batch + " --out " + other).find("holds no results of a batch") != std::string::npos);
    CHECK(readText(other) == "something else\n");
    for (const char* shard : {"0/2", "3/2", "1", "1/0", "a/b", "1/2/3", "-1/2"})
        complaint("run --batch " + batch + " --out " + folder.path("r") + " --shard " + shard);
}

TEST_CASE("a batch adds a line for each request, skips those done, and goes on where it was killed") {
    const TemporaryFolder folder;
    std::string text;
    for (const auto& line : sweep("--over seed=1..4")) text += line + "\n";
    const std::string batch = folder.write("batch", text + "#scene=shattering&layers=1000000&seed=1\r\n\n#scene=nothing\n"),
                      out = folder.path("results");
    const auto first = runCommand("run --batch " + batch + " --out " + out);
    CHECK(first.status == 1);
    CHECK(first.out.empty());
    const std::string whole = readText(out);
    const Lines results = linesOf(whole);
    REQUIRE(results.size() == 6);
    for (std::size_t i = 0; i < 4; ++i) {
        const Json result = Json::parse(results[i]);
        CHECK(result["request"] == linesOf(text)[i]);
        const auto alone = runCommand({"run", "--state", linesOf(text)[i]});
        CHECK(result["report"] == Json::parse(alone.out));
    }
    CHECK(Json::parse(results[5])["refused"].get<std::string>().find("nothing") != std::string::npos);

    // Killed in the middle of the third line.
    const std::size_t second = whole.find('\n', whole.find('\n') + 1) + 1;
    folder.write("results", whole.substr(0, second + 40));
    runCommand("run --batch " + batch + " --out " + out);
    CHECK(readText(out) == whole);
    const auto again = runCommand("run --batch " + batch + " --out " + out);
    CHECK(again.err.find("0 computed, 6 done before, 0 refused") != std::string::npos);
    CHECK(readText(out) == whole);
}

TEST_CASE("shards share a batch out without rest") {
    const TemporaryFolder folder;
    std::string text;
    for (const auto& line : sweep("--over seed=1..7")) text += line + "\n";
    const std::string batch = folder.write("batch", text);
    Lines all;
    for (const char* shard : {"1/3", "2/3", "3/3"}) {
        const std::string out = folder.path(std::string("shard") + shard[0]);
        CHECK(runCommand("run --batch " + batch + " --out " + out + " --shard " + shard).status == 0);
        for (const auto& line : linesOf(readText(out))) all.push_back(Json::parse(line)["request"]);
    }
    Lines wanted = linesOf(text);
    std::sort(all.begin(), all.end());
    std::sort(wanted.begin(), wanted.end());
    CHECK(all == wanted);
}

}  // namespace
