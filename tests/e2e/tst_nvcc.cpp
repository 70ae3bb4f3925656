// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lanescope nvcc` as Makefiles, CMake and people call it: what is built, that it runs, and what is found in it.
#include <sys/stat.h>

#include <QFile>
#include <QIODevice>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

#include "command.h"

using namespace lanescope::test;

namespace {

constexpr const char* kShared = R"(#pragma once
#include <cuda_runtime.h>
extern __device__ int counter;
extern __constant__ int scale;
__device__ int twice(int x);
template <class T> __global__ void fill(T* p, T v) { p[threadIdx.x] = v; }
template <class T> __device__ inline T next(T x) { return x + 1; }
)";

constexpr const char* kUser = R"(#include "shared.h"
static __global__ void work(int* p)
{
    p[threadIdx.x] = twice(next(p[threadIdx.x])) * scale;
    atomicAdd(&counter, 1);
}
void useDevice(int* p)
{
    fill<int><<<1, 32>>>(p, 7);
    work<<<1, 32>>>(p);
}
)";

constexpr const char* kDefiner = R"(#include "shared.h"
__device__ int counter = 100;
__constant__ int scale = 1;
__managed__ int managed = 3;
__device__ int twice(int x) { return 2 * x; }
static __global__ void work(int* p) { p[threadIdx.x] = next(5); managed += 10; }
void defineDevice(int* p)
{
    fill<int><<<1, 16>>>(p, 9);
    managed = 5;
    work<<<1, 1>>>(p + 16);
    cudaDeviceSynchronize();
}
int readManaged() { return managed; }
)";

constexpr const char* kReader = R"(#include "shared.h"
int readCounter()
{
    int value = 0;
    cudaMemcpyFromSymbol(&value, counter, sizeof(value));
    return value;
}
)";

constexpr const char* kMain = R"(#include <cstdio>
#include <cuda_runtime.h>
void useDevice(int*);
void defineDevice(int*);
int readCounter();
int readManaged();
int main()
{
    int* p;
    cudaMalloc(&p, 64 * sizeof(int));
    useDevice(p);
    defineDevice(p + 32);
    int h[64];
    cudaMemcpy(h, p, 49 * sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d %d %d %d %d\n", h[0], h[40], h[48], readCounter(), readManaged());
    cudaFree(p);
}
)";

constexpr const char* kMakefile = R"(NVCC ?= nvcc
NVCCFLAGS = -O3 -arch=sm_80 -rdc=true -Xcompiler -Wall,-Wextra --expt-relaxed-constexpr
app: main.o libdevice.a
	$(NVCC) $(NVCCFLAGS) -o $@ main.o -L. -ldevice -lcudart
libdevice.a: user.o definer.o reader.o
	$(NVCC) -lib -o $@ $^
%.o: %.cu
	$(NVCC) $(NVCCFLAGS) -MD -MF $*.dep -c $< -o $@
%.o: %.cpp
	$(NVCC) -O2 -std=c++17 -c $< -o $@
)";

constexpr const char* kCMake = R"(cmake_minimum_required(VERSION 3.25)
project(twenty LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(first STATIC part0.cu part1.cu part2.cu part3.cu part4.cu part5.cu part6.cu part7.cu part8.cu part9.cu)
add_library(second SHARED part10.cu part11.cu part12.cu part13.cu part14.cu)
set_target_properties(first PROPERTIES CUDA_SEPARABLE_COMPILATION ON POSITION_INDEPENDENT_CODE ON)
add_executable(app main.cpp part15.cu part16.cu part17.cu part18.cu part19.cu)
set_target_properties(app PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_link_libraries(app PRIVATE first second CUDA::cudart)
)";

/// Kernel and variable of one file, which other files have of the same name; part 13 writes behind its buffer.
QString part(int number)
{
    return QString(R"(#include <cuda_runtime.h>
static __device__ int state = %1;
static __global__ void kernel(int* p, int n)
{
    if (threadIdx.x <= n - %2)
        p[threadIdx.x] = state + threadIdx.x;
}
int part%1()
{
    int* p;
    cudaMalloc(&p, 8 * sizeof(int));
    kernel<<<1, 32>>>(p, 8);
    int h[8];
    cudaMemcpy(h, p, sizeof(h), cudaMemcpyDeviceToHost);
    cudaFree(p);
    return h[7];
}
)")
        .arg(number)
        .arg(number == 13 ? 0 : 1);
}

}  // namespace

