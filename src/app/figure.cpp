#include "app/figure.h"

#include "app/app.h"
#include "app/screen.h"
#include "scenes/picture_svg.h"

namespace kappaflow {

std::string figureSvg(App& app, const FigureWish& wish) {
    const Session& session = app.session();
    const Report* report = session.report();
    if (!report) return {};
    const Layout& layout = app.layout();
    const FigureRequest request{.report = *report,
                                .state = session.state(),
                                .width = wish.width > 0 ? wish.width : layout.picture.width(),
                                .height = wish.height > 0 ? wish.height : layout.picture.height(),
                                .dark = wish.dark,
                                .compact = layout.compact,
                                .link = wish.link.empty() ? app.link() : wish.link,
                                .caption = wish.caption,
                                .file = session.network() ? session.network()->name : std::string()};
    return pictureSvg(request, app.screen().measureText());
}

}  // namespace kappaflow
