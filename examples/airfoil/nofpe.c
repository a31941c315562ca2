/* Debian's xfoil asks the Fortran runtime to trap floating-point exceptions,
 * and dies of the first division by zero.  Loaded before the runtime
 * (LD_PRELOAD), this lets the request pass unheard. */
void _gfortran_set_fpe(int flags);

void _gfortran_set_fpe(int flags)
{
  (void)flags;
}
