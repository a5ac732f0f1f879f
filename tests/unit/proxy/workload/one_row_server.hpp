#pragma once

#include <memory>
#include <string>
#include <vector>

#include "proxy/workload/server.hpp"

namespace isotap::proxy {

inline constexpr history::RowKey the_row{3, 0};
inline constexpr history::NameId test_table{7};

/// What a witness asks a server for: here is one row version, which meets every condition.
class OneRow final : public Server {
  public:
    explicit OneRow(Upstream target = {}, std::uint32_t version = 77)
        : Server(std::move(target)), version_(version) {}

    std::vector<SeenRow> rows() override {
        return {{"test", the_row, version_, R"({"value": 30})"}};
    }
    std::vector<bool> matches(const std::string& /*table*/, const std::string& /*alias*/,
                              const std::string& condition,
                              const std::vector<std::string>& images) override {
        asked = condition;
        return std::vector<bool>(images.size(), true);
    }

    [[nodiscard]] std::vector<history::IsolationLevel> levels() const override { return {}; }
    void renew_scratch() override {}
    std::vector<std::string> tables(bool /*all*/) override { return {}; }
    void key_by(const std::string& /*table*/, const std::string& /*column*/) override {}
    std::unique_ptr<Client> connect(const Upstream& /*where*/) override { return nullptr; }
    void set_level(Client& /*client*/, history::IsolationLevel /*level*/) override {}
    void before_statement(Client& /*client*/, bool /*others_wait*/) override {}
    std::vector<LockWait> waits(std::span<const std::uint64_t> /*connections*/) override {
        return {};
    }
    void cancel(std::uint64_t /*connection*/) override {}

    std::string asked;

  private:
    std::uint32_t version_;
};

}  // namespace isotap::proxy