class TestNvcc : public QObject {
    Q_OBJECT

    Command m_command{Command::Runtime::Own};

    CommandResult nvcc(const QStringList& arguments) { return m_command.run(QStringList{"nvcc"} + arguments); }

    CommandResult other(const QString& program, const QStringList& arguments)
    {
        return runProcess(program, arguments, m_command.environment, m_command.path(""));
    }

    void writeRelocatableFiles()
    {
        m_command.write("shared.h", kShared);
        m_command.write("user.cu", kUser);
        m_command.write("definer.cu", kDefiner);
        m_command.write("reader.cu", kReader);
        m_command.write("main.cpp", kMain);
    }

    static void hasWorked(const CommandResult& result)
    {
        QVERIFY2(result.code == 0, qPrintable(result.output + result.errors));
    }

private slots:
    void unknownOptionIsNamed()
    {
        m_command.write("a.cu", "int main() {}\n");
        const CommandResult result = nvcc({"--frobnicate", "a.cu"});
        QCOMPARE(result.code, 2);
        QCOMPARE(result.errors, QString("lanescope: error: unknown option '--frobnicate'\n"));
        QCOMPARE(nvcc({"a.txt"}).errors,
                 QString("lanescope: error: don't know what to do with 'a.txt'; expected a source, an object or a "
                         "library\n"));
        QCOMPARE(nvcc({"--cuda", "a.cu"}).errors,
                 QString("lanescope: error: option '--cuda': clang reads .cu files; there is no translated source\n"));
        QCOMPARE(nvcc({"a.cu", "-o"}).errors, QString("lanescope: error: option '-o' has no value\n"));
    }

    void versionReadsAsNvccs()
    {
        const QString version = nvcc({"--version"}).output;
        QVERIFY(version.startsWith("nvcc: NVIDIA (R) Cuda compiler driver\n"));
        QVERIFY(QRegularExpression("\nCuda compilation tools, release (\\d+\\.\\d+), V\\1\\.\\d+\n")
                    .match(version)
                    .hasMatch());
        QVERIFY(version.contains("Lanescope"));
        QVERIFY(nvcc({"--help"}).output.contains("--maxrregcount"));
    }

    void programOfOneFileRuns()
    {
        m_command.write("one.cu", "#include <cstdio>\n__global__ void k() { printf(\"%d\\n\", N + EXTRA); }\n"
                                  "int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n");
        m_command.write("extra.h", "#define EXTRA 2\n");
        m_command.environment.insert("NVCC_APPEND_FLAGS", "-DN=40");
        const CommandResult built = nvcc({"-O3",
                                          "-g",
                                          "-G",
                                          "-lineinfo",
                                          "-arch=sm_80",
                                          "-gencode",
                                          "arch=compute_90,code=sm_90",
                                          "-std=c++14",
                                          "-Xptxas",
                                          "-v,-O3",
                                          "--maxrregcount=32",
                                          "-use_fast_math",
                                          "--extended-lambda",
                                          "-t",
                                          "4",
                                          "-include",
                                          "extra.h",
                                          "-Wno-deprecated-gpu-targets",
                                          "-Xcompiler=-fPIC,-Wall",
                                          "-Xcompiler",
                                          "-O3 -march=native",
                                          "one.cu",
                                          "-lcublas",
                                          "-lm",
                                          "-o",
                                          "one"});
        m_command.environment.remove("NVCC_APPEND_FLAGS");
        hasWorked(built);
        QCOMPARE(built.errors, QString());
        const CommandResult ran = other(m_command.path("one"), {});
        QCOMPARE(ran.output, QString("42\n"));
        QCOMPARE(ran.errors, QString());
    }

