/* The built-in problems, in the order in which they are shown: a new one is a
 * row here and a file of its own, NAME.c, with its lr_kind_NAME. */
#ifndef LR_PROBLEM_LIST_H
#define LR_PROBLEM_LIST_H

/* clang-format off */
#define LR_PROBLEMS(X)                                                         \
  X(quadratic)                                                                 \
  X(ridge)                                                                     \
  X(least_squares)                                                             \
  X(logistic)                                                                  \
  X(perceptron)                                                                \
  X(rosenbrock)                                                                \
  X(powell)                                                                    \
  X(beale)                                                                     \
  X(log_sum_exp)                                                               \
  X(product)                                                                   \
  X(linear)                                                                    \
  X(constant)                                                                  \
  X(borehole)                                                                  \
  X(otl_circuit)                                                               \
  X(piston)                                                                    \
  X(wing_weight)                                                               \
  X(robot_arm)                                                                 \
  X(ebola)                                                                     \
  X(hartmann_mhd)                                                              \
  X(elliptic)                                                                  \
  X(hiv)                                                                       \
  X(branin)                                                                    \
  X(hartmann)                                                                  \
  X(styblinski_tang)                                                           \
  X(chained_rosenbrock)                                                        \
  X(predator)                                                                  \
  X(heat_rod)                                                                  \
  X(exponentials)                                                              \
  X(plate)                                                                     \
  X(cascade)                                                                   \
  X(airfoil)                                                                   \
  X(ladder)                                                                    \
  X(swing)                                                                     \
  X(aquifer)                                                                   \
  X(coating)                                                                   \
  X(pathway)                                                                   \
  X(antenna)                                                                   \
  X(tower)                                                                     \
  X(more_garbow_hillstrom)                                                     \
  X(nist)                                                                      \
  X(linear_residuals)                                                          \
  X(darcy)

/* Problems with limits on outputs, which have no f alone: lr_problem_create
 * knows them too, the list of kinds does not have them. */
#define LR_LIMITED_PROBLEMS(X)                                                 \
  X(hock_schittkowski)                                                         \
  X(design)                                                                    \
  X(limited_quadratic)                                                         \
  X(limited_plate)                                                             \
  X(limited_fit)                                                               \
  X(truss)
/* clang-format on */

#endif
