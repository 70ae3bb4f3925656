# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numba.cuda.lowering and numba.cuda.cudaimpl: shared arrays are called by their variable and have their shape. PTX keeps
nothing of them but their symbols, so it is there: "tile$1$16x16" is the variable tile of 16 rows and columns; the number
makes it unique."""

_assigned = []  # Names of the variables whose values are being lowered, the innermost last.


def _variable(ir, lower, name):
    """What a temporary is assigned to, or the variable itself; "" for what has no name in the source."""
    if name.startswith("$"):
        assigned = (
            statement.target.name
            for block in lower.blocks.values()
            for statement in block.body
            if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Var) and statement.value.name == name
        )
        name = next(assigned, "$")
    return name.split(".")[0].split("$")[0]


def _follow_assignments(lowering):
    lower_assign = lowering.Lower.lower_assign

    def lower_named_assign(self, type, instruction):
        _assigned.append(_variable(lowering.ir, self, instruction.target.name))
        try:
            return lower_assign(self, type, instruction)
        finally:
            _assigned.pop()

    lowering.Lower.lower_assign = lower_named_assign


def _name_arrays(cudaimpl):
    unique, generic_array = cudaimpl._get_unique_smem_id, cudaimpl._generic_array

    def unique_name(name):
        number = unique("")
        variable = _assigned[-1] if _assigned else ""
        return f"{variable}${number.strip('_')}$" if variable.isascii() and variable else name + number

    def array_with_shape(context, builder, shape, dtype, symbol_name, *arguments, **named):
        if symbol_name.endswith("$"):
            symbol_name += "x".join(str(extent) for extent in shape)
        return generic_array(context, builder, shape, dtype, symbol_name, *arguments, **named)

    cudaimpl._get_unique_smem_id, cudaimpl._generic_array = unique_name, array_with_shape


def change(module):
    (_follow_assignments if hasattr(module, "Lower") else _name_arrays)(module)
