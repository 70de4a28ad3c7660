/* Equation 6 of contact corrections (Romero 2021) at some handles, and what it needs: NumPy's is the reference, in
   methods/contact_corrections/dynamics.py. All arrays are row by row. */
#include <stdint.h>

#include "matrices.h"
#include "elements.h"
#include "colliders.h"
#include "networks.h"
#include "public.h"

#define GROWTH 1.25
#define FLATTEST 0.1

/* All that does not change while it is played. S vertices, of which contact is felt at the first T; h rows of Q, of
   which n are free; m bases; P points of contact; marks (c, k, d) of outlines that move, where k is not 0. */
typedef struct {
  int64_t d, vertices, touching, rows, free, bases, points, marks, anchor, anchors, floats, oriented;
  double stiffness, reach, reference_depth, deepest, location_scale;
  const double *weights;       /* (S, h) */
  const double *gradients;     /* (S, d, h) 1/m */
  const double *basis;         /* (S, d, m) */
  const int64_t *corners;      /* (P, d + 1) */
  const double *point_weights; /* (P, d + 1) */
  const double *rest;          /* (T, d) m */
  const double *marked;        /* (c, k, d) m */
  const double *masses;        /* (S - T,) kg */
  const double *handles_rest;  /* (h, d) m */
  Shapes shapes;
  Elements elements;
  Network internal, external;
} Body;

/* What acts in a step. */
typedef struct {
  int64_t moving; /* c */
  double rate;    /* 1 / dt^2 */
  Places places;
  const double *frames;   /* (h - n, d) m */
  const double *sizes;    /* (c,) m */
  const double *rotation; /* (d, d) */
  const double *aim, *before; /* (S - T, d) m */
  const double *drag;     /* (k, dd, dd), or none */
} Acting;

/* What is found, and room for what is needed on the way. */
typedef struct {
  int64_t dents, too_deep, pressed;
  double outside;
  double *value;     /* (n, d) N */
  double *q;         /* (h, d) m */
  double *shape;     /* (S, d) m */
  double *c;         /* (m,) */
  double *features;  /* (h d,) */
  double *rest;      /* of r_int's network: all units */
  double *shares, *steepness;  /* (c,) */
  double *dent_features;       /* (c, i) */
  double *dent_found;          /* (c, units) */
  double *moved;               /* (c, i - 1, n, d) */
  int64_t *dent_points;        /* (c,) */
  double *dent_normals;        /* (c, d) */
  int64_t *which;              /* (C P,) */
  double *shorts;              /* (C P,) m */
  double *normals;             /* (C P, d) */
  double *positions, *by_axis; /* (S, d), (S, d, d): of the blend, and F^T */
  double *points;              /* (P, d) m */
  double *forces;              /* (S, d) N */
  double *away;                /* (S - T, d) m */
  double *inverse;             /* (T, d, d) */
  double *near;                /* (T,) */
  double *by_c, *by_inner;     /* (m,) */
  double *room;                /* 3 times the widest of both networks' layers */
} Found;

static int64_t outputs_of(const Network *network) { return network->layers ? network->sizes[network->layers] : 0; }

static void blend(const Body *body, Found *found) {
  int64_t d = body->d, rows = body->rows;
  for (int64_t s = 0; s < body->vertices; s++) {
    double *position = found->positions + d * s, *axes = found->by_axis + d * d * s;
    memset(position, 0, sizeof(double) * d);
    memset(axes, 0, sizeof(double) * d * d);
    for (int64_t row = 0; row < rows; row++) {
      const double *q = found->q + d * row;
      double weight = body->weights[rows * s + row];
      for (int64_t i = 0; i < d; i++)
        position[i] += weight * q[i];
      for (int64_t a = 0; a < d; a++) {
        double slope = body->gradients[rows * (d * s + a) + row];
        for (int64_t i = 0; i < d; i++)
          axes[d * a + i] += slope * q[i];
      }
    }
  }
}

/* Equation 1 of the first vertices, with the first bases. */
static void correct(const Body *body, Found *found, int64_t count, int64_t bases) {
  int64_t d = body->d;
  for (int64_t s = 0; s < count; s++) {
    double *x = found->shape + d * s;
    for (int64_t i = 0; i < d; i++)
      x[i] = found->positions[d * s + i];
    for (int64_t a = 0; a < d; a++) {
      const double *basis = body->basis + body->bases * (d * s + a), *axis = found->by_axis + d * (d * s + a);
      double r = 0.0;
      for (int64_t m = 0; m < bases; m++)
        r += basis[m] * found->c[m];
      for (int64_t i = 0; i < d; i++)
        x[i] += r * axis[i];
    }
  }
}

