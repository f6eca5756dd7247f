// A reduced picture into a texture that lies over the framebuffer, pixel on pixel. Compute units do it: some GPUs made
// for servers have hardly any units that run fragment shaders.
layout(local_size_x = 16, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform writeonly restrict image2D target;
uniform ivec4 part;  // left, bottom, right, top of what is visible

void main() {
  ivec2 pixel = part.xy + ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(pixel, part.zw)) || !in_slice(vec2(pixel) + 0.5)) return;
  vec4 colour = reduced_colour(picture_position(vec2(pixel) + 0.5));
  imageStore(target, pixel, vec4(over_backdrop(colour, vec2(pixel)), 1.0));
}
