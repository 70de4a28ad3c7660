/* A body of contact corrections as it is played, what acts on it, and room for what is found: NumPy's is the reference,
   in methods/contact_corrections/dynamics.py. All arrays are row by row. */
#include <stdint.h>

#include "matrices.h"
#include "elements.h"
#include "colliders.h"
#include "networks.h"

#define GROWTH 1.25
#define FLATTEST 0.1
#define COINCIDENT 1e-12 /* m: see self_contact.py */
/* Inlined where d is 2, and where it is 3: loops over coordinates are none then. */
#define SPECIAL static inline __attribute__((always_inline))

/* All that does not change while it is played. S vertices: contact is felt at the first T, then come the centres of b
   balls by which it touches itself, then what the cubature has; h rows of Q, of which n are free; m bases; P points of
   contact; marks (c, k, d) of outlines that move, where k is not 0. */
typedef struct {
  int64_t d, vertices, touching, rows, free, bases, points, marks, anchor, anchors, floats, oriented, balls;
  double stiffness, reach, reference_depth, deepest, location_scale, self_stiffness;
  const double *weights;       /* (S, h) */
  const double *gradients;     /* (S, d, h) 1/m */
  const double *basis;         /* (S, d, m) */
  const int64_t *corners;      /* (P, d + 1) */
  const double *point_weights; /* (P, d + 1) */
  const double *rest;          /* (T, d) m */
  const double *marked;        /* (c, k, d) m */
  const double *masses;        /* (S - T - b,) kg */
  const double *handles_rest;  /* (h, d) m */
  const double *radii;         /* (b,) m */
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
  const double *aim, *before; /* (S - T - b, d) m */
  const double *drag;     /* (k, dd, dd), or none */
  const int64_t *near;    /* (p, 2): balls that push each other apart */
  int64_t pairs;          /* p */
} Acting;

/* What is found, and room for what is needed on the way. */
typedef struct {
  int64_t dents, too_deep, pressed, overlapping;
  double outside, energy;      /* energy: J, of all that acts */
  double *value;     /* (n, d) N */
  double *q;         /* (h, d) m */
  double *shape;     /* (S, d) m */
  double *r;         /* (S, d) m: corrections, in the axes of rest */
  double *r_rest;    /* (T, d) m: of r_int alone */
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
  int64_t *pairs;              /* (p,): that overlap */
  double *overlaps;            /* (p,) m */
  double *directions;          /* (p, d): from the second ball to the first */
  double *positions, *by_axis; /* (S, d), (S, d, d): of the blend, and F^T */
  double *points;              /* (P, d) m */
  double *forces;              /* (S, d) N */
  double *away;                /* (S - T - b, d) m */
  double *inverse;             /* (T, d, d) */
  double *near;                /* (T,) */
  double *beside, *towards;    /* (T, d) */
  double *by_c, *by_inner;     /* (m,) */
  double *room;                /* 3 times the widest of both networks' layers */
} Found;

/* The number of the cubature's first vertex. */
static int64_t first_of(const Body *body) { return body->touching + body->balls; }

static int64_t outputs_of(const Network *network) { return network->layers ? network->sizes[network->layers] : 0; }
