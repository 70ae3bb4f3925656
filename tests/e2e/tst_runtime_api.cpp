// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA runtime API as programs see it: results and errors.
#include <QTest>

#include "command.h"

using namespace lanescope::test;

class TestRuntimeApi : public QObject {
    Q_OBJECT

    Command m_command;

    /// Runs the statements in main() after "P(…)", which prints the call's error name.
    QString run(const QString& kernels, const QString& body)
    {
        m_command.write(
            "api.cu",
            "#include <cstdio>\n#include <cstring>\n" + kernels +
                "\n#define P(...) do { __VA_ARGS__; std::puts(cudaGetErrorName(cudaGetLastError())); } while (0)\n"
                "int main()\n{\n" +
                body + "\n    return 0;\n}\n");
        const CommandResult result = m_command.run({"run", "api.cu"});
        return result.output + result.errors + (result.code ? QString("exit %1\n").arg(result.code) : QString());
    }

    struct Expectation {
        const char* call;
        const char* error;
    };

    /// Runs all calls in one program, after \p declarations; the calls whose error is another one than expected.
    QString runAll(const QString& declarations, const std::vector<Expectation>& expectations)
    {
        QString body = "    " + declarations + "\n";
        for (const Expectation& expectation : expectations)
            body += QString("    P(%1);\n").arg(expectation.call);
        const QStringList lines = run(kKernel, body).split('\n');
        QString wrong;
        for (size_t i = 0; i < expectations.size(); ++i)
            if (lines.value(int(i)) != expectations[i].error)
                wrong += QString("%1: %2\n").arg(expectations[i].call, lines.value(int(i)));
        return lines.size() == int(expectations.size()) + 1 ? wrong : lines.join('\n');
    }

