// Where a screen pixel lies in the picture. Texture coordinates run from the top left: row 0 of a texture is its top.
uniform vec4 picture;  // left, bottom, width, height in framebuffer pixels
uniform vec2 source_size;

// pixel: its centre, as in gl_FragCoord.
vec2 picture_position(vec2 pixel) {
  vec2 p = (pixel - picture.xy) / picture.zw;
  return vec2(p.x, 1.0 - p.y);
}
