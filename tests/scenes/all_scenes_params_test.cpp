#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "support/complete_set.h"
#include "support/followed.h"
#include "support/random_states.h"
#include "support/report_cache.h"
#include "support/report_checks.h"
#include "support/sentence.h"
#include "support/tested_scenes.h"

using namespace kappaflow;

namespace {

/// Dearer requests are checked by their estimate alone: this suite also runs under sanitizers.
constexpr double kAffordable = 1e8, kAffordableInPairs = 5e6;

bool overLimit(const Cost& cost) { return !(cost.operations <= kCostLimit.operations && cost.bytes <= kCostLimit.bytes); }

/// Over the limit: refused in a sentence that names a param. Within it and cheap: completes, well-formed.
void checkRequest(const Declaration& declaration, const Request& request, double affordable) {
    const auto opened = modelOf(declaration.id).open(request);
    const Cost cost = opened->cost();
    CHECK(cost.operations > 0);
    CHECK(cost.bytes > 0);
    if (overLimit(cost)) {
        const std::string culprit = opened->costliest();
        const Param* param = declaration.param(culprit);
        REQUIRE_MESSAGE(param, culprit);
        const std::string sentence = refusal([&] { openRequest(request); });
        CHECK(isOneSentence(sentence));
        const std::string advice = takesFile(param->kind) ? "choose a smaller " : "lower " + culprit;
        CHECK_MESSAGE(sentence.find(advice) != std::string::npos, sentence);
    } else if (cost.operations <= affordable) {
        checkReport(declaration, runRequest(request));
    }
}

std::string settingText(const Param& param, const Value& value) {
    return std::string(param.key) + "=" + formatValue(param, value).substr(0, 40);
}

TEST_CASE("every param is declared so that it can be shown, set and explained") {
    for (const auto& declaration : testedScenes()) {
        std::set<std::string> keys;
        for (const auto& param : declaration.params) {
            CAPTURE(declaration.id);
            CAPTURE(param.key);
            CHECK(keys.insert(param.key).second);
            CHECK(*param.label);
            CHECK(isOneSentence(param.help));
            CHECK(*param.serves);
            const auto standard = admitValue(param, param.standard);
            CHECK(standard.warning.empty());
            CHECK(standard.value == param.standard);
            for (const auto& value : extremesOf(param)) {
                const auto admitted = admitValue(param, value);
                CHECK(parseValue(param, formatValue(param, admitted.value)).value == admitted.value);
            }
            param.visible(declaration.defaults());
        }
    }
}

TEST_CASE("every scene says what it shows and what to try, under a sign of its own") {
    std::set<std::string> icons;
    for (const auto& declaration : testedScenes()) {
        CAPTURE(declaration.id);
        const std::string icon = declaration.icon;
        CHECK(icons.insert(icon).second);
        CHECK(icon.find_first_not_of("012345678 ") == icon.npos);
        std::istringstream strokes(icon);
        for (std::string stroke; strokes >> stroke;) CHECK(stroke.size() % 2 == 0);
        for (const auto& text : {declaration.title, declaration.group, declaration.source}) CHECK(!text.empty());
        for (const std::string& text : {declaration.claim, std::string(declaration.lookAt), std::string(declaration.tryThis)})
            CHECK_MESSAGE(isOneSentence(text), text);
        CHECK(modelOf(declaration.id).scene == declaration.id);
        std::set<std::string> names;
        for (const auto& field : declaration.fields) {
            CHECK(names.insert(field.name).second);
            CHECK(*field.about);
        }
        if (declaration.timeline.param.empty()) continue;
        const Param* at = declaration.param(declaration.timeline.param);
        REQUIRE(at);
        CHECK(at->affects == Affects::View);
        REQUIRE(declaration.param("play"));
        CHECK(declaration.param("play")->affects == Affects::View);
    }
}

TEST_CASE("every preset but a scene's first, which has the scene's own, says what to look at in a sentence of its own") {
    for (const auto& declaration : testedScenes()) {
        CAPTURE(declaration.id);
        std::set<std::string> said{declaration.lookAt};
        for (std::size_t p = 0; p < declaration.presets.size(); ++p) {
            const std::string text = declaration.presets[p].lookAt;
            CAPTURE(declaration.presets[p].name);
            CAPTURE(text);
            CHECK(text.empty() == (p == 0));
            if (text.empty()) continue;
            const auto letters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });  // UTF-8
            CHECK(letters >= 40);
            CHECK(letters <= 160);
            CHECK((text.front() >= 'A' && text.front() <= 'Z'));
            CHECK(text.back() == '.');
            CHECK(text.find(". ") == text.rfind(". "));
            CHECK(said.insert(text).second);
        }
    }
}