static void carry_points(const Body *body, Found *found) {
  int64_t d = body->d;
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
static void see_handles(const Body *body, const Acting *acting, Found *found) {
  int64_t d = body->d;
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
        beyond += seen < body->internal.low[at] || seen > body->internal.high[at];
      }
    }
  found->outside = (double)beyond / (varying > 1 ? varying : 1);
}

/* Where a collider would be if the body were at rest, and how that moves with the free handles: see locator.py. */
static void locate(const Body *body, const Acting *acting, Found *found, int64_t number, double *features,
                   double *moved) {
  int64_t d = body->d, count = body->touching, free = body->free, turning = 0;
  int64_t places = body->marks ? body->marks : 1;
  const double *centre = acting->places.centres + d * number, *turn = acting->places.turns + d * d * number;
  double cofactors[MOST * MOST], f[MOST * MOST];
  if (!body->marks && body->oriented)
    turning = d - 1;
  for (int64_t t = 0; t < count; t++) {
    for (int64_t i = 0; i < d; i++)
      for (int64_t j = 0; j < d; j++)
        f[d * i + j] = found->by_axis[d * d * t + d * j + i];
    cofactor(d, f, cofactors);
    double volume = larger(determinant(d, f), FLATTEST);
    for (int64_t i = 0; i < d; i++)
      for (int64_t j = 0; j < d; j++)
        found->inverse[d * d * t + d * i + j] = cofactors[d * j + i] / volume;
  }
  int64_t numbers = places * d + turning * d;
  memset(features, 0, sizeof(double) * numbers);
  memset(moved, 0, sizeof(double) * numbers * free * d);
  for (int64_t k = 0; k < places; k++) {
    double place[MOST], nearest = INFINITY, whole = 0.0;
    for (int64_t i = 0; i < d; i++) {
      place[i] = centre[i];
      if (body->marks)
        for (int64_t j = 0; j < d; j++)
          place[i] += turn[d * i + j] * body->marked[d * (body->marks * number + k) + j];
    }
    for (int64_t t = 0; t < count; t++) {
      double square = 0.0;
      for (int64_t i = 0; i < d; i++) {
        double apart = place[i] - found->positions[d * t + i];
        square += apart * apart;
      }
      found->near[t] = sqrt(square);
      nearest = smaller(nearest, found->near[t]);
    }
    for (int64_t t = 0; t < count; t++) {
      found->near[t] = exp((nearest - found->near[t]) / body->location_scale);
      whole += found->near[t];
    }
    for (int64_t t = 0; t < count; t++) {
      const double *inverse = found->inverse + d * d * t, *weights = body->weights + body->rows * t;
      double share = found->near[t] /= whole;
      for (int64_t i = 0; i < d; i++) {
        double at = body->rest[d * t + i];
        for (int64_t j = 0; j < d; j++)
          at += inverse[d * i + j] * (place[j] - found->positions[d * t + j]);
        features[d * k + i] += share * at;
        double *slopes = moved + free * d * (d * k + i);
        for (int64_t row = 0; row < free; row++)
          for (int64_t j = 0; j < d; j++)
            slopes[d * row + j] -= share * inverse[d * i + j] * weights[row];
      }
      if (k)
        continue;
      for (int64_t a = 0; a < turning; a++) { /* the axes, as they would be from the first place */
        double along[MOST];
        for (int64_t i = 0; i < d; i++) {
          along[i] = 0.0;
          for (int64_t j = 0; j < d; j++)
            along[i] += inverse[d * i + j] * turn[d * j + a];
          features[d * (places + a) + i] += share * along[i];
        }
        for (int64_t row = 0; row < free; row++) { /* d(F^-1) = -F^-1 dF F^-1 */
          double leaning = 0.0;
          for (int64_t c = 0; c < d; c++)
            leaning += share * along[c] * body->gradients[body->rows * (d * t + c) + row];
          for (int64_t i = 0; i < d; i++)
            for (int64_t j = 0; j < d; j++)
              moved[free * d * (d * (places + a) + i) + d * row + j] -= inverse[d * i + j] * leaning;
        }
      }
    }
  }
}

/* Of colliders that press into the body as r_int has it: see Corrections._dents. */
static void dent(const Body *body, const Acting *acting, Found *found) {
  int64_t d = body->d, inputs = body->external.sizes[0], units = units_of(&body->external);
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
    locate(body, acting, found, number, features, found->moved + (inputs - 1) * body->free * d * k);
    features[inputs - 1] = acting->sizes[number];
    activate(&body->external, features, found->room, layers);
    for (int64_t m = 0; m < outer; m++)
      found->c[inner + m] += found->shares[k] * layers[units - outer + m];
    found->dents++;
  }
}

