# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What lets Python programs launch kernels on memory of the host: torch's tensors of the CPU, numpy's arrays."""