    void aGpuIsRefusedWithWhatToDo()
    {
        m_command.write("simulated.cu", "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n");
        QCOMPARE(nvcc({"simulated.cu", "-o", "simulated"}).code, 0);
        m_command.environment.insert("LANESCOPE_DEVICE", "cuda");
        const CommandResult run = other(m_command.path("simulated"), {});
        m_command.environment.remove("LANESCOPE_DEVICE");
        QVERIFY2(run.errors.contains("for a GPU build it with NVIDIA's nvcc and record it with --attach"),
                 qPrintable(run.errors));
    }

    void multiplyAddsAreFusedUnlessItSaysNo()
    {
        // (1 + e)^2 - (1 + 2 e): e^2 is left only where the product is not rounded.
        m_command.write(
            "fused.cu",
            "#include <cstdio>\n__global__ void k(float a, float b) { printf(\"%d\\n\", a * a - b != 0); }\n"
            "int main() { k<<<1, 1>>>(1 + 1 / 4096.f, 1 + 2 / 4096.f); return cudaDeviceSynchronize(); }\n");
        for (const auto& [flag, printed] : {std::pair("-fmad=true", "1\n"), {"-fmad=false", "0\n"}}) {
            hasWorked(nvcc({flag, "fused.cu", "-o", "fused"}));
            QCOMPARE(other(m_command.path("fused"), {}).output, QString(printed));
        }
    }

    void subnormalFloatsAreFlushedWhereItSaysSo_data()
    {
        QTest::addColumn<QString>("native");
        QTest::newRow("interpreted") << "0";
        QTest::newRow("machine code") << "always";
    }
    /// Operands and results count as 0, and keep their sign; what is only copied stays, and so does what is double.
    void subnormalFloatsAreFlushedWhereItSaysSo()
    {
        QFETCH(QString, native);
        m_command.write("subnormal.cu", R"(#include <cstdio>
__global__ void floats(const float* in, float* out)
{
    const float tiny = in[threadIdx.x], least = in[2];
    float* o = out + 8 * threadIdx.x;
    o[0] = tiny;
    o[1] = tiny * 2;
    o[2] = tiny + tiny;
    o[3] = tiny > -least;
    o[4] = least * 0.5f * (threadIdx.x ? -1 : 1);
    o[5] = fmaf(tiny, 0.5f, tiny);
    o[6] = sqrtf(tiny * tiny + fabsf(tiny));
    o[7] = tiny < least;
}
__global__ void doubles(double x, float y, double* out) { out[0] = x * 0.5; out[1] = y * 0.5f; }
int main()
{
    const unsigned bits[] = {0x00000100, 0x80000100, 0x00800000};
    float *in, *out;
    double* wide;
    cudaMalloc(&in, 12);
    cudaMalloc(&out, 64);
    cudaMalloc(&wide, 16);
    cudaMemcpy(in, bits, 12, cudaMemcpyHostToDevice);
    floats<<<1, 2>>>(in, out);
    unsigned result[16];
    cudaMemcpy(result, out, 64, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 16; ++i)
        std::printf("%08x%c", result[i], i % 8 == 7 ? '\n' : ' ');
    doubles<<<1, 1>>>(4e-310, 1.2e-38f, wide);
    double both[2];
    cudaMemcpy(both, wide, 16, cudaMemcpyDeviceToHost);
    std::printf("%d %d\n", both[0] != 0, both[1] != 0);
}
)");
        m_command.environment.insert("LANESCOPE_NATIVE", native);
        const QString wide = "1 1\n";
        for (const auto& [flag, printed] :
             {std::pair("-ftz=false", "00000100 00000200 00000200 3f800000 00400000 00000180 1c3504f3 3f800000\n"
                                      "80000100 80000200 80000200 3f800000 80400000 80000180 1c3504f3 3f800000\n"),
              {"-ftz=true", "00000100 00000000 00000000 3f800000 00000000 00000000 00000000 3f800000\n"
                            "80000100 80000000 80000000 3f800000 80000000 80000000 00000000 3f800000\n"}}) {
            hasWorked(nvcc({flag, "subnormal.cu", "-o", "subnormal"}));
            QCOMPARE(other(m_command.path("subnormal"), {}).output, printed + wide);
        }
        m_command.environment.remove("LANESCOPE_NATIVE");
    }

