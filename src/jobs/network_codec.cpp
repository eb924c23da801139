#include "jobs/network_codec.h"

#include "jobs/codec_bytes.h"

namespace kappaflow {
namespace {

constexpr int kDeepest = 64;  // residual layers within each other; readers admit fewer

// One list of members serves both directions, so that they cannot differ: `Coder` writes or reads.
class Writing {
public:
    template <class Number>
    void number(const Number& value) {
        out_.number(value);
    }
    void flag(const bool& value) { out_.flag(value); }
    template <class Enum>
    void key(const Enum& value, Enum) {
        out_.number(static_cast<std::uint8_t>(value));
    }
    void text(const std::string& value) { out_.text(value); }
    void numbers(const std::vector<double>& values) {
        bool singles = true;
        for (const double value : values) singles = singles && static_cast<float>(value) == value;
        out_.flag(singles);
        out_.count(values.size());
        if (!singles) return out_.raw(values.data(), values.size() * sizeof(double));
        const std::vector<float> narrow(values.begin(), values.end());
        out_.raw(narrow.data(), narrow.size() * sizeof(float));
    }
    template <class Item, class Each>
    void list(const std::vector<Item>& items, Each each) {
        out_.count(items.size());
        for (const Item& item : items) each(item);
    }
    std::vector<unsigned char> take() { return out_.take(); }

private:
    ByteWriter out_;
};

class Reading {
public:
    explicit Reading(std::span<const unsigned char> bytes) : in_(bytes) {}

    template <class Number>
    void number(Number& value) {
        value = in_.number<Number>();
    }
    void flag(bool& value) { value = in_.flag(); }
    template <class Enum>
    void key(Enum& value, Enum last) {
        value = static_cast<Enum>(in_.enumeration(static_cast<unsigned>(last)));
    }
    void text(std::string& value) { value = in_.text(); }
    void numbers(std::vector<double>& values) {
        if (in_.flag()) {
            const std::vector<float> narrow = in_.values<float>();
            values.assign(narrow.begin(), narrow.end());
        } else {
            values = in_.values<double>();
        }
    }
    template <class Item, class Each>
    void list(std::vector<Item>& items, Each each) {
        if (++depth_ > kDeepest) ByteReader::fail();
        items.resize(in_.count(4));  // no item takes fewer bytes
        for (Item& item : items) each(item);
        --depth_;
    }
    void end() const { in_.end(); }

private:
    ByteReader in_;
    int depth_ = 0;
};

template <class Coder, class Shape_>
void shape(Coder& coder, Shape_& s) {
    for (auto* size : {&s.channels, &s.height, &s.width}) coder.number(*size);
}

template <class Coder, class Layer_>
void layer(Coder& coder, Layer_& l) {
    coder.key(l.kind, LayerKind::Residual);
    shape(coder, l.in);
    shape(coder, l.out);
    for (auto* sizes : {&l.window.size, &l.window.stride, &l.window.dilation, &l.window.before, &l.window.after})
        for (auto& size : *sizes) coder.number(size);
    coder.key(l.window.padding, Padding::Reflect);
    coder.number(l.groups);
    coder.flag(l.shared);
    coder.flag(l.countsPadding);
    coder.key(l.activation, Activation::PseudoRandom);
    for (auto* number : {&l.slope, &l.gain, &l.offset, &l.batchNormEpsilon, &l.skipScale, &l.branchScale}) coder.number(*number);
    coder.number(l.seed);
    for (auto* numbers : {&l.slopes, &l.weights, &l.bias, &l.mean, &l.variance}) coder.numbers(*numbers);
    for (auto* side : {&l.branch, &l.skip}) coder.list(*side, [&](auto& inner) { layer(coder, inner); });
    coder.text(l.name);
}

template <class Coder, class Found>
void found(Coder& coder, Found& f) {
    coder.number(f.fileBytes);
    coder.number(f.fileWeights);
    coder.text(f.refusal);
    coder.list(f.notes, [&](auto& note) { coder.text(note); });
    shape(coder, f.network.input);
    coder.list(f.network.layers, [&](auto& l) { layer(coder, l); });
}

}  // namespace

std::vector<unsigned char> encodeNetwork(const FoundNetwork& given) {
    Writing coder;
    found(coder, given);
    return coder.take();
}

FoundNetwork decodeNetwork(std::span<const unsigned char> bytes) {
    Reading coder(bytes);
    FoundNetwork read;
    found(coder, read);
    coder.end();
    return read;
}

std::vector<unsigned char> encodeWritten(const WrittenNetwork& written) {
    ByteWriter out;
    out.text(written.refusal);
    out.blob(written.file);
    return out.take();
}

WrittenNetwork decodeWritten(std::span<const unsigned char> bytes) {
    ByteReader in(bytes);
    WrittenNetwork written{in.text(), in.blob()};
    in.end();
    return written;
}

}  // namespace kappaflow
