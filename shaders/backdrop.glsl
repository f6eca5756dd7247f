// What lies behind a picture that is not opaque: a chequered plane, as picture editors show it.
const float opaque = 0.9999;  // sums of weights round; the step below it is 254 of 255

// The colour is multiplied by alpha already. Pixels counted from the bottom left.
vec3 over_backdrop(vec4 colour, vec2 pixel) {
  if (colour.a >= opaque) return colour.rgb;
  ivec2 square = ivec2(pixel) / 8;
  vec3 behind = vec3(((square.x + square.y) & 1) == 0 ? 0.16 : 0.24);
  return colour.rgb + (1.0 - colour.a) * behind;
}
