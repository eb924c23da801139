const kLighter = {
  'training-tradeoff': { steps: '200' }, 'remaining-depth': { epochs: '4' }, 'trajectory-length': { sweepDraws: '2' },
  moments: { draws: '2' }, 'moment-diffusion': { draws: '100' }, 'sensitivity-theorems': { draws: '4' },
};

/** [key, value] of params with which a scene looks the same and keeps no browser busy for many seconds; none in the complete set. */
export const lighter = (scene) => Object.entries((process.env.KAPPAFLOW_COMPLETE !== '1' && kLighter[scene]) || {});
