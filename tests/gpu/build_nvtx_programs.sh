#!/bin/bash
# Builds the programs of NVIDIA's NVTX repository and copies its Python tests to build/nvtx, for the section
# nvtx_repository of the GPU suite. Needs a checkout of the repository and Debian's libbenchmark-dev.
#
#   tests/gpu/build_nvtx_programs.sh CHECKOUT
set -euo pipefail
[ $# -eq 1 ] || { sed -n 2,5p "$0"; exit 2; }
sources=$1
out=$(cd "$(dirname "$0")/../.." && pwd)/build/nvtx
mkdir -p "$out"
# Each benchmark runs 1,000 times, so that every run makes the same ranges.
cat > "$out/fixed_count.hpp" <<'HEADER'
#include <benchmark/benchmark.h>
#undef BENCHMARK
#define BENCHMARK(name) static auto* g_##name = benchmark::RegisterBenchmark(#name, name)->Iterations(1000)
HEADER
# shellcheck disable=SC2016  # the loader expands $ORIGIN
g++ -std=c++17 -O2 -include "$out/fixed_count.hpp" -I"$sources/c/include" -o "$out/benchmark" \
  "$sources/tools/benchmarks/nvtx/nvtx_benchmark.cpp" \
  -lbenchmark_main -lbenchmark -lpthread -ldl -Wl,-rpath,'$ORIGIN'
library=/usr/lib/$(gcc -print-multiarch)/libbenchmark.so
cp "$(readlink -f "$library")" "$out/$(readlink "$library")"
cp "$sources"/python/nvtx/tests/test_basic.py "$out"
ls -l "$out"
