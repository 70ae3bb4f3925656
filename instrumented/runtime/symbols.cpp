// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __device__ and __constant__ variables, as the host sees them.
#include "instrumented/runtime/memory.h"

using namespace lanescope::runtime;

namespace {

cudaError_t symbolRange(Call& call, const void* symbol, size_t bytes, size_t offset, void** address)
{
    const Symbol* known = call->symbol(symbol);
    if (!known)
        return cudaErrorInvalidSymbol;
    const uint64_t base = call->symbolAddress(*known);
    if (base == 0)
        return cudaErrorInvalidSymbol;
    if (offset > known->bytes || bytes > known->bytes - offset)
        return cudaErrorInvalidValue;
    *address = reinterpret_cast<void*>(base + offset);
    return cudaSuccess;
}

}  // namespace

LS_API cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                           cudaMemcpyKind kind, cudaStream_t stream)
{
    Call call;
    if (call.broken())
        return call.ok();
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return call.fail(cudaErrorInvalidMemcpyDirection);
    void* address = nullptr;
    const cudaError_t error = symbolRange(call, symbol, bytes, offset, &address);
    return error == cudaSuccess ? submit(call, stream, plainCopy(address, from, bytes, kind)) : call.fail(error);
}

LS_API cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind)
{
    return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr);
}

LS_API cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind, cudaStream_t stream)
{
    Call call;
    if (call.broken())
        return call.ok();
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return call.fail(cudaErrorInvalidMemcpyDirection);
    void* address = nullptr;
    const cudaError_t error = symbolRange(call, symbol, bytes, offset, &address);
    return error == cudaSuccess ? submit(call, stream, plainCopy(to, address, bytes, kind)) : call.fail(error);
}

LS_API cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind)
{
    return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr);
}

LS_API cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol)
{
    Call call;
    if (!pointer)
        return call.fail(cudaErrorInvalidValue);
    const cudaError_t error = symbolRange(call, symbol, 0, 0, pointer);
    return error == cudaSuccess ? call.ok() : call.fail(error);
}

LS_API cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol)
{
    Call call;
    const Symbol* known = call->symbol(symbol);
    if (!bytes || !known)
        return call.fail(bytes ? cudaErrorInvalidSymbol : cudaErrorInvalidValue);
    *bytes = known->bytes;
    return call.ok();
}
