# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.backends.nvidia.compiler: the PTX of a kernel says of which variables its registers are parts (the command asks
Triton for that); a section more says which values the variables have, numbers and block tensors with their shapes."""
import re

_SECTION = ".lanescope_values"
_TENSOR = re.compile(r"tensor<((?:\d+x)*)([a-z0-9]+)>|([a-z0-9]+)")


def _variables(module):
    """Lines "name type extent…" of what the statements of a module in Triton's IR leave in their variables: the last of
    a statement's operations has the value, those before it are steps on the way."""
    lines, last = set(), None

    def end():
        found = last and _TENSOR.fullmatch(last[2])
        if found:
            lines.add(" ".join([last[0], found[2] or found[3], *(found[1] or "").split("x")]).rstrip())

    def visit(operation):
        nonlocal last
        for index in range(operation.get_num_results()):
            result = operation.get_result(index)
            location = result.get_loc()
            name = location.get_name()
            line = str(location).rpartition(":")[0]
            if last and last[:2] != (name, line):
                end()
            last = (name, line, str(result.get_type())) if name else None

    module.walk(visit)
    end()
    return "".join(line + "\n" for line in sorted(lines))


def change(compiler):
    backend = compiler.CUDABackend
    make_ttir, make_ptx = backend.make_ttir, backend.make_ptx

    def make_ttir_and_note(module, metadata, *arguments):
        metadata["lanescope_values"] = _variables(module)
        return make_ttir(module, metadata, *arguments)

    def make_ptx_with_values(self, source, metadata, *arguments):
        values = metadata.get("lanescope_values", "").encode()
        text = make_ptx(self, source, metadata, *arguments)
        if not values:
            return text
        return f"{text}\n\t.section {_SECTION}\n\t{{\n.b8 {', '.join(map(str, values))}\n\t}}\n"

    backend.make_ttir = staticmethod(make_ttir_and_note)
    backend.make_ptx = make_ptx_with_values