TEST_CASE("no choice meets a refusal where all else is as the scene opens") {
    for (const auto& declaration : testedScenes())
        for (const auto& param : declaration.params)
            for (const auto& option : param.options) {
                if (param.kind != Kind::Choice) continue;
                CAPTURE(declaration.id);
                CAPTURE(param.key);
                CAPTURE(option.key);
                CHECK_FALSE(overLimit(costOf(requestWith(declaration, {{param.key, std::string(option.key)}}))));
            }
}

TEST_CASE("pairs of params at their extremes keep to the budget" * doctest::test_suite("long")) {
    std::size_t pair = 0;
    for (const auto& declaration : testedScenes()) {
        CAPTURE(declaration.id);
        for (const auto& first : declaration.params)
            for (const auto& second : declaration.params) {
                if (&first >= &second || first.affects == Affects::View || second.affects == Affects::View) continue;
                for (const auto& a : extremesOf(first))
                    for (const auto& b : extremesOf(second)) {
                        if (++pair % 13 != 0 && !completeSet()) continue;
                        const std::string setting = settingText(first, a) + " " + settingText(second, b);
                        CAPTURE(setting);
                        checkRequest(declaration, requestWith(declaration, {{first.key, a}, {second.key, b}}), kAffordableInPairs);
                    }
            }
    }
}

TEST_CASE("random settings of everything at once complete, or are refused in a sentence" * doctest::test_suite("long")) {
    const int tries = completeSet() ? 400 : 25;
    Rng rng(23, Purpose::Data);
    for (const auto& declaration : testedScenes()) {
        CAPTURE(declaration.id);
        int ran = 0;
        for (int i = 0; i < tries; ++i) {
            Request request;
            request.scene = declaration.id;
            request.params = randomState(declaration, rng).params;
            std::string settings;
            for (const auto& param : declaration.params)
                if (request.params.at(param.key) != param.standard) settings += " " + settingText(param, request.params.at(param.key));
            CAPTURE(settings);
            const Cost cost = costOf(request);
            if (cost.operations > kAffordable && !overLimit(cost)) continue;
            const std::string sentence = refusal([&] {
                checkReport(declaration, runRequest(request));
                ++ran;
            });
            CHECK((sentence.empty() || isOneSentence(sentence)));
        }
        // Where the defaults are dear already, few random settings are cheap; training is dear wherever it is not very short.
        const bool dear = costOf(requestWith(declaration, {})).operations > kAffordable;
        CHECK(ran >= (dear ? tries / 200 : tries / 4));
    }
}

TEST_CASE("progress rises, partial results are well-formed too, and the timeline walks along an axis of the last" *
          doctest::test_suite("long")) {
    for (const auto& declaration : testedScenes()) {
        CAPTURE(declaration.id);
        double last = 0;
        Following following([&](const Report& partial, double progress) {
            CHECK(progress >= last);
            last = progress;
            CHECK(last <= 1);
            CHECK(partial.scene == declaration.id);
            CHECK(partial.status == Status::Partial);
            for (const auto& array : partial.arrays) {
                std::size_t size = 1;
                for (const auto& axis : array.axes) size *= axis.size();
                CHECK_MESSAGE(array.values.size() == size, array.name);
            }
        });
        following.rarest = 0.04;
        const Report report = runRequest(requestWith(declaration, {}), following);
        checkReport(declaration, report);
        if (declaration.timeline.param.empty()) continue;
        bool found = false;
        for (const auto& array : report.arrays)
            for (const auto& axis : array.axes) found |= axis.name == declaration.timeline.axis && axis.values.size() > 1;
        CHECK_MESSAGE(found, "no axis ", declaration.timeline.axis);
    }
}

}  // namespace
