// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point arithmetic and comparison: IEEE 754, round to nearest, as the host does it. Transcendental functions
// are the host libm's, but for those of single precision that are a GPU's (special_functions.h).

template <BinaryOp op, typename T>
[[gnu::always_inline]] inline T floatBinary(T a, T b)
{
    if constexpr (op == BinaryOp::FAdd)
        return a + b;
    else if constexpr (op == BinaryOp::FSub)
        return a - b;
    else if constexpr (op == BinaryOp::FMul)
        return a * b;
    else if constexpr (op == BinaryOp::FDiv)
        return a / b;
    else if constexpr (op == BinaryOp::FRem)
        return std::fmod(a, b);
    else if constexpr (op == BinaryOp::FMinNum)
        return std::fmin(a, b);
    else if constexpr (op == BinaryOp::FMaxNum)
        return std::fmax(a, b);
    else if constexpr (op == BinaryOp::CopySign)
        return std::copysign(a, b);
    else if constexpr (sizeof(T) == sizeof(float))
        return special::libraryPower(a, b);
    else
        return std::pow(a, b);
}

template <CompareOp op, typename T>
[[gnu::always_inline]] inline int32_t floatCompare(T a, T b)
{
    bool unordered = (a != a) | (b != b);
    if constexpr (op == CompareOp::FFalse)
        return 0;
    else if constexpr (op == CompareOp::FTrue)
        return 1;
    else if constexpr (op == CompareOp::FOeq)
        return a == b;
    else if constexpr (op == CompareOp::FOgt)
        return a > b;
    else if constexpr (op == CompareOp::FOge)
        return a >= b;
    else if constexpr (op == CompareOp::FOlt)
        return a < b;
    else if constexpr (op == CompareOp::FOle)
        return a <= b;
    else if constexpr (op == CompareOp::FOne)
        return !unordered & (a != b);
    else if constexpr (op == CompareOp::FOrd)
        return !unordered;
    else if constexpr (op == CompareOp::FUno)
        return unordered;
    else if constexpr (op == CompareOp::FUeq)
        return unordered | (a == b);
    else if constexpr (op == CompareOp::FUgt)
        return unordered | (a > b);
    else if constexpr (op == CompareOp::FUge)
        return unordered | (a >= b);
    else if constexpr (op == CompareOp::FUlt)
        return unordered | (a < b);
    else if constexpr (op == CompareOp::FUle)
        return unordered | (a <= b);
    else
        return unordered | (a != b);
}

/// Those of single precision that are a GPU's.
constexpr bool isOfGpu(UnaryOp op)
{
    return op == UnaryOp::Exp || op == UnaryOp::Exp2 || op == UnaryOp::Exp10 || op == UnaryOp::Log ||
           op == UnaryOp::Log2 || op == UnaryOp::Log10 || op == UnaryOp::Sin || op == UnaryOp::Cos ||
           (op >= UnaryOp::Rsqrt && op <= UnaryOp::RcpApprox);
}

template <UnaryOp op>
float floatOfGpu(float a)
{
    if constexpr (op == UnaryOp::Exp)
        return special::libraryExp(a);
    else if constexpr (op == UnaryOp::Exp2)
        return special::approximateExp2(a);
    else if constexpr (op == UnaryOp::Exp10)
        return special::libraryExp10(a);
    else if constexpr (op == UnaryOp::Log)
        return special::libraryLog(a);
    else if constexpr (op == UnaryOp::Log2)
        return special::libraryLog2(a);
    else if constexpr (op == UnaryOp::Log10)
        return special::libraryLog10(a);
    else if constexpr (op == UnaryOp::Sin)
        return special::librarySine(a);
    else if constexpr (op == UnaryOp::Cos)
        return special::libraryCosine(a);
    else if constexpr (op == UnaryOp::SinApprox)
        return special::approximateSine(a);
    else if constexpr (op == UnaryOp::CosApprox)
        return special::approximateCosine(a);
    else if constexpr (op == UnaryOp::Rsqrt)
        return special::approximateReciprocalRoot(a);
    else if constexpr (op == UnaryOp::Log2Approx)
        return special::approximateLog2(a);
    else if constexpr (op == UnaryOp::RootApprox)
        return special::approximateRoot(a);
    else
        return special::approximateReciprocal(a);
}

template <UnaryOp op, typename T>
[[gnu::always_inline]] inline T floatUnary(T a)
{
    if constexpr (isOfGpu(op) && sizeof(T) == sizeof(float))
        return floatOfGpu<op>(a);
    else if constexpr (op == UnaryOp::Copy)
        return a;
    else if constexpr (op == UnaryOp::FNeg)
        return -a;
    else if constexpr (op == UnaryOp::FAbs)
        return std::fabs(a);
    else if constexpr (op == UnaryOp::Sqrt)
        return std::sqrt(a);
    else if constexpr (op == UnaryOp::Floor)
        return std::floor(a);
    else if constexpr (op == UnaryOp::Ceil)
        return std::ceil(a);
    else if constexpr (op == UnaryOp::Trunc)
        return std::trunc(a);
    else if constexpr (op == UnaryOp::Round)
        return std::round(a);
    else if constexpr (op == UnaryOp::Rint)
        return std::nearbyint(a);
    else if constexpr (op == UnaryOp::Exp)
        return std::exp(a);
    else if constexpr (op == UnaryOp::Exp2)
        return std::exp2(a);
    else if constexpr (op == UnaryOp::Exp10)
        return std::pow(T{10}, a);
    else if constexpr (op == UnaryOp::Log)
        return std::log(a);
    else if constexpr (op == UnaryOp::Log2)
        return std::log2(a);
    else if constexpr (op == UnaryOp::Log10)
        return std::log10(a);
    else if constexpr (op == UnaryOp::Sin)
        return std::sin(a);
    else if constexpr (op == UnaryOp::Cos)
        return std::cos(a);
    else if constexpr (op == UnaryOp::Rsqrt)
        return T{1} / std::sqrt(a);
    else
        return T{1} / a;
}

/// PTX cvt.rzi: rounds towards zero, saturates. NaN gives the highest bit; from 32 bits to 32, 0 (as on an H200).
template <typename I, typename F>
[[gnu::always_inline]] inline I saturatingToInteger(F value, int bits)
{
    constexpr bool isSigned = std::is_signed_v<I>;
    I highest = isSigned ? static_cast<I>((uint64_t{1} << (bits - 1)) - 1)
                         : static_cast<I>(bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1);
    I lowest = isSigned ? static_cast<I>(-highest - 1) : I{0};
    if (!(value == value))
        return sizeof(F) == 8 || bits == 64 ? static_cast<I>(uint64_t{1} << (bits - 1)) : I{0};
    const F half = static_cast<F>(uint64_t{1} << (bits - 1));
    if (value >= (isSigned ? half : 2 * half))
        return highest;
    if (value <= (isSigned ? -half : F{0}))
        return lowest;
    return static_cast<I>(value);
}
