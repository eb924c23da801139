#pragma once
#include "scenes/picture_support.h"

/// What pictures of networks in training share.
namespace kappaflow::learning_curve {

/// Loss and accuracy against training step (arrays `loss` and `accuracy` [step], scalars `trainedSteps`, `trainingLoss`,
/// `trainingAccuracy`) with the handle that scrubs the param `step`; false where nothing is trained.
bool drawTraining(PictureFrame&, Rect panel);

}  // namespace kappaflow::learning_curve
