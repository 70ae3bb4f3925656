// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For targets that are there for the headers they precompile.
int main() {}
