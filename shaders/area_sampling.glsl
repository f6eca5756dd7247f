// Averages colour_at() over the screen pixel's footprint with a tent two pixels wide, so that detail finer than the
// screen turns gray instead of into moiré. Costs taps² bilinear fetches a pixel; 1 tap when the picture is not reduced.
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
      float weight = (1.0 - abs(offset.x)) * (1.0 - abs(offset.y));
      sum += weight * colour_at(position + offset * pixel);
      weights += weight;
    }
  }
  return sum / weights;
}
