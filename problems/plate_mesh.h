/* A thin plate in bending on a mesh of square elements, held along one side:
 * the stiffness matrix, for the built-in problems on it. */
#ifndef LR_PLATE_MESH_H
#define LR_PLATE_MESH_H

#include <stddef.h>

#include "band.h"
#include "plate_element.h"

/* Numbers at a corner: the deflection and its two slopes. */
enum { LR_PLATE_AT_CORNER = 3, LR_PLATE_SIDE_MOST = 100 };

/* Cell e = i width + j is i cells away from the held side. */
typedef struct lr_plate_mesh {
  size_t length, width; /* cells away from the held side, and along it */
  double K[LR_PLATE_FREEDOMS][LR_PLATE_FREEDOMS]; /* of one element */
} lr_plate_mesh;

/* A plate of width 1, with elements of stiffness 1 and Poisson's ratio 0.3. */
lr_plate_mesh lr_plate_mesh_of(size_t length, size_t width);
/* Unknowns, and diagonals of the matrix below the main one. */
size_t lr_plate_rows(const lr_plate_mesh *mesh);
size_t lr_plate_band(const lr_plate_mesh *mesh);
/* The twelve unknowns of a cell, -1 where held. */
void lr_plate_unknowns(const lr_plate_mesh *mesh, size_t cell,
                       long list[LR_PLATE_FREEDOMS]);
/* Adds a cell of this stiffness to the matrix. */
void lr_plate_add_cell(const lr_plate_mesh *mesh, size_t cell, double stiffness,
                       const lr_band *K);

#endif
