// Averages colour_at() over the screen pixel's footprint with a tent two pixels wide, so that detail finer than the
// screen turns gray instead of into moiré. What lies outside the picture has no weight. Costs taps² bilinear fetches a
// screen pixel, which is about three for each source pixel however far it is reduced; one tap when it is not reduced.
uniform int taps;

vec4 colour_at(vec2 position);  // each shader's own idea

vec4 area_colour(vec2 position) {
  if (taps <= 1) return colour_at(position);
  vec2 pixel = 1.0 / picture.zw;
  vec4 sum = vec4(0.0);
  float weights = 0.0;
  for (int y = 0; y < taps; ++y) {
    for (int x = 0; x < taps; ++x) {
      vec2 offset = (vec2(x, y) + 0.5) * (2.0 / float(taps)) - 1.0;
      vec2 tap = position + offset * pixel;
      float weight = (1.0 - abs(offset.x)) * (1.0 - abs(offset.y)) * float(tap == clamp(tap, 0.0, 1.0));
      sum += weight * colour_at(tap);
      weights += weight;
    }
  }
  return sum / weights;
}