    /// A kernel in the default stream and one in a blocking stream are in order only by the legacy stream.
    void theDefaultStreamMayBeEachThreadsOwn()
    {
        m_command.write("streams.cu",
                        "__global__ void k(int* x, int value) { *x = value; }\n"
                        "int main() { int* x; cudaMalloc(&x, 4); cudaStream_t s; cudaStreamCreate(&s);\n"
                        "k<<<1, 1>>>(x, 1); k<<<1, 1, 0, s>>>(x, 2); return cudaDeviceSynchronize(); }\n");
        for (const auto& [stream, findings] : {std::pair("legacy", 0), {"per-thread", 1}}) {
            hasWorked(nvcc({"--default-stream", stream, "streams.cu", "-o", "streams"}));
            const CommandResult check = m_command.run({"check", "--", "./streams"});
            QVERIFY2(check.code == findings, qPrintable(check.output + check.errors));
            QCOMPARE(check.output.contains("[global-race]"), findings == 1);
            QVERIFY2(!check.output.contains("failed with"), qPrintable(check.output));
        }
    }

    void responseFilesAreRead()
    {
        m_command.write("two words.cu", "int main() { return A + B; }\n");
        m_command.write("inner.rsp", "-DB=4\n");
        m_command.write("outer.rsp", "-DA=3 --options-file inner.rsp \"two words.cu\"\n-o rsp\n");
        hasWorked(nvcc({"@outer.rsp"}));
        QCOMPARE(other(m_command.path("rsp"), {}).code, 7);
        QVERIFY(nvcc({"@none.rsp"}).errors.contains("none.rsp: no such response file"));
    }

    void dependenciesAreWritten()
    {
        m_command.write("dep.h", "#pragma once\n");
        m_command.write("dep.cu", "#include \"dep.h\"\nint main() {}\n");
        hasWorked(nvcc({"-c", "-MMD", "-MP", "-MF", "dep.mk", "-MT", "target", "dep.cu", "-o", "dep.o"}));
        const auto text = [&](const QString& name) {
            QFile file(m_command.path(name));
            return file.open(QIODevice::ReadOnly) ? QString(file.readAll()) : QString();
        };
        QCOMPARE(text("dep.mk"), QString("target: \\\n  dep.cu \\\n  dep.h\ndep.cu:\ndep.h:\n"));
        QVERIFY(nvcc({"-M", "dep.cu"}).output.startsWith("dep.o: dep.cu"));
        QVERIFY(nvcc({"-E", "dep.cu"}).output.contains("int main() {}"));
    }

    void makefileWithAStaticLibrary()
    {
        writeRelocatableFiles();
        m_command.write("Makefile", kMakefile);
        hasWorked(other("make", {"NVCC=" LANESCOPE_COMMAND " nvcc"}));
        const QString expected = "16 9 6 132 15\n";
        QCOMPARE(other(m_command.path("app"), {}).output, expected);
        const CommandResult checked = m_command.run({"check", "--", "./app"});
        QVERIFY2(checked.code == 0 && checked.output.endsWith("no findings\n"), qPrintable(checked.output));
        m_command.environment.insert("LANESCOPE_TRACE", m_command.path("app.lanes"));
        QCOMPARE(other(m_command.path("app"), {}).output, expected);
        m_command.environment.remove("LANESCOPE_TRACE");
        const nlohmann::json info = m_command.json({"info", "app.lanes"});
        QCOMPARE(info["launches"].size(), size_t{4});
        QCOMPARE(info["sources"].size(), size_t{3});
    }

