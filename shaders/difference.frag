// |a − b| · gain of two panes. The difference is taken before averaging, so that a reduced picture still shows it.
layout(binding = 0) uniform sampler2D image;
layout(binding = 1) uniform sampler2D other;
uniform float gain;
layout(location = 0) out vec4 result;

vec4 colour_at(vec2 position) {
  return min(abs(textureLod(image, position, 0.0) - textureLod(other, position, 0.0)) * gain, 1.0);
}

void main() {
  vec2 position = picture_position();
  result = vec4(with_pixel_grid(area_colour(position).rgb, position), 1.0);
}
