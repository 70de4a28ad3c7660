/* Where a body is with its handles at Q, and by what it was corrected: see methods/contact_corrections/corrections.py. */

SPECIAL void blend(int d, const Body *body, Found *found) {
  int64_t rows = body->rows;
  for (int64_t s = 0; s < body->vertices; s++) {
    const double *weights = body->weights + rows * s, *gradients = body->gradients + rows * d * s;
    double position[MOST] = {0.0}, axes[MOST * MOST] = {0.0};
    for (int64_t row = 0; row < rows; row++) {
      const double *q = found->q + d * row;
      for (int i = 0; i < d; i++) {
        position[i] += weights[row] * q[i];
        for (int a = 0; a < d; a++)
          axes[d * a + i] += gradients[rows * a + row] * q[i];
      }
    }
    memcpy(found->positions + d * s, position, sizeof(double) * d);
    memcpy(found->by_axis + d * d * s, axes, sizeof(double) * d * d);
  }
}

/* Equation 1 of the first vertices, with the first bases. */
SPECIAL void correct(int d, const Body *body, Found *found, int64_t count, int64_t bases, double *all_r) {
  for (int64_t s = 0; s < count; s++) {
    double *x = found->shape + d * s;
    for (int64_t i = 0; i < d; i++)
      x[i] = found->positions[d * s + i];
    for (int64_t a = 0; a < d; a++) {
      const double *basis = body->basis + body->bases * (d * s + a), *axis = found->by_axis + d * (d * s + a);
      double r = 0.0;
      for (int64_t m = 0; m < bases; m++)
        r += basis[m] * found->c[m];
      all_r[d * s + a] = r;
      for (int64_t i = 0; i < d; i++)
        x[i] += r * axis[i];
    }
  }
}

SPECIAL void carry_points(int d, const Body *body, Found *found) {
  for (int64_t p = 0; p < body->points; p++) {
    double *point = found->points + d * p;
    memset(point, 0, sizeof(double) * d);
    for (int64_t k = 0; k <= d; k++) {
      double weight = body->point_weights[(d + 1) * p + k];
      const double *x = found->shape + d * body->corners[(d + 1) * p + k];
      for (int64_t i = 0; i < d; i++)
        point[i] += weight * x[i];
    }
  }
}

/* The argument of r_int (equation 7): Q as seen from the anchor. */
SPECIAL void see_handles(int d, const Body *body, const Acting *acting, Found *found) {
  double middle[MOST] = {0.0, 0.0, 0.0};
  for (int64_t row = body->anchor; row < body->anchor + body->anchors; row++)
    for (int64_t i = 0; i < d; i++)
      middle[i] += found->q[d * row + i] / body->anchors;
  int64_t varying = 0, beyond = 0;
  for (int64_t row = 0; row < body->rows; row++)
    for (int64_t i = 0; i < d; i++) {
      double seen = 0.0;
      for (int64_t j = 0; j < d; j++)
        seen += (found->q[d * row + j] - middle[j]) * acting->rotation[d * j + i];
      int64_t at = d * row + i;
      found->features[at] = seen;
      if (body->internal.scale[at] > 0.0) {
        varying++;
        beyond += seen < body->internal.low[at] - body->internal.margin[at] ||
                  seen > body->internal.high[at] + body->internal.margin[at];
      }
    }
  found->outside = (double)beyond / (varying > 1 ? varying : 1);
}

/* The mean of what is at the touching vertices, `beside`, with their shares, (d,), and how it moves with the free
   handles, (d, n, d). placed: what is beside a vertex is its place at rest and what is seen from there; else that alone
   goes along with F^-1. */