/* Add what a force on one vertex is by the free handles. */
static void pull_handles(const Body *body, const double *force, int64_t vertex, double share, double *by_q) {
  int64_t d = body->d;
  for (int64_t row = 0; row < body->free; row++) {
    double weight = share * body->weights[body->rows * vertex + row];
    for (int64_t i = 0; i < d; i++)
      by_q[d * row + i] += weight * force[i];
  }
}

/* Add what it is by the first of the bases' coefficients. */
static void pull_bases(const Body *body, const Found *found, const double *force, int64_t vertex, double share,
                       int64_t bases, double *by_c) {
  int64_t d = body->d;
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
static void pull_all(const Body *body, const Acting *acting, Found *found) {
  int64_t d = body->d, free = body->free, inner = outputs_of(&body->internal), outer = outputs_of(&body->external);
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
    pull_handles(body, found->forces + d * s, s, 1.0, found->value);
    pull_bases(body, found, found->forces + d * s, s, 1.0, body->bases, found->by_c);
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
      pull_handles(body, push, vertex, body->point_weights[at], found->value);
      pull_bases(body, found, push, vertex, body->point_weights[at], inner, found->by_inner);
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

/* The body at free handles q (n, d): Q, c and what it was made of. See Corrections.pose. */
PUBLIC void contact_pose(const Body *body, const Acting *acting, const double *q, Found *found) {
  int64_t d = body->d, inner = outputs_of(&body->internal);
  memcpy(found->q, q, sizeof(double) * body->free * d);
  memcpy(found->q + body->free * d, acting->frames, sizeof(double) * (body->rows - body->free) * d);
  blend(body, found);
  memset(found->c, 0, sizeof(double) * body->bases);
  found->outside = 0.0;
  found->dents = found->too_deep = 0;
  if (inner) {
    see_handles(body, acting, found);
    activate(&body->internal, found->features, found->room, found->rest);
    memcpy(found->c, found->rest + units_of(&body->internal) - inner, sizeof(double) * inner);
  }
  if (body->external.layers && acting->moving) {
    correct(body, found, body->touching, inner);
    carry_points(body, found);
    dent(body, acting, found);
  }
}

/* The left side of equation 6 at free handles q (n, d), and all that it was made of. */
PUBLIC void contact_residual(const Body *body, const Acting *acting, const double *q, Found *found) {
  int64_t d = body->d, touching = body->touching, carried = body->vertices - touching;
  contact_pose(body, acting, q, found);
  correct(body, found, body->vertices, body->bases);
  const double *x = found->shape + d * touching;
  double *forces = found->forces + d * touching;
  memset(found->forces, 0, sizeof(double) * d * touching);
  for (int64_t s = 0; s < carried; s++)
    for (int64_t i = 0; i < d; i++) {
      int64_t at = d * s + i;
      forces[at] = acting->rate * body->masses[s] * (x[at] - acting->aim[at]);
      found->away[at] = x[at] - acting->before[at];
    }
  add_forces(d, &body->elements, x, acting->drag, found->away, forces);
  carry_points(body, found);
  found->pressed = 0;
  for (int64_t number = 0; number < body->shapes.count; number++)
    found->pressed = add_pressed(d, &body->shapes, &acting->places, number, found->points, body->points, body->reach,
                                 found->which, found->shorts, found->normals, found->pressed);
  for (int64_t k = 0; k < found->pressed; k++)
    for (int64_t corner = 0; corner <= d; corner++) {
      int64_t at = (d + 1) * found->which[k] + corner;
      double push = -body->stiffness * found->shorts[k] * body->point_weights[at];
      for (int64_t i = 0; i < d; i++)
        found->forces[d * body->corners[at] + i] += push * found->normals[d * k + i];
    }
  pull_all(body, acting, found);
}

/* The derivatives of c by the free handles (m, n d), where the residual was found last: see Corrections.slopes.
   room: for both networks' slopes (units, inputs), twice, and then n d. */
static void slopes_of(const Body *body, const Acting *acting, const Found *found, double *slopes, double *room) {
  int64_t d = body->d, free = body->free, columns = free * d, all = body->rows * d;
  int64_t inner = outputs_of(&body->internal), outer = outputs_of(&body->external);
  int64_t inputs = body->external.sizes[0], units = units_of(&body->external), wide = units * inputs;
  if (units_of(&body->internal) * all > wide)
    wide = units_of(&body->internal) * all;
  double *one = room, *other = room + wide, *own = room + 2 * wide, *retreat = room + 3 * wide;
  memset(slopes, 0, sizeof(double) * body->bases * columns);
  if (inner) {
    differentiate(&body->internal, found->features, found->rest, one, other, own);
    for (int64_t k = 0; k < inner; k++) {
      double middle[MOST] = {0.0, 0.0, 0.0}, *slope = slopes + columns * k;
      for (int64_t row = 0; row < free; row++)
        for (int64_t i = 0; i < d; i++) {
          double turned = 0.0;
          for (int64_t j = 0; j < d; j++)
            turned += own[all * k + d * row + j] * acting->rotation[d * i + j];
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
    differentiate(&body->external, found->dent_features + inputs * number, layers, one, other, own);
    memset(retreat, 0, sizeof(double) * columns);
    memset(found->by_inner, 0, sizeof(double) * inner);
    for (int64_t corner = 0; corner <= d; corner++) {
      int64_t at = (d + 1) * found->dent_points[number] + corner, vertex = body->corners[at];
      memcpy(push, found->dent_normals + d * number, sizeof(double) * d);
      pull_handles(body, push, vertex, body->point_weights[at], retreat);
      pull_bases(body, found, push, vertex, body->point_weights[at], inner, found->by_inner);
    }
    for (int64_t k = 0; k < inner; k++)
      for (int64_t at = 0; at < columns; at++)
        retreat[at] += found->by_inner[k] * slopes[columns * k + at];
    for (int64_t k = 0; k < outer; k++) {
      double *slope = slopes + columns * (inner + k), deeper = found->steepness[number] * last[k];
      for (int64_t i = 0; i < inputs - 1; i++) {
        double share = found->shares[number] * own[inputs * k + i];
        for (int64_t at = 0; at < columns; at++)
          slope[at] += share * moved[columns * i + at];
      }
      for (int64_t at = 0; at < columns; at++)
        slope[at] -= deeper * retreat[at];
    }
  }
}

/* The derivatives of c by the free handles (m, n d), where the residual was found last. room: see `slopes_of`. */
PUBLIC void contact_slopes(const Body *body, const Acting *acting, const Found *found, double *slopes, double *room) {
  slopes_of(body, acting, found, slopes, room);
}

/* Equation 4 there: of all vertices (S, d, n d), and what it makes of the elements, (k, dd, n d). jacobian: comes as
   the bases times the slopes. */
PUBLIC void contact_jacobian(const Body *body, const Found *found, double *jacobian, double *changes) {
  int64_t d = body->d, free = body->free, columns = free * d, dd = d * d;
  for (int64_t s = 0; s < body->vertices; s++) {
    double *rows = jacobian + d * columns * s, local[MOST];
    const double *axes = found->by_axis + dd * s, *weights = body->weights + body->rows * s;
    for (int64_t at = 0; at < columns; at++) {
      for (int64_t a = 0; a < d; a++)
        local[a] = rows[columns * a + at];
      for (int64_t i = 0; i < d; i++) {
        double turned = 0.0;
        for (int64_t a = 0; a < d; a++)
          turned += axes[d * a + i] * local[a];
        rows[columns * i + at] = turned;
      }
    }
    for (int64_t row = 0; row < free; row++)
      for (int64_t i = 0; i < d; i++)
        rows[columns * i + d * row + i] += weights[row];
  }
  const double *of = jacobian + body->touching * d * columns;
  for (int64_t e = 0; e < body->elements.count; e++) {
    const int64_t *corners = body->elements.corners + (d + 1) * e;
    const double *inverse = body->elements.inverse_rest + dd * e;
    double *of_element = changes + columns * dd * e;
    memset(of_element, 0, sizeof(double) * dd * columns);
    for (int64_t k = 0; k < d; k++)
      for (int64_t i = 0; i < d; i++) {
        const double *corner = of + columns * (d * corners[k + 1] + i), *origin = of + columns * (d * corners[0] + i);
        for (int64_t j = 0; j < d; j++) {
          double slope = inverse[d * k + j], *change = of_element + columns * (d * i + j);
          for (int64_t at = 0; at < columns; at++)
            change[at] += slope * (corner[at] - origin[at]);
        }
      }
  }
}

/* The rotation (d, d) that takes the anchor's rows of Q at rest best to those of q (h, d): see handles.rigid_fit. */
PUBLIC void contact_placement(const Body *body, const double *q, double *rotation) {
  int64_t d = body->d;
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

/* (k, dd, dd): see Cubature.stiffness. */
PUBLIC void contact_stiffness(const Body *body, const double *x, int64_t projected, double *out) {
  stiffness_of(body->d, &body->elements, x, projected, out);
}
