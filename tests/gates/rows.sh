# shellcheck shell=bash
# The rows of CI, for `./dev gate ROW...`. dev reads this file and has the functions that are not here.
# A row is a function row_NAME. It prints what is wrong and ends with a status other than 0. It may call `detail` with
# words for its line, and `skip` if the machine lacks a tool.

ROWS="tests format lint links clang-tidy asan tsan compiler fuzz"
GATES=build/gates
SKIPPED=77
# What prof is, and what integration tests run, as targets of Ninja: no unit tests, no fuzz targets.
PARTS=$(sed -n '2,$s,[/	].*,/all,p' docs/rooms.tsv | uniq | tr '\n' ' ')
PROGRAMS="tests/programs/all tests/fake_cupti/all tests/fake_libraries/all"

detail() { echo "$*" >"$GATES/$ROW.detail"; }

skip() { detail "$*"; exit "$SKIPPED"; }

# need TOOL PACKAGE...: installs the packages, and skips the row if there is no such tool then.
need() {
  local tool=$1
  shift
  command -v "$tool" >/dev/null || (ensure_packages "$@") || true
  hash -r
  command -v "$tool" >/dev/null || skip "no $tool"
}

# need_sanitizer NAME [COMMAND...]: skips the row if programs with the sanitizer do not start here, under COMMAND. Some
# containers forbid what its runtime does.
need_sanitizer() {
  local probe=$GATES/probe
  # shellcheck disable=SC2086
  ensure_packages $BUILD_PACKAGES
  echo 'int main() {}' | "${CXX:-g++}" -x c++ "-fsanitize=$1" -o "$probe" -
  "${@:2}" "$probe" >"$probe.log" 2>&1 || skip "the $1 sanitizer does not run here"
}

# sanitizer_build PRESET TARGET...: compiled in batches of files, which takes half the CPU time of ./dev sanitize.
sanitizer_build() {
  local preset=$1
  shift
  prepare_tests "$preset" -B "$GATES/$preset" -DPROF_UNITY=ON
  say "building for the row ($preset)"
  quietly cmake --build "$GATES/$preset" --target "$@"
}

# count_tests COMMAND...: runs ctest and says how many tests failed.
count_tests() {
  local log=$GATES/$ROW.log status=0
  "$@" --output-on-failure 2>&1 | tee "$log" | sed -uE '/^ *Start +[0-9]+: /d; / Passed +[0-9.]+ sec *$/d' || status=$?
  detail "$(sed -nE 's/.* ([0-9]+) tests failed out of ([0-9]+)$/\1 of \2 tests/p' "$log" | tail -n 1)"
  return "$status"
}

row_tests() { cmd_test; }

row_format() {
  ensure_clang_format
  sources | xargs -P "$(nproc)" -n 100 "$CLANG_FORMAT" --dry-run --Werror
}

# The analyzer leaves a function after 50,000 states instead of 225,000: few functions have more, and they took two
# thirds of the time.
row_clang_tidy() {
  need clang-tidy-16 clang-tidy-16
  local folder=$GATES/tidy
  # shellcheck disable=SC2086
  ensure_packages $BUILD_PACKAGES
  configure debug OFF -B "$folder" -DPROF_UNITY=ON
  make_included_files "$folder"
  /usr/bin/python3 tests/gates/tidy_batches.py "$folder" \
    --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=50000
}

# Unit tests, and the integration tests with the label sanitized (tests/CMakeLists.txt).
row_asan() {
  need_sanitizer address
  # shellcheck disable=SC2086
  sanitizer_build asan $PARTS $PROGRAMS tests/unit/all
  count_tests ctest --test-dir "$GATES/asan" -j3 -L '^(unit|sanitized)$'
}

# Unit tests of the injection, of the collector's servers and of the viewer's, and the integration tests with the label
# sanitized. The runtime of GCC 12 does not start if the kernel makes addresses more random than 28 bits.
row_tsan() {
  local plain=()
  ! setarch -R true 2>/dev/null || plain=(setarch -R)
  need_sanitizer thread "${plain[@]}"
  # shellcheck disable=SC2086
  sanitizer_build tsan $PARTS $PROGRAMS unit_injection unit_ring_order unit_collector unit_view
  count_tests "${plain[@]}" ctest --test-dir "$GATES/tsan" -j3 -L '^(unit|sanitized)$'
}

# configure_clang FOLDER [OPTIONS OF CMAKE]: without optimization and debug information, as only errors and warnings matter.
configure_clang() {
  local version folder=$1
  shift
  for version in 16 19 18; do
    ! command -v "clang++-$version" >/dev/null || break
  done
  command -v "clang++-$version" >/dev/null || version=16
  need "clang++-$version" "clang-$version"
  (ensure_packages "libclang-rt-$version-dev") || true  # where clang is installed without it
  prepare_tests debug -B "$folder" -DPROF_WARNINGS_AS_ERRORS=ON \
    -DCMAKE_C_COMPILER="clang-$version" -DCMAKE_CXX_COMPILER="clang++-$version" \
    -DCMAKE_C_FLAGS_DEBUG= -DCMAKE_CXX_FLAGS_DEBUG= "$@"
}

# make_included_files FOLDER: makes the files that sources include, without what their targets link.
make_included_files() {
  ninja -C "$1" -t commands | grep -E 'EmbedScript.cmake|report/tables.py|file/bundle.py' | sort -u | quietly sh -e
}

# Each file of prof alone, so that a missing include is found.
row_compiler() {
  local folder=$GATES/alone
  configure_clang "$folder" -DPROF_UNITY=OFF
  make_included_files "$folder"
  /usr/bin/python3 tests/gates/compile_alone.py "$folder"
}