SPECIAL void located(int d, const Body *body, const Found *found, int placed, double *mean, double *moved) {
  int64_t free = body->free;
  memset(mean, 0, sizeof(double) * d);
  memset(moved, 0, sizeof(double) * d * free * d);
  for (int64_t t = 0; t < body->touching; t++)
    for (int i = 0; i < d; i++)
      mean[i] += found->near[t] * found->beside[d * t + i];
  for (int64_t t = 0; t < body->touching; t++) {
    const double *weights = body->weights + body->rows * t, *gradients = body->gradients + body->rows * d * t;
    const double *beside = found->beside + d * t, *towards = found->towards + d * t;
    double less[MOST * MOST], more[MOST * MOST], seen[MOST], share = found->near[t];
    for (int i = 0; i < d; i++) {
      seen[i] = beside[i] - (placed ? body->rest[d * t + i] : 0.0);
      for (int j = 0; j < d; j++) {
        less[d * i + j] = share * found->inverse[d * d * t + d * i + j];
        more[d * i + j] = share * (beside[i] - mean[i]) * towards[j];
      }
    }
    for (int64_t row = 0; row < free; row++) { /* d(F^-1) = -F^-1 dF F^-1; the nearer, the larger is a share */
      double leaning = placed ? weights[row] : 0.0;
      for (int c = 0; c < d; c++)
        leaning += seen[c] * gradients[body->rows * c + row];
      for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
          moved[free * d * i + d * row + j] += more[d * i + j] * weights[row] - less[d * i + j] * leaning;
    }
  }
}

/* Where a collider would be if the body were at rest, and how that moves with the free handles: see locator.py. */
SPECIAL void locate(int d, const Body *body, const Acting *acting, Found *found, int64_t number, double *features,
                    double *moved) {
  int64_t count = body->touching, wide = body->free * d, turning = !body->marks && body->oriented ? d - 1 : 0;
  int64_t places = body->marks ? body->marks : 1;
  const double *centre = acting->places.centres + d * number, *turn = acting->places.turns + d * d * number;
  double cofactors[MOST * MOST], f[MOST * MOST];
  for (int64_t t = 0; t < count; t++) {
    for (int i = 0; i < d; i++)
      for (int j = 0; j < d; j++)
        f[d * i + j] = found->by_axis[d * d * t + d * j + i];
    cofactor(d, f, cofactors);
    double volume = larger(determinant(d, f), FLATTEST);
    for (int i = 0; i < d; i++)
      for (int j = 0; j < d; j++)
        found->inverse[d * d * t + d * i + j] = cofactors[d * j + i] / volume;
  }
  for (int64_t k = 0; k < places; k++) {
    double place[MOST], nearest = INFINITY, whole = 0.0;
    for (int i = 0; i < d; i++) {
      place[i] = centre[i];
      if (body->marks)
        for (int j = 0; j < d; j++)
          place[i] += turn[d * i + j] * body->marked[d * (body->marks * number + k) + j];
    }
    for (int64_t t = 0; t < count; t++) {
      double square = 0.0;
      for (int i = 0; i < d; i++) {
        double apart = found->towards[d * t + i] = place[i] - found->positions[d * t + i];
        square += apart * apart;
      }
      found->near[t] = sqrt(square);
      nearest = smaller(nearest, found->near[t]);
    }
    for (int64_t t = 0; t < count; t++) {
      double *towards = found->towards + d * t, distance = body->location_scale * larger(found->near[t], TINY);
      for (int i = 0; i < d; i++) {
        double at = body->rest[d * t + i];
        for (int j = 0; j < d; j++)
          at += found->inverse[d * d * t + d * i + j] * towards[j];
        found->beside[d * t + i] = at;
      }
      for (int i = 0; i < d; i++)
        towards[i] /= distance;
      found->near[t] = exp((nearest - found->near[t]) / body->location_scale);
      whole += found->near[t];
    }
    for (int64_t t = 0; t < count; t++)
      found->near[t] /= whole;
    located(d, body, found, 1, features + d * k, moved + wide * d * k);
    for (int64_t a = 0; a < turning && !k; a++) { /* the axes, as they would be from the first place */
      for (int64_t t = 0; t < count; t++)
        for (int i = 0; i < d; i++) {
          double along = 0.0;
          for (int j = 0; j < d; j++)
            along += found->inverse[d * d * t + d * i + j] * turn[d * j + a];
          found->beside[d * t + i] = along;
        }
      located(d, body, found, 0, features + d * (places + a), moved + wide * d * (places + a));
    }
  }
}

