// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/places_apart.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace lanescope::simt {
namespace {

/// What no distance in a buffer comes near.
constexpr int64_t kFar = int64_t{1} << 40;
constexpr Coordinate kAxes = kFirstBlockCoordinate;
/// What is more than that is not gone through.
constexpr int64_t kMostNumbers = 4;
constexpr size_t kMostPairs = 4096;

bool isFar(int64_t number)
{
    return number > kFar || number < -kFar;
}

int64_t quotientDown(int64_t a, int64_t b)
{
    return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

int64_t quotientUp(int64_t a, int64_t b)
{
    return -quotientDown(-a, b);
}

/// A part of a sum: what is counted, and how many bytes each counts.
struct Digit {
    int64_t step = 0;  ///< above 0
    int64_t lowest = 0, highest = 0;
    /// What it counts: a coordinate; from kOthers on, an axis of the grid, its blocks' threads one after the other;
    /// from kNobodys on, what does not tell the thread. Downwards where kDown is added.
    unsigned of = 0;

    bool operator==(const Digit&) const = default;
};
constexpr unsigned kNobodys = kOthers + kAxes, kDown = 16;

/// One access as digits, the largest step first.
struct Place {
    std::vector<Digit> digits;
    int64_t constant = 0;
    uint32_t bytes = 0;
    int64_t period = 0;  ///< what it may be further on by any multiple of; 0: by nothing
    bool isWrite = false;
    bool isReached = true;                      ///< by some thread
    std::array<ValueRange, kNobodys> ranges{};  ///< by coordinate and axis: which threads get there
    std::vector<ValueRange> below;              ///< of digits from there on; as long as `digits`, and one more

    [[nodiscard]] bool isAt(const Place& other) const
    {
        return digits == other.digits && constant == other.constant && bytes == other.bytes && period == other.period &&
               ranges == other.ranges;
    }
};

/// A launch's axis: its coordinates, and how they make one number of it.
struct Axis {
    Coordinate thread, block;
    int64_t extent;  ///< threads of a block
    bool hasThreads, hasBlocks;

    Axis(Coordinate axis, const LastCoordinates& last)
        : thread(axis), block(kAxes + axis), extent(last[axis] + 1), hasThreads(last[axis] > 0),
          hasBlocks(last[kAxes + axis] > 0)
    {
    }
    /// What the axis' number is multiplied with, if that is all that its coordinates are there for.
    [[nodiscard]] std::optional<int64_t> timesOf(const std::array<int64_t, kOthers>& times) const
    {
        if (!hasBlocks)
            return hasThreads ? times[thread] : 0;
        if (!hasThreads)
            return times[block];
        int64_t whole = 0;
        if (__builtin_mul_overflow(times[thread], extent, &whole) || whole != times[block])
            return std::nullopt;
        return times[thread];
    }
};

/// Makes a range smaller by times * number <= most.
void limit(ValueRange& range, int64_t times, int64_t most)
{
    if (times > 0)
        range.highest = std::min(range.highest, quotientDown(most, times));
    else if (times < 0)
        range.lowest = std::max(range.lowest, quotientUp(most, times));
}

/// Reads accesses of one launch.
class PlaceReader {
public:
    explicit PlaceReader(const LastCoordinates& last) : m_last(last)
    {
        for (Coordinate axis = 0; axis < kAxes; ++axis)
            m_axes.emplace_back(axis, last);
    }

    [[nodiscard]] std::span<const Axis> axes() const { return m_axes; }
    /// None: it may be too far away.
    [[nodiscard]] std::optional<Place> place(const PlacedAccess& access) const;

private:
    [[nodiscard]] bool addDigit(Place& place, int64_t times, ValueRange range, unsigned of) const;
    void findRanges(const PlacedAccess& access, Place& place) const;
    [[nodiscard]] bool findBelow(const PlacedAccess& access, Place& place) const;
    [[nodiscard]] std::optional<int64_t> mostOf(const PlacedAccess& access, const Place& place, size_t first) const;
    /// Of what a sum is made that one digit is.
    void addTimes(const Digit& digit, std::array<int64_t, kOthers>& times) const;

    const LastCoordinates& m_last;
    std::vector<Axis> m_axes;
};

void PlaceReader::findRanges(const PlacedAccess& access, Place& place) const
{
    for (Coordinate i = 0; i < kOthers; ++i)
        place.ranges[i] = {0, m_last[i]};
    for (const Axis& axis : m_axes)
        place.ranges[kOthers + axis.thread] = {0, axis.extent * (m_last[axis.block] + 1) - 1};
    for (const PlacedBound& bound : access.bounds) {
        if (isFar(bound.most))
            continue;
        // Of one coordinate, or one axis.
        std::array<int64_t, kOthers> times = bound.times;
        for (Coordinate i = 0; i < kOthers; ++i)
            if (m_last[i] == 0)
                times[i] = 0;
        if (std::ranges::count(times, 0) == kOthers - 1)
            for (Coordinate i = 0; i < kOthers; ++i)
                limit(place.ranges[i], times[i], bound.most);
        for (const Axis& axis : m_axes) {
            auto others = times;
            others[axis.thread] = others[axis.block] = 0;
            if (const auto ofAxis = axis.timesOf(times); ofAxis && others == std::array<int64_t, kOthers>{})
                limit(place.ranges[kOthers + axis.thread], *ofAxis, bound.most);
        }
    }
    place.isReached =
        std::ranges::all_of(place.ranges, [](const ValueRange& range) { return range.lowest <= range.highest; });
}

/// False: it is too large.
bool PlaceReader::addDigit(Place& place, int64_t times, ValueRange range, unsigned of) const
{
    if (times == 0)
        return true;
    if (isFar(times) || isFar(range.highest) || isFar(range.lowest))
        return false;
    if (times < 0)
        place.digits.push_back({-times, -range.highest, -range.lowest, of + kDown});
    else
        place.digits.push_back({times, range.lowest, range.highest, of});
    return true;
}

std::optional<Place> PlaceReader::place(const PlacedAccess& access) const
{
    Place place;
    place.constant = access.offset.constant;
    place.bytes = access.bytes;
    place.isWrite = access.isWrite;
    findRanges(access, place);
    if (!place.isReached)
        return place;
    bool fits = true;
    for (const Axis& axis : m_axes) {
        if (const auto times = axis.timesOf(access.offset.times)) {
            fits = fits && addDigit(place, *times, place.ranges[kOthers + axis.thread], kOthers + axis.thread);
            continue;
        }
        for (const Coordinate i : {axis.thread, axis.block})
            fits = fits && addDigit(place, access.offset.times[i], place.ranges[i], i);
    }
    for (const PlacedOther& other : access.offset.others) {
        if (other.last)
            fits = fits && addDigit(place, other.times, {0, *other.last}, kNobodys);
        else if (isFar(other.times))
            return std::nullopt;
        else
            place.period = std::gcd(place.period, other.times);
    }
    std::ranges::sort(place.digits, std::greater(), &Digit::step);
    if (!fits || !findBelow(access, place))
        return std::nullopt;
    return place;
}

void PlaceReader::addTimes(const Digit& digit, std::array<int64_t, kOthers>& times) const
{
    const unsigned of = digit.of % kDown;
    const int64_t step = digit.of >= kDown ? -digit.step : digit.step;
    if (of < kOthers) {
        times[of] = step;
        return;
    }
    const Axis& axis = m_axes[of - kOthers];
    if (axis.hasThreads)
        times[axis.thread] = step;
    if (axis.hasBlocks)
        times[axis.block] = axis.hasThreads ? step * axis.extent : step;
}

/// What digits from \p first on come to at most by bounds of the sums that they are.
std::optional<int64_t> PlaceReader::mostOf(const PlacedAccess& access, const Place& place, size_t first) const
{
    std::array<int64_t, kOthers> sum{};
    for (size_t i = first; i < place.digits.size(); ++i) {
        if (place.digits[i].of % kDown >= kNobodys)
            return std::nullopt;
        addTimes(place.digits[i], sum);
    }
    std::optional<int64_t> most;
    for (const PlacedBound& bound : access.bounds) {
        int64_t multiple = 0, here = 0;
        const bool isMultiple = [&] {
            for (Coordinate i = 0; i < kOthers; ++i) {
                const int64_t own = sum[i], asked = m_last[i] == 0 ? 0 : bound.times[i];
                if (own == 0 && asked == 0)
                    continue;
                if (own == 0 || asked == 0 || own % asked != 0 || (multiple != 0 && multiple != own / asked))
                    return false;
                multiple = own / asked;
            }
            return multiple > 0;
        }();
        if (isMultiple && !isFar(bound.most) && !__builtin_mul_overflow(multiple, bound.most, &here) && !isFar(here))
            most = std::min(most.value_or(here), here);
    }
    return most;
}

bool PlaceReader::findBelow(const PlacedAccess& access, Place& place) const
{
    place.below.resize(place.digits.size() + 1);
    for (size_t i = place.digits.size(); i-- > 0;) {
        const Digit& digit = place.digits[i];
        ValueRange &here = place.below[i], &rest = place.below[i + 1];
        int64_t low = 0, high = 0;
        if (__builtin_mul_overflow(digit.step, digit.lowest, &low) ||
            __builtin_mul_overflow(digit.step, digit.highest, &high) || isFar(low) || isFar(high))
            return false;
        here = {rest.lowest + low, rest.highest + high};
        if (const auto most = mostOf(access, place, i))
            here.highest = std::min(here.highest, *most);
        if (here.highest < here.lowest)
            place.isReached = false;
        if (isFar(here.lowest) || isFar(here.highest))
            return false;
    }
    return !isFar(place.constant);
}

/// Whether another thread can be by \p b where one is by \p a.
class Meeting {
public:
    Meeting(const Place& a, const Place& b, std::span<const Axis> axes) : m_a(a), m_b(b), m_axes(axes) {}

    [[nodiscard]] bool mayBe()
    {
        const int64_t period = std::gcd(m_a.period, m_b.period), constant = m_a.constant - m_b.constant;
        if (period == 0)
            return mayMeet({0, 0, constant});
        const auto [first, last] = numbersOf(period, constant, m_a.below[0], m_b.below[0]);
        if (last - first >= kMostNumbers)
            return true;
        for (int64_t number = first; number <= last; ++number)
            if (mayMeet({0, 0, constant + number * period}))
                return true;
        return false;
    }

private:
    /// Digits before these have been gone through, and make so much of a difference.
    struct At {
        size_t a, b;
        int64_t difference;
    };

    /// How often \p step may be in the difference so that it is near 0 with what is left.
    [[nodiscard]] std::pair<int64_t, int64_t> numbersOf(int64_t step, int64_t difference, const ValueRange& a,
                                                        const ValueRange& b) const
    {
        const int64_t lowest = difference + a.lowest - b.highest, highest = difference + a.highest - b.lowest;
        return {quotientUp(1 - int64_t{m_a.bytes} - highest, step),
                quotientDown(int64_t{m_b.bytes} - 1 - lowest, step)};
    }
    [[nodiscard]] bool mayMeet(const At& at);
    [[nodiscard]] bool isOneThread() const;
    /// What the one digit of a step says of its side, if it is so many.
    void note(std::span<const Digit> ofA, std::span<const Digit> ofB, std::optional<int64_t> number);

    using Numbers = std::array<std::optional<int64_t>, kNobodys>;  ///< by coordinate and axis
    const Place& m_a;
    const Place& m_b;
    std::span<const Axis> m_axes;
    std::array<bool, kNobodys> m_isSame{};  ///< likewise: both threads have the same
    Numbers m_ofA{}, m_ofB{};               ///< where it is known which
};

/// Whether all that tells threads is the same for both.
bool Meeting::isOneThread() const
{
    const auto numberOf = [](const Place& place, const Numbers& known, unsigned of) {
        const ValueRange& range = place.ranges[of];
        return range.lowest == range.highest ? range.lowest : known[of];
    };
    const auto isSame = [&](unsigned of) {
        const std::optional<int64_t> a = numberOf(m_a, m_ofA, of), b = numberOf(m_b, m_ofB, of);
        return m_isSame[of] || (a && a == b);
    };
    return std::ranges::all_of(m_axes, [&](const Axis& axis) {
        return isSame(kOthers + axis.thread) || (isSame(axis.thread) && isSame(axis.block));
    });
}

void Meeting::note(std::span<const Digit> ofA, std::span<const Digit> ofB, std::optional<int64_t> number)
{
    const auto isOfThread = [](const Digit& digit) { return digit.of % kDown < kNobodys; };
    const auto numberOf = [&](const Digit& digit, int64_t sign) {
        return number ? std::optional(digit.of >= kDown ? -sign * *number : sign * *number) : std::nullopt;
    };
    if (ofA.size() == 1 && ofB.empty() && isOfThread(ofA.front()))
        m_ofA[ofA.front().of % kDown] = numberOf(ofA.front(), 1);
    else if (ofA.empty() && ofB.size() == 1 && isOfThread(ofB.front()))
        m_ofB[ofB.front().of % kDown] = numberOf(ofB.front(), -1);
    else if (ofA.size() == 1 && ofB.size() == 1 && ofA.front().of == ofB.front().of && isOfThread(ofA.front()))
        m_isSame[ofA.front().of % kDown] = number == 0;
}

bool Meeting::mayMeet(const At& at)
{
    const std::span<const Digit> a = std::span(m_a.digits).subspan(at.a), b = std::span(m_b.digits).subspan(at.b);
    if (a.empty() && b.empty())
        return at.difference > -int64_t{m_a.bytes} && at.difference < int64_t{m_b.bytes} && !isOneThread();
    const int64_t step = std::max(a.empty() ? 0 : a.front().step, b.empty() ? 0 : b.front().step);
    const auto ofStep = [&](std::span<const Digit> digits) {
        return digits.first(static_cast<size_t>(
            std::ranges::find_if(digits, [&](const Digit& digit) { return digit.step != step; }) - digits.begin()));
    };
    const std::span<const Digit> ofA = ofStep(a), ofB = ofStep(b);
    int64_t lowest = 0, highest = 0;
    for (const Digit& digit : ofA) {
        lowest += digit.lowest;
        highest += digit.highest;
    }
    for (const Digit& digit : ofB) {
        lowest -= digit.highest;
        highest -= digit.lowest;
    }
    const At next{at.a + ofA.size(), at.b + ofB.size(), at.difference};
    const auto [first, last] = numbersOf(step, at.difference, m_a.below[next.a], m_b.below[next.b]);
    lowest = std::max(lowest, first);
    highest = std::min(highest, last);
    if (highest - lowest >= kMostNumbers)
        return true;
    for (int64_t number = lowest; number <= highest; ++number) {
        note(ofA, ofB, number);
        if (mayMeet({next.a, next.b, at.difference + number * step}))
            return true;
    }
    note(ofA, ofB, std::nullopt);
    return false;
}

}  // namespace

bool areApart(const std::vector<PlacedAccess>& accesses, const LastCoordinates& last)
{
    const PlaceReader reader(last);
    std::vector<Place> places;
    for (const PlacedAccess& access : accesses) {
        std::optional<Place> place = reader.place(access);
        if (!place)
            return false;
        if (!place->isReached)
            continue;
        const auto known = std::ranges::find_if(places, [&](const Place& each) { return each.isAt(*place); });
        if (known == places.end())
            places.push_back(*std::move(place));
        else
            known->isWrite |= place->isWrite;
        if (places.size() * places.size() > 2 * kMostPairs)
            return false;
    }
    for (size_t i = 0; i < places.size(); ++i)
        for (size_t k = i; k < places.size(); ++k)
            if ((places[i].isWrite || places[k].isWrite) && Meeting(places[i], places[k], reader.axes()).mayBe())
                return false;
    return true;
}

}  // namespace lanescope::simt
