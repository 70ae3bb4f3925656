// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/machine/math_library.h"

#include <bit>
#include <cmath>
#include <string_view>

#include "core/simt/machine/special_functions.h"

namespace lanescope::simt {
namespace {

template <typename T>
struct Unary {
    const char* name;
    T (*function)(T);
};

template <typename T>
struct Binary {
    const char* name;
    T (*function)(T, T);
};

constexpr double kHalfRoot = 0.70710678118654752440;  // 1/√2
constexpr double kTwoByRootPi = 1.12837916709551257390;

/// sin(πx), exact at multiples of a half.
double sineOfPi(double x)
{
    double part = std::remainder(x, 2.0);
    double mirrored = part > 0.5 ? 1 - part : part < -0.5 ? -1 - part : part;
    return std::sin(mirrored * 3.14159265358979323846);
}

/// exp(x²) erfc(x); where exp would overflow, by its asymptotic series.
double scaledErfc(double x)
{
    if (x < 25)
        return std::exp(x * x) * std::erfc(x);
    double inverse = 1 / (2 * x * x);
    return kTwoByRootPi / 2 / x * (1 - inverse * (1 - 3 * inverse * (1 - 5 * inverse)));
}

/// Abramowitz and Stegun 26.2.22 as a start, then Halley steps to the end.
double inverseErfc(double y)
{
    if (!(y > 0 && y < 2))
        return y == 0 ? HUGE_VAL : y == 2 ? -HUGE_VAL : NAN;
    double tail = y < 1 ? y : 2 - y;
    double t = std::sqrt(-2 * std::log(tail / 2));
    double x = kHalfRoot * (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)));
    for (int i = 0; i < 3; ++i) {
        double error = std::erfc(x) - tail;
        x += error / (kTwoByRootPi * std::exp(-x * x) - x * error);
    }
    return y < 1 ? x : -x;
}

double inverseErf(double y)
{
    if (std::fabs(y) > 0.5)
        return y > 0 ? inverseErfc(1 - y) : -inverseErfc(1 + y);
    double x = y / kTwoByRootPi;
    for (int i = 0; i < 5; ++i) {
        double error = std::erf(x) - y;
        x -= error / (kTwoByRootPi * std::exp(-x * x) + x * error);
    }
    return x;
}

// Names as in C for double; float functions end in f.
template <typename T>
constexpr Unary<T> kUnary[] = {
    {"sqrt", [](T x) { return std::sqrt(x); }},
    {"cbrt", [](T x) { return std::cbrt(x); }},
    {"rsqrt", [](T x) { return 1 / std::sqrt(x); }},
    {"rcbrt", [](T x) { return 1 / std::cbrt(x); }},
    {"exp", [](T x) { return std::exp(x); }},
    {"exp2", [](T x) { return std::exp2(x); }},
    {"exp10", [](T x) { return std::pow(T(10), x); }},
    {"expm1", [](T x) { return std::expm1(x); }},
    {"log", [](T x) { return std::log(x); }},
    {"log2", [](T x) { return std::log2(x); }},
    {"log10", [](T x) { return std::log10(x); }},
    {"log1p", [](T x) { return std::log1p(x); }},
    {"logb", [](T x) { return std::logb(x); }},
    {"sin", [](T x) { return std::sin(x); }},
    {"cos", [](T x) { return std::cos(x); }},
    {"tan", [](T x) { return std::tan(x); }},
    {"asin", [](T x) { return std::asin(x); }},
    {"acos", [](T x) { return std::acos(x); }},
    {"atan", [](T x) { return std::atan(x); }},
    {"sinh", [](T x) { return std::sinh(x); }},
    {"cosh", [](T x) { return std::cosh(x); }},
    {"tanh", [](T x) { return std::tanh(x); }},
    {"asinh", [](T x) { return std::asinh(x); }},
    {"acosh", [](T x) { return std::acosh(x); }},
    {"atanh", [](T x) { return std::atanh(x); }},
    {"erf", [](T x) { return std::erf(x); }},
    {"erfc", [](T x) { return std::erfc(x); }},
    {"tgamma", [](T x) { return std::tgamma(x); }},
    {"lgamma", [](T x) { return std::lgamma(x); }},
    {"floor", [](T x) { return std::floor(x); }},
    {"ceil", [](T x) { return std::ceil(x); }},
    {"trunc", [](T x) { return std::trunc(x); }},
    {"round", [](T x) { return std::round(x); }},
    {"rint", [](T x) { return std::rint(x); }},
    {"nearbyint", [](T x) { return std::nearbyint(x); }},
    {"fabs", [](T x) { return std::fabs(x); }},
    {"sinpi", [](T x) { return static_cast<T>(sineOfPi(x)); }},
    {"cospi", [](T x) { return static_cast<T>(sineOfPi(x + T(0.5))); }},
    {"j0", [](T x) { return static_cast<T>(::j0(x)); }},
    {"j1", [](T x) { return static_cast<T>(::j1(x)); }},
    {"y0", [](T x) { return static_cast<T>(::y0(x)); }},
    {"y1", [](T x) { return static_cast<T>(::y1(x)); }},
    {"cyl_bessel_i0", [](T x) { return static_cast<T>(std::cyl_bessel_i(0.0, std::fabs(static_cast<double>(x)))); }},
    {"cyl_bessel_i1",
     [](T x) { return std::copysign(static_cast<T>(std::cyl_bessel_i(1.0, std::fabs(static_cast<double>(x)))), x); }},
    {"erfcx", [](T x) { return static_cast<T>(scaledErfc(static_cast<double>(x))); }},
    {"normcdf", [](T x) { return static_cast<T>(std::erfc(-static_cast<double>(x) * kHalfRoot) / 2); }},
    {"erfinv", [](T x) { return static_cast<T>(inverseErf(static_cast<double>(x))); }},
    {"erfcinv", [](T x) { return static_cast<T>(inverseErfc(static_cast<double>(x))); }},
    {"normcdfinv", [](T x) { return static_cast<T>(-inverseErfc(2 * static_cast<double>(x)) / kHalfRoot); }},
};