# FUZZ_SECONDS: how long each target runs, 30 s if not set.
row_fuzz() {
  local target seconds=${FUZZ_SECONDS:-30} targets
  mapfile -t targets < <(fuzz_targets)
  configure_clang "$GATES/clang" -DPROF_UNITY=ON -DPROF_FUZZ=ON
  say "building for the row (fuzz targets)"
  quietly cmake --build "$GATES/clang" --target "${targets[@]/#/fuzz_}"
  mkdir -p "$GATES/fuzz"
  rm -f "$GATES"/fuzz/*.log
  for target in "${targets[@]}"; do mkdir -p "build/fuzz/corpus/$target"; done
  # shellcheck disable=SC2016  # the inner shell expands them
  printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} sh -c '
    echo "fuzzing {} for $1 s"
    "$2/clang/bin/fuzz/fuzz_{}" -max_total_time="$1" -max_len=4096 -verbosity=0 -artifact_prefix="$2/fuzz/{}-" \
      "build/fuzz/corpus/{}" >"$2/fuzz/{}.log" 2>&1 && exit
    tail -n 60 "$2/fuzz/{}.log"
    echo "fuzzing {} failed: its input is $2/fuzz/{}-*"
    exit 1' sh "$seconds" "$GATES" || {
    detail "$(grep -lE '^SUMMARY|ERROR: ' "$GATES"/fuzz/*.log | wc -l) of ${#targets[@]} targets"
    return 1
  }
}

row_lint() {
  need shellcheck shellcheck
  shell_scripts | xargs shellcheck
  prepare_tests release
  # shellcheck disable=SC2086
  quietly cmake --build --preset release --target $PARTS
  run_pytest tests/lint --ignore tests/lint/test_links.py
}

row_links() {
  [ -x "$VENV/bin/python" ] || ensure_packages python3-venv python3-pip
  ensure_python "$VENV" tests/requirements.txt
  run_pytest tests/lint/test_links.py
}

# cmd_row ROW: runs a row in this process, where a command that fails ends it.
cmd_row() {
  ROW=$1
  "row_${ROW//-/_}"
}

# run_row ROW: runs it in a separate process, prints its line, and adds the line to the table.
run_row() {
  local row=$1 status=0 words seconds user system
  rm -f "$GATES/$row.detail"
  { TIMEFORMAT='%0R %0U %0S'; time ./dev row "$row" >&3 2>&4; } 3>&1 4>&2 2>"$GATES/$row.time" || status=$?
  read -r seconds user system <"$GATES/$row.time"
  words=$(cat "$GATES/$row.detail" 2>/dev/null || true)
  case $status in
    0) words="ok${words:+, $words}" ;;
    "$SKIPPED") words="skipped: $words" status=0 ;;
    *) words="FAILED${words:+, $words}" ;;
  esac
  printf '%-11s %-42s %8s s %9s s\n' "$row" "$words" "$seconds" "$((user + system))" >>"$TABLE"
  case $words in ok*) words="ok, $seconds s" ;; esac
  echo "row $row: $words"
  return "$status"
}

# Time of a row in percent of the time of the row tests. It may be too large: then the row is left out where there was time.
percent_of_tests() {
  case $1 in
    asan) echo 100 ;;
    tsan | clang-tidy | compiler | fuzz) echo 70 ;;
    *) echo 5 ;;
  esac
}

# There is time for a row if it ends before GATE_SECONDS. A machine of CI can be half as fast as another one.
has_time_for() {
  [ -z "${GATE_SECONDS:-}" ] || [ -z "${TESTS_SECONDS:-}" ] ||
    [ $((SECONDS + TESTS_SECONDS * $(percent_of_tests "$1") / 100)) -le "$GATE_SECONDS" ]
}

# cmd_gate ROW...: each of the rows, also after one that failed. If the tests could not be built, nothing else can.
# GATE_SECONDS: rows that would end later than that are left out, and said to be. No limit if not set.
cmd_gate() {
  local row status failed=0 TESTS_SECONDS=
  SECONDS=0
  # shellcheck disable=SC2086
  [ "$*" != all ] || set -- $ROWS
  [ $# -gt 0 ] || die "which of these rows? $ROWS"
  for row in "$@"; do
    declare -F "row_${row//-/_}" >/dev/null || die "no row is called $row. Rows: $ROWS"
  done
  mkdir -p "$GATES"
  # Clang's fuzz targets run for longer than those of the tests, so these need not be built.
  [[ " $* " != *" fuzz "* ]] || export PROF_FUZZ=OFF
  TABLE=$(mktemp)
  printf '%-11s %-42s %10s %11s\n' row result 'wall time' 'CPU time' >"$TABLE"
  for row in "$@"; do
    status=0
    if ! has_time_for "$row"; then
      say "row $row is left out: it would not end within GATE_SECONDS=$GATE_SECONDS"
      printf '%-11s %s\n' "$row" 'left out: no time' >>"$TABLE"
      continue
    fi
    run_row "$row" || status=$?
    [ "$row" != tests ] || TESTS_SECONDS=$SECONDS
    [ "$status" -eq 0 ] || failed=1
    # ctest's status for tests that failed is 8.
    if [ "$row" = tests ] && [ "$status" -ne 0 ] && [ "$status" -ne 8 ]; then
      say "the tests were not built, so the other rows do not run"
      break
    fi
  done
  echo
  cat "$TABLE"
  rm "$TABLE"
  return "$failed"
}
