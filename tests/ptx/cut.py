#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes of the PTX that Mojo's compiler writes what is committed here: without debug information, names cut short.

    mojo build -g --emit asm --target-accelerator sm_90 kernels/mojo/NAME.mojo -o FOLDER/NAME.s   # for each program
    tests/ptx/cut.py FOLDER
"""
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).parent
KERNELS = TESTS.parent.parent / "kernels" / "mojo"


def cut(text, program, kernel):
    text = re.sub(r"\n\s*\.section\s+\.debug_\w+\s*\{.*?\n?\s*\}", "", text, flags=re.S)
    text = re.sub(r"\n\$L__(tmp|func_(begin|end))\d+:", "", text)
    text = re.sub(r'(\.file\s+\d+ )".*/([^/"]+)"', r'\1"kernels/mojo/\2"', text)
    text = text.replace(", debug", "")
    entry = re.search(r"\.entry (\w+)", text).group(1)
    text = text.replace(entry, kernel)
    return re.sub(r"\n\s*//.*", "", text).lstrip("\n/ ")


def kernels_of(source):
    """The kernels of a program in the order of their definitions."""
    launched = set(re.findall(r"enqueue_function\[(\w+)\]", source))
    return [name for name in re.findall(r"^def (\w+)", source, flags=re.M) if name in launched]


def main():
    folder = pathlib.Path(sys.argv[1])
    for program in sorted(KERNELS.glob("[0-9m]*.mojo")):
        written = {}
        for path in folder.glob(program.stem + "_*.ptx"):
            text = path.read_text()
            lines = {int(line) for line in re.findall(r"\.loc\s+1 (\d+)", text)}
            written[min(lines)] = text
        for (_, text), kernel in zip(sorted(written.items()), kernels_of(program.read_text()), strict=True):
            # A program's text begins with the lines of its first kernel.
            (TESTS / "mojo" / f"{program.stem}.{kernel}.ptx").write_text(cut(text, program.stem, kernel))


if __name__ == "__main__":
    main()
