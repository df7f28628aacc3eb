#!/bin/sh
# Builds the compiled programs of the GPU test suite into build/gpu (or the folder given as $1).
# They are carried to the machine that has a GPU, so the runtime is linked statically and there is
# no debug information for CUDA; symbols stay, for call chains. known_answer is built against the
# shared runtime as well. NVCC names another compiler, GPU_ARCH another architecture.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../build/gpu}
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
mkdir -p "$out"

# Nothing is rebuilt that is newer than all sources and this script.
current() {
  [ -e "$1" ] && [ -z "$(find "$here/programs" "$0" -newer "$1" \( -name '*.c*' -o -name '*.sh' \))" ]
}

build_cuda() { # name, runtime, output, libraries
  current "$out/$3" && return
  # shellcheck disable=SC2086  # $4 has several words
  "$nvcc" -std=c++20 -O2 -arch="${GPU_ARCH:-sm_90}" --extended-lambda -cudart "$2" \
    -Werror all-warnings -Xcompiler -Wall,-Wextra \
    -o "$out/$3" "$here/programs/$1.cu" ${4:-}
}

build_c() { # name, source
  source=${2:-$here/programs/$1.c}
  [ -z "$(find "$source" -newer "$out/$1" 2>&1)" ] && current "$out/$1" && return
  "${CC:-cc}" -std=gnu17 -O2 -g -Wall -Wextra -Werror -isystem "$(dirname "$nvcc")/../include" \
    -o "$out/$1" "$source" -ldl
}

build_tool() { # name: a library that is injected, linked to the machine's libcupti
  current "$out/lib$1.so" && return
  # Compiled as C++: what nvcc adds to a .cu would need a CUDA runtime in the program.
  "$nvcc" -x c++ -std=c++20 -O2 -shared -cudart none -Xcompiler -fPIC,-Wall,-Wextra \
    -o "$out/lib$1.so" "$here/programs/$1.cpp" -lcupti
}

build_cuda known_answer static known_answer
build_cuda known_answer shared known_answer_shared
build_cuda counted_launches static counted_launches
build_cuda known_duty static known_duty
build_cuda launch_loop static launch_loop
build_cuda cupti_holder static cupti_holder -ldl
build_cuda two_gpus static two_gpus
build_cuda launches_on_request static launches_on_request -ldl
build_cuda event_calls static event_calls -lcuda
build_cuda long_kernel static long_kernel
build_cuda nested_ranges static nested_ranges -ldl
build_cuda products/library_products static library_products "-lcublas -lcublasLt"
build_c no_gpu
build_c cuinit_only
build_c dormant_price "$here/../programs/nvtx/dormant_price.c"
build_tool cupti_floor
ls -l "$out"
