/* Forces and stiffness of the cubature's elements: see methods/contact_corrections/cubature.py. */

enum { NEO_HOOKEAN, STVK, COROTATIONAL };
#define LEAST_SUM 1e-8

typedef struct {
  int64_t count, energy;
  const int64_t *corners;      /* (k, d + 1) */
  const double *inverse_rest;  /* (k, d, d) */
  const double *volumes;       /* (k,) */
  const double *moduli;        /* (k, 2) */
} Elements;

/* How an element maps differences of x: F, where x are positions. */
static void gradient(int d, const Elements *elements, const double *x, int64_t e, double *f) {
  const int64_t *corners = elements->corners + e * (d + 1);
  const double *inverse = elements->inverse_rest + e * d * d, *origin = x + d * corners[0];
  memset(f, 0, sizeof(double) * d * d);
  for (int k = 0; k < d; k++) {
    const double *corner = x + d * corners[k + 1];
    for (int i = 0; i < d; i++)
      for (int j = 0; j < d; j++)
        f[d * i + j] += (corner[i] - origin[i]) * inverse[d * k + j];
  }
}

/* What multiplies F and dJ/dF in the stress, then their outer products in the Hessian. */
static void coefficients(int d, const double *f, double mu, double lam, double *c) {
  double shear = 4.0 / 3.0 * mu, bulk = lam + 5.0 / 6.0 * mu, squares = 4.0 - d;
  for (int i = 0; i < d * d; i++)
    squares += f[i] * f[i];
  double inverse = 1.0 / squares;
  c[0] = shear - shear * inverse;
  c[1] = bulk * (determinant(d, f) - 1.0) - 0.75 * shear;
  c[2] = 2.0 * shear * inverse * inverse;
  c[3] = bulk;
}

/* 2 mu E + lam tr(E) I. */
static void second_stress(int d, const double *f, double mu, double lam, double *out) {
  double trace = 0.0;
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      double strain = i == j ? -0.5 : 0.0;
      for (int k = 0; k < d; k++)
        strain += 0.5 * f[d * k + i] * f[d * k + j];
      out[d * i + j] = 2.0 * mu * strain;
      trace += i == j ? strain : 0.0;
    }
  for (int i = 0; i < d; i++)
    out[d * i + i] += lam * trace;
}

/* First Piola-Kirchhoff stress. */
static void stress_of(int d, int64_t energy, const double *f, double mu, double lam, double *out) {
  double c[4], u[MOST * MOST], s[MOST], v[MOST * MOST];
  if (energy == NEO_HOOKEAN) {
    coefficients(d, f, mu, lam, c);
    cofactor(d, f, out);
    for (int i = 0; i < d * d; i++)
      out[i] = c[0] * f[i] + c[1] * out[i];
  } else if (energy == STVK) {
    second_stress(d, f, mu, lam, u);
    for (int i = 0; i < d; i++)
      for (int j = 0; j < d; j++) {
        out[d * i + j] = 0.0;
        for (int k = 0; k < d; k++)
          out[d * i + j] += f[d * i + k] * u[d * k + j];
      }
  } else {
    double trace = 0.0;
    signed_svd(d, f, u, s, v);
    for (int k = 0; k < d; k++)
      trace += s[k] - 1.0;
    for (int i = 0; i < d; i++)
      for (int j = 0; j < d; j++) {
        double rotation = 0.0;
        for (int k = 0; k < d; k++)
          rotation += u[d * i + k] * v[d * j + k];
        out[d * i + j] = 2.0 * mu * (f[d * i + j] - rotation) + lam * trace * rotation;
      }
  }
}

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

/* J/m^3, of an element with this F. */
static inline double density_of(int d, const Elements *elements, int64_t e, const double *f) {
  double mu = elements->moduli[2 * e], lam = elements->moduli[2 * e + 1];
  if (elements->energy == NEO_HOOKEAN)
    return neo_hookean_density(d, f, mu, lam);
  return elements->energy == STVK ? stvk_density(d, f, mu, lam) : corotational_density(d, f, mu, lam);
}

