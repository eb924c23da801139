#include <doctest/doctest.h>

#include "app/session.h"
#include "bench_runner.h"
#include "core/io/image_layout.h"
#include "support/image_files.h"

using namespace kappaflow;

namespace {

struct Files {
    HandRunner* runner = new HandRunner;
    Session session{std::unique_ptr<Runner>(runner), [] { return 1.0; }};

    explicit Files(const std::string& scene) {
        session.openLink("v=1&scene=" + scene);
        session.poll();
        answer();
    }
    /// What is computed does not matter here: an empty report.
    void answer() {
        while (runner->busy()) {
            Report report;
            report.scene = runner->started.back().scene;
            report.status = Status::Ok;
            runner->finish(std::move(report));
            session.poll();
        }
    }
    void refuse(const std::string& why) {
        runner->refuse(why);
        session.poll();
    }
    const Param& dataParam() const { return *session.scene().paramOf(Kind::Data); }
    const ImageBytes& asked() const { return runner->started.back().data->bytes; }
};

ImageBytes textBytes(std::string_view text) { return {text.begin(), text.end()}; }
const ImageBytes kPoints = textBytes("0,0,a\n1,2,b\n2,1,a\n");
constexpr const char *kImages = "train-images-idx3-ubyte", *kLabels = "train-labels-idx1-ubyte";

}  // namespace

TEST_CASE("what a file holds is told by its bytes, else by its name") {
    struct Case {
        const char* name;
        ImageBytes bytes;
        FileContent content;
    };
    const Case cases[] = {{kImages, idxFile(2, 8), FileContent::Images},
                          {"pictures", idxFile(2, 8), FileContent::Images},
                          {"pictures.csv", idxFile(2, 8), FileContent::Images},
                          {"pictures", joined(idxFile(2, 8), labelFile(2)), FileContent::Images},
                          {"which", labelFile(4), FileContent::Labels},
                          {kImages, {0x1f, 0x8b}, FileContent::Images},
                          {"data_batch_1.bin", {}, FileContent::Images},
                          {"cifar-10-binary.tar.gz", {0x1f, 0x8b}, FileContent::Images},
                          {"batch", cifarFile(2), FileContent::Images},
                          {"batch", cifarFile(2, 2), FileContent::Images},
                          {"net.onnx", cifarFile(2), FileContent::Network},
                          {"net.safetensors", {8, 0, 0, 0}, FileContent::Network},
                          {"net.npz", {'P', 'K'}, FileContent::Network},
                          {"a.csv", kPoints, FileContent::Points},
                          {"b.c.tsv", kPoints, FileContent::Points},
                          {"points.txt", kPoints, FileContent::Points},
                          {"A.CSV", kPoints, FileContent::Points},
                          {"a.csv.onnx", {}, FileContent::Network},
                          // A network in another program's format is one, whatever it was trained on.
                          {"cifar10_resnet.pt", ImageBytes(100, 7), FileContent::Network},
                          {"MNIST.keras", ImageBytes(100, 7), FileContent::Network},
                          {"data_batch_net.pb", ImageBytes(100, 7), FileContent::Network},
                          {"csv", {}, FileContent::Network},
                          {"", {}, FileContent::Network}};
    for (const Case& c : cases) {
        CAPTURE(c.name);
        CHECK(contentOf(c.name, c.bytes) == c.content);
    }
}

TEST_CASE("images lead to a scene that takes images, points to one that takes points, wherever they are dropped") {
    for (const char* from : {"capacity-diffusion", "activation-regions", "moments", "shattering"}) {
        CAPTURE(from);
        Files images(from), points(from);
        images.session.attach(kImages, idxFile(2, 8));
        CHECK(takes(images.dataParam(), FileContent::Images));
        CHECK(images.session.state().params.is(images.dataParam().key, "file"));
        CHECK(images.asked() == idxFile(2, 8));
        points.session.attach("points.csv", kPoints);
        CHECK(takes(points.dataParam(), FileContent::Points));
        CHECK(points.asked() == kPoints);
    }
}

TEST_CASE("the scene on screen keeps a file that it takes") {
    for (const char* scene : {"moments", "sensitivity-theorems"}) {
        Files images(scene);
        images.session.attach(kImages, idxFile(2, 8));
        CHECK(images.session.state().scene == scene);
    }
    Files moments("moments"), regions("activation-regions");
    moments.session.attach("points.csv", kPoints);
    CHECK(moments.session.state().scene == "activation-regions");
    regions.session.attach("points.csv", kPoints);
    CHECK(regions.session.state().scene == "activation-regions");
    regions.session.attach(kImages, idxFile(2, 8));
    CHECK(regions.session.state().scene != "activation-regions");
}

