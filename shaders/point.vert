#version 300 es
// A disc in a square one pixel larger all round.
precision highp float;
uniform vec2 u_displaySize;
uniform float u_pixel;
in vec3 a_disc;  // centre, radius in CSS pixels
in vec4 a_color;
out vec2 v_offset;
flat out float v_radius;
flat out vec4 v_color;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    v_offset = corner * (a_disc.z + u_pixel);
    v_radius = a_disc.z;
    v_color = a_color;
    vec2 at = a_disc.xy + v_offset;
    gl_Position = vec4(at.x / u_displaySize.x * 2.0 - 1.0, 1.0 - at.y / u_displaySize.y * 2.0, 0.0, 1.0);
}
