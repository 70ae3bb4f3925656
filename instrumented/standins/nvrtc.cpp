// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libnvrtc: CUDA C++ that a program compiles while it runs goes to our compiler. What it hands out as PTX or as machine
// code is LLVM bitcode behind a header that says how long it is (instrumented/driver/module_image.cpp): the simulator
// makes more of it than of PTX. What should be PTX is text, as programs expect: the bitcode in hexadecimal; what is to
// be linked with other PTX is PTX indeed.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/device_image.h"
#include "instrumented/compiler/device_code.h"

using namespace lanescope;

#define LS_RTC extern "C" __attribute__((visibility("default"))) int

namespace {

enum Answer {
    kSuccess = 0,
    kInvalidInput = 3,
    kInvalidProgram = 4,
    kInvalidOption = 5,
    kCompilation = 6,
    kNameNotValid = 10
};

struct Program {
    compiler::DeviceCodeRequest request;
    std::string image;  ///< header and bitcode
    std::string text;   ///< the same in letters
    std::string log;
    std::map<std::string, std::string> lowered;
};

/// The value of an option "NAMEvalue", "NAME=value" or "NAME value"; false: it is another one.
bool takeValue(std::string_view option, std::string_view name, std::string& value)
{
    if (!option.starts_with(name))
        return false;
    option.remove_prefix(name.size());
    const size_t begin = option.find_first_not_of("= ");
    value = begin == std::string_view::npos ? std::string() : std::string(option.substr(begin));
    return true;
}

/// Options that say how fast or how careful code is to be say nothing to the simulator.
void takeOption(compiler::DeviceCodeRequest& request, std::string_view option)
{
    std::string value;
    if (takeValue(option, "--include-path", value) || takeValue(option, "-I", value)) {
        request.includeDirectories.push_back(value);
    } else if (takeValue(option, "--define-macro", value) || takeValue(option, "-D", value)) {
        request.definitions.push_back(value);
    } else if (takeValue(option, "--std", value) || takeValue(option, "-std", value)) {
        request.standard = value.starts_with("c++") ? "gnu" + value.substr(1) : value;
    } else if (option == "-rdc=true" || option == "--relocatable-device-code=true" || option == "-dc" ||
               option == "--device-c") {
        request.isToBeLinked = true;
    } else if (option == "-default-device" || option == "--device-as-default-execution-space") {
        request.functionsAreDevices = true;
    }
}

int giveSize(const std::string& text, size_t more, size_t* bytes)
{
    if (!bytes)
        return kInvalidInput;
    *bytes = text.size() + more;
    return kSuccess;
}

int give(const std::string& text, size_t more, char* to)
{
    if (!to)
        return kInvalidInput;
    std::copy_n(text.c_str(), text.size() + more, to);
    return kSuccess;
}

}  // namespace

LS_RTC nvrtcVersion(int* major, int* minor)
{
    if (!major || !minor)
        return kInvalidInput;
    *major = LS_MAJOR;
    *minor = 0;
    return kSuccess;
}

LS_RTC nvrtcGetNumSupportedArchs(int* count)
{
    if (!count)
        return kInvalidInput;
    *count = 1;
    return kSuccess;
}

LS_RTC nvrtcGetSupportedArchs(int* architectures)
{
    if (!architectures)
        return kInvalidInput;
    *architectures = 90;
    return kSuccess;
}

extern "C" __attribute__((visibility("default"))) const char* nvrtcGetErrorString(int error)
{
    switch (error) {
    case kSuccess:
        return "NVRTC_SUCCESS";
    case kInvalidInput:
        return "NVRTC_ERROR_INVALID_INPUT";
    case kInvalidProgram:
        return "NVRTC_ERROR_INVALID_PROGRAM";
    case kInvalidOption:
        return "NVRTC_ERROR_INVALID_OPTION";
    case kCompilation:
        return "NVRTC_ERROR_COMPILATION";
    case kNameNotValid:
        return "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID";
    default:
        return "NVRTC_ERROR unknown";
    }
}

LS_RTC nvrtcCreateProgram(Program** program, const char* source, const char* name, int headerCount,
                          const char* const* headers, const char* const* includeNames)
{
    if (!program || !source || headerCount < 0)
        return kInvalidInput;
    auto made = std::make_unique<Program>();
    made->request.text = source;
    made->request.name = name && *name ? name : "default_program";
    // Names of sources are often those of the program that holds them.
    std::ranges::replace(made->request.name, '/', '_');
    for (int i = 0; i < headerCount; ++i)
        made->request.headers.emplace_back(includeNames[i], headers[i]);
    made->request.definitions.emplace_back("__CUDACC_RTC__");
    *program = made.release();
    return kSuccess;
}

LS_RTC nvrtcDestroyProgram(Program** program)
{
    if (!program || !*program)
        return kInvalidProgram;
    delete *program;
    *program = nullptr;
    return kSuccess;
}

LS_RTC nvrtcAddNameExpression(Program* program, const char* name)
{
    if (!program || !name)
        return program ? kInvalidInput : kInvalidProgram;
    program->request.nameExpressions.emplace_back(name);
    return kSuccess;
}

LS_RTC nvrtcCompileProgram(Program* program, int count, const char* const* options)
{
    if (!program)
        return kInvalidProgram;
    for (int i = 0; i < count; ++i) {
        const std::string option = options[i];
        // A value may be the next word.
        const bool isSplit = (option == "-I" || option == "-D" || option == "--include-path" ||
                              option == "--define-macro" || option == "--std" || option == "-std") &&
                             i + 1 < count;
        takeOption(program->request, isSplit ? option + "=" + options[++i] : option);
    }
    const Result<compiler::DeviceCode> made =
        compiler::compileDeviceCode(program->request, compiler::findInstallation());
    if (!made) {
        program->log = made.error().text();
        return kCompilation;
    }
    program->log = made.value().messages;
    program->image = DeviceImage{made.value().bitcode, 0, {}}.packed();
    program->text = made.value().ptx.empty() ? DeviceImage{made.value().bitcode, 0, {}}.text() : made.value().ptx;
    for (size_t i = 0; i < made.value().mangledNames.size(); ++i)
        program->lowered[program->request.nameExpressions[i]] = made.value().mangledNames[i];
    return kSuccess;
}

LS_RTC nvrtcGetPTXSize(Program* program, size_t* bytes)
{
    return program ? giveSize(program->text, 1, bytes) : kInvalidProgram;
}

LS_RTC nvrtcGetPTX(Program* program, char* to)
{
    return program ? give(program->text, 1, to) : kInvalidProgram;
}

LS_RTC nvrtcGetCUBINSize(Program* program, size_t* bytes)
{
    return program ? giveSize(program->image, 0, bytes) : kInvalidProgram;
}

LS_RTC nvrtcGetCUBIN(Program* program, char* to)
{
    return program ? give(program->image, 0, to) : kInvalidProgram;
}

LS_RTC nvrtcGetProgramLogSize(Program* program, size_t* bytes)
{
    return program ? giveSize(program->log, 1, bytes) : kInvalidProgram;
}

LS_RTC nvrtcGetProgramLog(Program* program, char* to)
{
    return program ? give(program->log, 1, to) : kInvalidProgram;
}

LS_RTC nvrtcGetLoweredName(Program* program, const char* name, const char** lowered)
{
    if (!program || !name || !lowered)
        return program ? kInvalidInput : kInvalidProgram;
    const auto found = program->lowered.find(name);
    if (found == program->lowered.end() || found->second.empty())
        return kNameNotValid;
    *lowered = found->second.c_str();
    return kSuccess;
}
