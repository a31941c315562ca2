# What users link: liblrgd.so and liblrgd.a, made from the objects of the core,
# and all that is installed with them.
#
# lrgd_library(OBJECTS header.h ...) makes the targets lrgd (shared) and
# lrgd_static, and their aliases lrgd::lrgd and lrgd::lrgd_static; headers are
# relative to include/.  The core needs BLAS, LAPACK and libm, nothing else.

include(CMakePackageConfigHelpers)

# Debian switches libblas.so.3 and liblapack.so.3 between implementations when
# a program starts: link the plain names, unless another vendor is asked for.
if(NOT BLA_VENDOR)
  set(BLA_VENDOR Generic)
endif()
find_package(LAPACK REQUIRED) # and BLAS with it

function(lrgd_library objects)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/include/
       OUTPUT_VARIABLE headers)

  add_library(lrgd SHARED $<TARGET_OBJECTS:${objects}>)
  add_library(lrgd_static STATIC $<TARGET_OBJECTS:${objects}>)
  set_target_properties(lrgd PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  set_target_properties(lrgd_static PROPERTIES OUTPUT_NAME lrgd)

  foreach(library lrgd lrgd_static)
    lrgd_target(${library})
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
    add_library(lrgd::${library} ALIAS ${library})
    target_sources(${library} INTERFACE FILE_SET HEADERS
      BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})
    target_link_libraries(${library} PRIVATE LAPACK::LAPACK BLAS::BLAS m)
  endforeach()
  if(NOT LRGD_SANITIZE) # whose runtime is only in the program
    target_link_options(lrgd PRIVATE -Wl,--no-undefined)
  endif()

  lrgd_install_library()
endfunction()

# The two libraries are exported apart: who links the shared one needs neither
# BLAS nor LAPACK to build.
function(lrgd_install_library)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lrgd)
  install(TARGETS lrgd EXPORT lrgdTargets FILE_SET HEADERS)
  install(TARGETS lrgd_static EXPORT lrgdStaticTargets FILE_SET HEADERS)
  foreach(export lrgdTargets lrgdStaticTargets)
    install(EXPORT ${export} NAMESPACE lrgd:: DESTINATION ${package_dir})
  endforeach()

  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/lrgdConfig.cmake.in
    ${PROJECT_BINARY_DIR}/cmake/lrgdConfig.cmake
    INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
  # before 1.0 a new minor version may break: 0.1 does not answer for 0.2
  write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/cmake/lrgdConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/lrgdConfig.cmake
    ${PROJECT_BINARY_DIR}/cmake/lrgdConfigVersion.cmake
    DESTINATION ${package_dir})

  # paths in lrgd.pc are relative to the file: the tree can be moved
  file(RELATIVE_PATH LRGD_PC_PREFIX
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/lrgd.pc.in
    ${PROJECT_BINARY_DIR}/cmake/lrgd.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/lrgd.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
