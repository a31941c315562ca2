# The few verbs people type; the build itself is CMake's (CMakePresets.json).
# `setup`, `demo` and `test` install the Debian packages they need; the others
# install none, and say which are missing (tools/setup --check).

PREFIX ?= /usr/local
DESTDIR ?=
# soak: how often each test is run; fuzz: seconds for each target
TIMES ?= 20
SECONDS ?= 60

# setup: what for, besides building: bench clang deb mnist mpi python site test
FOR ?=

.PHONY: all setup python demo quick test abi site bench bench-report bench-gpu mutate parameters mnist fuzz soak tidy format packages packages-test dist dist-check install clean help

all:
	@[ -e build/build.ninja ] || tools/configure release
	@cmake --build --preset release

setup:
	@tools/setup packages $(FOR:%=packages-%)

# the libraries alone, as the package wants no more
python:
	@tools/configure --for packages-python python
	@cmake --build --preset python
	@tools/setup --check packages-python
	@PYTHONPATH=python /usr/bin/python3 examples/python/first.py

demo:
	@tools/setup
	@$(MAKE) --no-print-directory all
	@tools/demo

# the tests to run while working
quick:
	@tools/quick

test:
	@tools/setup packages packages-clang packages-deb packages-test
	@tools/test

# the ABI that later libraries must keep serving, into tests/abi
abi:
	@tools/setup --check packages packages-test
	@tools/configure gcc
	@cmake --build --preset gcc -- lrgd lrgd_run
	@/usr/bin/python3 tests/abi/abi.py record build-test/gcc

site: all
	@tools/setup --check packages-site
	@tools/site build

# configured again, as a peer may have come
bench:
	@tools/setup --check --optional packages-bench
	@tools/configure release
	@cmake --build --preset release
	@build/lrgd-overhead
	@build/lrgd-bench quick

bench-report:
	@tools/setup --check --optional packages-bench
	@tools/configure release
	@cmake --build --preset release
	@tools/bench-report $(SUITES)

# on a machine with an NVIDIA GPU, nvcc, PyTorch and JAX; writes the figures of
# docs/gpu.md.  COMMAND: lrgd, where it was built
COMMAND = build/lrgd
bench-gpu:
	@command -v nvcc >/dev/null || { echo "nvcc is not found" >&2; exit 1; }
	@tools/configure --for packages-python python -B build-gpu \
	  -DLRGD_CUDA=ON -DLRGD_RUN=OFF
	@cmake --build build-gpu
	@python3 bench/gpu/beside.py build-gpu/liblrgd_cuda.so \
	  $$([ ! -d build/mnist ] || echo --mnist build/mnist) \
	  $$([ ! -x $(COMMAND) ] || echo --command $(COMMAND)) \
	  --write bench/gpu/figures.md

# does a test notice if a number that decides something is changed?
mutate:
	@tools/setup --check packages packages-test
	@tools/configure gcc
	@cmake --build --preset gcc
	@tools/mutate build-test/gcc

# docs/parameters.md from src/base/policy.h
parameters:
	@tools/setup --check packages packages-test
	@tools/configure gcc
	@cmake --build --preset gcc -- print-policy
	@build-test/gcc/tests/print-policy page >docs/parameters.md

# the images of `lrgd reproduce mnist` and `lrgd minimize mlp`
mnist:
	@tools/mnist

fuzz:
	@tools/setup --check packages packages-clang
	@tools/fuzz $(SECONDS)

soak:
	@tools/setup --check packages packages-clang packages-test
	@tools/configure soak && cmake --build --preset soak
	@ctest --preset soak -j $$(nproc) -R 'run/|cli/memory|python/long|analysis/predictions|certificate/coverage'
	@tools/configure asan && cmake --build --preset asan
	@ctest --preset asan -j $$(nproc) --repeat until-fail:$(TIMES)

tidy:
	@tools/setup --check packages packages-clang
	@tools/configure clang
	@tools/tidy

format:
	@tools/setup --check packages-clang
	@tools/format

packages:
	@tools/setup --check packages packages-deb
	@tools/package

packages-test:
	@tools/setup --check packages packages-deb packages-root
	@tools/package --test
	@tests/packages/clean_root.sh build-packages/out

# the source of the last commit as a tarball, in build-dist
dist:
	@tools/dist

dist-check:
	@tools/setup --check packages
	@tools/dist --check

# configured again, as the command knows where its data will be
install:
	@tools/configure release -DCMAKE_INSTALL_PREFIX='$(PREFIX)'
	@cmake --build --preset release
	@DESTDIR='$(DESTDIR)' cmake --install build

clean:
	@rm -rf build build-test build-packages build-dist

help:
	@echo 'make           build/lrgd and the libraries, under build/'
	@echo 'make setup     install the Debian packages for that; FOR="bench site"'
	@echo 'make python    the libraries for Python, and a first result from there'
	@echo 'make demo      minimise in 1,000 dimensions, and draw what it cost'
	@echo 'make quick     the tests to run while working, under a minute'
	@echo 'make test      format, gcc, clang, tests, tests under sanitizers'
	@echo 'make abi       record the ABI of the libraries, in tests/abi'
	@echo 'make site      the documentation as pages, build/site/html'
	@echo 'make bench     the time of an iteration; evaluations, beside the peers'
	@echo 'make bench-report  runs SUITES, writes the tables of docs/benchmark.md'
	@echo 'make bench-gpu  slopes, training and vectors on a GPU, beside PyTorch, JAX'
	@echo 'make mutate    does a test notice if a parameter of the solver is changed?'
	@echo 'make parameters  docs/parameters.md from src/base/policy.h'
	@echo 'make mnist     obtain the MNIST images, checked, into build/mnist'
	@echo 'make fuzz      feed the parsers nonsense, SECONDS=60 each'
	@echo 'make soak      the long loops; the tests under sanitizers, TIMES=20 over'
	@echo 'make tidy      clang-tidy'
	@echo 'make format    clang-format, in place'
	@echo 'make packages  Debian packages and a wheel, in build-packages/out'
	@echo 'make packages-test  and install them into a Debian made for it'
	@echo 'make dist      the source as a tarball; dist-check builds from it'
	@echo 'make install   to PREFIX=/usr/local, below DESTDIR='
	@echo 'make clean     remove build/, build-test/ and build-packages/'