    void hostsLinkerWillDo()
    {
        if (LANESCOPE_IS_SANITIZED)
            QSKIP("a linker that knows nothing of Lanescope does not put a sanitizer first");
        writeRelocatableFiles();
        hasWorked(nvcc({"-dc", "user.cu", "definer.cu", "reader.cu"}));
        hasWorked(nvcc({"-dlink", "user.o", "definer.o", "reader.o", "-o", "link.o"}));
        hasWorked(nvcc({"-c", "main.cpp"}));
        const QString libraries = LANESCOPE_LIBRARY "/toolkit/lib64";
        hasWorked(other("g++", {"main.o", "user.o", "definer.o", "reader.o", "link.o", "-L" + libraries,
                                "-lcudart_static", "-lcudadevrt", "-o", "plain"}));
        QCOMPARE(other(m_command.path("plain"), {}).output, QString("16 9 6 132 15\n"));
    }

    void missingHostCompilerNamesThePackage()
    {
        Command command;
        command.environment.insert("PATH", "/nonexistent");
        command.write("host.cpp", "int main() {}\n");
        const CommandResult compiled = command.run({"nvcc", "-c", "host.cpp"});
        QCOMPARE(compiled.errors, QString("lanescope: error: g++: cannot be started: No such file or directory; "
                                          "install it with: apt install g++\n"));
        QCOMPARE(compiled.code, 2);
    }

    /// As CMake's and make's checks have it with /dev/null, which root could replace by a file.
    void whatIsNoFileIsWrittenToAndStays()
    {
        m_command.write("small.cu", "__global__ void k(int* a) { a[threadIdx.x] = 1; }\nint main() {}\n");
        const QString pipe = m_command.path("pipe");
        QCOMPARE(mkfifo(pipe.toUtf8().constData(), 0600), 0);
        QProcess reader;
        reader.start("cat", {pipe});
        QVERIFY(reader.waitForStarted());
        hasWorked(nvcc({"-c", "small.cu", "-o", "pipe"}));
        struct stat there = {};
        QCOMPARE(lstat(pipe.toUtf8().constData(), &there), 0);
        QVERIFY(S_ISFIFO(there.st_mode));
        QVERIFY(reader.waitForFinished());
        QVERIFY(reader.readAllStandardOutput().startsWith("\x7f"
                                                          "ELF"));
    }

    void hostSourcesMayUseLibrariesOfKernels()
    {
        m_command.write("norm.cpp", "#include <cublas_v2.h>\n#include <cstdio>\nint main()\n{\n"
                                    "    float h[2] = {3, 4}, *p, norm = 0;\n    cudaMalloc(&p, sizeof(h));\n"
                                    "    cudaMemcpy(p, h, sizeof(h), cudaMemcpyHostToDevice);\n"
                                    "    cublasHandle_t handle;\n    cublasCreate(&handle);\n"
                                    "    cublasSnrm2(handle, 2, p, 1, &norm);\n    cublasDestroy(handle);\n"
                                    "    cudaFree(p);\n    std::printf(\"%g\\n\", norm);\n}\n");
        hasWorked(nvcc({"norm.cpp", "-lcublas", "-o", "norm"}));
        QCOMPARE(other(m_command.path("norm"), {}).output, QString("5\n"));
    }

