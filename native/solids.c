/* Energies of linear tetrahedra, or of triangles in the plane, their gradients and Hessians by the vertices: see
   solver/terms/solids.py, whose reference is NumPy's. */
#include <stdint.h>

#include "matrices.h"
#include "elements.h"
#include "public.h"

/* (m,) J, of the vertices' positions (n, d). */
PUBLIC void solid_values(int64_t d, const Elements *elements, const double *x, double *out) {
  double f[MOST * MOST];
  for (int64_t e = 0; e < elements->count; e++) {
    gradient(d, elements, x, e, f);
    out[e] = elements->volumes[e] * density_of(d, elements, e, f);
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
    element_stiffness(d, elements, x, e, projected, by_entries);
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

PUBLIC int64_t native_version(void) { return 8; }
