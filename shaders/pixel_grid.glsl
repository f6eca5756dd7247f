// Faint lines between the pixels of a strongly magnified picture: the first screen pixel of every source pixel.
uniform float grid_strength;  // 0: no grid

vec3 with_pixel_grid(vec3 colour, vec2 position) {
  if (grid_strength == 0.0) return colour;
  vec2 screen_pixels = fract(position * source_size) * picture.zw / source_size;
  if (min(screen_pixels.x, screen_pixels.y) >= 1.0) return colour;
  float luma = dot(colour, vec3(0.2126, 0.7152, 0.0722));
  return mix(colour, vec3(luma > 0.5 ? 0.0 : 1.0), grid_strength);
}
