#version 300 es
precision highp float;
uniform float u_pixel;
uniform vec3 u_pulseColor;
in float v_along;
in float v_across;
in float v_half;
in float v_ink;
flat in float v_phase;
flat in vec4 v_color;
out vec4 o_color;

void main() {
    float coverage = clamp((v_half - abs(v_across)) / u_pixel + 0.5, 0.0, 1.0);
    float away = abs(fract(v_along - v_phase + 0.5) - 0.5);
    float pulse = v_phase < 0.0 ? 0.0 : exp(-away * away / 0.012);
    o_color = vec4(mix(v_color.rgb, u_pulseColor, 0.3 * pulse), min(1.0, v_color.a * (1.0 + 0.8 * pulse)) * coverage * v_ink);
}
