// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a record of a program that we did not build says where it comes from: the instruction's address and what it does,
// in the 32 bits that a record has for its place. Plain C++ without the standard library's classes, compiled for the
// GPU and for the host.
#pragma once

#include <stdint.h>

namespace lanescope::attach {

enum class Deed : uint32_t {
    Barrier,
    Exit,
    GlobalLoad,
    GlobalStore,
    GlobalAtomic,
    SharedLoad,
    SharedStore,
    SharedAtomic,
    LocalLoad,
    LocalStore,
};
inline constexpr uint32_t kDeedCount = 10;

/// Instructions of a GPU lie at multiples of this.
inline constexpr uint32_t kInstructionBytes = 16;
inline constexpr uint32_t kAddressBits = 27;
/// Two instructions so far from each other have one place: 2 GiB.
inline constexpr uint64_t kAddressSpan = uint64_t{kInstructionBytes} << kAddressBits;

constexpr uint32_t placeOf(Deed deed, uint64_t instruction)
{
    return (uint32_t)deed << kAddressBits | ((uint32_t)(instruction / kInstructionBytes) & ((1u << kAddressBits) - 1));
}
constexpr uint32_t deedOf(uint32_t place)
{
    return place >> kAddressBits;
}
/// What is left of the instruction's address: the address modulo kAddressSpan.
constexpr uint64_t addressOf(uint32_t place)
{
    return (uint64_t)(place & ((1u << kAddressBits) - 1)) * kInstructionBytes;
}

}  // namespace lanescope::attach
