// Scenario files and specifications: whatever a person wrote, an error says where and what.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "isotap/base/bytes.hpp"

#include "analysis/workload/scenario_reader.hpp"

namespace {

namespace workload = isotap::workload;

void check(const workload::Read<workload::Scenario>& read) {
    if (!read) {
        const workload::ScenarioError& error = read.error();
        if (error.place.line == 0 || error.place.column == 0 || error.expected.empty() ||
            error.found.empty()) {
            std::abort();
        }
        return;
    }
    for (const auto& order : read->orders) {
        for (const workload::Turn& turn : order) {
            if (turn.step >= read->steps.size() ||
                read->steps[turn.step].session >= read->sessions.size()) {
                std::abort();
            }
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = isotap::as_text({data, size});
    check(workload::read_scenario(text, "x.scenario"));
    check(workload::read_specification(text, "x.spec"));
    return 0;
}
