// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linked into every compiled program. Runs before the program's own constructors, CUDA's registration among them.

// The linker's names for the embedded files device.bc, device.ptx (empty when there is no code for a GPU) and
// program.info.
extern const char _binary_device_bc_start[];
extern const char _binary_device_bc_end[];
extern const char _binary_device_ptx_start[];
extern const char _binary_device_ptx_end[];
extern const char _binary_program_info_start[];
extern const char _binary_program_info_end[];

// The section that our headers put __managed__ variables in. It ends with a page of ours (this object is linked last),
// so that the last variable's pages are its own, too.
__attribute__((section("lanescope_managed"), aligned(4096), used)) static char endOfManaged[4096];
extern const char __start_lanescope_managed[];

void __lanescopeRegisterProgram(const char* deviceCode, unsigned long deviceCodeBytes, const char* ptx,
                                unsigned long ptxBytes, const char* info, unsigned long infoBytes,
                                int hasManagedVariables);

__attribute__((constructor(101))) static void registerProgram(void)
{
    // Both names may mean one place, which compilers hold for impossible.
    const char* firstManaged = __start_lanescope_managed;
    __asm__("" : "+r"(firstManaged));
    __lanescopeRegisterProgram(
        _binary_device_bc_start, (unsigned long)(_binary_device_bc_end - _binary_device_bc_start),
        _binary_device_ptx_start, (unsigned long)(_binary_device_ptx_end - _binary_device_ptx_start),
        _binary_program_info_start, (unsigned long)(_binary_program_info_end - _binary_program_info_start),
        firstManaged != endOfManaged);
}
