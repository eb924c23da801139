#version 300 es
// A line as a rectangle one pixel wider than it.
precision highp float;
uniform vec2 u_displaySize;
uniform float u_pixel;
uniform mat3 u_place;  // to CSS pixels and their weight
uniform vec2 u_shape;  // half the width in CSS pixels, share of the length
in vec4 a_ends;
out float v_across;

void main() {
    vec3 from = u_place * vec3(a_ends.xy, 1.0), to = u_place * vec3(a_ends.zw, 1.0);
    vec2 first = from.xy / from.z, second = to.xy / to.z;
    vec2 half_ = 0.5 * (second - first), along = half_ / max(length(half_), 1e-9);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    v_across = corner.y * (u_shape.x + u_pixel);
    vec2 at = 0.5 * (first + second) + half_ * (corner.x * u_shape.y) + vec2(-along.y, along.x) * v_across;
    gl_Position = vec4(at.x / u_displaySize.x * 2.0 - 1.0, 1.0 - at.y / u_displaySize.y * 2.0, 0.0, 1.0);
}
