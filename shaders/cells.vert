#version 300 es
precision highp float;
uniform vec2 u_displaySize;
uniform vec4 u_place;  // origin, scale
in vec2 a_point;
in vec4 a_color;
out vec4 v_color;

void main() {
    vec2 at = u_place.xy + u_place.zw * a_point;
    v_color = a_color;
    gl_Position = vec4(at.x / u_displaySize.x * 2.0 - 1.0, 1.0 - at.y / u_displaySize.y * 2.0, 0.0, 1.0);
}
