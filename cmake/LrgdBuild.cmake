# How every target of ours is compiled: one place, no global flags.
# lrgd_target(NAME) gives a target the language level and the warnings.

option(LRGD_WERROR "treat warnings as errors" OFF)
set(LRGD_SANITIZE "" CACHE STRING "sanitizers, e.g. address,undefined")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "build type" FORCE)
endif()
if("${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_RELEASE}" MATCHES "-ffast-math|-Ofast")
  message(FATAL_ERROR "-ffast-math makes isnan() false: lrgd cannot be built with it")
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

function(lrgd_target name)
  set_target_properties(${name} PROPERTIES
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(${name} PRIVATE _POSIX_C_SOURCE=200809L)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wconversion
    -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2
    -ffp-contract=off)
  if(LRGD_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  if(LRGD_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=${LRGD_SANITIZE}
      -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
    target_link_options(${name} PRIVATE -fsanitize=${LRGD_SANITIZE})
  else() # a small stack is enough; sanitizers make frames larger
    target_compile_options(${name} PRIVATE -Wframe-larger-than=16384)
  endif()
endfunction()
