// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_generator.h"

#include <array>
#include <random>
#include <vector>

#include <QString>

namespace lanescope::test {

namespace {

constexpr const char* kPrelude = R"(#include <cstdio>
#include <cstring>
#include <vector>
#define BOTH __host__ __device__
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;
BOTH inline u32 bits(float v) { u32 b; memcpy(&b, &v, 4); return b; }
BOTH inline u64 bits(double v) { u64 b; memcpy(&b, &v, 8); return b; }
BOTH inline u32 low(double v) { return (u32)bits(v) ^ (u32)(bits(v) >> 32); }
// Rounded one by one: what a compiler may fuse has two right answers.
BOTH inline float mulf(float a, float b)
{
#ifdef __CUDA_ARCH__
    return __fmul_rn(a, b);
#else
    volatile float product = a * b;
    return product;
#endif
}
BOTH inline double mulf(double a, double b)
{
#ifdef __CUDA_ARCH__
    return __dmul_rn(a, b);
#else
    volatile double product = a * b;
    return product;
#endif
}
BOTH inline u32 popcount(u32 v)
{
#ifdef __CUDA_ARCH__
    return __popc(v);
#else
    return __builtin_popcount(v);
#endif
}
BOTH inline u32 leadingZeros(u32 v)
{
#ifdef __CUDA_ARCH__
    return __clz(v);
#else
    return v ? __builtin_clz(v) : 32;
#endif
}
BOTH inline u32 highProduct(u32 a, u32 b)
{
#ifdef __CUDA_ARCH__
    return __umulhi(a, b);
#else
    return (u32)(((u64)a * b) >> 32);
#endif
}
BOTH inline u32 reversed(u32 v)
{
#ifdef __CUDA_ARCH__
    return __brev(v);
#else
    u32 r = 0;
    for (int i = 0; i < 32; ++i)
        r |= (v >> i & 1) << (31 - i);
    return r;
#endif
}
BOTH inline u32 bytesOf(u32 a, u32 b, u32 selector)
{
#ifdef __CUDA_ARCH__
    return __byte_perm(a, b, selector & 0x7777);
#else
    u64 all = (u64)b << 32 | a;
    u32 r = 0;
    for (int i = 0; i < 4; ++i)
        r |= (u32)(all >> (8 * (selector >> (4 * i) & 7)) & 0xff) << (8 * i);
    return r;
#endif
}
struct Pair { short first; u64 second; };
)";

class Generator {
public:
    Generator(uint64_t seed, int kernels) : m_random(seed), m_kernels(kernels) {}

    std::string program()
    {
        std::string text = kPrelude;
        std::string calls;
        for (int i = 0; i < m_kernels; ++i) {
            text += kernel(i);
            calls += "    run" + std::to_string(i) + "();\n";
        }
        return text + "int main()\n{\n" + calls + "    return cudaDeviceSynchronize() != cudaSuccess;\n}\n";
    }

private:
    enum Type : uint8_t { I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, TypeCount };
    static constexpr std::array<const char*, TypeCount> kNames{
        "signed char", "unsigned char", "short", "unsigned short", "int", "u32", "i64", "u64", "float", "double"};

    uint64_t below(uint64_t limit) { return m_random() % limit; }
    bool chance(int percent) { return below(100) < static_cast<uint64_t>(percent); }
    template <typename T, size_t N>
    const T& oneOf(const std::array<T, N>& all)
    {
        return all[below(N)];
    }

    // Every expression below is of type u32; others live in variables of their own and are folded back.

    std::string leaf()
    {
        switch (below(6)) {
        case 0:
            return "tid";
        case 1:
            return "own";
        case 2:
            return "in[(" + name() + ") % n]";
        case 3:
            return chance(50) ? std::to_string(below(64)) + "u"
                              : "0x" + QString::number(m_random() & 0xffffffff, 16).toStdString() + "u";
        default:
            return name();
        }
    }

    std::string name() { return m_names.empty() ? "own" : m_names[below(m_names.size())]; }

