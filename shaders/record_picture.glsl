// A recording's picture, and the buffer that a recorder reads. Rows are counted from the top; beyond the edge the last
// row or column repeats.
layout(binding = 0) uniform sampler2D picture;
layout(binding = 0, std430) writeonly restrict buffer Coded { uint words[]; };
uniform ivec2 size;        // of the picture
uniform ivec2 coded_size;  // not smaller
uniform ivec3 pitch;       // of each plane, in words
uniform ivec3 offset;

vec3 colour(ivec2 at) {
  ivec2 inside = clamp(at, ivec2(0), size - 1);
  return texelFetch(picture, ivec2(inside.x, size.y - 1 - inside.y), 0).rgb;
}
