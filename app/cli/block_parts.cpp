// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/block_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

namespace lanescope::cli {

namespace {

/// What one part does to a buffer and the other does to it, which has an order.
struct Clash {
    ByteRanges TouchedBuffer::* first;
    ByteRanges TouchedBuffer::* second;  ///< of the other part
    const char* text;                    ///< with part, place, other part
};
constexpr Clash kClashes[] = {
    {&TouchedBuffer::writes, &TouchedBuffer::reads, "part {0} writes {1}, which part {2} reads"},
    {&TouchedBuffer::adds, &TouchedBuffer::reads, "part {0} adds to {1}, which part {2} reads"},
    {&TouchedBuffer::writes, &TouchedBuffer::adds, "part {0} writes {1}, to which part {2} adds"},
    {&TouchedBuffer::writes, &TouchedBuffer::writes, "parts {0} and {2} both write {1}"}};

/// The first place that is in both.
std::optional<uint64_t> meeting(const ByteRanges& a, const ByteRanges& b)
{
    for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i].first < b[j].second && b[j].first < a[i].second)
            return std::max(a[i].first, b[j].first);
        (a[i].second <= b[j].second ? i : j) += 1;
    }
    return std::nullopt;
}

std::string placeText(const TouchedBuffer& buffer, uint64_t offset)
{
    return buffer.element == 0 ? fmt::format("byte {} of {}", offset, buffer.name)
                               : fmt::format("{}[{}]", buffer.name, offset / buffer.element);
}

std::optional<std::string> clashOf(const TouchedBuffer& a, unsigned first, const TouchedBuffer& b, unsigned second)
{
    if (a.unknown || b.unknown)
        return fmt::format("what parts {} and {} touch of {} lies in too many places to be compared", first, second,
                           a.name);
    for (const Clash& clash : kClashes) {
        if (const auto at = meeting(a.*clash.first, b.*clash.second))
            return fmt::format(fmt::runtime(clash.text), first, placeText(a, *at), second);
        if (const auto at = meeting(b.*clash.first, a.*clash.second))
            return fmt::format(fmt::runtime(clash.text), second, placeText(a, *at), first);
    }
    return std::nullopt;
}

}  // namespace

std::vector<TouchedBuffer> touchedBuffersOf(const Json& json)
{
    std::vector<TouchedBuffer> buffers;
    for (const Json& one : json) {
        TouchedBuffer buffer;
        buffer.address = one.at("address").get<uint64_t>();
        buffer.name = one.at("name").get<std::string>();
        buffer.element = one.at("element").get<uint64_t>();
        buffer.unknown = one.value("unknown", false);
        if (!buffer.unknown) {
            buffer.reads = one.at("reads").get<ByteRanges>();
            buffer.writes = one.at("writes").get<ByteRanges>();
            buffer.adds = one.at("adds").get<ByteRanges>();
        }
        buffers.push_back(std::move(buffer));
    }
    return buffers;
}

Json toJson(const std::vector<TouchedBuffer>& buffers)
{
    Json list = Json::array();
    for (const TouchedBuffer& buffer : buffers) {
        Json one = {{"address", buffer.address}, {"name", buffer.name}, {"element", buffer.element}};
        if (buffer.unknown)
            one["unknown"] = true;
        else
            one.update({{"reads", buffer.reads}, {"writes", buffer.writes}, {"adds", buffer.adds}});
        list.push_back(std::move(one));
    }
    return list;
}

Result<std::vector<TouchedBuffer>> readTouched(const std::string& path, uint32_t launch)
try {
    std::ifstream file(path);
    return touchedBuffersOf(Json::parse(file).at("buffers"));
} catch (const Json::exception&) {
    return Error{Error::Code::NotFound, fmt::format("the program did not come to the end of launch {}", launch),
                 "--blocks with --shard"};
}

std::optional<std::string> dependence(const BlockPart& a, unsigned first, const BlockPart& b, unsigned second)
{
    for (const TouchedBuffer& mine : a.buffers)
        for (const TouchedBuffer& theirs : b.buffers)
            if (mine.address == theirs.address)
                if (std::optional<std::string> clash = clashOf(mine, first, theirs, second))
                    return clash;
    return std::nullopt;
}

}  // namespace lanescope::cli
