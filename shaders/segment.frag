#version 300 es
precision highp float;
uniform float u_pixel;
uniform vec2 u_shape;
uniform vec4 u_color;
in float v_across;
out vec4 o_color;

void main() {
    float coverage = clamp((u_shape.x - abs(v_across)) / u_pixel + 0.5, 0.0, 1.0);
    o_color = vec4(u_color.rgb, u_color.a * coverage);
}
