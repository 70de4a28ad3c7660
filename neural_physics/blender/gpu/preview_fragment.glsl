/* The solid viewport's studio light without its highlights; or, where flat_colour is opaque, that. */

#define ROUGHNESS 0.4

vec3 lit(vec3 normal, vec3 to_eye)
{
  vec3 light = preview.ambient.rgb;
  for (int k = 0; k < 4; k++) {
    float wrap = preview.light_directions[k].w;
    float facing = dot(normal, preview.light_directions[k].xyz);
    float share = clamp((facing + wrap) / ((1.0 + wrap) * (1.0 + wrap)), 0.0, 1.0);
    light += share * preview.light_colours[k].rgb;
  }
  /* What is mirrored is not scattered: a twentieth seen from the front, more towards the silhouette. */
  float mirrored = mix(0.05, 1.0, exp2(-8.35 * max(dot(normal, to_eye), 0.0)) * (1.0 - ROUGHNESS));
  return preview.base_colour.rgb * light * (1.0 - mirrored);
}

float encoded(float linear)
{
  return (linear < 0.0031308) ? 12.92 * max(linear, 0.0) : 1.055 * pow(linear, 1.0 / 2.4) - 0.055;
}

vec3 display(vec3 linear)
{
  /* Where the framebuffer encodes by itself, it is given what the shader worked with. */
  return srgbTarget ? linear : vec3(encoded(linear.x), encoded(linear.y), encoded(linear.z));
}

void main()
{
  if (flat_colour.a > 0.0) {
    colour = vec4(display(flat_colour.rgb), 1.0);
    return;
  }
  vec3 to_eye = (preview.switches.y > 0.5) ? normalize(-view_position) : vec3(0.0, 0.0, 1.0);
  bool outside = gl_FrontFacing;
  vec3 normal = view_normal;
  if (preview.switches.x < 0.5) {
    normal = cross(dFdx(view_position), dFdy(view_position));
    outside = dot(normal, to_eye) > 0.0;
  }
  /* Both sides of a sheet are lit as the one that is looked at. */
  normal = normalize(outside ? normal : -normal);
  colour = vec4(display(lit(normal, to_eye)), 1.0);
}
