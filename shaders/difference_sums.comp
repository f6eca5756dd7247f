// How two pictures differ: each work group sums 60 × 60 pixels into one record, for the host to add up. A thread has a
// block of 4 × 4 pixels. For the structural similarity (SSIM; Wang, Bovik, Sheikh and Simoncelli: "Image Quality
// Assessment: From Error Visibility to Structural Similarity", 2004) windows of 8 × 8 pixels step by 4, so that a
// window is four neighbouring blocks; the last row and column of blocks are there for their neighbours' windows only.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) uniform sampler2D image;
layout(binding = 1) uniform sampler2D other;
struct Record {
  float absolute, squared, similarity, largest;
  uint place, channel, different, windows;
};
layout(std430, binding = 0) restrict writeonly buffer Records { Record records[]; };
uniform ivec2 source_size;
uniform int first_row;  // of work groups
uniform int groups_across;
uniform int channels;
uniform float white;  // what 1.0 of a texture stands for

const int side = 16, owned = side - 1, block = 4, window_pixels = 64;
const uint nowhere = 0xffffffffu;
shared vec3 sum_a[side * side], sum_b[side * side], sum_aa[side * side], sum_bb[side * side], sum_ab[side * side];
shared vec4 sums[side * side];   // absolute, squared, similarity, largest
shared uvec4 counts[side * side];  // place, channel, different, windows

vec3 over_window(vec3 here, vec3 right, vec3 below, vec3 across) { return (here + right + below + across); }

vec3 similarity(int i) {
  int r = i + 1, d = i + side, x = i + side + 1;
  vec3 mean_a = over_window(sum_a[i], sum_a[r], sum_a[d], sum_a[x]) / window_pixels;
  vec3 mean_b = over_window(sum_b[i], sum_b[r], sum_b[d], sum_b[x]) / window_pixels;
  vec3 var_a = over_window(sum_aa[i], sum_aa[r], sum_aa[d], sum_aa[x]) / window_pixels - mean_a * mean_a;
  vec3 var_b = over_window(sum_bb[i], sum_bb[r], sum_bb[d], sum_bb[x]) / window_pixels - mean_b * mean_b;
  vec3 both = over_window(sum_ab[i], sum_ab[r], sum_ab[d], sum_ab[x]) / window_pixels - mean_a * mean_b;
  float c1 = 0.01 * white * 0.01 * white, c2 = 0.03 * white * 0.03 * white;
  return (2.0 * mean_a * mean_b + c1) * (2.0 * both + c2) /
         ((mean_a * mean_a + mean_b * mean_b + c1) * (max(var_a, 0.0) + max(var_b, 0.0) + c2));
}

void take_larger(inout vec4 sum, inout uvec4 count, vec4 with, uvec4 with_count) {
  if (with.w > sum.w || (with.w == sum.w && with_count.x < count.x)) {
    sum.w = with.w;
    count.xy = with_count.xy;
  }
  sum.xyz += with.xyz;
  count.zw += with_count.zw;
}

void main() {
  int me = int(gl_LocalInvocationIndex);
  ivec2 group = ivec2(gl_WorkGroupID.xy) + ivec2(0, first_row), local = ivec2(gl_LocalInvocationID.xy);
  ivec2 corner = (group * owned + local) * block;
  bool mine = local.x < owned && local.y < owned;
  vec3 a1 = vec3(0.0), b1 = vec3(0.0), aa = vec3(0.0), bb = vec3(0.0), ab = vec3(0.0);
  vec4 sum = vec4(0.0);
  uvec4 count = uvec4(nowhere, 0u, 0u, 0u);
  for (int y = 0; y < block; ++y)
    for (int x = 0; x < block; ++x) {
      ivec2 at = corner + ivec2(x, y);
      if (any(greaterThanEqual(at, source_size))) continue;
      vec3 a = texelFetch(image, at, 0).rgb * white, b = texelFetch(other, at, 0).rgb * white;
      if (channels == 1) {
        a = a.rrr;
        b = b.rrr;
      } else {  // code values, which a texture unit may return a hair off
        a = round(a);
        b = round(b);
      }
      a1 += a;
      b1 += b;
      aa += a * a;
      bb += b * b;
      ab += a * b;
      if (!mine) continue;
      vec3 d = abs(a - b);
      sum.x += channels == 1 ? d.r : d.r + d.g + d.b;
      sum.y += channels == 1 ? d.r * d.r : dot(d, d);
      if (a != b) ++count.z;
      for (int c = 0; c < channels; ++c)
        if (d[c] > sum.w) {
          sum.w = d[c];
          count.x = uint(at.y * source_size.x + at.x);
          count.y = uint(c);
        }
    }
  sum_a[me] = a1;
  sum_b[me] = b1;
  sum_aa[me] = aa;
  sum_bb[me] = bb;
  sum_ab[me] = ab;
  barrier();
  if (mine && all(lessThanEqual(corner + 2 * block, source_size))) {
    vec3 s = similarity(me);
    sum.z = channels == 1 ? s.r : (s.r + s.g + s.b) / 3.0;
    count.w = 1u;
  }
  sums[me] = sum;
  counts[me] = count;
  barrier();
  for (int half_size = side * side / 2; half_size > 0; half_size /= 2) {
    if (me < half_size) {
      vec4 own = sums[me];
      uvec4 own_count = counts[me];
      take_larger(own, own_count, sums[me + half_size], counts[me + half_size]);
      sums[me] = own;
      counts[me] = own_count;
    }
    barrier();
  }
  if (me != 0) return;
  uvec4 n = counts[0];
  records[group.y * groups_across + group.x] =
      Record(sums[0].x, sums[0].y, sums[0].z, sums[0].w, n.x, n.y, n.z, n.w);
}
