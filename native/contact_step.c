/* What a step of contact corrections is calculated with. */
#include "contact_body.h"
#include "contact_pose.h"
#include "contact_forces.h"
#include "contact_slopes.h"
#include "public.h"

/* The same for flat bodies and for those in space. */
#define OF_EACH(call, ...) (body->d == 2 ? call(2, body, __VA_ARGS__) : call(3, body, __VA_ARGS__))

PUBLIC void contact_pose(const Body *body, const Acting *acting, const double *q, Found *found) {
  OF_EACH(pose, acting, q, found);
}

PUBLIC void contact_residual(const Body *body, const Acting *acting, const double *q, Found *found) {
  OF_EACH(residual, acting, q, found);
}

/* The derivatives of c by the free handles (m, n d), where the residual was found last. room: see `slopes_of`. */
PUBLIC void contact_slopes(const Body *body, const Acting *acting, Found *found, double *slopes, double *room) {
  OF_EACH(slopes_of, acting, found, slopes, room);
}

PUBLIC void contact_jacobian(const Body *body, const Acting *acting, const Found *found, double *jacobian,
                             double *changes, double *masses) {
  OF_EACH(jacobian_of, acting, found, jacobian, changes, masses);
}

PUBLIC void contact_hessian(const Body *body, const Acting *acting, Found *found, const double *slopes,
                            const double *changes, const double *masses, int64_t projected, double *room,
                            double *hessian) {
  OF_EACH(hessian_of, acting, found, slopes, changes, masses, projected, room, hessian);
}

PUBLIC void contact_placement(const Body *body, const double *q, double *rotation) {
  OF_EACH(placement, q, rotation);
}

/* (k, dd, dd): see Cubature.stiffness. */
PUBLIC void contact_stiffness(const Body *body, const double *x, int64_t projected, double *out) {
  int64_t size = body->d * body->d * body->d * body->d;
  for (int64_t e = 0; e < body->elements.count; e++)
    element_stiffness(body->d, &body->elements, x, e, projected, out + size * e);
}
