#version 300 es
precision highp float;
uniform float u_pixel;
in vec2 v_offset;
flat in float v_radius;
flat in vec4 v_color;
out vec4 o_color;

void main() {
    float coverage = clamp((v_radius - length(v_offset)) / u_pixel + 0.5, 0.0, 1.0);
    o_color = vec4(v_color.rgb, v_color.a * coverage);
}
