/* How a body changes with its free handles: equation 3 (Romero 2021), and the Hessian of a step. */

/* The derivatives of c by the free handles (m, n d), where the residual was found last: see Corrections.slopes.
   room: for both networks' slopes (units, inputs), twice, and then n d. */
SPECIAL void slopes_of(int d, const Body *body, const Acting *acting, const Found *found, double *slopes, double *room) {
  int64_t free = body->free, columns = free * d, all = body->rows * d;
  int64_t inner = outputs_of(&body->internal), outer = outputs_of(&body->external);
  int64_t inputs = body->external.sizes[0], units = units_of(&body->external), wide = units * inputs;
  if (units_of(&body->internal) * all > wide)
    wide = units_of(&body->internal) * all;
  double *one = room, *other = room + wide, *own = room + 2 * wide, *retreat = room + 3 * wide;
  memset(slopes, 0, sizeof(double) * body->bases * columns);
  if (inner) {
    differentiate(&body->internal, columns, found->features, found->rest, one, other, own);
    for (int64_t k = 0; k < inner; k++) {
      double middle[MOST] = {0.0, 0.0, 0.0}, *slope = slopes + columns * k;
      for (int64_t row = 0; row < free; row++)
        for (int64_t i = 0; i < d; i++) {
          double turned = 0.0;
          for (int64_t j = 0; j < d; j++)
            turned += own[columns * k + d * row + j] * acting->rotation[d * i + j];
          slope[d * row + i] = turned;
          middle[i] += turned / free;
        }
      for (int64_t row = 0; row < free && body->floats; row++)
        for (int64_t i = 0; i < d; i++)
          slope[d * row + i] -= middle[i];
    }
  }
  for (int64_t number = 0; number < found->dents; number++) {
    const double *layers = found->dent_found + units * number, *last = layers + units - outer;
    const double *moved = found->moved + (inputs - 1) * columns * number;
    double push[MOST];
    differentiate(&body->external, inputs - 1, found->dent_features + inputs * number, layers, one, other, own);
    memset(retreat, 0, sizeof(double) * columns);
    memset(found->by_inner, 0, sizeof(double) * inner);
    for (int64_t corner = 0; corner <= d; corner++) {
      int64_t at = (d + 1) * found->dent_points[number] + corner, vertex = body->corners[at];
      memcpy(push, found->dent_normals + d * number, sizeof(double) * d);
      pull_handles(d, body, found->r_rest + d * vertex, push, vertex, body->point_weights[at], retreat);
      pull_bases(d, body, found, push, vertex, body->point_weights[at], inner, found->by_inner);
    }
    for (int64_t k = 0; k < inner; k++)
      for (int64_t at = 0; at < columns; at++)
        retreat[at] += found->by_inner[k] * slopes[columns * k + at];
    for (int64_t k = 0; k < outer; k++) {
      double *slope = slopes + columns * (inner + k), deeper = found->steepness[number] * last[k];
      for (int64_t i = 0; i < inputs - 1; i++) {
        double share = found->shares[number] * own[(inputs - 1) * k + i];
        for (int64_t at = 0; at < columns; at++)
          slope[at] += share * moved[columns * i + at];
      }
      for (int64_t at = 0; at < columns; at++)
        slope[at] -= deeper * retreat[at];
    }
  }
}

/* Add A^T B (c, c), of A and B (rows, c), whose product is symmetric: the lower half of it. */
SPECIAL void add_product(int rows, int64_t columns, double weight, const double *a, const double *b, double *product) {
  for (int64_t i = 0; i < columns; i++) {
    double shares[MOST * MOST], *of_row = product + columns * i;
    for (int row = 0; row < rows; row++)
      shares[row] = weight * a[columns * row + i];
    for (int64_t k = 0; k <= i; k++)
      for (int row = 0; row < rows; row++)
        of_row[k] += shares[row] * b[columns * row + k];
  }
}

static void mirror(int64_t columns, double *square) {
  for (int64_t i = 0; i < columns; i++)
    for (int64_t k = 0; k < i; k++)
      square[columns * k + i] = square[columns * i + k];
}

/* Equation 3 there, of the cubature's vertices (S - T - b, d, n d): comes as their bases times the slopes. What it makes of
   the elements' F, (k, dd, n d), and of the masses, J^T M J / dt^2 (n d, n d). */
