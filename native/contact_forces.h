/* What acts on a body, as its free handles feel it: equation 6 (Romero 2021). */

/* By how much a vertex goes along with a free row where its correction r (d,) stays: see part.moving_along. */
SPECIAL double moving_along(int d, const Body *body, const double *r, int64_t vertex, int64_t row) {
  double share = body->weights[body->rows * vertex + row];
  for (int a = 0; a < d; a++)
    share += r[a] * body->gradients[body->rows * (d * vertex + a) + row];
  return share;
}

/* Add what a force on one vertex is by the free handles. */
SPECIAL void pull_handles(int d, const Body *body, const double *r, const double *force, int64_t vertex, double share,
                          double *by_q) {
  for (int64_t row = 0; row < body->free; row++) {
    double weight = share * moving_along(d, body, r, vertex, row);
    for (int i = 0; i < d; i++)
      by_q[d * row + i] += weight * force[i];
  }
}

/* Add what it is by the first of the bases' coefficients. */
SPECIAL void pull_bases(int d, const Body *body, const Found *found, const double *force, int64_t vertex, double share,
                       int64_t bases, double *by_c) {
  for (int64_t a = 0; a < d; a++) {
    const double *axis = found->by_axis + d * (d * vertex + a), *basis = body->basis + body->bases * (d * vertex + a);
    double turned = 0.0;
    for (int64_t i = 0; i < d; i++)
      turned += share * axis[i] * force[i];
    for (int64_t m = 0; m < bases; m++)
      by_c[m] += turned * basis[m];
  }
}

/* Jacobian^T forces: see Part.pulled and Corrections.pulled. */
SPECIAL void pull_all(int d, const Body *body, const Acting *acting, Found *found) {
  int64_t free = body->free, inner = outputs_of(&body->internal), outer = outputs_of(&body->external);
  int64_t inputs = body->external.sizes[0], units = units_of(&body->external);
  double *room = found->room, push[MOST];
  int64_t wide = body->rows * d;
  for (int64_t k = 0; k < 2; k++) {
    const Network *network = k ? &body->external : &body->internal;
    for (int64_t layer = 0; layer <= network->layers; layer++)
      wide = network->sizes[layer] > wide ? network->sizes[layer] : wide;
  }
  memset(found->value, 0, sizeof(double) * free * d);
  memset(found->by_c, 0, sizeof(double) * body->bases);
  for (int64_t s = 0; s < body->vertices; s++) {
    pull_handles(d, body, found->r + d * s, found->forces + d * s, s, 1.0, found->value);
    pull_bases(d, body, found, found->forces + d * s, s, 1.0, body->bases, found->by_c);
  }
  const double *by_outer = found->by_c + inner;
  memcpy(found->by_inner, found->by_c, sizeof(double) * inner);
  for (int64_t k = 0; k < found->dents; k++) {
    double *layers = found->dent_found + units * k, *back = room + 2 * wide, deeper = 0.0;
    pull(&body->external, found->dent_features + inputs * k, layers, by_outer, room, room + wide, back);
    const double *moved = found->moved + (inputs - 1) * free * d * k;
    for (int64_t i = 0; i < inputs - 1; i++)
      for (int64_t at = 0; at < free * d; at++)
        found->value[at] += found->shares[k] * back[i] * moved[free * d * i + at];
    /* The deeper, the more of the dent; and how deep it is, the body without it decides. */
    for (int64_t m = 0; m < outer; m++)
      deeper += found->steepness[k] * layers[units - outer + m] * by_outer[m];
    for (int64_t i = 0; i < d; i++)
      push[i] = -deeper * found->dent_normals[d * k + i];
    for (int64_t corner = 0; corner <= d; corner++) {
      int64_t at = (d + 1) * found->dent_points[k] + corner, vertex = body->corners[at];
      pull_handles(d, body, found->r_rest + d * vertex, push, vertex, body->point_weights[at], found->value);
      pull_bases(d, body, found, push, vertex, body->point_weights[at], inner, found->by_inner);
    }
  }
  if (!inner)
    return;
  double *back = room + 2 * wide, middle[MOST] = {0.0, 0.0, 0.0};
  pull(&body->internal, found->features, found->rest, found->by_inner, room, room + wide, back);
  for (int64_t row = 0; row < free; row++)
    for (int64_t i = 0; i < d; i++) {
      double turned = 0.0;
      for (int64_t j = 0; j < d; j++)
        turned += back[d * row + j] * acting->rotation[d * i + j];
      found->value[d * row + i] += turned;
      middle[i] += turned / free;
    }
  for (int64_t row = 0; row < free && body->floats; row++)
    for (int64_t i = 0; i < d; i++)
      found->value[d * row + i] -= middle[i];
}

