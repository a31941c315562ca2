# lrgd_test(NAME file.c [more.c ...] [LIBRARIES target ...] [TIMEOUT seconds])
# Builds one test program and adds it to ctest as ROOM/NAME, ROOM being the
# folder of tests/ it is in.  It may include "check.h", the public headers and
# those of src/ ("base/random.h"); it is linked with the static library, where
# hidden symbols can be reached.  LRGD_POLICY=row=value changes a row of the
# policy (src/base/policy.h) in it.
#
# lrgd_test_settings(NAME [TIMEOUT seconds]) gives a test added by hand the
# same surroundings.  Its labels are its room and, unless it is named here as
# slow, quick: what `make quick` runs while somebody works, some 15 s on two
# cores.
set(LRGD_QUICK "^((unit|certificate|conformance|fault|problems|analysis|network|examples)/|\
run/(text|codec|inside|paths|reading)$|cli/(flags|solve)$|python/layout$)")
set(LRGD_SLOW "^(analysis/(diagnose|diagnosis)|certificate/(bounds|claims)|\
conformance/learn|examples/airfoil|fault/found(_values)?)$")

# The longest, and those that wait for other programs: they begin first.
set(LRGD_LONGEST "^(install/(bytes|core|embed|portable)|petsc/tao)$")
set(LRGD_LONG "^(certificate/(bounds|claims|coverage)|cli/(memory|network)|\
conformance/(learn|learn-savings|least-squares|methods)|docs/transcripts|\
examples/airfoil|fault/found|mpi/evaluations|python/(examples|long)|\
report/(browser|report)|run/(journal|pool)|same/journals)$")

function(lrgd_test_settings name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  # times are those of an idle machine; a busy one must not turn a test red
  math(EXPR arg_TIMEOUT "5 * ${arg_TIMEOUT}")
  if(LRGD_SOAK)
    math(EXPR arg_TIMEOUT "20 * ${arg_TIMEOUT}")
  endif()
  if(LRGD_SANITIZE) # several times slower
    math(EXPR arg_TIMEOUT "4 * ${arg_TIMEOUT}")
  endif()
  get_filename_component(room ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(labels ${room})
  if(name MATCHES "${LRGD_QUICK}" AND NOT name MATCHES "${LRGD_SLOW}")
    list(APPEND labels quick)
  endif()
  if(name MATCHES "${LRGD_LONGEST}")
    set_tests_properties(${name} PROPERTIES COST 100)
  elseif(name MATCHES "${LRGD_LONG}")
    set_tests_properties(${name} PROPERTIES COST 20)
  endif()
  # one thread for what has a BLAS (networks, peers): ctest fills the cores
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT}
    LABELS "${labels}" ENVIRONMENT "OPENBLAS_NUM_THREADS=1;ASAN_OPTIONS=detect_leaks=1:\
detect_stack_use_after_return=1:allocator_may_return_null=1;\
UBSAN_OPTIONS=print_stacktrace=1;\
LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:\
print_suppressions=0")
  if(LRGD_SOAK)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT SOAK=1)
  endif()
endfunction()

function(lrgd_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LIBRARIES")
  get_filename_component(room ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(program test-${room}-${name})
  add_executable(${program} ${arg_UNPARSED_ARGUMENTS}
    $<TARGET_OBJECTS:lrgd_policy_override>)
  lrgd_target(${program})
  set_target_properties(${program} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_include_directories(${program} PRIVATE
    ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${program} PRIVATE ${arg_LIBRARIES} lrgd_policy_table
    lrgd_static ${LRGD_LIBM})
  add_test(NAME ${room}/${name} COMMAND ${program})
  lrgd_test_settings(${room}/${name} TIMEOUT ${arg_TIMEOUT})
endfunction()
