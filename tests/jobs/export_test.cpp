#include "jobs/export.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/rng.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

using Json = nlohmann::json;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

Report smallReport() {
    Report report;
    report.scene = "shattering";
    report.params = findDeclaration("shattering")->defaults();
    report.status = Status::Ok;
    report.warnings = {"taps was lowered."};
    report.summary = "The total is 1.";
    report.notes = {{"regions", "tanh has no straight pieces."}};
    report.scalars = {{"exact", 1.5, "v", "a, \"b\"", {}, 0}, {"sampled", 2, "", "", 0.25, 30}};
    Array array;
    array.name = "capacity";
    array.axes = {{"kind", {}, {"residual", "uniform"}}, {"layer", {0, 1, 2}, {}}};
    array.values = {1, 2, 3, 4, 5, 6};
    array.symbol = "κ";
    array.role = Role::Theory;
    array.about = "About.";
    report.arrays = {array};
    return report;
}

Json exported(const Report& report) { return Json::parse(reportJson(report, namedParams(report))); }

TEST_CASE("a report's JSON has the members of the contract") {
    Report report = smallReport();
    report.network = {{"dense", {2, 1}, {0.5, -0.5}, {1, 2}}};
    const Json expected = {
        {"kappaflow", KAPPAFLOW_VERSION},
        {"schema", 1},
        {"scene", "shattering"},
        {"status", "ok"},
        {"message", ""},
        {"warnings", {"taps was lowered."}},
        {"summary", "The total is 1."},
        {"notes", {{"regions", "tanh has no straight pieces."}}},
        {"scalars",
         {{"exact", {{"value", 1.5}, {"symbol", "v"}, {"about", "a, \"b\""}}},
          {"sampled", {{"value", 2}, {"symbol", ""}, {"about", ""}, {"standardError", 0.25}, {"draws", 30}}}}},
        {"arrays",
         {{"capacity",
           {{"axes", {{{"name", "kind"}, {"values", {"residual", "uniform"}}}, {{"name", "layer"}, {"values", {0, 1, 2}}}}},
            {"shape", {2, 3}},
            {"values", {1, 2, 3, 4, 5, 6}},
            {"symbol", "κ"},
            {"role", "theory"},
            {"about", "About."}}}}},
        {"network", {{"layers", {{{"kind", "dense"}, {"weights", {{"shape", {2, 1}}, {"values", {0.5, -0.5}}}}, {"bias", {1, 2}}}}}}}};
    Json json = exported(report);
    const Json params = json["params"];
    json.erase("params");
    CHECK(json == expected);
    CHECK(params.size() == findDeclaration("shattering")->params.size());
    CHECK(params["epsilon"] == "1/L");  // named values by their names
    CHECK(params["layers"] == 50);
    CHECK(params["play"] == true);
    report.notes.clear();
    report.network.clear();
    CHECK(!exported(report).contains("notes"));
    CHECK(!exported(report).contains("network"));
    const Json array = Json::parse(reportJson(report, report.params, false))["arrays"]["capacity"];
    CHECK(!array.contains("values"));
    CHECK(array["shape"] == Json{2, 3});
}

TEST_CASE("numbers read back as the same doubles, bit for bit") {
    Report report = smallReport();
    Rng rng(3, Purpose::Data);
    std::vector<double> values{0, -0.0, 0.1, 1e15, -1e15, 999999999999999.0, 9007199254740993.0, 5e-324, 1.7976931348623157e308};
    for (int i = 0; i < 2000; ++i) values.push_back(rng.gaussian() * std::pow(10, 40 * rng.gaussian()));
    report.arrays[0].axes = {{"index", values, {}}};
    report.arrays[0].values = values;
    const Json json = exported(report)["arrays"]["capacity"];
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double back = json["values"][i].get<double>();
        REQUIRE(back == values[i]);
        REQUIRE(std::signbit(back) == std::signbit(values[i]));
        REQUIRE(json["axes"][0]["values"][i].get<double>() == values[i]);
    }
}

