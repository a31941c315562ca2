# CUDA, where nvcc is found: LRGD_NVCC says so.  The language is enabled for the
# part of the tree that needs it (cuda/), and for no other.
if(LRGD_CUDA AND NOT LRGD_SANITIZE)
  find_program(LRGD_NVCC nvcc HINTS ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
endif()
if(LRGD_NVCC)
  # 12.5 is the first that finds functions of the driver by their version
  execute_process(COMMAND ${LRGD_NVCC} --version OUTPUT_VARIABLE said ERROR_QUIET)
  string(REGEX MATCH "release ([0-9.]+)" said "${said}")
  if(NOT CMAKE_MATCH_1 OR CMAKE_MATCH_1 VERSION_LESS 12.5)
    message(STATUS "without CUDA (${LRGD_NVCC} is of release \"${CMAKE_MATCH_1}\"; 12.5 is needed)")
    unset(LRGD_NVCC CACHE)
    set(LRGD_CUDA OFF)
  endif()
endif()
# Hopper's own code: the fused slopes use instructions that are its alone
set(LRGD_CUDA_ARCHITECTURES "90a-real" CACHE STRING
  "architectures that liblrgd_cuda is compiled for")
if(LRGD_NVCC)
  set(CMAKE_CUDA_COMPILER ${LRGD_NVCC})
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()
