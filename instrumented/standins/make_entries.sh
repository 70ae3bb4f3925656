#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes the entries of a stand-in: for each function of the runtime whose name matches, a jump to it. Arguments: the
# runtime's library, a pattern (of grep -E), the file to write.
set -eu
nm=${NM:-nm}
names=$("$nm" -D --defined-only "$1" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | grep -E "$2" | sort -u)
{
    echo '// Made by make_entries.sh.'
    echo "$names" | sed 's/.*/LS_ENTRY(&, &)/'
    # Old programs and tools ask for the plain name of what has newer forms only.
    for name in $names; do
        plain=${name%_v2}
        [ "$plain" = "$name" ] || echo "$names" | grep -qx "$plain" || echo "LS_ENTRY($plain, $name)"
    done
} >"$3"
