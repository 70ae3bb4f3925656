#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the gallery's programs in other languages, and those of programs/, live, with the front ends that PATH and this
Python have.

    run.py LANESCOPE

Prints a table; exit status 1 when an answer or a finding is not as expected.txt says.
"""
import importlib.metadata
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
KERNELS = HERE.parent.parent / "kernels"
PACKAGES = {"mojo": "mojo", "triton": "triton", "numba": "numba-cuda", "cupy": "cupy-cuda12x", "torch": "torch"}


def front_end(program):
    if program.suffix == ".mojo":
        return "mojo"
    return program.stem.split("_")[0]


def version(package):
    try:
        return importlib.metadata.version(PACKAGES[package])
    except importlib.metadata.PackageNotFoundError:
        return None


def expectations():
    """Program to what is expected of it, where that is not the right answer and no finding."""
    expected = {}
    for line in (HERE / "expected.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            program, _, words = line.partition(":")
            expected[program] = words.split()
    return expected


def check(lanescope, program):
    """(whether the answer is right, kinds of errors and warnings), or None where it did not run."""
    done = subprocess.run(
        [lanescope, "check", "--format", "json", program], capture_output=True, text=True, timeout=600, check=False
    )
    try:
        document = json.loads(done.stdout)
    except json.JSONDecodeError:
        return None
    if document["unsupported"]:
        return None
    kinds = {each["kind"] for each in document["findings"] if each["severity"] != "advice"}
    return document["programExit"] == 0, kinds


def main():
    expected = expectations()
    failed = 0
    print("| program | with | answer | findings | seconds |\n|---|---|---|---|---|")
    gallery = [*KERNELS.glob("mojo/[0-9m]*.mojo"), *KERNELS.glob("python/*_*.py")]
    for program in sorted(gallery) + sorted((HERE / "programs").glob("*.*")):
        package = front_end(program)
        if package not in PACKAGES:
            continue
        if version(package) is None:
            print(f"| `{program.name}` | no {PACKAGES[package]} | | | |")
            continue
        begin = time.monotonic()
        result = check(sys.argv[1], program)
        wanted = expected.get(program.stem, [])
        answer = "does not run" if result is None else "right" if result[0] else "wrong"
        kinds = sorted(result[1]) if result else []
        is_right = answer == ("does not run" if "none-runs" in wanted else "wrong" if "wrong" in wanted else "right")
        failed += not (is_right and set(kinds) == set(wanted) - {"wrong", "none-runs"})
        seconds = time.monotonic() - begin
        found = ", ".join(kinds) or "none"
        print(f"| `{program.name}` | {package} {version(package)} | {answer} | {found} | {seconds:.0f} |", flush=True)
    if failed:
        sys.exit(f"{failed} programs did not do what is expected of them")


if __name__ == "__main__":
    main()
