/* Pushing a vertex out of capsules: the twin of `neural_physics/capsules/projection.py`, which says why it is so.
 *
 * The row `row` of `drive` holds the instance's capsules from the column `first` on, three texels each:
 * start and radius; axis and length; a normal for points on the axis, and the radius lost per metre. */

#define TURNS 4
#define STEEPEST 0.2
#define DEEP 1.0
#define WEDGED 2.0

/* The gradient of a capsule's signed distance, and the distance. */
vec4 capsule_distance(vec3 point, int column, int row)
{
  vec4 start = texelFetch(drive, ivec2(column, row), 0);
  vec4 axis = texelFetch(drive, ivec2(column + 1, row), 0);
  vec4 side = texelFetch(drive, ivec2(column + 2, row), 0);
  vec3 offset = point - start.xyz;
  float along = dot(offset, axis.xyz);
  float beside = length(offset - along * axis.xyz);
  float lean = side.w / sqrt(max(1.0 - side.w * side.w, 1e-12));
  float middle = clamp(along - beside * lean, 0.0, axis.w);
  offset -= middle * axis.xyz;
  float away = length(offset);
  vec3 normal = (away > 1e-20) ? offset / away : side.xyz;
  return vec4(normal, away - (start.w - side.w * middle));
}

/* Where a vertex goes, and what became of it: 0, DEEP or WEDGED. */
vec4 pushed_out(vec3 point, int first, int count, float depth_limit, float tolerance, int row)
{
  float nearest = 0.0;
  for (int k = 0; k < count; k++) {
    nearest = min(nearest, capsule_distance(point, first + 3 * k, row).w);
  }
  if (nearest >= 0.0) {
    return vec4(point, 0.0);
  }
  if (nearest < -depth_limit) {
    return vec4(point, DEEP);
  }
  vec3 wall = vec3(0.0);
  for (int turn = 0; turn < TURNS; turn++) {
    float deepest = 0.0;
    for (int k = 0; k < count; k++) {
      vec4 surface = capsule_distance(point, first + 3 * k, row);
      if (surface.w < 0.0) {
        vec3 slide = surface.xyz - min(dot(surface.xyz, wall), 0.0) * wall;
        float square = dot(slide, slide);
        vec3 way = (square < 1e-6) ? surface.xyz : slide / max(square, STEEPEST);
        point -= surface.w * way;
        wall = surface.xyz;
        deepest = max(deepest, -surface.w);
      }
    }
    if (deepest <= tolerance) {
      return vec4(point, 0.0);
    }
  }
  for (int k = 0; k < count; k++) {
    if (capsule_distance(point, first + 3 * k, row).w < -tolerance) {
      return vec4(point, WEDGED);
    }
  }
  return vec4(point, 0.0);
}
