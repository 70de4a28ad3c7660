/* A vertex of the preview: where the decoding shader left it. */

void main()
{
  int index = first + vertex_index;
  int row_width = textureSize(positions, 0).x;
  ivec2 texel = ivec2(index % row_width, index / row_width);
  vec4 place = preview.view_from_object * vec4(texelFetch(positions, texel, 0).xyz, 1.0);
  vec3 direction = texelFetch(normals, texel, 0).xyz;
  view_position = place.xyz;
  view_normal = (preview.normals_to_view * vec4(direction, 0.0)).xyz;
  gl_Position = preview.clip_from_view * place;
  gl_Position.xy += shift * gl_Position.w;
}
