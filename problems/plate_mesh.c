/* The stiffness matrix of a plate on a mesh: plate_mesh.h. */
#include "plate_mesh.h"

enum { CORNERS = 4 };

lr_plate_mesh lr_plate_mesh_of(size_t length, size_t width)
{
  lr_plate_mesh mesh = {.length = length, .width = width};
  lr_plate_element(1 / (double)width, 0.3, mesh.K);
  return mesh;
}

size_t lr_plate_rows(const lr_plate_mesh *mesh)
{
  return LR_PLATE_AT_CORNER * mesh->length * (mesh->width + 1);
}

size_t lr_plate_band(const lr_plate_mesh *mesh)
{
  return LR_PLATE_AT_CORNER * (mesh->width + 3) - 1;
}

/* The first of the three unknowns at corner c of a cell, or -1 on the side that
 * is held. */
static long unknown(const lr_plate_mesh *mesh, size_t cell, int c)
{
  size_t i = cell / mesh->width + (size_t)(c & 1);
  size_t j = cell % mesh->width + (size_t)(c >> 1);
  if (i == 0) return -1;
  return (long)(LR_PLATE_AT_CORNER * ((i - 1) * (mesh->width + 1) + j));
}

void lr_plate_unknowns(const lr_plate_mesh *mesh, size_t cell,
                       long list[LR_PLATE_FREEDOMS])
{
  for (int c = 0; c < CORNERS; c++) {
    long first = unknown(mesh, cell, c);
    for (int k = 0; k < LR_PLATE_AT_CORNER; k++)
      list[LR_PLATE_AT_CORNER * c + k] = first < 0 ? -1 : first + k;
  }
}

void lr_plate_add_cell(const lr_plate_mesh *mesh, size_t cell, double stiffness,
                       const lr_band *K)
{
  long at[LR_PLATE_FREEDOMS];
  lr_plate_unknowns(mesh, cell, at);
  for (int a = 0; a < LR_PLATE_FREEDOMS; a++)
    for (int b = 0; b < LR_PLATE_FREEDOMS; b++)
      if (at[b] >= 0 && at[b] <= at[a])
        *lr_band_at(K, (size_t)at[a], (size_t)at[b]) +=
            stiffness * mesh->K[a][b];
}
