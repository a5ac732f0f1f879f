#pragma once

#include <cstdint>
#include <unordered_map>

#include "protocol/mysql/request.hpp"

namespace isotap::mysql::instrument {

/// By which number the server knows a statement that the client has prepared. They are the same,
/// but where the client's text had to be prepared a second time, behind its back.
class StatementNumbers {
  public:
    /// From now on numbers have to be looked up: what the server was given last is not what the
    /// client gave it last.
    void begin_to_differ() noexcept { differ_ = true; }
    [[nodiscard]] bool differ() const noexcept { return differ_; }

    /// The client has prepared this one itself.
    void prepared(std::uint32_t number) {
        newest_ = number;
        of_server_.erase(number);
    }
    void replace(std::uint32_t number, std::uint32_t of_server) { of_server_[number] = of_server; }
    void closed(std::uint32_t number) { of_server_.erase(number); }
    void reset() noexcept {
        of_server_.clear();
        differ_ = false;
    }

    /// What the client means: it may say 'the last one that I prepared'.
    [[nodiscard]] std::uint32_t meant(std::uint32_t number) const noexcept {
        return number == last_prepared ? newest_ : number;
    }
    [[nodiscard]] std::uint32_t of_server(std::uint32_t number) const noexcept {
        const auto found = of_server_.find(meant(number));
        return found == of_server_.end() ? meant(number) : found->second;
    }

  private:
    std::uint32_t newest_ = 0;
    std::unordered_map<std::uint32_t, std::uint32_t> of_server_;
    bool differ_ = false;
};

}  // namespace isotap::mysql::instrument
