/* What is the same for all of a drawing; made by preview.py, every member a multiple of 16 bytes. */
struct PreviewView {
  mat4 view_from_object;
  mat4 normals_to_view;
  mat4 clip_from_view;
  /* Scene linear, as are the lights. */
  vec4 base_colour;
  vec4 ambient;
  /* In view space, towards the light; the fourth number is how far the light wraps around. */
  vec4 light_directions[4];
  vec4 light_colours[4];
  /* 1 where there are normals; 1 if the projection is a perspective. */
  vec4 switches;
};
