/* Decompositions of one 2 x 2 or 3 x 3 matrix, row by row: see energies/solids/deformation.py and
   energies/projection.py. */
#include <math.h>
#include <string.h>

#define MOST 3 /* coordinates */
#define SWEEPS 12
#define VANISHING 1e-60
#define ORTHOGONAL 1e-30
#define ROUND_OFF 1e-13
#define TINY 2.2250738585072014e-308

/* Unlike fmin and fmax no calls; of what is no number the second. */
static inline double smaller(double a, double b) { return a < b ? a : b; }
static inline double larger(double a, double b) { return a > b ? a : b; }

static double determinant(int d, const double *f) {
  if (d == 2)
    return f[0] * f[3] - f[1] * f[2];
  return f[0] * (f[4] * f[8] - f[5] * f[7]) + f[1] * (f[5] * f[6] - f[3] * f[8]) +
         f[2] * (f[3] * f[7] - f[4] * f[6]);
}

/* dJ/dF. */
static void cofactor(int d, const double *f, double *out) {
  if (d == 2) {
    out[0] = f[3], out[1] = -f[2], out[2] = -f[1], out[3] = f[0];
    return;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = (i + 1) % 3, b = (i + 2) % 3, k = (j + 1) % 3, n = (j + 2) % 3;
      out[3 * i + j] = f[3 * a + k] * f[3 * b + n] - f[3 * a + n] * f[3 * b + k];
    }
}

static void rotate_columns(int d, double *m, int i, int j, double cosine, double sine) {
  for (int r = 0; r < d; r++) {
    double a = m[d * r + i], b = m[d * r + j];
    m[d * r + i] = cosine * a + sine * b;
    m[d * r + j] = cosine * b - sine * a;
  }
}

static void rotate_rows(int d, double *m, int i, int j, double cosine, double sine) {
  for (int c = 0; c < d; c++) {
    double a = m[d * i + c], b = m[d * j + c];
    m[d * i + c] = cosine * a + sine * b;
    m[d * j + c] = cosine * b - sine * a;
  }
}

/* The longer of two columns first; one changes its sign, so that V stays a rotation. */
static void sort_columns(int d, double *columns, double *v, int i, int j) {
  double first = 0.0, second = 0.0;
  for (int r = 0; r < d; r++) {
    first += columns[d * r + i] * columns[d * r + i];
    second += columns[d * r + j] * columns[d * r + j];
  }
  if (first < second) {
    rotate_columns(d, columns, i, j, 0.0, 1.0);
    rotate_columns(d, v, i, j, 0.0, 1.0);
  }
}

/* A vector of length 1, or another where it vanishes. */
static void unit(const double *vector, const double *instead, double *out) {
  double length = sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
  for (int i = 0; i < 3; i++)
    out[i] = length < VANISHING ? instead[i] : vector[i] / length;
}

/* The rotation whose first d - 1 columns are these made unit, any where they vanish. */
static void frame_of(int d, const double *columns, double *u) {
  const double aside[3] = {1.0, 0.0, 0.0};
  double x[3];
  if (d == 2) {
    double given[3] = {columns[0], columns[2], 0.0};
    unit(given, aside, x);
    u[0] = x[0], u[2] = x[1], u[1] = -x[1], u[3] = x[0];
    return;
  }
  double given[3] = {columns[0], columns[3], columns[6]}, second[3] = {columns[1], columns[4], columns[7]};
  unit(given, aside, x);
  /* Orthogonal to the first: by the axis to which that is the least parallel. */
  double across[3] = {x[1], -x[0], 0.0}, y[3];
  if (fabs(x[0]) <= fabs(x[1]) && fabs(x[0]) <= fabs(x[2]))
    across[0] = 0.0, across[1] = x[2], across[2] = -x[1];
  else if (fabs(x[1]) <= fabs(x[2]))
    across[0] = -x[2], across[1] = 0.0, across[2] = x[0];
  unit(across, aside, across);
  unit(second, across, y);
  u[0] = x[0], u[3] = x[1], u[6] = x[2];
  u[1] = y[0], u[4] = y[1], u[7] = y[2];
  u[2] = x[1] * y[2] - x[2] * y[1], u[5] = x[2] * y[0] - x[0] * y[2], u[8] = x[0] * y[1] - x[1] * y[0];
}

