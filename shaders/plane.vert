#version 300 es
// A flat rectangle in perspective. The corners' weights go into the clip coordinates, so that the places are interpolated as on the plane.
precision highp float;
uniform vec3 u_corners[4];   // x, y in CSS pixels, weight; around the rectangle
uniform vec4 u_part;          // left, top, right, bottom of the part of the field between the corners, in shares of it
uniform vec2 u_displaySize;  // CSS pixels
out vec2 v_place;

void main() {
    // A strip takes the corners row by row.
    int corner = gl_VertexID < 2 ? gl_VertexID : 5 - gl_VertexID;
    v_place = mix(u_part.xy, u_part.zw, vec2(gl_VertexID & 1, gl_VertexID >> 1));
    vec3 c = u_corners[corner];
    gl_Position = vec4((c.x / u_displaySize.x * 2.0 - 1.0) * c.z, (1.0 - c.y / u_displaySize.y * 2.0) * c.z, 0.0, c.z);
}
