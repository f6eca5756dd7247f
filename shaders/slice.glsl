// The strip of the framebuffer that a pane shows, between two parallel lines. Pixels counted from the bottom left.
uniform vec4 slice;  // unit normal; where the strip begins and ends along it

bool in_slice(vec2 pixel) {
  float along = dot(slice.xy, pixel);
  return along >= slice.z && along < slice.w;
}
