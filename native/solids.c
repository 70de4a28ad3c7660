/* Energies of linear tetrahedra, or of triangles in the plane, their gradients and Hessians by the vertices: see
   solver/terms/solids.py, whose reference is NumPy's. */
#include <stdint.h>

#include "matrices.h"
#include "elements.h"
#include "public.h"

static double neo_hookean_density(int d, const double *f, double mu, double lam) {
  /* In G = F - I, in whose terms all that is linear cancels. */
  double g[MOST * MOST], trace = 0.0, squared = 0.0, products = 0.0;
  for (int i = 0; i < d * d; i++)
    g[i] = f[i] - (i % (d + 1) == 0);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      trace += i == j ? g[d * i + j] : 0.0;
      squared += g[d * i + j] * g[d * i + j];
      products += g[d * i + j] * g[d * j + i];
    }
  double shear = 4.0 / 3.0 * mu, bulk = lam + 5.0 / 6.0 * mu, minors = 0.5 * (trace * trace - products);
  double volume = d == 3 ? determinant(d, g) : 0.0;
  double above = 2.0 * trace + squared, growth = trace + minors + volume;
  double logarithm = 0.25 * above - log1p(0.25 * above);
  return shear * (0.5 * logarithm + 0.75 * (0.5 * squared - minors - volume)) + 0.5 * bulk * growth * growth;
}

static double stvk_density(int d, const double *f, double mu, double lam) {
  double trace = 0.0, squared = 0.0;
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      double strain = i == j ? -0.5 : 0.0;
      for (int k = 0; k < d; k++)
        strain += 0.5 * f[d * k + i] * f[d * k + j];
      trace += i == j ? strain : 0.0;
      squared += strain * strain;
    }
  return mu * squared + 0.5 * lam * trace * trace;
}

static double corotational_density(int d, const double *f, double mu, double lam) {
  double u[MOST * MOST], s[MOST], v[MOST * MOST], trace = 0.0, squared = 0.0;
  signed_svd(d, f, u, s, v);
  for (int k = 0; k < d; k++) {
    trace += s[k] - 1.0;
    squared += (s[k] - 1.0) * (s[k] - 1.0);
  }
  return mu * squared + 0.5 * lam * trace * trace;
}

/* (m,) J, of the vertices' positions (n, d). */
PUBLIC void solid_values(int64_t d, const Elements *elements, const double *x, double *out) {
  double f[MOST * MOST];
  for (int64_t e = 0; e < elements->count; e++) {
    double mu = elements->moduli[2 * e], lam = elements->moduli[2 * e + 1];
    gradient(d, elements, x, e, f);
    double density = elements->energy == NEO_HOOKEAN ? neo_hookean_density(d, f, mu, lam)
                     : elements->energy == STVK      ? stvk_density(d, f, mu, lam)
                                                     : corotational_density(d, f, mu, lam);
    out[e] = elements->volumes[e] * density;
  }
}

/* (m, (d + 1) d) N. */
PUBLIC void solid_gradients(int64_t d, const Elements *elements, const double *x, double *out) {
  double f[MOST * MOST], stress[MOST * MOST];
  for (int64_t e = 0; e < elements->count; e++) {
    const double *inverse = elements->inverse_rest + e * d * d;
    double *here = out + e * (d + 1) * d;
    gradient(d, elements, x, e, f);
    stress_of(d, elements->energy, f, elements->moduli[2 * e], elements->moduli[2 * e + 1], stress);
    memset(here, 0, sizeof(double) * d);
    for (int64_t k = 0; k < d; k++)
      for (int64_t i = 0; i < d; i++) {
        double force = 0.0;
        for (int64_t j = 0; j < d; j++)
          force += stress[d * i + j] * inverse[d * k + j];
        force *= elements->volumes[e];
        here[d * (k + 1) + i] = force;
        here[i] -= force;
      }
  }
}

/* (m, (d + 1) d, (d + 1) d) N/m; projected: of positive semi-definite ones by F. */
PUBLIC void solid_hessians(int64_t d, const Elements *elements, const double *x, int64_t projected, double *out) {
  double by_entries[MOST * MOST * MOST * MOST], half[MOST * MOST][(MOST + 1) * MOST], slopes[MOST + 1][MOST];
  int64_t dd = d * d, size = (d + 1) * d;
  for (int64_t e = 0; e < elements->count; e++) {
    const double *inverse = elements->inverse_rest + e * dd;
    double *here = out + e * size * size;
    Elements one = *elements;
    one.count = 1, one.corners += e * (d + 1), one.inverse_rest = inverse;
    one.volumes += e, one.moduli += 2 * e;
    stiffness_of(d, &one, x, projected, by_entries);
    for (int64_t j = 0; j < d; j++) {
      slopes[0][j] = 0.0;
      for (int64_t k = 0; k < d; k++) {
        slopes[k + 1][j] = inverse[d * k + j];
        slopes[0][j] -= inverse[d * k + j];
      }
    }
    for (int64_t row = 0; row < dd; row++)
      for (int64_t w = 0; w <= d; w++)
        for (int64_t k = 0; k < d; k++) {
          double total = 0.0;
          for (int64_t l = 0; l < d; l++)
            total += by_entries[dd * row + d * k + l] * slopes[w][l];
          half[row][d * w + k] = total;
        }
    for (int64_t v = 0; v <= d; v++)
      for (int64_t i = 0; i < d; i++)
        for (int64_t column = 0; column < size; column++) {
          double total = 0.0;
          for (int64_t j = 0; j < d; j++)
            total += slopes[v][j] * half[d * i + j][column];
          here[size * (d * v + i) + column] = total;
        }
  }
}

PUBLIC int64_t native_version(void) { return 4; }
