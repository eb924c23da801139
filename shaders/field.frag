#version 300 es
// A field of numbers, cell by cell. The texture holds places on the colour map (the mapping, linear or logarithmic, is made in
// double precision before: 1e-60 is a capacity, but no float); a negative place is a cell without a number.
precision highp float;
precision highp sampler2D;
uniform sampler2D t_places;
uniform sampler2D t_colors;  // 256 x 1
uniform bool u_fades;
in vec2 v_place;
out vec4 o_color;

void main() {
    float place = texture(t_places, v_place).r;
    if (place < 0.0) discard;
    o_color = texture(t_colors, vec2((place * 255.0 + 0.5) / 256.0, 0.5));
    float solid = clamp(2.0 * place, 0.0, 1.0);  // fadedAlpha in color_map.cpp
    if (u_fades) o_color.a *= solid * solid * (3.0 - 2.0 * solid);
}
