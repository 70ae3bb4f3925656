#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes the entries of a stand-in: for each function of the runtime whose name matches, a jump to it. Arguments: the
# runtime's library, a pattern (of grep -E), the file to write, the version of NVIDIA's library or NONE. A function
# NAME_of_VERSION is what that version calls NAME.
set -eu
nm=${NM:-nm}
all=$("$nm" -D --defined-only "$1" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | grep -E "$2" | sort -u)
own=$(echo "$all" | sed -n "s/_of_$4\$//p")
names=$(echo "$all" | grep -vE '_of_[0-9]+$')
{
    echo '// Made by make_entries.sh.'
    for name in $names; do
        echo "$own" | grep -qx "$name" && echo "LS_ENTRY($name, ${name}_of_$4)" || echo "LS_ENTRY($name, $name)"
    done
    # CUDA 12's headers call it so.
    echo "$names" | grep -qx cudaGetDeviceProperties && echo 'LS_ENTRY(cudaGetDeviceProperties_v2, cudaGetDeviceProperties)'
    # Old programs and tools ask for the plain name of what has newer forms only.
    for name in $names; do
        plain=${name%_v2}
        [ "$plain" = "$name" ] || echo "$names" | grep -qx "$plain" || echo "LS_ENTRY($plain, $name)"
    done
} >"$3"
