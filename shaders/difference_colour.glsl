// How two panes differ. The difference is taken before averaging, so that a reduced picture still shows it.
layout(binding = 0) uniform sampler2D image;
layout(binding = 1) uniform sampler2D other;
uniform int mode;         // 0: |a − b|, 1: a − b about mid-grey, 2: squared
uniform float gain;
uniform float threshold;  // a pixel whose channels all differ by no more shows none
uniform int false_colour;
uniform vec3 stops[5];    // of false colour, evenly spaced

vec3 ramp(float value) {
  float at = clamp(value, 0.0, 1.0) * 4.0;
  int low = min(int(at), 3);
  return mix(stops[low], stops[low + 1], at - float(low));
}

// A channel's difference on the scale that is shown: −1…1 for signed, else 0…1.
vec3 scaled(vec3 d) {
  vec3 s = d * gain;
  return mode == 0 ? abs(s) : mode == 1 ? s : s * s;
}

vec4 difference_of(vec3 a, vec3 b) {
  vec3 d = a - b;
  vec3 sizes = abs(d);
  float largest = max(sizes.r, max(sizes.g, sizes.b));
  if (largest <= threshold) d = vec3(0.0);
  if (false_colour == 0) return vec4(clamp(mode == 1 ? 0.5 + 0.5 * scaled(d) : scaled(d), 0.0, 1.0), 1.0);
  float value = largest == sizes.g ? d.g : largest == sizes.r ? d.r : d.b;
  float s = scaled(vec3(value)).x;
  return vec4(ramp(mode == 1 ? 0.5 + 0.5 * s : s), 1.0);
}

vec4 colour_at(vec2 position) {
  return difference_of(textureLod(image, position, 0.0).rgb, textureLod(other, position, 0.0).rgb);
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
      sum += weight * difference_of(texelFetch(image, at, 0).rgb, texelFetch(other, at, 0).rgb);
      weights += weight;
    }
  }
  return sum / weights;
}
