#version 300 es
precision highp float;
uniform vec2 u_displaySize;
uniform mat3 u_place;  // to CSS pixels and their weight
in vec2 a_point;
in vec4 a_color;
out vec4 v_color;

void main() {
    vec3 placed = u_place * vec3(a_point, 1.0);
    vec2 at = placed.xy / placed.z;
    v_color = a_color;
    gl_Position = vec4(at.x / u_displaySize.x * 2.0 - 1.0, 1.0 - at.y / u_displaySize.y * 2.0, 0.0, 1.0);
}
