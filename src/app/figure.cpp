#include "app/figure.h"

#include "app/app.h"
#include "app/screen.h"
#include "scenes/picture_svg.h"

namespace kappaflow {
namespace {

/// The state as it is seen now, standing still (while playing, App::link() leaves out where the timeline is), behind the address.
std::string stillLink(const std::string& address, State state) {
    if (state.params.contains("play")) state.params.set("play", false);
    return (address.empty() ? "" : address.substr(0, address.find('#')) + '#') + formatLink(state);
}

}  // namespace

std::string figureSvg(App& app, const FigureWish& wish) {
    const Session& session = app.session();
    const Report* report = session.report();
    if (!report || !app.pictureReady()) return {};
    const Layout& layout = app.layout();
    const FigureRequest request{.report = *report,
                                .state = session.state(),
                                .width = wish.width > 0 ? wish.width : layout.picture.width(),
                                .height = wish.height > 0 ? wish.height : layout.picture.height(),
                                .dark = wish.dark,
                                .compact = layout.compact,
                                .link = stillLink(wish.link, session.state()),
                                .caption = wish.caption,
                                .file = session.shownFile()};
    return pictureSvg(request, app.screen().measureText());
}

}  // namespace kappaflow
