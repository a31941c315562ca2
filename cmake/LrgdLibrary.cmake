# What users link.  A library of ours is made once from objects, and comes
# shared and static, with its headers, NAME.pc, and its place in the CMake
# package `lrgd`.
#
#   lrgd_library(NAME
#     OBJECTS target          # an OBJECT library, compiled with lrgd_target
#     HEADERS lrgd/x.h ...    # relative to include/
#     DESCRIPTION "one line"
#     [ON library]            # another library of ours that it stands on
#     [PRIVATE target ...]    # what it links and users do not see
#     [PC_REQUIRES "mod ..."] # the same for static linking by pkg-config,
#     [PC_LIBS "-lx ..."])    #   as modules or as flags
#
# makes the targets NAME (shared, SONAME from LRGD_ABI) and
# NAME_static, and installs both.

include(CMakePackageConfigHelpers)

# Counts what breaks programs that are already linked; packages carry it in
# their name (liblrgd2), whatever the version is.
set(LRGD_ABI 2)
set(LRGD_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/lrgd)

function(lrgd_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg ""
    "OBJECTS;DESCRIPTION;ON;PC_REQUIRES;PC_LIBS" "HEADERS;PRIVATE")
  list(TRANSFORM arg_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/include/)

  if(LRGD_ABI_TEST) # libabigail reads types from debug information
    target_compile_options(${arg_OBJECTS} PRIVATE -g)
  endif()
  add_library(${name} SHARED $<TARGET_OBJECTS:${arg_OBJECTS}>)
  add_library(${name}_static STATIC $<TARGET_OBJECTS:${arg_OBJECTS}>)
  set_target_properties(${name} PROPERTIES
    VERSION ${LRGD_ABI}.${PROJECT_VERSION} SOVERSION ${LRGD_ABI})
  set_target_properties(${name}_static PROPERTIES OUTPUT_NAME ${name})
  if(arg_ON)
    target_link_libraries(${name} PUBLIC ${arg_ON})
    target_link_libraries(${name}_static PUBLIC ${arg_ON}_static)
  endif()
  foreach(library ${name} ${name}_static)
    lrgd_target(${library})
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
    target_sources(${library} INTERFACE FILE_SET HEADERS
      BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${arg_HEADERS})
    target_link_libraries(${library} PRIVATE ${arg_PRIVATE})
  endforeach()
  if(NOT LRGD_SANITIZE) # whose runtime is only in the program
    target_link_options(${name} PRIVATE -Wl,--no-undefined)
  endif()

  # exported apart: who links the shared libraries needs nothing of PRIVATE
  install(TARGETS ${name} EXPORT lrgdTargets FILE_SET HEADERS)
  install(TARGETS ${name}_static EXPORT lrgdStaticTargets FILE_SET HEADERS)
  lrgd_install_pc(${name} "${arg_DESCRIPTION}" "${arg_ON}"
    "${arg_PC_REQUIRES}" "${arg_PC_LIBS}")
endfunction()

# Paths in a .pc file are relative to the file: the tree can be moved.
function(lrgd_install_pc name description requires requires_private libs)
  file(RELATIVE_PATH prefix
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  string(REGEX REPLACE "/$" "" prefix ${prefix})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/library.pc.in
    ${PROJECT_BINARY_DIR}/cmake/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# lrgd_package(): the CMake package, once all libraries are there.
function(lrgd_package)
  foreach(export lrgdTargets lrgdStaticTargets)
    install(EXPORT ${export} NAMESPACE lrgd:: DESTINATION ${LRGD_PACKAGE_DIR})
  endforeach()
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/lrgdConfig.cmake.in
    ${PROJECT_BINARY_DIR}/cmake/lrgdConfig.cmake
    INSTALL_DESTINATION ${LRGD_PACKAGE_DIR} NO_SET_AND_CHECK_MACRO)
  # before 1.0 a new minor version may break: 0.1 does not answer for 0.2
  write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/cmake/lrgdConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/lrgdConfig.cmake
    ${PROJECT_BINARY_DIR}/cmake/lrgdConfigVersion.cmake
    DESTINATION ${LRGD_PACKAGE_DIR})
endfunction()