    void expectAll(const QString& declarations, const std::vector<Expectation>& expectations)
    {
        const QString wrong = runAll(declarations, expectations);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    static constexpr const char* kKernel = "__global__ void k(float* a) { a[threadIdx.x] = 1; }";

private slots:
    void badLaunchesFailAsOnHardware()
    {
        expectAll("float* a; cudaMalloc(&a, 4096);",
                  {
                      {"k<<<0, 1>>>(a)", "cudaErrorInvalidConfiguration"},
                      {"k<<<1, 0>>>(a)", "cudaErrorInvalidConfiguration"},
                      {"k<<<1, 1025>>>(a)", "cudaErrorInvalidConfiguration"},
                      {"(k<<<1, dim3(33, 32)>>>(a))", "cudaErrorInvalidConfiguration"},
                      {"(k<<<1, dim3(1, 1, 65)>>>(a))", "cudaErrorInvalidConfiguration"},
                      {"(k<<<dim3(1, 65536), 1>>>(a))", "cudaErrorInvalidConfiguration"},
                      {"(k<<<1, 1, 49153>>>(a))", "cudaErrorInvalidValue"},
                      {"(k<<<1, 1, 0, (cudaStream_t)0x1234>>>(a))", "cudaErrorInvalidResourceHandle"},
                      {"k<<<1, 1>>>(a)", "cudaSuccess"},
                  });
    }

    void badArgumentsFailAsOnHardware()
    {
        expectAll("float *a, *x, h[8] = {}; cudaMalloc(&a, 16);",
                  {
                      {"cudaFree(a + 1)", "cudaErrorInvalidValue"},
                      {"cudaFree(h)", "cudaErrorInvalidValue"},
                      {"cudaFree(nullptr)", "cudaSuccess"},
                      {"cudaMalloc((void**)nullptr, 4)", "cudaErrorInvalidValue"},
                      {"cudaMalloc(&x, size_t(1) << 50)", "cudaErrorMemoryAllocation"},
                      {"cudaMemcpy(h, a, 20, cudaMemcpyDeviceToHost)", "cudaErrorInvalidValue"},
                      {"cudaMemcpy(h, a, 16, cudaMemcpyHostToDevice)", "cudaErrorInvalidValue"},
                      {"cudaMemcpy(a, nullptr, 16, cudaMemcpyHostToDevice)", "cudaErrorInvalidValue"},
                      {"cudaMemcpy(a, h, 16, (cudaMemcpyKind)9)", "cudaErrorInvalidMemcpyDirection"},
                      {"cudaMemcpy(a, h, 16, cudaMemcpyDefault)", "cudaSuccess"},
                      {"cudaMemset(a, 0, 17)", "cudaErrorInvalidValue"},
                      {"cudaMemset(h, 0, 4)", "cudaErrorInvalidValue"},
                      {"cudaSetDevice(1)", "cudaErrorInvalidDevice"},
                      {"cudaEventRecord((cudaEvent_t)0x99)", "cudaErrorInvalidResourceHandle"},
                      {"cudaStreamDestroy((cudaStream_t)0x99)", "cudaErrorInvalidResourceHandle"},
                      {"cudaFreeHost(h)", "cudaErrorInvalidValue"},
                      {"cudaMemcpyToSymbol(h, h, 4)", "cudaErrorInvalidSymbol"},
                      {"cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449)",
                       "cudaErrorInvalidValue"},
                  });
    }

    void memoryMovesAllWays()
    {
        QCOMPARE(run("", "    int h[4] = {1, 2, 3, 4}, back[4] = {}, *a, *b;\n"
                         "    cudaMalloc(&a, 16);\n    cudaMalloc(&b, 16);\n"
                         "    cudaMemcpy(a, h, 16, cudaMemcpyHostToDevice);\n"
                         "    cudaMemset(b, 0xff, 16);\n"
                         "    cudaMemcpy(b + 1, a + 1, 8, cudaMemcpyDeviceToDevice);\n"
                         "    cudaMemcpyAsync(back, b, 16, cudaMemcpyDeviceToHost, 0);\n"
                         "    std::printf(\"%d %d %d %d\\n\", back[0], back[1], back[2], back[3]);"),
                 QString("-1 2 3 -1\n"));
    }

    void symbolsAreCopied()
    {
        QCOMPARE(run("__constant__ int factor;\n__device__ int table[3] = {5, 6, 7};\n"
                     "__global__ void k() { table[threadIdx.x] *= factor; }",
                     "    int two = 2, back[3] = {};\n    cudaMemcpyToSymbol(factor, &two, sizeof(two));\n"
                     "    k<<<1, 3>>>();\n    P(cudaMemcpyFromSymbol(back, table, 8, 4));\n"
                     "    std::printf(\"%d %d\\n\", back[0], back[1]);"),
                 QString("cudaSuccess\n12 14\n"));
    }

    void errorTextsAreCudas()
    {
        QCOMPARE(run("", "    std::puts(cudaGetErrorString(cudaErrorInvalidConfiguration));\n"
                         "    std::puts(cudaGetErrorString(cudaErrorMemoryAllocation));\n"
                         "    std::puts(cudaGetErrorString((cudaError_t)12345));"),
                 QString("invalid configuration argument\nout of memory\nunrecognized error code\n"));
    }

    void devicePropertiesAreTheModelGpus()
    {
        QCOMPARE(run("",
                     "    cudaDeviceProp p;\n    cudaGetDeviceProperties(&p, 0);\n    int count = 0;\n"
                     "    cudaGetDeviceCount(&count);\n"
                     "    std::printf(\"%d %d.%d %d %zu %zu %d\\n\", count, p.major, p.minor, p.multiProcessorCount,\n"
                     "                p.sharedMemPerBlock, p.sharedMemPerBlockOptin, p.maxThreadsPerBlock);"),
                 QString("1 9.0 132 49152 232448 1024\n"));
    }

    void eventsMeasure()
    {
        QCOMPARE(run(kKernel,
                     "    float *a, ms = -1;\n    cudaMalloc(&a, 128);\n    cudaEvent_t start, end;\n"
                     "    cudaEventCreate(&start);\n    cudaEventCreate(&end);\n    cudaEventRecord(start);\n"
                     "    k<<<1, 32>>>(a);\n    cudaEventRecord(end);\n    cudaEventSynchronize(end);\n"
                     "    P(cudaEventElapsedTime(&ms, start, end));\n    std::puts(ms > 0 ? \"yes\" : \"no\");"),
                 QString("cudaSuccess\nyes\n"));
    }

    void stickyErrorStays()
    {
        m_command.write("sticky.cu",
                        "#include <cstdio>\n__global__ void k(volatile int* a) { while (!a[0]) {} }\n"
                        "int main()\n{\n    int *a, *b;\n    cudaMalloc(&a, 4);\n    cudaMemset(a, 0, 4);\n"
                        "    k<<<1, 1>>>(a);\n    std::puts(cudaGetErrorName(cudaDeviceSynchronize()));\n"
                        "    cudaGetLastError();\n    std::puts(cudaGetErrorName(cudaMalloc(&b, 4)));\n"
                        "    cudaDeviceReset();\n    std::puts(cudaGetErrorName(cudaMalloc(&b, 4)));\n}\n");
        QCOMPARE(m_command.run({"run", "--max-steps", "1000", "sticky.cu"}).output,
                 QString("cudaErrorLaunchFailure\ncudaErrorLaunchFailure\ncudaSuccess\n"));
    }

    void clustersThatDoNotFitAreRefusedWhereverTheyAreAskedFor()
    {
        const QString node =
            "    float* a;\n    cudaMalloc(&a, 4);\n    void* arguments[] = {&a};\n    cudaGraph_t graph;\n"
            "    cudaGraphCreate(&graph, 0);\n    cudaGraphNode_t node;\n    cudaKernelNodeParams p = {};\n"
            "    p.func = (void*)k;\n    p.gridDim = p.blockDim = dim3(1);\n    p.kernelParams = arguments;\n"
            "    cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p);\n    cudaLaunchAttribute wanted = {};\n";
        QCOMPARE(run(kKernel, node + "    wanted.val.cooperative = 1;\n"
                                     "    P(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeCooperative, "
                                     "&wanted.val));\n"),
                 QString("cudaSuccess\n"));
        const QString cluster = node + "    wanted.id = cudaLaunchAttributeClusterDimension;\n"
                                       "    wanted.val.clusterDim.x = 2;\n    wanted.val.clusterDim.y = 1;\n"
                                       "    wanted.val.clusterDim.z = 1;\n";
        for (const char* call :
             {"cudaGraphKernelNodeSetAttribute(node, wanted.id, &wanted.val); cudaGraphExec_t ready; "
              "cudaGraphInstantiate(&ready, graph, 0); error = cudaGraphLaunch(ready, 0)",
              "cudaLaunchConfig_t shape = {}; shape.gridDim = dim3(3); shape.blockDim = dim3(1); "
              "shape.attrs = &wanted; shape.numAttrs = 1; error = cudaLaunchKernelEx(&shape, k, a)"}) {
            const QString said = run(kKernel, cluster + "    cudaError_t error;\n    " + call + ";\n    P(error);\n");
            QVERIFY2(said.contains("cudaErrorInvalidClusterSize"), qPrintable(said));
        }
    }

    void destructorsMayCallUs()
    {
        QCOMPARE(run("struct Owner {\n    int* p = nullptr;\n    ~Owner() { std::puts(cudaGetErrorName(cudaFree(p))); "
                     "}\n};\n"
                     "static Owner owner;",
                     "    cudaMalloc(&owner.p, 4);"),
                 QString("cudaSuccess\n"));
    }
};

QTEST_GUILESS_MAIN(TestRuntimeApi)
#include "tst_runtime_api.moc"