    std::string expression(int depth)
    {
        if (depth <= 0)
            return leaf();
        const std::string a = expression(depth - 1);
        const std::string b = expression(depth - 1 - int(below(2)));
        switch (below(15)) {
        case 0:
        case 1:
            return "(" + a + oneOf(std::array<const char*, 3>{" + ", " - ", " * "}) + b + ")";
        case 2:
            return "(" + a + oneOf(std::array<const char*, 3>{" & ", " | ", " ^ "}) + b + ")";
        case 3:
            return "(" + a + (chance(50) ? " << " : " >> ") + "(" + b + " & 31))";
        case 4:
            return "(u32)((int)(" + a + ") >> (" + b + " & 31))";
        case 5:
            return "(" + a + (chance(50) ? " / " : " % ") + "(" + b + " | 1u))";
        case 6:  // the divisor is never 0 or -1
            return "(u32)((int)(" + a + ")" + (chance(50) ? " / " : " % ") + "(int)((" + b + " & 0xffffu) + 2))";
        case 7:
            return "(" + condition(depth - 1) + " ? " + a + " : " + b + ")";
        case 8:
            return std::string(oneOf(std::array<const char*, 3>{"popcount(", "leadingZeros(", "reversed("})) + a + ")";
        case 9:
            return "highProduct(" + a + ", " + b + ")";
        case 10:
            return "bytesOf(" + a + ", " + b + ", " + leaf() + ")";
        case 11:
            return "(u32)(" + std::string(kNames[below(F32)]) + ")(" + a + ")";
        case 12:
            return "(u32)(((u64)" + a + " * " + b + " + (i64)(int)" + leaf() + ") >> " + std::to_string(below(33)) +
                   ")";
        case 13:
            return floating(a, b);
        default:
            return "min(" + a + ", " + b + ")";
        }
    }

    /// Through floats or doubles; the integers are small enough to be exact, the quotients are not.
    std::string floating(const std::string& a, const std::string& b)
    {
        const bool single = chance(50);
        const std::string type = single ? "float" : "double";
        const std::string x = "(" + type + ")(int)(" + a + " & 0xffffu)";
        const std::string y = "(" + type + ")((int)(" + b + " & 0xfffu) - 1000)";
        std::string value;
        switch (below(6)) {
        case 0:
            value = x + " + " + y;
            break;
        case 1:
            value = "mulf(" + x + ", " + y + ")";
            break;
        case 2:
            value = x + " / (" + y + " + " + (single ? "0.5f" : "0.5") + ")";
            break;
        case 3:
            value = (single ? "sqrtf(" : "sqrt(") + x + ")";
            break;
        case 4:
            value = (single ? "floorf(" : "floor(") + x + " / " + (single ? "3.0f" : "3.0") + ") - " + y;
            break;
        default:
            value = (single ? "fmaxf(" : "fmax(") + x + ", " + y + ")";
            break;
        }
        if (chance(30))
            return "(u32)(int)(" + value + ")";  // in range: below 2^28 in magnitude
        return single ? "bits((float)(" + value + "))" : "low((double)(" + value + "))";
    }

    std::string condition(int depth)
    {
        const std::string a = expression(depth - 1);
        const std::string b = expression(depth - 1);
        const char* compare = oneOf(std::array<const char*, 6>{" < ", " <= ", " > ", " >= ", " == ", " != "});
        std::string text = chance(40) ? "(int)(" + a + ")" + compare + "(int)(" + b + ")" : a + compare + b;
        if (depth > 1 && chance(30))
            text = "(" + text + ")" + (chance(50) ? " && " : " || ") + "(" + condition(depth - 2) + ")";
        return chance(20) ? "!(" + text + ")" : "(" + text + ")";
    }

    std::string indent() const { return std::string(static_cast<size_t>(m_depth) * 4, ' '); }

    std::string block(int statements)
    {
        const size_t known = m_names.size();
        const size_t assignable = m_assignable.size();
        std::string text = indent() + "{\n";
        ++m_depth;
        for (int i = 0; i < statements; ++i)
            text += statement();
        --m_depth;
        m_names.resize(known);
        m_assignable.resize(assignable);
        return text + indent() + "}\n";
    }

    std::string assignment()
    {
        if (m_assignable.empty())
            return declaration();
        const std::string& target = m_assignable[below(m_assignable.size())];
        return indent() + target + oneOf(std::array<const char*, 5>{" = ", " += ", " ^= ", " -= ", " |= "}) +
               expression(2) + ";\n";
    }

    std::string declaration()
    {
        const std::string fresh = "v" + std::to_string(m_next++);
        std::string text;
        if (chance(35)) {  // of another width, read back as u32
            const std::string narrow = "w" + std::to_string(m_next++);
            text = indent() + kNames[below(F32)] + " " + narrow + " = " + expression(2) + ";\n";
            text += indent() + "u32 " + fresh + " = (u32)" + narrow +
                    oneOf(std::array<const char*, 3>{" * 3u", " + 1u", ""}) + ";\n";
        } else {
            text = indent() + "u32 " + fresh + " = " + expression(3) + ";\n";
        }
        m_names.push_back(fresh);
        m_assignable.push_back(fresh);
        return text;
    }

