const kLighter = {
  'training-tradeoff': { steps: '20' }, 'remaining-depth': { epochs: '2' }, 'trajectory-length': { sweepDraws: '2', layers: '10' },
  moments: { draws: '2' }, 'moment-diffusion': { draws: '100' }, 'sensitivity-theorems': { draws: '4' }, dichotomies: { draws: '1' },
  'measured-capacity': { steps: '100', samples: '200' },
};

/** [key, value] of params with which a scene looks the same and keeps no browser busy for many seconds; none in the complete set. */
export const lighter = (scene) => Object.entries((process.env.KAPPAFLOW_COMPLETE !== '1' && kLighter[scene]) || {});
