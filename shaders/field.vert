#version 300 es
// A rectangle; its corners come from the vertex's number.
precision highp float;
uniform vec4 u_rect;         // left, top, right, bottom in CSS pixels
uniform vec2 u_displaySize;  // CSS pixels
out vec2 v_place;

void main() {
    v_place = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 at = mix(u_rect.xy, u_rect.zw, v_place);
    gl_Position = vec4(at.x / u_displaySize.x * 2.0 - 1.0, 1.0 - at.y / u_displaySize.y * 2.0, 0.0, 1.0);
}