    std::string loop()
    {
        const std::string counter = "c" + std::to_string(m_next++);
        const std::string trips =
            chance(50) ? std::to_string(1 + below(6)) : "(" + leaf() + ") % " + std::to_string(2 + below(7));
        // The bound must not change with what the loop does.
        const std::string bound = "b" + std::to_string(m_next++);
        const std::string text = indent() + "const u32 " + bound + " = " + trips + ";\n" + indent() + "for (u32 " +
                                 counter + " = 0; " + counter + " < " + bound + "; ++" + counter + ")\n";
        m_names.push_back(counter);
        std::string body = block(1 + int(below(3)));
        m_names.pop_back();
        if (chance(35)) {
            const size_t end = body.rfind(indent() + "}");
            m_names.push_back(counter);
            body.insert(end, indent() + "    if (" + condition(1) + ")\n" + indent() + "        " +
                                 (chance(50) ? "break" : "continue") + ";\n");
            m_names.pop_back();
        }
        return text + body;
    }

    std::string choice()
    {
        std::string text = indent() + "switch ((" + expression(1) + ") % 5)\n" + indent() + "{\n";
        for (int label = 0; label < 4; ++label) {
            text += indent() + (label == 3 ? "default:\n" : "case " + std::to_string(label) + ":\n");
            ++m_depth;
            text += block(1);
            if (chance(70))
                text += indent() + "break;\n";
            --m_depth;
        }
        return text + indent() + "}\n";
    }

    std::string array()
    {
        const std::string fresh = "a" + std::to_string(m_next++);
        const std::string size = std::to_string(2 + below(7));
        std::string text = indent() + "u32 " + fresh + "[" + size + "] = {" + leaf() + ", " + leaf() + "};\n";
        for (int i = 0; i < 2; ++i)
            text += indent() + fresh + "[(" + leaf() + ") % " + size + "] += " + expression(1) + ";\n";
        m_names.push_back(fresh + "[(" + leaf() + ") % " + size + "]");
        return text;
    }

    std::string pair()
    {
        const std::string fresh = "p" + std::to_string(m_next++);
        const std::string text = indent() + "Pair " + fresh + " = {(short)(" + leaf() + "), " + expression(2) + "};\n" +
                                 indent() + fresh + ".second += " + fresh + ".first;\n";
        m_names.push_back("(u32)" + fresh + ".second");
        m_names.push_back("(u32)" + fresh + ".first");
        return text;
    }

    std::string statement()
    {
        const bool deep = m_depth > 3;
        switch (below(deep ? 4 : 10)) {
        case 0:
        case 1:
            return declaration();
        case 2:
        case 3:
            return assignment();
        case 4:
            return array();
        case 5:
            return pair();
        case 6:
            return loop();
        case 7:
            return choice();
        default: {
            std::string text = indent() + "if (" + condition(2) + ")\n" + block(1 + int(below(3)));
            if (chance(50))
                text += indent() + "else\n" + block(1 + int(below(2)));
            return text;
        }
        }
    }

    /// u32 name(tid, own, in, n): what one thread makes of its own value and of what it may read.
    std::string function(const std::string& called)
    {
        m_names.clear();
        m_assignable.clear();
        m_depth = 1;
        std::string text = "BOTH ";
        text += chance(30) ? "__noinline__ " : "";
        text += "u32 " + called + "(u32 tid, u32 own, const u32* in, u32 n)\n{\n";
        text += "    u32 result = own;\n";
        m_names.emplace_back("result");
        m_assignable.emplace_back("result");
        const int statements = 3 + int(below(5));
        for (int i = 0; i < statements; ++i) {
            text += statement();
            if (chance(15))
                text += "    if (" + condition(1) + ")\n        return " + expression(2) + ";\n";
        }
        return text + "    return result ^ " + expression(2) + ";\n}\n";
    }

    /// How values go from thread to thread after a phase: device text, host text over all threads of a block.
    struct Exchange {
        std::string device;
        std::string host;
    };

