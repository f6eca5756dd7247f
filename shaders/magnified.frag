// A picture that is not reduced, in a rectangle of its own and without lines between its pixels: show.frag without what
// a software renderer computes for every pixel even where it changes none.
layout(location = 0) out vec4 result;

void main() {
  result = vec4(over_backdrop(colour_at(picture_position(gl_FragCoord.xy)), gl_FragCoord.xy), 1.0);
}
