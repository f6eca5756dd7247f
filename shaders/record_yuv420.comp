// RGB to Y'CbCr 4:2:0 of BT.709 in limited range, 8 x 2 pixels an invocation. Chroma lies on the even columns and between
// two rows: (1 2 1)/4 across and (1 3 3 1)/8 down, as a bilinear scaler weighs them.
layout(local_size_x = 16, local_size_y = 8) in;

const vec3 luma = vec3(0.2126, 0.7152, 0.0722);

uint packed_luma(vec3 a, vec3 b, vec3 c, vec3 d) {
  return packUnorm4x8((16.0 + 219.0 * vec4(dot(a, luma), dot(b, luma), dot(c, luma), dot(d, luma))) / 255.0);
}

void main() {
  ivec2 block = ivec2(gl_GlobalInvocationID.xy);
  ivec2 at = block * ivec2(8, 2);
  if (any(greaterThanEqual(at, coded_size))) return;
  vec3 upper[8], lower[8], down[9];
  for (int i = 0; i < 9; ++i) {
    ivec2 top = at + ivec2(i - 1, 0);
    vec3 first = colour(top), second = colour(top + ivec2(0, 1));
    down[i] = (colour(top - ivec2(0, 1)) + 3.0 * (first + second) + colour(top + ivec2(0, 2))) / 8.0;
    if (i == 0) continue;
    upper[i - 1] = first;
    lower[i - 1] = second;
  }
  for (int i = 0; i < 2; ++i) {
    int word = offset.x + at.y * pitch.x + block.x * 2 + i, k = 4 * i;
    words[word] = packed_luma(upper[k], upper[k + 1], upper[k + 2], upper[k + 3]);
    words[word + pitch.x] = packed_luma(lower[k], lower[k + 1], lower[k + 2], lower[k + 3]);
  }
  vec4 blue, red;
  for (int i = 0; i < 4; ++i) {
    vec3 mean = (down[2 * i] + 2.0 * down[2 * i + 1] + down[2 * i + 2]) / 4.0;
    float grey = dot(mean, luma);
    blue[i] = (mean.b - grey) / 1.8556;
    red[i] = (mean.r - grey) / 1.5748;
  }
  words[offset.y + block.y * pitch.y + block.x] = packUnorm4x8((128.0 + 224.0 * blue) / 255.0);
  words[offset.z + block.y * pitch.z + block.x] = packUnorm4x8((128.0 + 224.0 * red) / 255.0);
}