    Exchange exchange(int threads)
    {
        const std::string shift = std::to_string(1 + below(static_cast<uint64_t>(threads - 1)));
        const std::string lanes = std::to_string(1 + below(31));
        switch (below(6)) {
        case 0:  // a neighbour's through shared memory
            return {"    s[t] = v;\n    __syncthreads();\n    v = s[(t + " + shift + ") % T];\n    __syncthreads();\n",
                    "        for (u32 t = 0; t < T; ++t) v[t] = old[(t + " + shift + ") % T];\n"};
        case 1:
            return {"    v += __shfl_xor_sync(~0u, v, " + lanes + ");\n",
                    "        for (u32 t = 0; t < T; ++t) v[t] += old[t ^ " + lanes + "];\n"};
        case 2:
            return {"    v ^= __shfl_down_sync(~0u, v, " + lanes + ");\n",
                    "        for (u32 t = 0; t < T; ++t) v[t] ^= old[t % 32 + " + lanes + " < 32 ? t + " + lanes +
                        " : t];\n"};
        case 3:
            return {"    v += __ballot_sync(~0u, v & 1);\n", "        for (u32 t = 0; t < T; ++t)\n            for "
                                                             "(u32 l = 0; l < 32; ++l) v[t] += (old[t / 32 * 32 "
                                                             "+ l] & 1) << l;\n"};
        case 4:  // sums into eight cells: no order to depend on
            return {
                "    if (t < 8) s[t] = 0;\n    __syncthreads();\n    atomicAdd(&s[v % 8], v);\n    __syncthreads();\n"
                "    v ^= s[t % 8];\n    __syncthreads();\n",
                "        u32 sums[8] = {};\n        for (u32 t = 0; t < T; ++t) sums[old[t] % 8] += old[t];\n"
                "        for (u32 t = 0; t < T; ++t) v[t] ^= sums[t % 8];\n"};
        default:  // a tree, as reductions have it
            return {
                "    s[t] = v;\n    __syncthreads();\n    for (u32 d = T / 2; d > 0; d /= 2) {\n        if (t < d) "
                "s[t] "
                "+= s[t + d];\n        __syncthreads();\n    }\n    v ^= s[0];\n    __syncthreads();\n",
                "        u32 sum = 0;\n        for (u32 t = 0; t < T; ++t) sum += old[t];\n        for (u32 t = 0; t < "
                "T; ++t) v[t] ^= sum;\n"};
        }
    }

    std::string kernel(int index)
    {
        const std::string number = std::to_string(index);
        const int threads = 32 << below(3);
        const int blocks = 1 + int(below(3));
        const int phases = 1 + int(below(3));
        std::string functions;
        std::string device =
            "__global__ void kernel" + number +
            "(u32* out, const u32* in, u32 n)\n{\n    enum : u32 { T = " + std::to_string(threads) +
            " };\n    __shared__ u32 s[T];\n    const u32 t = threadIdx.x;\n    const u32 tid = blockIdx.x "
            "* T + t;\n    u32 v = in[tid % n];\n";
        std::string host =
            "void run" + number + "()\n{\n    enum : u32 { T = " + std::to_string(threads) +
            ", B = " + std::to_string(blocks) +
            ", n = 97 };\n    std::vector<u32> in(n), want, have(T * B);\n    for (u32 i = 0; i < n; ++i) in[i] "
            "= i * 2654435761u >> (i % 24);\n    for (u32 b = 0; b < B; ++b) {\n        std::vector<u32> "
            "v(T), old;\n        for (u32 t = 0; t < T; ++t) v[t] = in[(b * T + t) % n];\n";
        for (int phase = 0; phase < phases; ++phase) {
            const std::string called = "f" + number + "_" + std::to_string(phase);
            functions += function(called);
            device += "    v = " + called + "(tid, v, in, n);\n";
            host += "        for (u32 t = 0; t < T; ++t) v[t] = " + called + "(b * T + t, v[t], in.data(), n);\n";
            const Exchange between = exchange(threads);
            device += between.device;
            host += "        old = v;\n        {\n" + between.host + "        }\n";
        }
        device += "    out[tid] = v;\n}\n";
        host +=
            "        want.insert(want.end(), v.begin(), v.end());\n    }\n    u32 *devIn, *devOut;\n"
            "    cudaMalloc(&devIn, n * 4);\n    cudaMalloc(&devOut, T * B * 4);\n"
            "    cudaMemcpy(devIn, in.data(), n * 4, cudaMemcpyHostToDevice);\n    kernel" +
            number +
            "<<<B, T>>>(devOut, devIn, n);\n    cudaMemcpy(have.data(), devOut, T * B * 4, cudaMemcpyDeviceToHost);\n"
            "    cudaFree(devIn);\n    cudaFree(devOut);\n    u32 hash = 0;\n    for (u32 i = 0; i < T * B; ++i) {\n"
            "        hash = hash * 31 + have[i];\n        if (have[i] == want[i])\n            continue;\n"
            "        printf(\"kernel " +
            number +
            ": thread %u: %08x instead of %08x\\n\", i, have[i], want[i]);\n        return;\n    }\n    "
            "printf(\"kernel " +
            number + ": %08x\\n\", hash);\n}\n";
        return functions + device + host;
    }

    std::mt19937_64 m_random;
    int m_kernels;
    std::vector<std::string> m_names;       ///< expressions of type u32 that are in scope
    std::vector<std::string> m_assignable;  ///< variables of type u32 that are
    int m_depth = 1;
    int m_next = 0;
};

}  // namespace

std::string generateProgram(uint64_t seed, int kernels)
{
    return Generator(seed, kernels).program();
}

}  // namespace lanescope::test
