# What users link.  A library of ours is made once from objects, and comes
# shared and static, with its headers, NAME.pc, and its place in the CMake
# package `lrgd`.
#
#   lrgd_library(NAME
#     OBJECTS target          # an OBJECT library, compiled with lrgd_target
#     HEADERS lrgd/x.h ...    # relative to INCLUDE
#     DESCRIPTION "one line"
#     [INCLUDE folder]        # include/ of this tree, if not told
#     [EXPORT name]           # of the CMake package: lrgdTargets, if not told
#     [ON library]            # another library of ours that it stands on
#     [PUBLIC target ...]     # what its headers need
#     [PC_PUBLIC mod ...]     # pkg-config's names for that
#     [PRIVATE target ...]    # what it links and users do not see
#     [PC_PRIVATE mod ...])   # pkg-config's names for that
#
# makes the targets NAME (shared, SONAME from LRGD_ABI) and NAME_static, which
# are lrgd::NAME and lrgd::NAME_static here as they are where installed, and
# installs both.

include(CMakePackageConfigHelpers)

# Counts what breaks programs that are already linked; packages carry it in
# their name (liblrgd2), whatever the version is.
set(LRGD_ABI 2)
set(LRGD_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/lrgd)

function(lrgd_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg ""
    "OBJECTS;DESCRIPTION;ON;INCLUDE;EXPORT" 
    "HEADERS;PUBLIC;PC_PUBLIC;PRIVATE;PC_PRIVATE")
  if(NOT arg_INCLUDE)
    set(arg_INCLUDE ${PROJECT_SOURCE_DIR}/include)
  endif()
  if(NOT arg_EXPORT)
    set(arg_EXPORT lrgdTargets)
  endif()
  list(TRANSFORM arg_HEADERS PREPEND ${arg_INCLUDE}/)

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
    add_library(lrgd::${library} ALIAS ${library})
    lrgd_target(${library})
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
    target_sources(${library} INTERFACE FILE_SET HEADERS
      BASE_DIRS ${arg_INCLUDE} FILES ${arg_HEADERS})
    target_link_libraries(${library} PUBLIC ${arg_PUBLIC}
      PRIVATE ${arg_PRIVATE})
  endforeach()
  lrgd_no_undefined(${name})
  if(LRGD_INSTALL)
    # exported apart: who links the shared libraries needs nothing of PRIVATE
    string(REPLACE lrgd lrgdStatic static ${arg_EXPORT})
    install(TARGETS ${name} EXPORT ${arg_EXPORT} FILE_SET HEADERS)
    install(TARGETS ${name}_static EXPORT ${static} FILE_SET HEADERS)
    lrgd_pc_known(requires ${arg_PC_PUBLIC})
    lrgd_pc_known(requires_private ${arg_PC_PRIVATE})
    lrgd_pc_flags(libs "${requires_private}" ${arg_PRIVATE})
    lrgd_install_pc(${name} "${arg_DESCRIPTION}" "${arg_ON};${requires}"
      "${requires_private}" "${libs}")
  endif()
endfunction()

# ---- pkg-config ----

# lrgd_pc_known(RESULT module ...): those of them that pkg-config has here.
function(lrgd_pc_known result)
  set(known)
  find_package(PkgConfig QUIET)
  foreach(module ${ARGN})
    if(PkgConfig_FOUND)
      pkg_check_modules(LRGD_PC_${module} QUIET ${module})
    endif()
    if(LRGD_PC_${module}_FOUND)
      list(APPEND known ${module})
    endif()
  endforeach()
  set(${result} ${known} PARENT_SCOPE)
endfunction()

# lrgd_pc_flags(RESULT KNOWN target ...): what linking them takes, but for the
# modules in KNOWN, which say so themselves.
function(lrgd_pc_flags result known)
  set(flags)
  foreach(target ${ARGN})
    if(target STREQUAL m)
      list(APPEND flags -lm)
    elseif(target STREQUAL Threads::Threads)
      list(APPEND flags ${CMAKE_THREAD_LIBS_INIT})
    elseif(target STREQUAL CUDA::cudart_static)
      # where the toolkit is says who links statically: a .pc can be moved
      list(APPEND flags -lcudart_static -lrt -ldl -lpthread)
    elseif(target STREQUAL SQLite::SQLite3)
      if(NOT sqlite3 IN_LIST known)
        list(APPEND flags ${SQLite3_LIBRARIES})
      endif()
    else()
      message(FATAL_ERROR "lrgd_pc_flags does not know ${target}")
    endif()
  endforeach()
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

# Paths in a .pc file are relative to the file: the tree can be moved.
function(lrgd_install_pc name description requires requires_private libs)
  foreach(list requires requires_private libs)
    list(JOIN ${list} " " ${list})
    string(STRIP "${${list}}" ${list})
  endforeach()
  file(RELATIVE_PATH prefix
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  string(REGEX REPLACE "/$" "" prefix ${prefix})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/library.pc.in
    ${PROJECT_BINARY_DIR}/cmake/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# ---- the CMake package ----

# lrgd_package(): once all libraries are there.
function(lrgd_package)
  set(exports lrgdTargets lrgdStaticTargets)
  if(TARGET lrgd_mpi)
    list(APPEND exports lrgdMpiTargets lrgdStaticMpiTargets)
  endif()
  if(TARGET lrgd_cuda)
    list(APPEND exports lrgdCudaTargets lrgdStaticCudaTargets)
  endif()
  foreach(export ${exports})
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
