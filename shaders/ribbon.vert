#version 300 es
// A flow band: a cubic Bezier curve that leaves and arrives along the axis. Its edges are moved across the axis, not across the curve,
// by half the width over the cosine of the slope: the band is as wide as its flow everywhere and never folds over itself.
// ribbon_shape.cpp computes the same outline on the CPU.
precision highp float;
const float kSegments = 32.0;
const float kSteepest = 0.35;  // least cosine: beyond, the band narrows instead of reaching out without bound
uniform vec2 u_axis;
uniform vec2 u_displaySize;
uniform float u_pixel;  // CSS pixels per device pixel
in vec4 a_ends;         // from, to
in vec3 a_shape;        // width at from, width at to, phase of the pulse (< 0: none)
in vec4 a_color;
out float v_along;
out float v_across;  // CSS pixels from the middle line
out float v_half;    // half width
out float v_ink;     // < 1 where the band is thinner than a pixel: drawn a pixel wide and paler
flat out float v_phase;
flat out vec4 v_color;

void main() {
    float t = float(gl_VertexID >> 1) / kSegments, s = 1.0 - t;
    float side = float(gl_VertexID & 1) * 2.0 - 1.0;
    vec2 from = a_ends.xy, to = a_ends.zw;
    vec2 reach = u_axis * 0.5 * dot(to - from, u_axis);
    vec2 first = from + reach, second = to - reach;
    vec2 at = s * s * s * from + 3.0 * s * t * (s * first + t * second) + t * t * t * to;
    vec2 slope = s * s * (first - from) + 2.0 * s * t * (second - first) + t * t * (to - second);
    float cosine = max(abs(dot(slope, u_axis)) / max(length(slope), 1e-6), kSteepest);

    float width = mix(a_shape.x, a_shape.y, t);
    v_half = 0.5 * max(width, u_pixel);
    v_ink = min(1.0, width / u_pixel);
    v_across = side * (v_half + u_pixel);
    v_along = t;
    v_phase = a_shape.z;
    v_color = a_color;
    at += vec2(-u_axis.y, u_axis.x) * v_across / cosine;
    gl_Position = vec4(at.x / u_displaySize.x * 2.0 - 1.0, 1.0 - at.y / u_displaySize.y * 2.0, 0.0, 1.0);
}