TEST_CASE("what is not finite is null, with a warning unless it means: not defined here") {
    Report report = smallReport();
    report.arrays[0].values = {kNan, 2, kInf, 4, 5, 6};
    report.scalars[0].value = kNan;
    Json json = exported(report);
    CHECK(json["arrays"]["capacity"]["values"][0].is_null());
    CHECK(json["arrays"]["capacity"]["values"][2].is_null());
    CHECK(json["scalars"]["exact"]["value"].is_null());
    REQUIRE(json["warnings"].size() == 3);
    CHECK(json["warnings"][1] == "exact holds 1 value that is not finite: null here.");
    CHECK(json["warnings"][2] == "capacity holds 2 values that are not finite: null here.");
    report.arrays[0].mayBeUndefined = true;
    report.arrays[0].values[2] = kNan;
    report.scalars[0].value = 1;
    CHECK(exported(report)["warnings"].size() == 1);
}

TEST_CASE("scalars come as CSV, one a row, quoted as spreadsheets expect") {
    CHECK(reportCsv(smallReport()) ==
          "name,value,standardError,draws,symbol,about\n"
          "exact,1.5,,,v,\"a, \"\"b\"\"\"\n"
          "sampled,2,0.25,30,,\n");
}

TEST_CASE("an array comes as CSV in long form, a column per axis") {
    Report report = smallReport();
    report.arrays[0].values[4] = kNan;
    CHECK(arrayCsv(report, "capacity") ==
          "kind,layer,value\nresidual,0,1\nresidual,1,2\nresidual,2,3\nuniform,0,4\nuniform,1,\nuniform,2,6\n");
    report.arrays[0].standardError = {0, 0, 0, 0, 0, 0.5};
    CHECK(arrayCsv(report, "capacity").find("kind,layer,value,standardError\nresidual,0,1,0\n") == 0);
    CHECK(refusal([&] { arrayCsv(report, "capacty"); }) == "The report has no array \"capacty\"; it has capacity.");
}

TEST_CASE("the text shows summary, warnings and scalars with their errors") {
    const std::string text = reportText(smallReport());
    for (const char* part : {"The total is 1.", "Warning: taps was lowered.", "regions: tanh has no straight pieces.",
                             "2 ± 0.25 (30 draws)", "[kind 2, layer 3]"})
        CHECK_MESSAGE(text.find(part) != std::string::npos, part);
}

TEST_CASE("an unknown format is refused, and an array by name is a matter of CSV") {
    CHECK(isOneSentence(refusal([] { exportReport(smallReport(), "xml"); })));
    CHECK(isOneSentence(refusal([] { exportReport(smallReport(), "json", "capacity"); })));
    CHECK(exportReport(smallReport(), "csv", "capacity") == arrayCsv(smallReport(), "capacity"));
}

TEST_CASE("every scene describes its params, fields and presets") {
    CHECK(Json::parse(listJson()).size() == declarations().size());
    for (const auto& declaration : declarations()) {
        const Json json = Json::parse(declarationJson(declaration));
        CHECK(json["params"].size() == declaration.params.size());
        CHECK(json["fields"].size() == declaration.fields.size());
        CHECK(json["presets"].size() == declaration.presets.size());
        for (std::size_t p = 0; p < declaration.presets.size(); ++p)
            CHECK(json["presets"][p].value("lookAt", "") == declaration.presets[p].lookAt);
        for (const auto& param : json["params"]) {
            CHECK(!param["key"].get<std::string>().empty());
            CHECK(!param["help"].get<std::string>().empty());
            CHECK(param.contains("default"));
        }
        const std::string text = declarationText(declaration);
        for (const auto& param : declaration.params) CHECK(text.find(std::string("\n  ") + param.key + " ") != std::string::npos);
        CHECK(listText().find(declaration.id) != std::string::npos);
    }
}

}  // namespace
