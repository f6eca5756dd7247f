#pragma once
// What the system has run out of, as far as that can be told for certain.
#include <cstddef>
#include <exception>
#include <string>

namespace convoscope {

// Whether so many bytes more can be had at once, asked by having them for a moment.
bool is_room_for(std::size_t bytes);

// After a thread could not be started: the system says the same where its stack found no memory.
std::string why_no_thread();

// What an exception says; of those of the standard library, of which users have not heard, what they stand for.
std::string why_failed(const std::exception&);

}  // namespace convoscope
