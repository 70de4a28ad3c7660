/* How far points are from colliders, and which press: see methods/contact_corrections/contact.py. */

enum { BALL, BOX, HALF_SPACE, POLYGON };

typedef struct {
  int64_t count;
  const int64_t *kinds;   /* (C,) */
  const double *sizes;    /* (C, 3) m: a radius, or half extents */
  const int64_t *begins;  /* (C + 1,): where a polygon's corners begin */
  const double *corners;  /* (E, 2) m */
  const double *normals;  /* (2 E, 2): of corners, then of edges, of one polygon after the other */
} Shapes;

typedef struct {
  const double *centres;  /* (C, d) m */
  const double *turns;    /* (C, d, d) */
  const double *scales;   /* (C,) */
} Places;

static double polygon_gap(const Shapes *shapes, int64_t number, const double *point, double *normal) {
  int64_t begin = shapes->begins[number], count = shapes->begins[number + 1] - begin, feature = 0;
  const double *corners = shapes->corners + 2 * begin;
  double nearest = INFINITY, x = 0.0, y = 0.0;
  for (int64_t edge = 0; edge < count; edge++) {
    const double *a = corners + 2 * edge, *b = corners + 2 * ((edge + 1) % count);
    double along[2] = {b[0] - a[0], b[1] - a[1]};
    double share = (point[0] - a[0]) * along[0] + (point[1] - a[1]) * along[1];
    share /= along[0] * along[0] + along[1] * along[1];
    double within = smaller(larger(share, 0.0), 1.0);
    double apart[2] = {point[0] - (a[0] + within * along[0]), point[1] - (a[1] + within * along[1])};
    double square = apart[0] * apart[0] + apart[1] * apart[1];
    if (square < nearest) {
      nearest = square, x = apart[0], y = apart[1];
      feature = share <= 0.0 ? edge : share >= 1.0 ? (edge + 1) % count : count + edge;
    }
  }
  const double *outward = shapes->normals + 2 * (2 * begin + feature);
  double sign = x * outward[0] + y * outward[1] < 0.0 ? -1.0 : 1.0, length = sqrt(nearest);
  double size = sqrt(outward[0] * outward[0] + outward[1] * outward[1]);
  normal[0] = length > 0.0 ? sign * x / length : outward[0] / size;
  normal[1] = length > 0.0 ? sign * y / length : outward[1] / size;
  return sign * length;
}

static double box_gap(int d, const double *half_extents, const double *point, double *normal) {
  double length = 0.0, most = -INFINITY;
  int axis = 0;
  for (int i = 0; i < d; i++) {
    double beyond = fabs(point[i]) - half_extents[i];
    if (beyond > most)
      most = beyond, axis = i;
    normal[i] = larger(beyond, 0.0);
    length += normal[i] * normal[i];
  }
  length = sqrt(length);
  for (int i = 0; i < d; i++) {
    double size = length > 0.0 ? normal[i] / length : i == axis;
    normal[i] = copysign(size, point[i]);
  }
  return length + smaller(most, 0.0);
}

/* The signed distance of a point in the shape's axes, and its gradient. */
static double gap_of(int d, const Shapes *shapes, int64_t number, const double *point, double *normal) {
  int64_t kind = shapes->kinds[number];
  double length = 0.0;
  if (kind == POLYGON)
    return polygon_gap(shapes, number, point, normal);
  if (kind == BOX)
    return box_gap(d, shapes->sizes + 3 * number, point, normal);
  if (kind == BALL)
    for (int i = 0; i < d; i++)
      length += point[i] * point[i];
  length = sqrt(length);
  for (int i = 0; i < d; i++)
    normal[i] = length > 0.0 ? point[i] / length : i == d - 1;
  return kind == BALL ? length - shapes->sizes[3 * number] : point[d - 1];
}

/* With those points (P, d) that press on one collider, after the first `count`: how many there are now, which they
   are, how short of reach, m, and the normals there. */
static int64_t add_pressed(int d, const Shapes *shapes, const Places *places, int64_t number, const double *points,
                           int64_t point_count, double reach, int64_t *which, double *shorts, double *normals,
                           int64_t count) {
  const double *centre = places->centres + d * number, *turn = places->turns + d * d * number;
  double scale = places->scales[number], own[MOST], normal[MOST];
  for (int64_t p = 0; p < point_count; p++) {
    const double *point = points + d * p;
    for (int i = 0; i < d; i++) {
      own[i] = 0.0;
      for (int j = 0; j < d; j++)
        own[i] += (point[j] - centre[j]) * turn[d * j + i];
      own[i] /= scale;
    }
    double missing = reach - scale * gap_of(d, shapes, number, own, normal);
    if (!(missing > 0.0))
      continue;
    which[count] = p, shorts[count] = missing;
    for (int i = 0; i < d; i++) {
      normals[d * count + i] = 0.0;
      for (int j = 0; j < d; j++)
        normals[d * count + i] += turn[d * i + j] * normal[j];
    }
    count++;
  }
  return count;
}
