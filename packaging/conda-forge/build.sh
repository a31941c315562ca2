#!/bin/bash
# Run by conda build in the unpacked source; PREFIX, SP_DIR (the environment's
# site-packages) and CPU_COUNT are its names.
set -euo pipefail
cmake -S . -B build -G Ninja ${CMAKE_ARGS-} \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib -DLRGD_TESTS=OFF -DLRGD_BENCH=OFF -DLRGD_MPI=OFF \
  -DLRGD_PYTHON_DIR="$SP_DIR"
cmake --build build --parallel "${CPU_COUNT-2}"
cmake --install build
