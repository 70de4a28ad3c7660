/* Vertices of many instances of one model (Holden 2019, sections 6.2 to 6.4).
 *
 * One invocation makes one vertex of INSTANCES instances, so that each basis is read once for all of
 * them. PARTS is 3 for positions alone, 6 with normals.
 *
 * bases: four bases to a texel, so that a dot product with four coefficients makes one coordinate; rows
 *   from bottom up: for each block of vertices, for each group of four bases, x, y, z of the positions
 *   and then of the normals.
 * means: for each block of vertices a row of positions, then (PARTS 6) a row of normals.
 * drive: a row for each instance: (capsules, depth limit, tolerance, -), its coefficients by fours,
 *   its capsules.
 * made_positions, made_normals: vertex after vertex, instance after instance, in rows. The fourth number
 *   of a position says what became of the vertex at the capsules. */

void main()
{
  int id = int(gl_GlobalInvocationID.x);
  int first = int(gl_GlobalInvocationID.y) * INSTANCES;
  if (id >= vertex_count || first >= instance_count) {
    return;
  }
  int block_width = textureSize(bases, 0).x;
  int block = id / block_width;
  int column = id - block * block_width;

  vec3 mean = texelFetch(means, ivec2(column, block * (PARTS / 3)), 0).xyz;
  vec3 positions[INSTANCES];
  for (int i = 0; i < INSTANCES; i++) {
    positions[i] = mean;
  }
#if PARTS == 6
  vec3 normal_mean = texelFetch(means, ivec2(column, block * 2 + 1), 0).xyz;
  vec3 normals[INSTANCES];
  for (int i = 0; i < INSTANCES; i++) {
    normals[i] = normal_mean;
  }
#endif

  int row = block * all_groups * PARTS;
  for (int group = 0; group < groups; group++) {
    vec4 x = texelFetch(bases, ivec2(column, row), 0);
    vec4 y = texelFetch(bases, ivec2(column, row + 1), 0);
    vec4 z = texelFetch(bases, ivec2(column, row + 2), 0);
#if PARTS == 6
    vec4 nx = texelFetch(bases, ivec2(column, row + 3), 0);
    vec4 ny = texelFetch(bases, ivec2(column, row + 4), 0);
    vec4 nz = texelFetch(bases, ivec2(column, row + 5), 0);
#endif
    for (int i = 0; i < INSTANCES; i++) {
      /* Past the last instance, its numbers once more, which nobody will see. */
      int instance = min(first + i, instance_count - 1);
      vec4 c = texelFetch(drive, ivec2(1 + group, instance), 0);
      positions[i] += vec3(dot(x, c), dot(y, c), dot(z, c));
#if PARTS == 6
      normals[i] += vec3(dot(nx, c), dot(ny, c), dot(nz, c));
#endif
    }
    row += PARTS;
  }

  int made_width = imageSize(made_positions).x;
  for (int i = 0; i < INSTANCES; i++) {
    int instance = first + i;
    if (instance >= instance_count) {
      return;
    }
    vec4 settings = texelFetch(drive, ivec2(0, instance), 0);
    vec4 place = pushed_out(
        positions[i], 1 + all_groups, int(settings.x), settings.y, settings.z, instance);
    int index = instance * vertex_count + id;
    ivec2 texel = ivec2(index % made_width, index / made_width);
    imageStore(made_positions, texel, place);
#if PARTS == 6
    float size = length(normals[i]);
    vec3 normal = (size > 1e-12) ? normals[i] / size : vec3(0.0);
    imageStore(made_normals, texel, vec4(normal, 0.0));
#endif
  }
}
