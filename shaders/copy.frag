// The texture that lies over the framebuffer, as it is.
layout(binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 result;

void main() {
  if (!in_slice(gl_FragCoord.xy)) discard;
  result = texelFetch(image, ivec2(gl_FragCoord.xy), 0);
}
