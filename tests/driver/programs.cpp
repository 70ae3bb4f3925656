// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "programs.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <utility>
#include <vector>

std::string nameOf(CUresult result)
{
    const char* name = nullptr;
    return cuGetErrorName(result, &name) == CUDA_SUCCESS ? name : std::to_string(result);
}

void check(const char* text, CUresult result)
{
    if (result == CUDA_SUCCESS)
        return;
    std::printf("%s: %s\n", text, nameOf(result).c_str());
    std::exit(9);
}

std::string scalePtx(const char* kernel, int factor, bool checked)
{
    return std::string(".version 8.0\n.target sm_80\n.address_size 64\n"
                       ".visible .global .align 4 .u32 launches = 5;\n"
                       ".visible .entry ") +
           kernel +
           "(.param .u64 out, .param .u64 in, .param .u32 count)\n{\n"
           "    .reg .pred %p<2>;\n    .reg .b32 %r<9>;\n    .reg .b64 %rd<8>;\n"
           "    ld.param.u64 %rd1, [out];\n    ld.param.u64 %rd2, [in];\n    ld.param.u32 %r1, [count];\n"
           "    mov.u32 %r2, %ctaid.x;\n    mov.u32 %r3, %ntid.x;\n    mov.u32 %r4, %tid.x;\n"
           "    mad.lo.s32 %r5, %r2, %r3, %r4;\n"
           "    setp.ge.s32 %p1, %r5, %r1;\n" +
           (checked ? "    @%p1 bra DONE;\n" : "") +
           "    cvta.to.global.u64 %rd3, %rd1;\n    cvta.to.global.u64 %rd4, %rd2;\n"
           "    mul.wide.s32 %rd5, %r5, 4;\n    add.s64 %rd6, %rd4, %rd5;\n    add.s64 %rd7, %rd3, %rd5;\n"
           "    ld.global.u32 %r6, [%rd6];\n    mad.lo.s32 %r7, %r6, " +
           std::to_string(factor) + ", %r5;\n    st.global.u32 [%rd7], %r7;\nDONE:\n    ret;\n}\n";
}

int main(int argc, char** argv)
{
    using Program = int (*)();
    const std::initializer_list<std::pair<const char*, Program>> programs = {{"compile", compile},
                                                                             {"executable", executable},
                                                                             {"managed", managed},
                                                                             {"modules", modules},
                                                                             {"launches", launches},
                                                                             {"memory", memory},
                                                                             {"virtualMemory", virtualMemory},
                                                                             {"graphs", graphs},
                                                                             {"fatBinaries", fatBinaries},
                                                                             {"refusals", refusals},
                                                                             {"names", names},
                                                                             {"devices", devices},
                                                                             {"mistakes", mistakes}};
    const std::string wanted = argc > 1 ? argv[1] : "";
    CHECK(cuInit(0));
    CUdevice device = -1;
    CUcontext context = nullptr;
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    if (wanted == "vectorAdd")
        return vectorAdd(argc > 2 ? std::atoi(argv[2]) : 64);
    for (const auto& [name, program] : programs)
        if (wanted == name)
            return program();
    std::printf("no such program: %s\n", wanted.c_str());
    return 9;
}
