// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of kernels' IR, for suites of what reads integers out of it.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace lanescope::test {

inline const std::string kDeclarations = "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                                         "declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()\n"
                                         "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
                                         "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()\n"
                                         "declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"
                                         "declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()\n"
                                         "declare i32 @llvm.smax.i32(i32, i32)\ndeclare i32 @llvm.smin.i32(i32, i32)\n"
                                         "declare void @llvm.nvvm.barrier0()\n"
                                         "declare i32 @elsewhere(i32, ptr)\n"
                                         "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
                                         "%pair = type { ptr, i32 }\n";

/// i = blockIdx.x * blockDim.x + threadIdx.x, as %i; likewise %x and %y of blocks of 8 by 4.
inline const std::string kIndexes = "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                                    "  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
                                    "  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"
                                    "  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()\n"
                                    "  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()\n"
                                    "  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()\n"
                                    "  %first = mul i32 %b, %d\n"
                                    "  %i = add i32 %first, %t\n"
                                    "  %firstY = shl i32 %by, 2\n"
                                    "  %y = add i32 %firstY, %ty\n"
                                    "  %row = mul nsw i32 %y, %n\n"
                                    "  %at = add nsw i32 %row, %i\n";

/// Integer expressions of a thread's coordinates, one and the same with calls and with numbers.
class RandomExpression {
public:
    explicit RandomExpression(std::mt19937& random) : m_random(random) {}

    /// The name of a new value of 32 or 64 bits.
    std::string make(unsigned bits, int depth)
    {
        const auto pick = [&](unsigned count) { return static_cast<unsigned>(m_random() % count); };
        if (depth == 0 || pick(6) == 0) {
            if (bits == 64)
                return number(static_cast<int64_t>(pick(9)) - 4);
            const char* const leaves[] = {"%t", "%b", "%ty", "%d", "%n", "%t"};
            return pick(4) == 0 ? number(static_cast<int64_t>(pick(2000)) - 1000) : leaves[pick(6)];
        }
        if (pick(4) == 0) {
            const std::string from = make(96 - bits, depth - 1);
            return bits == 64 ? line((pick(2) == 0 ? "sext" : "zext") + (" i32 " + from) + " to i64")
                              : line("trunc i64 " + from + " to i32");
        }
        const std::string type = bits == 64 ? " i64 " : " i32 ", a = make(bits, depth - 1);
        if (pick(5) == 0)
            return line("shl" + type + a + ", " + std::to_string(pick(9)));
        const char* const operations[] = {"add", "sub", "mul", "udiv", "add"};
        const std::string operation = operations[pick(5)];
        return line(operation + type + a + ", " + (operation == "udiv" ? "3" : make(bits, depth - 1)));
    }
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    std::string line(const std::string& what)
    {
        const std::string name = "%v" + std::to_string(m_count++);
        m_text += "  " + name + " = " + what + "\n";
        return name;
    }
    static std::string number(int64_t value) { return std::to_string(value); }

    std::mt19937& m_random;
    std::string m_text;
    int m_count = 0;
};

}  // namespace lanescope::test
