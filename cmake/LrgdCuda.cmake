# CUDA, where nvcc is found: LRGD_NVCC says so.  The language is enabled for the
# part of the tree that needs it (cuda/), and for no other.
if(LRGD_CUDA AND NOT LRGD_SANITIZE)
  find_program(LRGD_NVCC nvcc HINTS ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
endif()
# of cards: Hopper by its own code, with the instructions that are its alone,
# later ones by what their driver makes of it
set(LRGD_CUDA_ARCHITECTURES "90a-real;90-virtual" CACHE STRING
  "architectures that liblrgd_cuda is compiled for")
if(LRGD_NVCC)
  set(CMAKE_CUDA_COMPILER ${LRGD_NVCC})
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()
