#pragma once
#include "scenes/moments/moments/model_clouds.h"
#include "scenes/moments/moments/model_fits.h"

namespace kappaflow::moments {

/// One kind of network and what is known of its draws.
struct NetResult {
    MomentKind kind = MomentKind::Vanilla;
    DrawStatistics statistics;
    Fits fits;
    std::vector<LayerCloud> clouds;  ///< aligned; of the first draw, as far as it came
    Size draws = 0;                  ///< whole ones
    Size collapsed = 0;              ///< of these, that ended before the last layer
    std::string collapse;            ///< why the first of these did
};

/// What is known so far; nets[0] is the one asked for.
struct Progress {
    std::vector<NetResult> nets;
    double plateau = 0;  ///< of the inputs drawn; 0 where there is none
    bool finished = false;
    Vector kinds;       ///< of a given network, index of kLayerKinds layer by layer from 1 on; empty: networks are drawn
    double points = 0;  ///< of its input

    bool given() const { return !kinds.empty(); }
};

Report makeReport(const random_nets::NetSetup&, const Progress&);
std::string summaryOf(const Progress&);

}  // namespace kappaflow::moments