TEST_CASE("what is asked for as data stays on a scene that has data, else goes to the first that takes what it holds") {
    Files moments("moments"), lines("capacity-diffusion"), images("capacity-diffusion");
    moments.session.attachAs(Kind::Data, "points.csv", kPoints);
    CHECK(moments.session.state().scene == "moments");
    CHECK(moments.asked() == kPoints);
    lines.session.attachAs(Kind::Data, "points.csv", kPoints);
    CHECK(lines.session.state().scene == "activation-regions");
    images.session.attachAs(Kind::Data, "my-images", idxFile(2, 8));
    CHECK(takes(images.dataParam(), FileContent::Images));
}

TEST_CASE("undo forgets the oldest steps when their files pass 128 MB together") {
    History history;
    const auto moment = [](std::size_t megabytes) {
        Moment made;
        made.data = std::make_shared<const Attachment>(Attachment{"file", std::vector<unsigned char>(megabytes << 20)});
        return made;
    };
    const Moment shared = moment(50);
    for (int step = 0; step < 6; ++step) history.remember(shared, "shared" + std::to_string(step), step);
    CHECK(history.depth() == 6);
    history.remember(moment(60), "second", 10);
    CHECK(history.depth() == 7);
    history.remember(moment(60), "third", 20);
    CHECK(history.depth() == 2);
    CHECK(history.undo({}).data->bytes.size() == (60u << 20));
}

TEST_CASE("points that could not be seen beside the present params start the scene anew") {
    Files regions("activation-regions&inputs=5");
    REQUIRE_FALSE(regions.session.isVisible(regions.dataParam()));
    regions.session.attach("points.csv", kPoints);
    CHECK(regions.session.isVisible(regions.dataParam()));
    regions.session.undo();
    CHECK(regions.session.state().params.number("inputs") == 5);
}

TEST_CASE("a file dropped right after another is an undo step of its own") {
    Files regions("activation-regions");
    regions.session.attach("first.csv", kPoints);
    regions.session.attach("second.csv", kPoints);
    regions.session.undo();
    REQUIRE(regions.session.data() != nullptr);
    CHECK(regions.session.data()->name == "first.csv");
    regions.session.undo();
    CHECK(regions.session.data() == nullptr);
}

TEST_CASE("images and labels are joined, whichever comes first") {
    const ImageBytes both = joined(idxFile(12, 8), labelFile(12));
    Files before("moments"), after("moments");
    before.session.attach(kLabels, labelFile(12));
    CHECK(before.session.message().find("wait for their images") != std::string::npos);
    CHECK(before.session.data() == nullptr);
    before.session.attach(kImages, idxFile(12, 8));
    CHECK(before.session.message().empty());
    CHECK(before.asked() == both);
    after.session.attach(kImages, idxFile(12, 8));
    after.session.attach(kLabels, labelFile(12));
    after.answer();
    CHECK(after.asked() == both);
    CHECK(after.session.shownFile() == kImages);
    after.session.undo();
    CHECK(after.session.data() == nullptr);
}

TEST_CASE("labels come for images that were refused without them, and in the place of other labels") {
    Files files("moments");
    files.session.attach(kImages, idxFile(12, 8));
    files.refuse("No labels.");
    CHECK(files.session.data() == nullptr);
    CHECK(files.session.message() == "No labels.");
    files.session.attach(kLabels, labelFile(12));
    files.answer();
    CHECK(files.asked() == joined(idxFile(12, 8), labelFile(12)));
    ImageBytes others = labelFile(12);
    others.back() = 7;
    files.session.attach(kLabels, others);
    files.answer();
    CHECK(files.asked() == joined(idxFile(12, 8), others));
}

TEST_CASE("labels of other images are not put behind these") {
    Files after("moments"), before("moments");
    after.session.attach(kImages, idxFile(12, 8));
    after.answer();
    after.session.attach(kLabels, labelFile(11));
    CHECK(after.session.message().find("not as many as the images") != std::string::npos);
    CHECK(after.session.data()->bytes == idxFile(12, 8));
    before.session.attach(kLabels, labelFile(11));
    before.session.attach(kImages, idxFile(12, 8));
    CHECK(before.asked() == idxFile(12, 8));
    // Labels wait for the next file only.
    before.answer();
    before.session.attach(kLabels, labelFile(11));
    before.session.attach("points.csv", kPoints);
    before.session.attach(kImages, idxFile(11, 8));
    before.answer();
    CHECK(before.asked() == idxFile(11, 8));
}

TEST_CASE("a file with a header that lies is joined without harm") {
    const ImageBytes header = idxHeader(0x803, {12, 0xffffffff, 0xffffffff}), stump = cut(header, 9);
    CHECK(withLabels(header, labelFile(12)) == joined(header, labelFile(12)));
    CHECK(withLabels(stump, labelFile(12)) == joined(stump, labelFile(12)));
    CHECK_FALSE(countOfIdx(cut(header, 7)));
    CHECK_FALSE(countOfIdx(kPoints));
}