    void modulesAreLoadedByTheDriver()
    {
        m_command.write("module.cu", "extern \"C\" __global__ void set(int* p) { *p = 42; }\n");
        m_command.write("load.cpp", R"(#include <cstdio>
#include <cuda.h>
int main(int, char** names)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuCtxCreate(&context, 0, device);
    if (cuModuleLoad(&module, names[1]) != CUDA_SUCCESS)
        return 1;
    cuModuleGetFunction(&function, module, "set");
    cuMemAlloc(&memory, 4);
    void* arguments[] = {&memory};
    cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
    int value = 0;
    cuMemcpyDtoH(&value, memory, 4);
    std::printf("%d\n", value);
}
)");
        hasWorked(nvcc({"load.cpp", "-lcuda", "-o", "load"}));
        for (const char* kind : {"ptx", "cubin", "fatbin"}) {
            hasWorked(nvcc({QString("-") + kind, "module.cu"}));
            QCOMPARE(other(m_command.path("load"), {QString("module.") + kind}).output, QString("42\n"));
        }
    }

    void sourcesInCAreTaken()
    {
        m_command.write("plain.c",
                        "#include <cuda_runtime.h>\nint main(void)\n{\n    struct cudaDeviceProp properties;\n"
                        "    int3 three = make_int3(1, 2, 3);\n    dim3 grid = {1, 1, 1};\n"
                        "    return cudaGetDeviceProperties(&properties, 0) + three.z + grid.x;\n}\n");
        hasWorked(nvcc({"-std=c++17", "plain.c", "-Xcompiler", "-Wall,-Werror", "-o", "plain_c"}));
        QCOMPARE(other(m_command.path("plain_c"), {}).code, 4);
    }

    void variablesOfOneFileAreItsOwn()
    {
        const QString text = R"(#include <cstdio>
static __constant__ int table[2];
static __global__ void show() { std::printf("%d %d\n", table[0], table[1]); }
void run%1()
{
    const int values[2] = {%1, 7};
    cudaMemcpyToSymbol(table, values, sizeof(values));
    show<<<1, 1>>>();
    cudaDeviceSynchronize();
}
)";
        m_command.write("own1.cu", text.arg(1));
        m_command.write("own2.cu", text.arg(2));
        m_command.write("own.cpp", "void run1();\nvoid run2();\nint main()\n{\n    run1();\n    run2();\n}\n");
        hasWorked(nvcc({"-rdc=true", "own1.cu", "own2.cu", "own.cpp", "-o", "own"}));
        QCOMPARE(other(m_command.path("own"), {}).output, QString("1 7\n2 7\n"));
    }

    void nameThatTwoFilesDefineIsNamed()
    {
        m_command.write("x1.cu", "__device__ int f() { return 1; }\n__global__ void k() { f(); }\n"
                                 "int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n");
        m_command.write("x2.cu", "__device__ int f() { return 2; }\n");
        hasWorked(nvcc({"-rdc=true", "x1.cu", "x2.cu", "-o", "x"}));
        const CommandResult ran = other(m_command.path("x"), {});
        QVERIFY(ran.code != 0);
        QVERIFY2(ran.errors.contains("cannot be linked") && ran.errors.contains("multiply defined"),
                 qPrintable(ran.errors));
    }

    void cmakeProjectOfTwentyFiles()
    {
        if (LANESCOPE_IS_SANITIZED)
            QSKIP("CMake links by the host's linker");
        QString main = "#include <cstdio>\n";
        QString calls;
        for (int i = 0; i < 20; ++i) {
            m_command.write(QString("part%1.cu").arg(i), part(i));
            main += QString("int part%1();\n").arg(i);
            calls += QString("    sum += part%1();\n").arg(i);
        }
        m_command.write("main.cpp",
                        main + "int main()\n{\n    int sum = 0;\n" + calls + "    std::printf(\"%d\\n\", sum);\n}\n");
        m_command.write("CMakeLists.txt", kCMake);
        m_command.environment.insert("CUDAFLAGS", "");
        hasWorked(other("cmake", {"-S", ".", "-B", "b", "-DCMAKE_CUDA_COMPILER=" LANESCOPE_COMMAND "-nvcc",
                                  "-DCMAKE_CUDA_RESOLVE_DEVICE_SYMBOLS=ON"}));
        hasWorked(other("cmake", {"--build", "b", "--parallel", "2"}));
        QCOMPARE(other(m_command.path("b/app"), {}).output, QString("330\n"));
        const nlohmann::json found = nlohmann::json::parse(
            m_command.run({"check", "--format", "json", "--", "b/app"}).output.toStdString(), nullptr, false);
        QVERIFY(found.is_object());
        QCOMPARE(found["findings"].size(), size_t{1});
        const nlohmann::json& access = found["findings"][0]["accesses"][0];
        QVERIFY(QString::fromStdString(access["file"].get<std::string>()).endsWith("part13.cu"));
        QCOMPARE(access["line"].get<int>(), 6);
    }
};

QTEST_GUILESS_MAIN(TestNvcc)
#include "tst_nvcc.moc"
