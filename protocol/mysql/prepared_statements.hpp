#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace isotap::mysql {

/// The texts of what a session has prepared, by the server's own numbers. Bounded in number and in
/// bytes; what does not fit is executed as always and reported without its text.
class PreparedStatements {
  public:
    struct Text {
        std::string text;
        bool cut = false;
    };

    PreparedStatements(std::size_t statements_max, std::size_t bytes_max) noexcept
        : statements_max_(statements_max), bytes_max_(bytes_max) {}

    void add(std::uint32_t id, std::string_view text, bool cut);
    void remove(std::uint32_t id) noexcept;
    void clear() noexcept;

    /// Null when it is not known. `last_prepared` stands for the newest one. Valid until the next
    /// call that changes anything.
    [[nodiscard]] const Text* find(std::uint32_t id) const noexcept;

  private:
    std::size_t statements_max_;
    std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    std::uint32_t newest_ = 0;
    std::unordered_map<std::uint32_t, Text> texts_;
};

}  // namespace isotap::mysql
