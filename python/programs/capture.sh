#!/usr/bin/env bash
# Captures each program of this folder into a folder of DIR: ./capture.sh DIR [PROGRAM…]
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: ./capture.sh DIR [PROGRAM…]" >&2; exit 2; }
out=$(realpath -m "$1")
shift
cd "$(dirname "${BASH_SOURCE[0]}")"
warpclock=${WARPCLOCK:-warpclock}
mkdir -p "$out"

capture() {
  local name=$1
  shift
  echo "==> $name"
  "$warpclock" capture --out "$out/$name" --data "${DATA:-64KiB}" -- "$@" || echo "$name: exit status $?" >&2
}

of() {
  case $1 in
    operators) capture operators python3 operators.py ;;
    held_out) capture held_out python3 held_out.py ;;
    eager) capture eager python3 transformer.py ;;
    inductor) capture inductor python3 transformer.py --compile ;;
    triton) capture triton python3 triton_kernels.py ;;
    jax) capture jax python3 jax_transformer.py ;;
    cupy) capture cupy python3 cupy_operators.py ;;
    cublas)
      nvcc -std=c++17 -O1 -o "$out/cublas_graph" cublas_graph.cpp -lcublas
      capture cublas "$out/cublas_graph"
      ;;
    *) echo "no program $1: operators, held_out, eager, inductor, triton, jax, cupy, cublas" >&2; exit 2 ;;
  esac
}

[ $# -ge 1 ] || set -- operators held_out eager inductor triton jax cupy cublas
for program; do of "$program"; done
