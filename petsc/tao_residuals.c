/* Residuals of TAO and their weights.  As in POUNDERS, a vector v of weights
 * makes f = sum (v_i r_i)^2 / 2 and a list of entries w_ij makes
 * f = sum w_ij r_i r_j / 2; of the second the symmetric part must be positive
 * definite, and is factorised once. */
#include "tao_residuals.h"

#include <math.h>
#include <petsc/private/taoimpl.h>

PetscBool tao_has_residuals(Tao tao)
{
  return (PetscBool)(tao->ops->computeresidual && !tao->ops->computeobjective &&
                     !tao->ops->computeobjectiveandgradient);
}

/* root root' = W, in place; the entry that is not positive is named. */
static PetscErrorCode factorise(PetscInt m, PetscScalar *root)
{
  PetscFunctionBegin;
  for (PetscInt j = 0; j < m; j++)
    for (PetscInt i = j; i < m; i++) {
      PetscScalar sum = root[i * m + j];
      for (PetscInt k = 0; k < j; k++) sum -= root[i * m + k] * root[j * m + k];
      PetscCheck(i != j || sum > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                 "lrgd: the weights of the residuals are not positive definite "
                 "(row %" PetscInt_FMT ")",
                 i);
      root[i * m + j] = i == j ? sqrt(sum) : sum / root[j * m + j];
    }
  PetscFunctionReturn(0);
}

static PetscErrorCode read_entries(tao_residuals *of)
{
  Tao tao = of->tao;
  PetscInt m = of->m;
  PetscMPIInt ranks;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)tao), &ranks));
  PetscCheck(ranks == 1, PetscObjectComm((PetscObject)tao), PETSC_ERR_SUP,
             "lrgd: entries of a weight matrix are for one rank, not %d",
             (int)ranks);
  PetscCall(PetscCalloc1((size_t)m * (size_t)m, &of->root));
  for (PetscInt e = 0; e < tao->res_weights_n; e++) {
    PetscInt i = tao->res_weights_rows[e], j = tao->res_weights_cols[e];
    PetscCheck(i >= 0 && i < m && j >= 0 && j < m, PETSC_COMM_SELF,
               PETSC_ERR_ARG_OUTOFRANGE,
               "lrgd: a weight for residuals %" PetscInt_FMT
               " and %" PetscInt_FMT " of %" PetscInt_FMT,
               i, j, m);
    of->root[i * m + j] += 0.5 * tao->res_weights_w[e];
    of->root[j * m + i] += 0.5 * tao->res_weights_w[e];
  }
  PetscCall(factorise(m, of->root));
  PetscFunctionReturn(0);
}

PetscErrorCode tao_residuals_begin(Tao tao, tao_residuals *of)
{
  PetscFunctionBegin;
  of->tao = tao;
  PetscCall(VecGetSize(tao->ls_res, &of->m));
  PetscCall(VecGetLocalSize(tao->ls_res, &of->local));
  PetscCall(VecDuplicate(tao->ls_res, &of->weighted));
  if (!tao->res_weights_v && tao->res_weights_w) PetscCall(read_entries(of));
  PetscFunctionReturn(0);
}

PetscErrorCode tao_residuals_end(tao_residuals *of)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&of->weighted));
  PetscCall(PetscFree(of->root));
  PetscFunctionReturn(0);
}

/* to = root' from, or with transposed = 0 root from; one rank. */
static PetscErrorCode multiply(const tao_residuals *of, PetscBool transposed,
                               Vec from, Vec to)
{
  const PetscScalar *r;
  PetscScalar *out;
  PetscInt m = of->m;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(from, &r));
  PetscCall(VecGetArrayWrite(to, &out));
  for (PetscInt i = 0; i < m; i++) {
    PetscInt first = transposed ? i : 0, end = transposed ? m : i + 1;
    out[i] = 0;
    for (PetscInt k = first; k < end; k++)
      out[i] += of->root[transposed ? k * m + i : i * m + k] * r[k];
  }
  PetscCall(VecRestoreArrayWrite(to, &out));
  PetscCall(VecRestoreArrayRead(from, &r));
  PetscFunctionReturn(0);
}

PetscErrorCode tao_residuals_compute(tao_residuals *of, Vec x)
{
  Tao tao = of->tao;
  PetscFunctionBegin;
  PetscCall(TaoComputeResidual(tao, x, tao->ls_res));
  if (tao->res_weights_v)
    PetscCall(VecPointwiseMult(of->weighted, tao->res_weights_v, tao->ls_res));
  else if (of->root)
    PetscCall(multiply(of, PETSC_TRUE, tao->ls_res, of->weighted));
  else
    PetscCall(VecCopy(tao->ls_res, of->weighted));
  PetscFunctionReturn(0);
}

PetscErrorCode tao_residuals_value(tao_residuals *of, Vec x, PetscReal *f)
{
  PetscScalar squares;
  PetscFunctionBegin;
  PetscCall(tao_residuals_compute(of, x));
  PetscCall(VecDot(of->weighted, of->weighted, &squares));
  *f = 0.5 * squares;
  PetscFunctionReturn(0);
}

/* J' W r: the weights once more, then the Jacobian transposed. */
PetscErrorCode tao_residuals_gradient(tao_residuals *of, Vec x, PetscReal *f,
                                      Vec g)
{
  Tao tao = of->tao;
  Vec both;
  PetscFunctionBegin;
  PetscCall(tao_residuals_value(of, x, f));
  PetscCall(TaoComputeResidualJacobian(tao, x, tao->ls_jac, tao->ls_jac_pre));
  PetscCall(VecDuplicate(of->weighted, &both));
  if (tao->res_weights_v)
    PetscCall(VecPointwiseMult(both, tao->res_weights_v, of->weighted));
  else if (of->root)
    PetscCall(multiply(of, PETSC_FALSE, of->weighted, both));
  else
    PetscCall(VecCopy(of->weighted, both));
  PetscCall(MatMultTranspose(tao->ls_jac, both, g));
  PetscCall(VecDestroy(&both));
  PetscFunctionReturn(0);
}