/* Add to forces (S, d) the energies' gradient at x, and what a stiffness drag (k, dd, dd), if there is one, does to
   vertices that have moved. All of these energies, J. */
static inline double add_forces(int d, const Elements *elements, const double *x, const double *drag, const double *moved,
                       double *forces) {
  double f[MOST * MOST], stress[MOST * MOST], change[MOST * MOST], energy = 0.0;
  int dd = d * d;
  for (int64_t e = 0; e < elements->count; e++) {
    const double *inverse = elements->inverse_rest + e * dd, volume = elements->volumes[e];
    const int64_t *corners = elements->corners + e * (d + 1);
    gradient(d, elements, x, e, f);
    energy += volume * density_of(d, elements, e, f);
    stress_of(d, elements->energy, f, elements->moduli[2 * e], elements->moduli[2 * e + 1], stress);
    for (int i = 0; i < dd; i++)
      stress[i] *= volume;
    if (drag) {
      const double *of_element = drag + e * dd * dd;
      gradient(d, elements, moved, e, change);
      for (int row = 0; row < dd; row++) {
        double pull = 0.0;
        for (int column = 0; column < dd; column++)
          pull += of_element[dd * row + column] * change[column];
        energy += 0.5 * pull * change[row];
        stress[row] += pull;
      }
    }
    for (int k = 0; k < d; k++)
      for (int i = 0; i < d; i++) {
        double force = 0.0;
        for (int j = 0; j < d; j++)
          force += stress[d * i + j] * inverse[d * k + j];
        forces[d * corners[k + 1] + i] += force;
        forces[d * corners[0] + i] -= force;
      }
  }
  return energy;
}

static void neo_hookean_hessian(int d, const double *f, double mu, double lam, double *out) {
  double c[4], slopes[MOST * MOST];
  int dd = d * d;
  coefficients(d, f, mu, lam, c);
  cofactor(d, f, slopes);
  for (int a = 0; a < dd; a++) {
    for (int b = 0; b < dd; b++)
      out[dd * a + b] = c[2] * f[a] * f[b] + c[3] * slopes[a] * slopes[b];
    out[dd * a + a] += c[0];
  }
  if (d == 2) {
    out[3] += c[1], out[12] += c[1], out[6] -= c[1], out[9] -= c[1];
    return;
  }
  /* d2J by entries of two rows and columns: the entry of neither, with a sign. */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int rows = 1; rows < 3; rows++)
        for (int columns = 1; columns < 3; columns++) {
          int k = (i + rows) % 3, n = (j + columns) % 3;
          double other = f[3 * (3 - i - k) + 3 - j - n];
          out[9 * (3 * i + j) + 3 * k + n] += (rows == columns ? c[1] : -c[1]) * other;
        }
}

static void stvk_hessian(int d, const double *f, double mu, double lam, double *out) {
  double second[MOST * MOST];
  int dd = d * d;
  second_stress(d, f, mu, lam, second);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++)
      for (int k = 0; k < d; k++)
        for (int n = 0; n < d; n++) {
          double value = lam * f[d * i + j] * f[d * k + n] + mu * f[d * i + n] * f[d * k + j];
          if (i == k)
            value += second[d * j + n];
          if (j == n)
            for (int c = 0; c < d; c++)
              value += mu * f[d * i + c] * f[d * k + c];
          out[dd * (d * i + j) + d * k + n] = value;
        }
}

