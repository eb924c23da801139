#version 300 es
// A field of numbers seen in perspective, cell by cell, with edges as soft as a device pixel. Float textures cannot be filtered in
// WebGL2: the four cells nearest to the pixel are weighed by how much of it they cover.
precision highp float;
precision highp sampler2D;
uniform sampler2D t_places;  // places on the colour map; a negative one is a cell without a number
uniform sampler2D t_colors;  // 256 x 1
uniform float u_opacity;
uniform bool u_fades;
in vec2 v_place;
out vec4 o_color;

void main() {
    ivec2 size = textureSize(t_places, 0);
    vec2 at = v_place * vec2(size);
    vec2 pixel = clamp(fwidth(at), 1e-4, 1.0);  // in cells; beyond two cells a pixel there is no telling them apart
    vec2 edge = floor(at - 0.5) + 1.0;
    vec2 share = clamp((at - edge) / pixel + 0.5, 0.0, 1.0);
    ivec2 first = ivec2(edge) - 1;
    float sum = 0.0, covered = 0.0;
    for (int i = 0; i < 4; ++i) {
        ivec2 step = ivec2(i & 1, i >> 1);
        float place = texelFetch(t_places, clamp(first + step, ivec2(0), size - 1), 0).r;
        vec2 part = mix(1.0 - share, share, vec2(step));
        float weight = place < 0.0 ? 0.0 : part.x * part.y;
        sum += weight * place;
        covered += weight;
    }
    if (covered <= 0.0) discard;
    float place = sum / covered;
    o_color = texture(t_colors, vec2((place * 255.0 + 0.5) / 256.0, 0.5));
    float solid = clamp(2.0 * place, 0.0, 1.0);  // fadedAlpha in color_map.cpp
    o_color.a *= u_opacity * covered * (u_fades ? solid * solid * (3.0 - 2.0 * solid) : 1.0);
}
