# How every target of ours is compiled: one place, no global flags.
# lrgd_target(NAME) gives a target the language level and the warnings.

option(LRGD_WERROR "treat warnings as errors" OFF)
set(LRGD_SANITIZE "" CACHE STRING "sanitizers, e.g. address,undefined")

if("${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_RELEASE}" MATCHES "-ffast-math|-Ofast")
  message(FATAL_ERROR "-ffast-math makes isnan() false: lrgd cannot be built with it")
endif()

if(PROJECT_IS_TOP_LEVEL) # else the type and the places are the parent's
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "build type" FORCE)
  endif()
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endif()

# ---- what this compiler and this system have ----

include(CheckCCompilerFlag)
include(CheckLibraryExists)
include(CheckLinkerFlag)
check_c_compiler_flag(-ffile-prefix-map=a=b LRGD_HAS_PREFIX_MAP)
check_c_compiler_flag(-Wframe-larger-than=16384 LRGD_HAS_FRAME_WARNING)
check_linker_flag(C -Wl,--no-undefined LRGD_HAS_NO_UNDEFINED)
check_library_exists(m sqrt "" LRGD_HAS_LIBM)
set(LRGD_LIBM)
if(LRGD_HAS_LIBM)
  set(LRGD_LIBM m)
endif()

function(lrgd_target name)
  set_target_properties(${name} PROPERTIES
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON
    BUILD_RPATH_USE_ORIGIN ON)
  target_compile_definitions(${name} PRIVATE _POSIX_C_SOURCE=200809L)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wconversion
    -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2
    -ffp-contract=off)
  if(LRGD_HAS_PREFIX_MAP) # the same bytes, wherever the tree lies
    target_compile_options(${name} PRIVATE
      -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. # of two that fit, gcc takes
      -ffile-prefix-map=${PROJECT_BINARY_DIR}=build) # the later
  endif()
  if(LRGD_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  if(LRGD_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=${LRGD_SANITIZE}
      -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
    target_link_options(${name} PRIVATE -fsanitize=${LRGD_SANITIZE})
  elseif(LRGD_HAS_FRAME_WARNING)
    # a small stack is enough; sanitizers make frames larger
    target_compile_options(${name} PRIVATE -Wframe-larger-than=16384)
  endif()
endfunction()

# lrgd_no_undefined(NAME): a shared library names all it needs
function(lrgd_no_undefined name)
  if(LRGD_HAS_NO_UNDEFINED AND NOT LRGD_SANITIZE) # whose runtime is only in
    target_link_options(${name} PRIVATE -Wl,--no-undefined) # the program
  endif()
endfunction()
