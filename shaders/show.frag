// A picture straight from its texture.
layout(location = 0) out vec4 result;

void main() {
  if (!in_slice(gl_FragCoord.xy)) discard;
  vec2 position = picture_position(gl_FragCoord.xy);
  bool reduced = any(greaterThan(source_size, picture.zw));
  vec4 colour = reduced ? reduced_colour(position) : colour_at(position);
  result = vec4(with_pixel_grid(over_backdrop(colour, gl_FragCoord.xy), position), 1.0);
}