/* Balls of the body that overlap push each other apart: see self_contact.py. Adds forces; returns the energy, J. */
SPECIAL double add_overlapping(int d, const Body *body, const Acting *acting, Found *found) {
  const double *centres = found->shape + d * body->touching;
  double *forces = found->forces + d * body->touching, energy = 0.0;
  found->overlapping = 0;
  for (int64_t p = 0; p < acting->pairs; p++) {
    int64_t a = acting->near[2 * p], b = acting->near[2 * p + 1];
    double apart[MOST], square = 0.0, reach = body->radii[a] + body->radii[b];
    for (int i = 0; i < d; i++) {
      apart[i] = centres[d * a + i] - centres[d * b + i];
      square += apart[i] * apart[i];
    }
    if (!(square < reach * reach))
      continue;
    double distance = sqrt(square), overlap = reach - distance;
    double *direction = found->directions + d * found->overlapping;
    for (int i = 0; i < d; i++) {
      direction[i] = apart[i] / larger(distance, COINCIDENT);
      forces[d * a + i] -= body->self_stiffness * overlap * direction[i];
      forces[d * b + i] += body->self_stiffness * overlap * direction[i];
    }
    energy += 0.5 * body->self_stiffness * overlap * overlap;
    found->pairs[found->overlapping] = p;
    found->overlaps[found->overlapping++] = overlap;
  }
  return energy;
}

/* The left side of equation 6 at free handles q (n, d), what it is the gradient of, and all that it was made of. */
SPECIAL void residual(int d, const Body *body, const Acting *acting, const double *q, Found *found) {
  int64_t first = first_of(body), carried = body->vertices - first;
  pose(d, body, acting, q, found);
  correct(d, body, found, body->vertices, body->bases, found->r);
  const double *x = found->shape + d * first;
  double *forces = found->forces + d * first;
  found->energy = 0.0;
  memset(found->forces, 0, sizeof(double) * d * first);
  for (int64_t s = 0; s < carried; s++)
    for (int i = 0; i < d; i++) {
      int64_t at = d * s + i;
      double off = x[at] - acting->aim[at];
      forces[at] = acting->rate * body->masses[s] * off;
      found->energy += 0.5 * forces[at] * off;
      found->away[at] = x[at] - acting->before[at];
    }
  found->energy += add_forces(d, &body->elements, x, acting->drag, found->away, forces);
  carry_points(d, body, found);
  found->pressed = 0;
  for (int64_t number = 0; number < body->shapes.count; number++)
    found->pressed = add_pressed(d, &body->shapes, &acting->places, number, found->points, body->points, body->reach,
                                 found->which, found->shorts, found->normals, found->pressed);
  for (int64_t k = 0; k < found->pressed; k++) {
    found->energy += 0.5 * body->stiffness * found->shorts[k] * found->shorts[k];
    for (int corner = 0; corner <= d; corner++) {
      int64_t at = (d + 1) * found->which[k] + corner;
      double push = -body->stiffness * found->shorts[k] * body->point_weights[at];
      for (int i = 0; i < d; i++)
        found->forces[d * body->corners[at] + i] += push * found->normals[d * k + i];
    }
  }
  found->energy += add_overlapping(d, body, acting, found);
  pull_all(d, body, acting, found);
}
