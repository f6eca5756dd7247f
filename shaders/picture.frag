// One pane's picture.
layout(binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 result;

vec4 colour_at(vec2 position) { return textureLod(image, position, 0.0); }

void main() {
  vec2 position = picture_position();
  result = vec4(with_pixel_grid(area_colour(position).rgb, position), 1.0);
}
