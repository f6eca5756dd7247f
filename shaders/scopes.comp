// Counts the pixels of a picture: 256 bins each of R, G, B and luma, and of Cb against Cr. Whole numbers throughout, so
// that every device counts the same. A work group counts the histogram in shared memory first: neighbours are alike,
// and would queue for the same counters.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) uniform sampler2D image;
layout(std430, binding = 0) restrict buffer Counters { uint counters[]; };
uniform ivec2 source_size;
uniform int stride;  // every n-th pixel of every n-th row
uniform bool gray;   // one channel, for all three
// Of feature maps: orange above zero and blue below, whose light is in proportion to the value (map_colour() in
// kernels/convert). Their values from −1 to 1 are counted, not these colours.
uniform bool map_colours;

const int bins = 256, chroma_bins = 128;
shared uint local[4 * bins];

void main() {
  for (uint i = gl_LocalInvocationIndex; i < 4 * bins; i += 256) local[i] = 0;
  barrier();
  ivec2 place = ivec2(gl_GlobalInvocationID.xy) * stride;
  if (all(lessThan(place, source_size))) {
    vec4 colour = texelFetch(image, place, 0);
    bool beside_maps = map_colours && colour.r > 0.0 && colour.r == colour.b;
    if (map_colours) {
      float light = colour.b > colour.r ? colour.b : colour.r;
      colour = vec4(0.5 + (colour.b > colour.r ? -0.5 : 0.5) * light * light);
    }
    if (gray) colour = colour.rrrr;
    ivec3 code = ivec3(clamp(colour.rgb, 0.0, 1.0) * 255.0 + 0.5);
    int luma = 2126 * code.r + 7152 * code.g + 722 * code.b;  // ten thousandths, BT.709
    uint once = beside_maps ? 0 : 1;
    atomicAdd(local[code.r], once);
    atomicAdd(local[bins + code.g], once);
    atomicAdd(local[2 * bins + code.b], once);
    atomicAdd(local[3 * bins + (luma + 5000) / 10000], once);
    // (B − Y) / 1.8556 and (R − Y) / 1.5748, −127.5 to 127.5, two to a bin
    int cb = clamp((10000 * code.b - luma + 18556 * 128) / (2 * 18556), 0, chroma_bins - 1);
    int cr = clamp((10000 * code.r - luma + 15748 * 128) / (2 * 15748), 0, chroma_bins - 1);
    atomicAdd(counters[4 * bins + cr * chroma_bins + cb], once);
  }
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < 4 * bins; i += 256)
    if (local[i] != 0) atomicAdd(counters[i], local[i]);
}