template <typename T>
constexpr Binary<T> kBinary[] = {
    {"pow", [](T x, T y) { return std::pow(x, y); }},
    {"atan2", [](T x, T y) { return std::atan2(x, y); }},
    {"fmod", [](T x, T y) { return std::fmod(x, y); }},
    {"remainder", [](T x, T y) { return std::remainder(x, y); }},
    {"hypot", [](T x, T y) { return std::hypot(x, y); }},
    {"fdim", [](T x, T y) { return std::fdim(x, y); }},
    {"fmin", [](T x, T y) { return std::fmin(x, y); }},
    {"fmax", [](T x, T y) { return std::fmax(x, y); }},
    {"copysign", [](T x, T y) { return std::copysign(x, y); }},
    {"nextafter", [](T x, T y) { return std::nextafter(x, y); }},
};

/// Of single precision, as a GPU's library has them.
constexpr Unary<float> kUnaryOfGpu[] = {
    {"exp", special::libraryExp},     {"exp2", [](float x) { return special::approximateExp2(x); }},
    {"exp10", special::libraryExp10}, {"log", special::libraryLog},
    {"log2", special::libraryLog2},   {"log10", special::libraryLog10},
    {"tanh", special::libraryTanh},   {"rsqrt", special::approximateReciprocalRoot},
    {"sin", special::librarySine},    {"cos", special::libraryCosine},
    {"erf", special::libraryErf},     {"expm1", special::libraryExpm1},
    {"log1p", special::libraryLog1p}, {"fast_tanh", special::approximateTanh},
};

constexpr Binary<float> kBinaryOfGpu[] = {{"pow", special::libraryPower}};

template <typename T>
MathFunction find(std::string_view name, size_t arguments)
{
    if (arguments == 1)
        for (const Unary<T>& entry : kUnary<T>)
            if (name == entry.name)
                return reinterpret_cast<MathFunction>(entry.function);
    if (arguments == 2)
        for (const Binary<T>& entry : kBinary<T>)
            if (name == entry.name)
                return reinterpret_cast<MathFunction>(entry.function);
    return nullptr;
}

template <typename T>
const Instr* runUnary(const Instr* instr, Warp& warp)
{
    auto function = reinterpret_cast<T (*)(T)>(instr->imm);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        warp.vector<T>(instr->dst)[lane] = function(warp.vector<T>(instr->a)[lane]);
    }
    return instr + 1;
}

template <typename T>
const Instr* runBinary(const Instr* instr, Warp& warp)
{
    auto function = reinterpret_cast<T (*)(T, T)>(instr->imm);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        warp.vector<T>(instr->dst)[lane] = function(warp.vector<T>(instr->a)[lane], warp.vector<T>(instr->b)[lane]);
    }
    return instr + 1;
}

}  // namespace

MathFunction mathFunction(const std::string& name, LaneType lane, size_t arguments)
{
    std::string_view base = name;
    constexpr std::string_view kPrefix = "__ls_math_";
    if (base.starts_with(kPrefix))
        base.remove_prefix(kPrefix.size());
    if (lane == LaneType::F64)
        return find<double>(base, arguments);
    if (!base.ends_with('f'))
        return nullptr;
    base.remove_suffix(1);
    for (const Unary<float>& entry : kUnaryOfGpu)
        if (arguments == 1 && base == entry.name)
            return reinterpret_cast<MathFunction>(entry.function);
    for (const Binary<float>& entry : kBinaryOfGpu)
        if (arguments == 2 && base == entry.name)
            return reinterpret_cast<MathFunction>(entry.function);
    return find<float>(base, arguments);
}

Handler runMath(LaneType lane, size_t arguments)
{
    if (arguments == 1)
        return lane == LaneType::F32 ? runUnary<float> : runUnary<double>;
    if (arguments == 2)
        return lane == LaneType::F32 ? runBinary<float> : runBinary<double>;
    return nullptr;
}

}  // namespace lanescope::simt
