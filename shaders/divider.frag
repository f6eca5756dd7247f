// A line between two slices, with an edge on either side so that it shows on every picture. Its ends are softened by
// half a pixel unless it is upright or level.
uniform vec3 line;       // unit normal; where it lies along it, in pixels from the bottom left
uniform vec2 half_widths;  // of the line, and of the line with its edges
uniform vec3 colour, edge;
uniform float softness;    // pixels over which it fades
layout(location = 0) out vec4 result;

void main() {
  float away = abs(dot(line.xy, gl_FragCoord.xy) - line.z);
  float cover = clamp((half_widths.y - away) / softness + 0.5, 0.0, 1.0);
  if (cover == 0.0) discard;
  float core = clamp((half_widths.x - away) / softness + 0.5, 0.0, 1.0);
  result = vec4(mix(edge, colour, core), cover);
}
