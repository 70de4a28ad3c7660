/* A body of contact corrections as it is played, what acts on it, and room for what is found: NumPy's is the reference,
   in methods/contact_corrections/dynamics.py. All arrays are row by row. */
#include <stdint.h>

#include "matrices.h"
#include "elements.h"
#include "colliders.h"
#include "networks.h"

#define GROWTH 1.25
#define FLATTEST 0.1
/* Inlined where d is 2, and where it is 3: loops over coordinates are none then. */
#define SPECIAL static inline __attribute__((always_inline))

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
  double *positions, *by_axis; /* (S, d), (S, d, d): of the blend, and F^T */
  double *points;              /* (P, d) m */
  double *forces;              /* (S, d) N */
  double *away;                /* (S - T, d) m */
  double *inverse;             /* (T, d, d) */
  double *near;                /* (T,) */
  double *beside, *towards;    /* (T, d) */
  double *by_c, *by_inner;     /* (m,) */
  double *room;                /* 3 times the widest of both networks' layers */
} Found;

static int64_t outputs_of(const Network *network) { return network->layers ? network->sizes[network->layers] : 0; }