/* F = U diag(s) V^T with rotations: see deformation.signed_svd. */
static void signed_svd(int d, const double *f, double *u, double *s, double *v) {
  double columns[MOST * MOST], size = 0.0;
  for (int i = 0; i < d * d; i++) {
    size = larger(size, fabs(f[i]));
    v[i] = i % (d + 1) == 0;
  }
  size = size > 0.0 ? size : 1.0;
  for (int i = 0; i < d * d; i++)
    columns[i] = f[i] / size;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    int done = 1;
    for (int i = 0; i < d - 1; i++)
      for (int j = i + 1; j < d; j++) {
        double aa = 0.0, bb = 0.0, ab = 0.0;
        for (int r = 0; r < d; r++) {
          double a = columns[d * r + i], b = columns[d * r + j];
          aa += a * a, bb += b * b, ab += a * b;
        }
        if (!(ab * ab > ORTHOGONAL * aa * bb))
          continue;
        done = 0;
        double half = 0.5 * (aa - bb);
        double tangent = copysign(ab, half * ab) / larger(fabs(half) + sqrt(half * half + ab * ab), TINY);
        double cosine = 1.0 / sqrt(1.0 + tangent * tangent);
        rotate_columns(d, columns, i, j, cosine, cosine * tangent);
        rotate_columns(d, v, i, j, cosine, cosine * tangent);
      }
    if (done)
      break;
  }
  sort_columns(d, columns, v, 0, 1);
  if (d == 3) {
    sort_columns(d, columns, v, 1, 2);
    sort_columns(d, columns, v, 0, 1);
  }
  frame_of(d, columns, u);
  for (int j = 0; j < d; j++) {
    s[j] = 0.0;
    for (int r = 0; r < d; r++)
      s[j] += size * u[d * r + j] * columns[d * r + j];
  }
}

/* A symmetric matrix without its negative eigenvalues, in place, but for round-off (Jacobi 1846). */
static void project(int d, double *matrix) {
  double values[MOST * MOST], vectors[MOST * MOST], whole = 0.0, least = 0.0, size = 0.0;
  for (int i = 0; i < d * d; i++) {
    values[i] = matrix[i];
    vectors[i] = i % (d + 1) == 0;
    whole += matrix[i] * matrix[i];
  }
  for (int sweep = 0; sweep < 4 * SWEEPS; sweep++) {
    double beside = 0.0;
    for (int i = 0; i < d - 1; i++)
      for (int j = i + 1; j < d; j++)
        beside += values[d * i + j] * values[d * i + j];
    if (!(beside > ORTHOGONAL * whole))
      break;
    for (int i = 0; i < d - 1; i++)
      for (int j = i + 1; j < d; j++) {
        double ab = values[d * i + j], half = 0.5 * (values[d * i + i] - values[d * j + j]);
        if (ab == 0.0)
          continue;
        double tangent = copysign(ab, half * ab) / larger(fabs(half) + sqrt(half * half + ab * ab), TINY);
        double cosine = 1.0 / sqrt(1.0 + tangent * tangent);
        rotate_columns(d, values, i, j, cosine, cosine * tangent);
        rotate_rows(d, values, i, j, cosine, cosine * tangent);
        rotate_columns(d, vectors, i, j, cosine, cosine * tangent);
      }
  }
  for (int i = 0; i < d; i++) {
    least = smaller(least, values[d * i + i]);
    size += fabs(matrix[d * i + i]);
  }
  if (least >= -ROUND_OFF * size)
    return;
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      double total = 0.0;
      for (int k = 0; k < d; k++)
        total += larger(values[d * k + k], 0.0) * vectors[d * i + k] * vectors[d * j + k];
      matrix[d * i + j] = total;
    }
}
