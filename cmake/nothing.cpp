// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A target of precompiled headers has to have a file.
