// A word a pixel: blue in the lowest byte.
layout(local_size_x = 32, local_size_y = 4) in;

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, coded_size))) return;
  words[offset.x + at.y * pitch.x + at.x] = packUnorm4x8(vec4(colour(at).bgr, 1.0));
}