/* Of colliders that press into the body as r_int has it: see Corrections._dents. */
SPECIAL void dent(int d, const Body *body, const Acting *acting, Found *found) {
  int64_t inputs = body->external.sizes[0], units = units_of(&body->external);
  int64_t inner = outputs_of(&body->internal), outer = outputs_of(&body->external);
  for (int64_t number = 0; number < acting->moving; number++) {
    int64_t at = 0, k = found->dents;
    int64_t pressed = add_pressed(d, &body->shapes, &acting->places, number, found->points, body->points, body->reach,
                                  found->which, found->shorts, found->normals, 0);
    if (!pressed)
      continue;
    for (int64_t p = 1; p < pressed; p++)
      if (found->shorts[p] > found->shorts[at])
        at = p;
    double depth = found->shorts[at], share = smaller(larger(depth, 0.0), body->deepest) / body->reference_depth;
    found->too_deep += depth > body->deepest;
    found->shares[k] = pow(share, GROWTH);
    found->steepness[k] = depth < body->deepest ? GROWTH * pow(share, GROWTH - 1.0) / body->reference_depth : 0.0;
    found->dent_points[k] = found->which[at];
    for (int64_t i = 0; i < d; i++)
      found->dent_normals[d * k + i] = found->normals[d * at + i];
    double *features = found->dent_features + inputs * k, *layers = found->dent_found + units * k;
    locate(d, body, acting, found, number, features, found->moved + (inputs - 1) * body->free * d * k);
    features[inputs - 1] = acting->sizes[number];
    activate(&body->external, features, found->room, layers);
    for (int64_t m = 0; m < outer; m++)
      found->c[inner + m] += found->shares[k] * layers[units - outer + m];
    found->dents++;
  }
}

/* The body at free handles q (n, d): Q, c and what it was made of. See Corrections.pose. */
SPECIAL void pose(int d, const Body *body, const Acting *acting, const double *q, Found *found) {
  int64_t inner = outputs_of(&body->internal);
  memcpy(found->q, q, sizeof(double) * body->free * d);
  memcpy(found->q + body->free * d, acting->frames, sizeof(double) * (body->rows - body->free) * d);
  blend(d, body, found);
  memset(found->c, 0, sizeof(double) * body->bases);
  found->outside = 0.0;
  found->dents = found->too_deep = 0;
  if (inner) {
    see_handles(d, body, acting, found);
    activate(&body->internal, found->features, found->room, found->rest);
    memcpy(found->c, found->rest + units_of(&body->internal) - inner, sizeof(double) * inner);
  }
  if (body->external.layers && acting->moving) {
    correct(d, body, found, body->touching, inner, found->r_rest);
    carry_points(d, body, found);
    dent(d, body, acting, found);
  }
}

/* The rotation (d, d) that takes the anchor's rows of Q at rest best to those of q (h, d): see handles.rigid_fit. */
SPECIAL void placement(int d, const Body *body, const double *q, double *rotation) {
  double here[MOST] = {0.0, 0.0, 0.0}, there[MOST] = {0.0, 0.0, 0.0}, moments[MOST * MOST], most = 1e-200;
  double u[MOST * MOST], s[MOST], v[MOST * MOST];
  memset(moments, 0, sizeof(moments));
  for (int64_t row = body->anchor; row < body->anchor + body->anchors; row++)
    for (int64_t i = 0; i < d; i++) {
      here[i] += q[d * row + i] / body->anchors;
      there[i] += body->handles_rest[d * row + i] / body->anchors;
    }
  for (int64_t row = body->anchor; row < body->anchor + body->anchors; row++)
    for (int64_t i = 0; i < d; i++)
      for (int64_t j = 0; j < d; j++)
        moments[d * i + j] += (q[d * row + i] - here[i]) * (body->handles_rest[d * row + j] - there[j]);
  for (int64_t i = 0; i < d * d; i++)
    most = larger(most, fabs(moments[i]));
  for (int64_t i = 0; i < d; i++)
    moments[(d + 1) * i] += 1e-12 * most;
  signed_svd(d, moments, u, s, v);
  for (int64_t i = 0; i < d; i++)
    for (int64_t j = 0; j < d; j++) {
      rotation[d * i + j] = 0.0;
      for (int64_t k = 0; k < d; k++)
        rotation[d * i + j] += u[d * i + k] * v[d * j + k];
    }
}
