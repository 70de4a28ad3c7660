/* A surface in its vertices' colours, by a light that the viewer carries: both sides of it are lit. */

void main()
{
  vec3 normal = cross(dFdx(place), dFdy(place));
  float size = length(normal);
  float facing = (size > 0.0) ? abs(dot(normal / size, towards)) : 1.0;
  vec3 shown = mix(sideways, 1.0, facing) * own_colour;
  /* Where the framebuffer encodes by itself, it is given what comes out as this. */
  colour = vec4(srgbTarget ? pow(shown, vec3(2.2)) : shown, 1.0);
}
