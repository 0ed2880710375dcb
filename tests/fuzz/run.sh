#!/usr/bin/env bash
# Fuzzes load + initialise + execute: tests/fuzz/run.sh SECONDS [BUILD_FOLDER]. Fails on the first finding and leaves the
# input that shows it in BUILD_FOLDER/findings. The corpus in BUILD_FOLDER/corpus grows from run to run.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:?seconds to run}
build=${2:-build/fuzz}
cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="${FUZZ_CXX:-clang++-16}" -DRUSHLIGHT_FUZZ=ON \
  -DRUSHLIGHT_SANITIZE=ON -DRUSHLIGHT_HOST=OFF >/dev/null
cmake --build "$build" --target fuzz_program >"$build/build.log" || { tail -n 60 "$build/build.log"; exit 1; }
mkdir -p "$build/corpus" "$build/findings"
PYTHONPATH=. python -m tests.fuzz.seeds "$build/seeds"
"$build/tests/fuzz/fuzz_program" "$build/corpus" "$build/seeds" -artifact_prefix="$build/findings/" \
  -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 -dict=tests/fuzz/program.dict \
  -print_final_stats=1 -verbosity=0
