// One pane's picture. Where its alpha counts, colours are multiplied by it: what nobody sees is not mixed into what is
// shown.
layout(binding = 0) uniform sampler2D image;
uniform bool has_alpha;  // else it is carried along and means nothing

vec4 multiplied(vec4 colour) {
  return has_alpha ? vec4(colour.rgb * colour.a, colour.a) : vec4(colour.rgb, 1.0);
}

vec4 colour_at(vec2 position) { return multiplied(textureLod(image, position, 0.0)); }

// Where a bilinear fetch reads the pixels i and i + 1 in proportion to their weights, and the weight of both.
vec2 pair(int i, int last, float centre, float reach) {
  float at = float(i) + 0.5;
  float here = tent_weight(at, centre, reach);
  float next = i < last ? tent_weight(at + 1.0, centre, reach) : 0.0;
  return vec2(at + next / max(here + next, 1e-6), here + next);
}

// A fetch for every 2 × 2 source pixels: about one for each source pixel, however far the picture is reduced.
vec4 reduced_colour(vec2 position) {
  Tent tent = tent_at(position);
  vec4 sum = vec4(0.0);
  float weights = 0.0;
  for (int y = tent.first.y; y <= tent.last.y; y += 2) {
    vec2 row = pair(y, tent.last.y, tent.centre.y, tent.reach.y);
    for (int x = tent.first.x; x <= tent.last.x; x += 2) {
      vec2 column = pair(x, tent.last.x, tent.centre.x, tent.reach.x);
      float weight = column.y * row.y;
      sum += weight * multiplied(textureLod(image, vec2(column.x, row.x) / source_size, 0.0));
      weights += weight;
    }
  }
  return sum / weights;
}
