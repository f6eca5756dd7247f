// |a − b| · gain of two panes. The difference is taken before averaging, so that a reduced picture still shows it.
layout(binding = 0) uniform sampler2D image;
layout(binding = 1) uniform sampler2D other;
uniform float gain;

vec4 colour_at(vec2 position) {
  return min(abs(textureLod(image, position, 0.0) - textureLod(other, position, 0.0)) * gain, 1.0);
}

vec4 reduced_colour(vec2 position) {
  Tent tent = tent_at(position);
  vec4 sum = vec4(0.0);
  float weights = 0.0;
  for (int y = tent.first.y; y <= tent.last.y; ++y) {
    float row = tent_weight(float(y) + 0.5, tent.centre.y, tent.reach.y);
    for (int x = tent.first.x; x <= tent.last.x; ++x) {
      float weight = row * tent_weight(float(x) + 0.5, tent.centre.x, tent.reach.x);
      ivec2 at = ivec2(x, y);
      sum += weight * min(abs(texelFetch(image, at, 0) - texelFetch(other, at, 0)) * gain, 1.0);
      weights += weight;
    }
  }
  return sum / weights;
}