SPECIAL void jacobian_of(int d, const Body *body, const Acting *acting, const Found *found, double *jacobian,
                         double *changes, double *masses) {
  int64_t free = body->free, columns = free * d, first = first_of(body);
  int dd = d * d;
  memset(masses, 0, sizeof(double) * columns * columns);
  for (int64_t s = 0; s < body->vertices - first; s++) {
    double *rows = jacobian + d * columns * s, local[MOST];
    const double *axes = found->by_axis + dd * (first + s);
    for (int64_t at = 0; at < columns; at++) {
      for (int a = 0; a < d; a++)
        local[a] = rows[columns * a + at];
      for (int i = 0; i < d; i++) {
        double turned = 0.0;
        for (int a = 0; a < d; a++)
          turned += axes[d * a + i] * local[a];
        rows[columns * i + at] = turned;
      }
    }
    for (int64_t row = 0; row < free; row++) {
      double carried = moving_along(d, body, found->r + d * (first + s), first + s, row);
      for (int i = 0; i < d; i++)
        rows[columns * i + d * row + i] += carried;
    }
    add_product(d, columns, acting->rate * body->masses[s], rows, rows, masses);
  }
  mirror(columns, masses);
  for (int64_t e = 0; e < body->elements.count; e++) {
    const int64_t *corners = body->elements.corners + (d + 1) * e;
    const double *inverse = body->elements.inverse_rest + dd * e;
    double *of_element = changes + columns * dd * e;
    memset(of_element, 0, sizeof(double) * dd * columns);
    for (int k = 0; k < d; k++)
      for (int i = 0; i < d; i++) {
        const double *corner = jacobian + columns * (d * corners[k + 1] + i);
        const double *origin = jacobian + columns * (d * corners[0] + i);
        for (int j = 0; j < d; j++) {
          double slope = inverse[d * k + j], *change = of_element + columns * (d * i + j);
          for (int64_t at = 0; at < columns; at++)
            change[at] += slope * (corner[at] - origin[at]);
        }
      }
  }
}

/* How what is pushed along a direction moves with the free handles, (n d,): begun, pulled at each vertex that is pushed,
   and its square added to a Hessian. */
static double *begin_row(const Body *body, Found *found, int64_t columns, double *row) {
  memset(row, 0, sizeof(double) * columns);
  memset(found->by_c, 0, sizeof(double) * body->bases);
  return row;
}

SPECIAL void pull_row(int d, const Body *body, Found *found, const double *direction, int64_t vertex, double share,
                      double *row) {
  pull_handles(d, body, found->r + d * vertex, direction, vertex, share, row);
  pull_bases(d, body, found, direction, vertex, share, body->bases, found->by_c);
}

static void add_row(const Body *body, const Found *found, int64_t columns, const double *slopes, double stiffness,
                    double *row, double *hessian) {
  for (int64_t m = 0; m < body->bases; m++)
    for (int64_t at = 0; at < columns; at++)
      row[at] += found->by_c[m] * slopes[columns * m + at];
  add_product(1, columns, stiffness, row, row, hessian);
}

/* (n d, n d): see Step.hessian. Of where the residual was found last; slopes, changes, masses: of a Jacobian, which may
   be of before. room: for dd + 1 of its rows. */
SPECIAL void hessian_of(int d, const Body *body, const Acting *acting, Found *found, const double *slopes,
                        const double *changes, const double *masses, int projected, double *room, double *hessian) {
  int64_t columns = body->free * d;
  int dd = d * d;
  const double *x = found->shape + d * first_of(body);
  double stiffness[MOST * MOST * MOST * MOST];
  memcpy(hessian, masses, sizeof(double) * columns * columns);
  for (int64_t e = 0; e < body->elements.count; e++) {
    const double *of_element = changes + columns * dd * e;
    element_stiffness(d, &body->elements, x, e, projected, stiffness);
    for (int i = 0; i < dd * dd && acting->drag; i++)
      stiffness[i] += acting->drag[dd * dd * e + i];
    memset(room, 0, sizeof(double) * columns * dd);
    for (int i = 0; i < dd; i++)
      for (int j = 0; j < dd; j++)
        for (int64_t at = 0; at < columns; at++)
          room[columns * i + at] += stiffness[dd * i + j] * of_element[columns * j + at];
    add_product(dd, columns, 1.0, of_element, room, hessian);
  }
  for (int64_t k = 0; k < found->pressed; k++) {
    const double *normal = found->normals + d * k;
    double *row = begin_row(body, found, columns, room + columns * dd);
    for (int corner = 0; corner <= d; corner++) {
      int64_t at = (d + 1) * found->which[k] + corner;
      pull_row(d, body, found, normal, body->corners[at], body->point_weights[at], row);
    }
    add_row(body, found, columns, slopes, body->stiffness, row, hessian);
  }
  for (int64_t k = 0; k < found->overlapping; k++) {
    const int64_t *pair = acting->near + 2 * found->pairs[k];
    double *row = begin_row(body, found, columns, room + columns * dd);
    for (int one = 0; one < 2; one++)
      pull_row(d, body, found, found->directions + d * k, body->touching + pair[one], one ? -1.0 : 1.0, row);
    add_row(body, found, columns, slopes, body->self_stiffness, row, hessian);
  }
  mirror(columns, hessian);
}
