// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules and libraries: loaded at run time, asked for kernels and variables.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <span>

#include "instrumented/driver/driver.h"
#include "instrumented/driver/module_image.h"
#include "instrumented/runtime/devices.h"
#include "instrumented/runtime/handles.h"

using namespace lanescope;
using namespace lanescope::driver;
using namespace lanescope::runtime;

namespace {

bool isModule(CUmodule module)
{
    return handles<CUmod_st>().has(module);
}

CUmodule moduleOf(CUlibrary library)
{
    return reinterpret_cast<CUmodule>(library);
}

CUfunction functionOf(CUkernel kernel)
{
    return reinterpret_cast<CUfunction>(kernel);
}

CUresult codeOf(const Error& error)
{
    return error.code == Error::Code::Unsupported ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_INVALID_IMAGE;
}

CUresult load(CUmodule* module, const void* image)
{
    if (!module || !image)
        return CUDA_ERROR_INVALID_VALUE;
    Call call;
    *module = nullptr;
    Result<ModuleImage> read = readImage(image);
    if (!read) {
        call->noteStop(read.error());
        return codeOf(read.error());
    }
    DeviceCode& code = call->addCode(read.value().kind, std::move(read.value().bytes));
    if (!call->module(code)) {
        call->removeCode(code);
        return CUDA_ERROR_INVALID_PTX;
    }
    *module = handles<CUmod_st>().create();
    (*module)->code = &code;
    return CUDA_SUCCESS;
}

/// A module, unlike a library, belongs to the context that is current as it is loaded.
CUresult ofContext(CUresult loaded, const CUmodule* module)
{
    if (loaded == CUDA_SUCCESS)
        (*module)->code->onlyOn = currentDevice();
    return loaded;
}

/// Where the caller wants to read what a compiler would have said.
struct JitLog {
    char* text = nullptr;
    void** bytes = nullptr;  ///< in: the buffer's size; out: of the text

    void write(const std::string& message) const
    {
        if (!bytes)
            return;
        const auto room = reinterpret_cast<size_t>(*bytes);
        const size_t size = room == 0 ? 0 : std::min(message.size(), room - 1);
        if (text && room > 0) {
            std::memcpy(text, message.data(), size);
            text[size] = 0;
        }
        *bytes = reinterpret_cast<void*>(size);
    }
};

JitLog logOf(std::span<const CUjit_option> options, void** values, CUjit_option text, CUjit_option bytes)
{
    JitLog log;
    for (size_t i = 0; i < options.size(); ++i) {
        if (options[i] == text)
            log.text = static_cast<char*>(values[i]);
        if (options[i] == bytes)
            log.bytes = &values[i];
    }
    return log;
}

CUresult loadWithLogs(CUmodule* module, const void* image, std::span<const CUjit_option> options, void** values)
{
    const CUresult result = load(module, image);
    std::string message;
    if (result != CUDA_SUCCESS) {
        Call call;
        message = call->firstStop() ? call->firstStop()->text() : "the module could not be loaded";
    }
    logOf(options, values, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES).write(message);
    logOf(options, values, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES).write({});
    return result;
}

CUresult loadFile(CUmodule* module, const char* path)
{
    if (!module || !path)
        return CUDA_ERROR_INVALID_VALUE;
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return CUDA_ERROR_FILE_NOT_FOUND;
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    constexpr size_t kHeader = 16;  // what readImage looks at
    bytes.resize(std::max(bytes.size() + 1, kHeader));
    return load(module, bytes.data());
}

CUresult findFunction(CUfunction* function, CUmodule module, const char* name)
{
    Call call;
    if (!function || !name)
        return CUDA_ERROR_INVALID_VALUE;
    if (!isModule(module))
        return CUDA_ERROR_INVALID_HANDLE;
    *function = nullptr;
    if (!call->kernelInfo(*module->code, name))
        return CUDA_ERROR_NOT_FOUND;
    std::unique_ptr<CUfunc_st>& known = module->functions[name];
    if (!known) {
        known = std::make_unique<CUfunc_st>(CUfunc_st{module, name});
        call->registerKernel(known.get(), name, *module->code);
    }
    *function = known.get();
    return CUDA_SUCCESS;
}

CUresult findGlobal(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name)
{
    Call call;
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    if (!isModule(module))
        return CUDA_ERROR_INVALID_HANDLE;
    device::Module* loaded = call->module(*module->code);
    if (!loaded)
        return CUDA_ERROR_INVALID_HANDLE;
    const Result<device::GlobalVariable> found = loaded->variable(name);
    if (!found)
        return found.error().code == Error::Code::Limit ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_NOT_FOUND;
    if (address)
        *address = found.value().address;
    if (bytes)
        *bytes = found.value().bytes;
    return CUDA_SUCCESS;
}

CUresult countFunctions(unsigned* count, CUmodule module)
{
    Call call;
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    if (!isModule(module))
        return CUDA_ERROR_INVALID_HANDLE;
    *count = static_cast<unsigned>(call->module(*module->code)->kernels().size());
    return CUDA_SUCCESS;
}

CUresult listFunctions(CUfunction* functions, unsigned count, CUmodule module)
{
    Call call;
    if (!functions)
        return CUDA_ERROR_INVALID_VALUE;
    if (!isModule(module))
        return CUDA_ERROR_INVALID_HANDLE;
    const std::vector<device::KernelInfo>& kernels = call->module(*module->code)->kernels();
    for (size_t i = 0; i < std::min<size_t>(count, kernels.size()); ++i)
        (void)findFunction(&functions[i], module, kernels[i].name.c_str());
    return CUDA_SUCCESS;
}

CUresult unload(CUmodule module)
{
    Call call;
    if (!isModule(module))
        return CUDA_ERROR_INVALID_HANDLE;
    call->removeCode(*module->code);
    handles<CUmod_st>().destroy(module);
    return CUDA_SUCCESS;
}

}  // namespace

