#pragma once
#include <doctest/doctest.h>

#include <span>
#include <string>
#include <string_view>

#include "core/base/rng.h"
#include "support/image_files.h"
#include "support/sentence.h"

namespace kappaflow {

struct BadImages {
    ImageBytes bytes;
    std::string part;  ///< of the sentence that refuses it
};

/// Each is refused in one sentence about the file, with its name or without.
template <class Read>
void checkRefused(std::span<const BadImages> bads, Read read) {
    for (const BadImages& bad : bads) {
        const std::string sentence = refusal([&] { read(bad.bytes, ""); }), named = refusal([&] { read(bad.bytes, "my\nfile.bin"); });
        CAPTURE(sentence);
        CHECK(isOneSentence(sentence));
        CHECK(sentence.rfind("The file", 0) == 0);
        CHECK(sentence.find(bad.part) != std::string::npos);
        CHECK(isOneSentence(named));
        CHECK(named.rfind("The file \"my", 0) == 0);
    }
}

/// One change of a file: cut off, a byte more, one less, or another one; small ones more often, since labels are.
inline void changeBytes(ImageBytes& bytes, std::size_t at, Rng& rng) {
    const auto byte = static_cast<unsigned char>(rng.below(3) ? rng.below(16) : rng.below(256));
    const std::uint64_t kind = rng.below(12);
    if (kind == 0)
        bytes.resize(1 + rng.below(bytes.size()));
    else if (kind == 1)
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), byte);
    else if (kind == 2 && bytes.size() > 1)
        bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
    else
        bytes[at] = byte;
}

/// Files with changes at places that `place(bytes, rng)` draws: `sound(bytes)` reads one, and it must be sound or refused in a sentence.
template <class Place, class Sound>
void checkChanged(std::span<const ImageBytes> seeds, int files, int least, Rng rng, Place place, Sound sound) {
    int taken = 0, refused = 0;
    for (int i = 0; i < files; ++i) {
        ImageBytes bytes = seeds[rng.below(seeds.size())];
        for (std::uint64_t changes = 1 + rng.below(4); changes > 0; --changes) changeBytes(bytes, place(bytes, rng), rng);
        bool isSound = true;
        const std::string sentence = refusal([&] { isSound = sound(bytes); });
        REQUIRE(isSound);
        (sentence.empty() ? taken : refused) += 1;
        REQUIRE((sentence.empty() || isOneSentence(sentence)));
    }
    CHECK(taken > least);
    CHECK(refused > least);
}

}  // namespace kappaflow
