#include "tests/fuzz/read_format.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return isotap::fuzz::read_format(data, size, isotap::history::Format::awdit);
}