LS_API CUresult cuModuleLoad(CUmodule* module, const char* path)
{
    return ofContext(loadFile(module, path), module);
}

LS_API CUresult cuModuleLoadData(CUmodule* module, const void* image)
{
    return ofContext(load(module, image), module);
}

LS_API CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options,
                                   void** values)
{
    return ofContext(loadWithLogs(module, image, {options, options ? count : 0}, values), module);
}

LS_API CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image)
{
    return ofContext(load(module, image), module);
}

LS_API CUresult cuModuleUnload(CUmodule module)
{
    return unload(module);
}

LS_API CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name)
{
    return findFunction(function, module, name);
}

LS_API CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module)
{
    return countFunctions(count, module);
}

LS_API CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule module)
{
    return listFunctions(functions, count, module);
}

LS_API CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name)
{
    return findGlobal(address, bytes, module, name);
}

LS_API CUresult cuModuleGetLoadingMode(int* mode)
{
    constexpr int kEager = 1;
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = kEager;
    return CUDA_SUCCESS;
}

LS_API CUresult cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option* jitOptions, void** jitValues,
                                  unsigned jitCount, CUlibraryOption* /*libraryOptions*/, void** /*libraryValues*/,
                                  unsigned /*libraryCount*/)
{
    return loadWithLogs(reinterpret_cast<CUmodule*>(library), image, {jitOptions, jitOptions ? jitCount : 0},
                        jitValues);
}

LS_API CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option* /*jitOptions*/,
                                      void** /*jitValues*/, unsigned /*jitCount*/, CUlibraryOption* /*libraryOptions*/,
                                      void** /*libraryValues*/, unsigned /*libraryCount*/)
{
    return loadFile(reinterpret_cast<CUmodule*>(library), path);
}

LS_API CUresult cuLibraryUnload(CUlibrary library)
{
    return unload(moduleOf(library));
}

LS_API CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name)
{
    return findFunction(reinterpret_cast<CUfunction*>(kernel), moduleOf(library), name);
}

LS_API CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary library)
{
    return countFunctions(count, moduleOf(library));
}

LS_API CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary library)
{
    return listFunctions(reinterpret_cast<CUfunction*>(kernels), count, moduleOf(library));
}

LS_API CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library)
{
    Call call;
    if (!module)
        return CUDA_ERROR_INVALID_VALUE;
    *module = moduleOf(library);
    return isModule(*module) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

LS_API CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary library, const char* name)
{
    return findGlobal(address, bytes, moduleOf(library), name);
}

LS_API CUresult cuLibraryGetManaged(CUdeviceptr* address, size_t* bytes, CUlibrary library, const char* name)
{
    return findGlobal(address, bytes, moduleOf(library), name);
}

LS_API CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel)
{
    Call call;
    if (!function)
        return CUDA_ERROR_INVALID_VALUE;
    *function = functionOf(kernel);
    return isFunction(call.runtime(), kernel) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

LS_API CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel)
{
    return cuFuncGetModule(reinterpret_cast<CUmodule*>(library), functionOf(kernel));
}

LS_API CUresult cuFuncGetModule(CUmodule* module, CUfunction function)
{
    Call call;
    if (!module)
        return CUDA_ERROR_INVALID_VALUE;
    if (!isFunction(call.runtime(), function))
        return CUDA_ERROR_INVALID_HANDLE;
    *module = function->module;
    return CUDA_SUCCESS;
}
