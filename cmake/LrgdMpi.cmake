# MPI and PETSc, where they are installed: MPI_C_FOUND and TAO_IMPL_DIR say so.
# A type of TAO needs headers that Debian keeps in a folder of their own.
if(LRGD_MPI)
  find_package(MPI QUIET COMPONENTS C)
  find_package(PkgConfig QUIET)
endif()
if(MPI_C_FOUND AND PkgConfig_FOUND)
  pkg_check_modules(LRGD_PETSC QUIET IMPORTED_TARGET petsc<3.19 petsc>=3.18)
  if(LRGD_PETSC_FOUND)
    file(GLOB places /usr/share/petsc/3.18*/include)
    find_path(TAO_IMPL_DIR petsc/private/taoimpl.h
      HINTS ${LRGD_PETSC_INCLUDE_DIRS} ${places})
  endif()
endif()

# ---- tests that are jobs of ranks ----

# more ranks than cores, as anybody: two variables for root, one for cores
set(LRGD_MPIRUN ${MPIEXEC_EXECUTABLE} --oversubscribe --bind-to none)
set(LRGD_MPI_ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;\
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_btl_vader_single_copy_mechanism=none;\
OMPI_MCA_mpi_yield_when_idle=1;OMPI_MCA_rmaps_base_oversubscribe=1;\
OMPI_MCA_btl=self,vader")

# lrgd_mpi_settings(NAME RANKS [TIMEOUT seconds])
function(lrgd_mpi_settings name ranks)
  lrgd_test_settings(${name} ${ARGN})
  get_test_property(${name} ENVIRONMENT surroundings)
  # MPI keeps what it has until the end of the process, and beyond
  string(REPLACE "detect_leaks=1" "detect_leaks=0" surroundings
    "${surroundings}")
  set_tests_properties(${name} PROPERTIES PROCESSORS ${ranks}
    ENVIRONMENT "${surroundings};${LRGD_MPI_ENVIRONMENT}")
endfunction()
