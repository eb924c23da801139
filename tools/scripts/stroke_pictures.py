"""Pictures of ten digits drawn with a pen of strokes: the data of the sample networks strokes-cnn and strokes-resnet (numpy only).

A digit is a set of polylines in the square −1 … 1 (x to the right, y down). Each picture moves their points, turns, shears, stretches and
shifts the whole, adds a short stray stroke, and draws it with a pen of random width and ink on noisy paper: grey values about 0 (paper)
to 1 (ink).
"""
import numpy as np

SIDE = 24


def arc(centre, radii, first, last, points=9):
    """Points of an ellipse's arc between two angles in degrees, 0 to the right, 90 up."""
    angle = np.radians(np.linspace(first, last, points))
    return [(centre[0] + radii[0] * np.cos(a), centre[1] - radii[1] * np.sin(a)) for a in angle]


DIGITS = {
    "0": [arc((0, 0), (0.65, 1), 90, 450, 15)],
    "1": [[(-0.35, -0.6), (0.05, -1), (0.05, 1)]],
    "2": [arc((0, -0.45), (0.6, 0.55), 170, -35) + [(-0.6, 1), (0.65, 1)]],
    "3": [arc((-0.05, -0.5), (0.55, 0.5), 150, -90), arc((-0.05, 0.5), (0.65, 0.5), 90, -150)],
    "4": [[(0.3, 1), (0.3, -1), (-0.65, 0.4), (0.65, 0.4)]],
    "5": [[(0.55, -1), (-0.45, -1), (-0.5, -0.1)] + arc((-0.05, 0.4), (0.6, 0.6), 130, -150)],
    "6": [[(0.4, -1), (-0.3, -0.35)] + arc((0, 0.45), (0.6, 0.55), 160, 520, 13)],
    "7": [[(-0.6, -1), (0.6, -1), (-0.15, 1)]],
    "8": [arc((0, -0.5), (0.5, 0.5), 270, -90, 13), arc((0, 0.5), (0.62, 0.5), 90, 450, 13)],
    "9": [arc((0, -0.45), (0.6, 0.55), -20, 340, 13) + [(0.5, 0.1), (0.3, 1)]],
}


def segments_of(polylines):
    """[segment][end][x, y]."""
    return np.array([(a, b) for line in polylines for a, b in zip(line, line[1:])])


def moved_points(rng, polylines):
    """The digit by another hand: a smooth wobble of the points, then a random affine map to pixels about the picture's middle."""
    waves = rng.normal(0, 0.06, (3, 2, 2))
    angle, shear = rng.normal(0, 0.16), rng.normal(0, 0.2)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    affine = turn @ np.array([[1, shear], [0, 1]]) @ np.diag(rng.uniform(0.78, 1.08, 2)) * (0.36 * SIDE)
    shift = rng.uniform(-1.6, 1.6, 2)
    moved = []
    for line in polylines:
        p = np.array(line)
        for k, (sine, cosine) in enumerate(waves, start=1):
            p = p + np.sin(k * p[:, ::-1]) * sine + np.cos(k * p[:, ::-1]) * cosine
        moved.append((p + rng.normal(0, 0.02, p.shape)) @ affine.T + shift)
    return moved


def stray_stroke(rng):
    """A short segment anywhere, in pixels about the middle."""
    middle, half = rng.uniform(-SIDE / 2, SIDE / 2, 2), rng.normal(0, 1.5, 2)
    return [middle - half, middle + half]


def distances(segments, points):
    """[point] distance from the nearest segment."""
    a, along = segments[:, None, 0], segments[:, None, 1] - segments[:, None, 0]
    t = np.clip(((points - a) * along).sum(axis=2) / np.maximum((along ** 2).sum(axis=2), 1e-12), 0, 1)
    return np.sqrt(((points - a - t[:, :, None] * along) ** 2).sum(axis=2)).min(axis=0)


PIXELS = np.stack(np.meshgrid(np.arange(SIDE), np.arange(SIDE)), axis=2).reshape(-1, 2) - (SIDE - 1) / 2


def draw(rng, digit):
    """One picture [y, x]."""
    half_width, ink, noise = rng.uniform(0.5, 1.3), rng.uniform(0.6, 1.0), rng.uniform(0.1, 0.3)
    segments = segments_of(moved_points(rng, DIGITS[digit]) + [stray_stroke(rng)])
    covered = np.clip(half_width + 0.5 - distances(segments, PIXELS), 0, 1)
    return (ink * covered + rng.normal(0, noise, len(PIXELS))).reshape(SIDE, SIDE)


def make_pictures(seed, count):
    """(pictures [count][1][y][x] float32, labels [count]), the digits in turn."""
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % len(DIGITS)
    return np.array([draw(rng, str(label)) for label in labels], dtype=np.float32)[:, None], labels
