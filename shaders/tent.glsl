// The tent filter that reduces a picture, so that detail finer than the screen turns gray instead of into moiré: a
// source pixel weighs less the further its centre is from the screen pixel's, down to nothing one screen pixel away.
// What lies outside the picture has no weight. At 1:1, and along an axis that is magnified, it is bilinear
// interpolation.
struct Tent {
  vec2 centre, reach;  // in source pixels
  ivec2 first, last;   // the source pixels that have a weight
};

Tent tent_at(vec2 position) {
  Tent tent;
  tent.centre = position * source_size;
  tent.reach = max(source_size / picture.zw, 1.0);
  tent.first = max(ivec2(ceil(tent.centre - tent.reach - 0.5)), 0);
  tent.last = min(ivec2(floor(tent.centre + tent.reach - 0.5)), ivec2(source_size) - 1);
  return tent;
}

float tent_weight(float pixel_centre, float centre, float reach) {
  return max(reach - abs(pixel_centre - centre), 0.0);
}
