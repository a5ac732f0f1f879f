#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace isotap::bench {

struct Operation {
    bool writes = false;
    std::uint64_t key = 0;
    std::uint64_t value = 0;  ///< what it writes
};

/// Writes down a history as it is made up. A transaction begins when it is invoked, and takes
/// effect at once when it completes.
class HistoryOutput {
  public:
    HistoryOutput() = default;
    HistoryOutput(const HistoryOutput&) = delete;
    HistoryOutput& operator=(const HistoryOutput&) = delete;
    virtual ~HistoryOutput() = default;

    virtual void invoke(std::size_t session, std::span<const Operation> operations) = 0;
    virtual void complete(std::size_t session, std::span<const Operation> operations) = 0;
    /// False where something could not be written.
    virtual bool close() = 0;
};

/// Null, and a message on stderr, where the file cannot be written.
std::unique_ptr<HistoryOutput> elle_output(const std::string& path);
std::unique_ptr<HistoryOutput> plume_output(const std::string& path);
std::unique_ptr<HistoryOutput> recording_output(const std::string& path, std::size_t sessions);

}  // namespace isotap::bench