/* By the analytic eigensystem: see projection.isotropic_hessian. */
static void hessian_by_stretches(int d, int64_t energy, const double *f, double mu, double lam, int projected,
                                 double *out) {
  double u[MOST * MOST], s[MOST], v[MOST * MOST], scaling[MOST * MOST], twists[MOST * MOST], flips[MOST * MOST];
  int dd = d * d;
  signed_svd(d, f, u, s, v);
  if (energy == NEO_HOOKEAN) {
    double c[4];
    coefficients(d, f, mu, lam, c);
    for (int i = 0; i < d; i++)
      for (int j = 0; j < d; j++) {
        double slope_i = d == 2 ? s[1 - i] : s[(i + 1) % 3] * s[(i + 2) % 3];
        double slope_j = d == 2 ? s[1 - j] : s[(j + 1) % 3] * s[(j + 2) % 3];
        double across = d == 2 ? 1.0 : (i == j ? 0.0 : s[3 - i - j]);
        scaling[d * i + j] = c[2] * s[i] * s[j] + c[3] * slope_i * slope_j + (i == j ? c[0] : c[1] * across);
        twists[d * i + j] = c[0] + c[1] * across;
        flips[d * i + j] = c[0] - c[1] * across;
      }
  } else if (energy == STVK) {
    double tension = -mu;
    for (int k = 0; k < d; k++)
      tension += 0.5 * lam * (s[k] * s[k] - 1.0);
    for (int i = 0; i < d; i++)
      for (int j = 0; j < d; j++) {
        double plain = mu * (s[i] * s[i] + s[j] * s[j]) + tension, mixed = mu * s[i] * s[j];
        scaling[d * i + j] = lam * s[i] * s[j] + (i == j ? 3.0 * mu * s[i] * s[i] + tension : 0.0);
        twists[d * i + j] = plain - mixed;
        flips[d * i + j] = plain + mixed;
      }
  } else {
    double softening = -4.0 * mu;
    for (int k = 0; k < d; k++)
      softening += 2.0 * lam * (s[k] - 1.0);
    for (int i = 0; i < d; i++)
      for (int j = 0; j < d; j++) {
        scaling[d * i + j] = lam + (i == j ? 2.0 * mu : 0.0);
        flips[d * i + j] = 2.0 * mu;
        twists[d * i + j] = 2.0 * mu + softening / larger(s[i] + s[j], LEAST_SUM);
      }
  }
  if (projected)
    project(d, scaling);
  /* Columns: u_a v_b^T. */
  double turn[MOST * MOST][MOST * MOST];
  for (int a = 0; a < d; a++)
    for (int b = 0; b < d; b++)
      for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
          turn[d * a + b][d * i + j] = u[d * i + a] * v[d * j + b];
  memset(out, 0, sizeof(double) * dd * dd);
  for (int a = 0; a < d; a++)
    for (int b = 0; b < d; b++) {
      const double *left = turn[(d + 1) * a], *right = turn[(d + 1) * b], share = scaling[d * a + b];
      for (int row = 0; row < dd; row++)
        for (int column = 0; column < dd; column++)
          out[dd * row + column] += share * left[row] * right[column];
    }
  for (int a = 0; a < d - 1; a++)
    for (int b = a + 1; b < d; b++) {
      double twist = 0.5 * twists[d * a + b], flip = 0.5 * flips[d * a + b], less[MOST * MOST], more[MOST * MOST];
      if (projected)
        twist = larger(twist, 0.0), flip = larger(flip, 0.0);
      for (int i = 0; i < dd; i++) {
        less[i] = turn[d * a + b][i] - turn[d * b + a][i];
        more[i] = turn[d * a + b][i] + turn[d * b + a][i];
      }
      for (int row = 0; row < dd; row++)
        for (int column = 0; column < dd; column++)
          out[dd * row + column] += twist * less[row] * less[column] + flip * more[row] * more[column];
    }
}

/* (dd, dd): an element's second derivatives by the entries of F; projected: without negative curvature. */
static inline void element_stiffness(int d, const Elements *elements, const double *x, int64_t e, int projected,
                                     double *out) {
  double mu = elements->moduli[2 * e], lam = elements->moduli[2 * e + 1], f[MOST * MOST];
  gradient(d, elements, x, e, f);
  if (projected || elements->energy == COROTATIONAL)
    hessian_by_stretches(d, elements->energy, f, mu, lam, projected, out);
  else if (elements->energy == NEO_HOOKEAN)
    neo_hookean_hessian(d, f, mu, lam, out);
  else
    stvk_hessian(d, f, mu, lam, out);
  for (int i = 0; i < d * d * d * d; i++)
    out[i] *= elements->volumes[e];
}
