/* A network of a correction: see methods/contact_corrections/networks.py. */

#define LEAST_MARGIN 1e-30

typedef struct {
  int64_t layers;
  const int64_t *sizes; /* (L + 1,): of its inputs and layers */
  const double *mean, *scale, *low, *high, *margin;
  const double *weights, *biases; /* of one layer after the other */
} Network;

/* An input within its range, or beyond it by less than its margin: *slope is its derivative then. */
static inline double kept(const Network *network, int64_t i, double x, double *slope) {
  double within = smaller(larger(x, network->low[i]), network->high[i]), beyond = x - within;
  *slope = beyond == 0.0;
  if (!(network->margin[i] > 0.0) || beyond == 0.0)
    return within;
  double saturation = tanh(beyond / larger(network->margin[i], LEAST_MARGIN));
  *slope = 1.0 - saturation * saturation;
  return within + network->margin[i] * saturation;
}

/* What each layer gives of x, one after the other, into found; the first one's inputs into given. */
static void activate(const Network *network, const double *x, double *given, double *found) {
  for (int64_t i = 0; i < network->sizes[0]; i++) {
    double slope, within = kept(network, i, x[i], &slope);
    given[i] = (within - network->mean[i]) * network->scale[i];
  }
  const double *weights = network->weights, *biases = network->biases, *before = given;
  for (int64_t layer = 0; layer < network->layers; layer++) {
    int64_t inputs = network->sizes[layer], outputs = network->sizes[layer + 1];
    for (int64_t o = 0; o < outputs; o++) {
      double total = 0.0;
      for (int64_t i = 0; i < inputs; i++)
        total += weights[i] * before[i];
      total += biases[o];
      found[o] = layer < network->layers - 1 ? tanh(total) : total;
      weights += inputs;
    }
    before = found, found += outputs, biases += outputs;
  }
}

static int64_t units_of(const Network *network) {
  int64_t units = 0;
  for (int64_t layer = 1; layer <= network->layers; layer++)
    units += network->sizes[layer];
  return units;
}

/* The derivatives by x of what has those `by_outputs`; found: by `activate`; one, other: room for a layer each. */
static void pull(const Network *network, const double *x, const double *found, const double *by_outputs, double *one,
                 double *other, double *by_x) {
  const double *weights = network->weights, *back = by_outputs;
  for (int64_t layer = 0; layer < network->layers; layer++)
    weights += network->sizes[layer] * network->sizes[layer + 1];
  found += units_of(network) - network->sizes[network->layers];
  for (int64_t layer = network->layers - 1; layer >= 0; layer--) {
    int64_t inputs = network->sizes[layer], outputs = network->sizes[layer + 1];
    double *before = layer ? one : by_x, *room = one;
    weights -= inputs * outputs;
    memset(before, 0, sizeof(double) * inputs);
    for (int64_t o = 0; o < outputs; o++)
      for (int64_t i = 0; i < inputs; i++)
        before[i] += back[o] * weights[inputs * o + i];
    if (layer) {
      found -= inputs;
      for (int64_t i = 0; i < inputs; i++)
        before[i] *= 1.0 - found[i] * found[i];
    } else
      for (int64_t i = 0; i < inputs; i++) {
        double slope;
        kept(network, i, x[i], &slope);
        before[i] *= slope * network->scale[i];
      }
    back = before, one = other, other = room;
  }
}

/* The derivatives of its outputs by the first `inputs` of x, (o, i), into out; found: by `activate`. one, other: room
   for the widest layer times its inputs. */
static void differentiate(const Network *network, int64_t inputs, const double *x, const double *found, double *one,
                          double *other, double *out) {
  const double *weights = network->weights;
  int64_t last = network->layers - 1;
  for (int64_t layer = 0; layer <= last; layer++) {
    int64_t wide = network->sizes[layer], outputs = network->sizes[layer + 1];
    /* By each input, those of a whole layer in a row: sums are over rows then, however few inputs there are. */
    for (int64_t i = 0; i < inputs && layer; i++)
      for (int64_t k = 0; k < wide; k++)
        other[wide * i + k] *= 1.0 - found[k - wide] * found[k - wide];
    for (int64_t o = 0; o < outputs; o++, weights += wide)
      for (int64_t i = 0; i < inputs; i++) {
        double slope = 0.0;
        if (layer)
          for (int64_t k = 0; k < wide; k++)
            slope += weights[k] * other[wide * i + k];
        else {
          kept(network, i, x[i], &slope);
          slope *= weights[i] * network->scale[i];
        }
        if (layer == last)
          out[inputs * o + i] = slope;
        else
          one[outputs * i + o] = slope;
      }
    double *room = one;
    found += outputs, one = other, other = room;
  }
}
