# shellcheck shell=bash
# `./dev check` and `./dev hooks`. dev reads this file and has the functions that are not here.

MOST_TIDY=8  # files for clang-tidy in two minutes

# check_part NAME COMMAND...: runs it, says what it found, and goes on.
check_part() {
  local name=$1
  shift
  if "$@"; then say "check $name: ok"; else say "check $name: FAILED"; CHECK_FAILED=1; fi
}

# has TOOL NAME: true, or says that a part is skipped.
has() {
  command -v "$1" >/dev/null || { say "check $2: skipped: no $1"; return 1; }
}

# Changed and new files, without deleted ones, that match a pattern of grep -E. Commits that the upstream branch does not
# have are changes, too.
changed() {
  { git diff --name-only --diff-filter=d "$(git merge-base HEAD '@{upstream}' 2>/dev/null || echo HEAD)"; git ls-files --others --exclude-standard; } | sort -u | grep -E "$1" || true
}

# The build with a compile command for each file, or nothing.
compile_database() {
  local folder
  for folder in build/debug build/asan build/tsan; do
    [ ! -e "$folder/compile_commands.json" ] || { echo "$folder"; return; }
  done
}

check_tidy() {
  local folder files
  folder=$(compile_database)
  mapfile -t files < <(changed '^(common|injection|collector|exporters|cli)/.*\.cpp$')
  if [ -z "$folder" ]; then
    say "check clang-tidy: skipped: no compile database (./dev build debug makes one)"
  elif [ "${#files[@]}" -gt "$MOST_TIDY" ]; then
    say "check clang-tidy: skipped: ${#files[@]} changed files take long (./dev gate clang-tidy)"
  elif [ "${#files[@]}" -gt 0 ] && has clang-tidy-16 clang-tidy; then
    check_part clang-tidy xargs -P "$(nproc)" -n 1 clang-tidy-16 --quiet -p "$folder" < <(printf '%s\n' "${files[@]}")
  fi
}

# The lint tests that read sources and documents only, with the Python of the tests or the distribution's.
check_lint() {
  local python=$VENV/bin/python
  [ -x "$python" ] || python=/usr/bin/python3
  if ! "$python" -c 'import pytest' 2>/dev/null; then
    say "check lint: skipped: no pytest (./dev build makes $VENV)"
    return
  fi
  check_part lint env PROF_BUILD="$PWD/$BUILD" PROF_SOURCE="$PWD" \
    "$python" -B -m pytest -q -p no:cacheprovider -m 'not built' tests/lint
}

# What needs no build, of the files in the folder, whether they are staged or not. Installs nothing.
cmd_check() {
  local files
  CHECK_FAILED=0
  mapfile -t files < <(changed '\.(cpp|hpp|c|h)$')
  if [ "${#files[@]}" -gt 0 ] && has "$CLANG_FORMAT" format; then
    check_part format "$CLANG_FORMAT" --dry-run --Werror "${files[@]}"
  fi
  mapfile -t files < <(shell_scripts)
  if has shellcheck shellcheck; then check_part shellcheck shellcheck "${files[@]}"; fi
  check_lint
  check_tidy
  return "$CHECK_FAILED"
}

# Installs a hook of git that runs ./dev check before each commit.
cmd_hooks() {
  local hook text
  hook=$(git rev-parse --git-path hooks/pre-commit)
  text=$(printf '#!/bin/sh\n# Made by ./dev hooks of prof. git commit --no-verify goes without it.\nexec ./dev check')
  if [ -e "$hook" ] && [ "$(cat "$hook")" != "$text" ]; then
    die "$hook exists and is not of prof, so it stays. Add a line to it: ./dev check"
  fi
  mkdir -p "$(dirname "$hook")"
  printf '%s\n' "$text" >"$hook"
  chmod +x "$hook"
  say "git runs ./dev check before each commit ($hook)"
}
