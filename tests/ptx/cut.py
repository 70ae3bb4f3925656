#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes of the PTX that Mojo's compiler writes what is committed here: with names cut short, and of the debug
information only what says which tensors there are.

    mojo build -g --emit asm --target-accelerator sm_90 kernels/mojo/NAME.mojo -o FOLDER/NAME.s   # for each program
    tests/ptx/cut.py FOLDER
"""
import pathlib
import re
import sys

import tensors

TESTS = pathlib.Path(__file__).parent
KERNELS = TESTS.parent.parent / "kernels" / "mojo"


def cut(text, kernel):
    tensors_of_kernel = tensors.sections(text, kernel)
    text = re.sub(r"\n\s*\.section\s+\.debug_\w+\s*\{.*?\n?\s*\}", "", text, flags=re.S)
    text = re.sub(r"\n\$L__(tmp|func_(begin|end))\d+:", "", text)
    text = re.sub(r'(\.file\s+\d+ )".*/([^/"]+)"', r'\1"kernels/mojo/\2"', text)
    text = text.replace(", debug", "")
    entry = re.search(r"\.entry (\w+)", text).group(1)
    text = text.replace(entry, kernel)
    return re.sub(r"\n\s*//.*", "", text).lstrip("\n/ ").rstrip() + "\n" + tensors_of_kernel


def main():
    folder = pathlib.Path(sys.argv[1])
    for program in sorted(KERNELS.glob("[0-9m]*.mojo")):
        # A file is called after the program and the kernel, whose name begins with the program's, cut short.
        for path in sorted(folder.glob(f"{program.stem}_*")):
            if path.name.removeprefix(program.stem).lstrip("_").startswith(program.stem[:12]):
                text = path.read_text()
                kernel = tensors.kernel_of(text)
                if re.search(rf"^def {kernel}\(", program.read_text(), flags=re.M):
                    (TESTS / "mojo" / f"{program.stem}.{kernel}.ptx").write_text(cut(text, kernel))


if __name__ == "__main__":
    main()
