#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The AppImage's clang: with the headers, the start files and the linker that lie beside it.
here=$(dirname "$(readlink -f "$0")")
exec "$here/../lib/llvm-19/bin/clang++" --sysroot="$here/../sysroot" -B"$here" "$@"
