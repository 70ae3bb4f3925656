// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic, comparison and bit operations. LLVM's semantics; where LLVM says poison or undefined
// (division by zero, shift by the width or more) the result is what PTX gives: all ones, zero or the sign.

/// a / b, b not 0 and no overflow. Of 32 bits by doubles, which processors divide as vectors: what these round is at
/// most 2^-21 / |b|, where a quotient that is no whole number is 1 / |b| away from one. The maker of machine code does
/// so itself, once it has seen which divisors are constants (native/divisions.h).
template <typename T>
[[gnu::always_inline]] inline T wholeQuotient(T a, T b)
{
#ifndef LS_BITCODE
    if constexpr (sizeof(T) == sizeof(int32_t))
        return static_cast<T>(static_cast<double>(a) / static_cast<double>(b));
#endif
    return static_cast<T>(a / b);
}

/// Likewise what is left of a.
template <typename T>
[[gnu::always_inline]] inline T wholeRemainder(T a, T b)
{
#ifndef LS_BITCODE
    if constexpr (sizeof(T) == sizeof(int32_t))
        return static_cast<T>(a - wholeQuotient(a, b) * b);
#endif
    return static_cast<T>(a % b);
}

template <BinaryOp op, typename T>
[[gnu::always_inline]] inline T integerBinary(T a, T b)
{
    using U = std::make_unsigned_t<T>;
    using S = std::make_signed_t<T>;
    constexpr U kBits = sizeof(T) * 8;
    U ua = static_cast<U>(a), ub = static_cast<U>(b);
    S sa = static_cast<S>(a), sb = static_cast<S>(b);
    // All lanes divide, whatever becomes of it.
    [[maybe_unused]] U divisor = ub == 0 ? U{1} : ub;
    [[maybe_unused]] S signedDivisor = sb == 0 || sb == -1 ? S{1} : sb;
    if constexpr (op == BinaryOp::Add)
        return static_cast<T>(ua + ub);
    else if constexpr (op == BinaryOp::Sub)
        return static_cast<T>(ua - ub);
    else if constexpr (op == BinaryOp::Mul)
        return static_cast<T>(ua * ub);
    else if constexpr (op == BinaryOp::UDiv)
        return static_cast<T>(ub == 0 ? ~U{0} : wholeQuotient(ua, divisor));
    else if constexpr (op == BinaryOp::URem)
        return static_cast<T>(ub == 0 ? ua : wholeRemainder(ua, divisor));
    else if constexpr (op == BinaryOp::SDiv)
        return sb == 0    ? static_cast<T>(~U{0})
               : sb == -1 ? static_cast<T>(U{0} - ua)
                          : static_cast<T>(wholeQuotient(sa, signedDivisor));
    else if constexpr (op == BinaryOp::SRem)
        return sb == 0 ? a : sb == -1 ? T{0} : static_cast<T>(wholeRemainder(sa, signedDivisor));
    else if constexpr (op == BinaryOp::Shl)
        return static_cast<T>(ub >= kBits ? U{0} : ua << (ub & (kBits - 1)));
    else if constexpr (op == BinaryOp::LShr)
        return static_cast<T>(ub >= kBits ? U{0} : ua >> (ub & (kBits - 1)));
    else if constexpr (op == BinaryOp::AShr)
        return static_cast<T>(sa >> (ub >= kBits ? kBits - 1 : ub));
    else if constexpr (op == BinaryOp::And)
        return static_cast<T>(ua & ub);
    else if constexpr (op == BinaryOp::Or)
        return static_cast<T>(ua | ub);
    else if constexpr (op == BinaryOp::Xor)
        return static_cast<T>(ua ^ ub);
    else if constexpr (op == BinaryOp::SMin)
        return static_cast<T>(sa < sb ? sa : sb);
    else if constexpr (op == BinaryOp::SMax)
        return static_cast<T>(sa > sb ? sa : sb);
    else if constexpr (op == BinaryOp::UMin)
        return static_cast<T>(ua < ub ? ua : ub);
    else
        return static_cast<T>(ua > ub ? ua : ub);
}

template <CompareOp op, typename T>
[[gnu::always_inline]] inline int32_t integerCompare(T a, T b)
{
    using U = std::make_unsigned_t<T>;
    using S = std::make_signed_t<T>;
    if constexpr (op == CompareOp::Eq)
        return a == b;
    else if constexpr (op == CompareOp::Ne)
        return a != b;
    else if constexpr (op == CompareOp::UGt)
        return static_cast<U>(a) > static_cast<U>(b);
    else if constexpr (op == CompareOp::UGe)
        return static_cast<U>(a) >= static_cast<U>(b);
    else if constexpr (op == CompareOp::ULt)
        return static_cast<U>(a) < static_cast<U>(b);
    else if constexpr (op == CompareOp::ULe)
        return static_cast<U>(a) <= static_cast<U>(b);
    else if constexpr (op == CompareOp::SGt)
        return static_cast<S>(a) > static_cast<S>(b);
    else if constexpr (op == CompareOp::SGe)
        return static_cast<S>(a) >= static_cast<S>(b);
    else if constexpr (op == CompareOp::SLt)
        return static_cast<S>(a) < static_cast<S>(b);
    else
        return static_cast<S>(a) <= static_cast<S>(b);
}

template <UnaryOp op, typename T>
[[gnu::always_inline]] inline T integerUnary(T a)
{
    using U = std::make_unsigned_t<T>;
    constexpr int kBits = sizeof(T) * 8;
    U u = static_cast<U>(a);
    if constexpr (op == UnaryOp::Copy)
        return a;
    else if constexpr (op == UnaryOp::Not)
        return static_cast<T>(~u);
    else if constexpr (op == UnaryOp::Abs)
        return static_cast<T>(a < 0 ? U{0} - u : u);
    else if constexpr (op == UnaryOp::PopCount)
        return static_cast<T>(std::popcount(u));
    else if constexpr (op == UnaryOp::LeadingZeros)
        return static_cast<T>(std::countl_zero(u));
    else if constexpr (op == UnaryOp::TrailingZeros)
        return static_cast<T>(std::countr_zero(u));
    else if constexpr (op == UnaryOp::ByteSwap)
        return static_cast<T>(kBits == 32 ? __builtin_bswap32(static_cast<uint32_t>(u)) : __builtin_bswap64(u));
    else if constexpr (op == UnaryOp::HalfToFloat)
        return static_cast<T>(floatOfHalf(static_cast<uint32_t>(u)));
    else if constexpr (op == UnaryOp::BFloatToFloat)
        return static_cast<T>(floatOfBFloat(static_cast<uint32_t>(u)));
    else if constexpr (op == UnaryOp::FloatToHalf)
        return static_cast<T>(halfOfFloat(static_cast<uint32_t>(u)));
    else if constexpr (op == UnaryOp::FloatToBFloat)
        return static_cast<T>(bfloatOfFloat(static_cast<uint32_t>(u)));
    else {
        U reversed = 0;
        for (int bit = 0; bit < kBits; ++bit)
            reversed |= ((u >> bit) & 1) << (kBits - 1 - bit);
        return static_cast<T>(reversed);
    }
}
