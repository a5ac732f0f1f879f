// A logged-in session whose statements are captured, between a client and a server that say
// anything at all. It must not crash, and every transaction and statement that begins must end.
//
// Input: a byte of options, then steps: a byte whose upper half says what happens and whose lower
// half belongs to it; bytes on the wire follow behind their length.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isotap/base/bytes.hpp"

#include "protocol/mysql/session.hpp"
#include "tests/fuzz/event_balance.hpp"
#include "tests/unit/mysql/packets.hpp"
#include "tests/unit/postgres/literal_plans.hpp"

namespace {

using isotap::Bytes;
using isotap::mysql::Capability;
using isotap::protocol::Action;
using isotap::protocol::ActionKind;
using isotap::protocol::Actions;
using isotap::protocol::Side;
namespace packets = isotap::mysql::test;

constexpr std::array statements{
    "select id, bal from acc where id < 3",
    "load data local infile 'x' into table acc",
    "select distinct bal from acc",
    "update acc set bal = bal + 1 where id = 1",
    "update acc set bal = (select max(v) from item) where id = 1",
    "insert into acc values (1, 2), (3, 4)",
    "insert into item (v) values (1)",
    "insert into acc select id, v from item",
    "replace into acc values (1, 2)",
    "delete from acc where id = 1",
    "truncate acc",
    "begin",
    "commit",
    "update acc set bal = ? where id = ?",
    "select bal from acc where id = ?; select 1",
    "select row_count()",
};

class Notes final : public isotap::protocol::NoteTaker {
  public:
    void take(isotap::protocol::Note /*note*/, std::string_view detail) noexcept override {
        text_.assign(detail);  // touches every byte of the view
    }

  private:
    std::string text_;
};

class Play {
  public:
    explicit Play(std::uint8_t options)
        : session_(isotap::history::SessionId{1}, {}, limits_,
                   {notes_, &events_, &ids_, &plans_, &names_}) {
        const bool told = (options & 1) != 0;
        plans_.slow = (options & 2) != 0;
        for (auto [name, columns] : {std::pair{"acc", std::vector<std::string>{"id", "bal"}},
                                     std::pair{"item", std::vector<std::string>{"id", "v", "n"}}}) {
            auto& table =
                plans_.catalog.add(name, isotap::sql::VersionSource::columns, std::move(columns));
            table.kind = isotap::sql::TableKind::ordinary;
            table.auto_increment = std::string_view(name) == "item" ? "id" : "";
            table.told_by_triggers = told;
        }
        auto agreed = packets::plain_capabilities;
        for (const auto& [bit, capability] :
             {std::pair{4, Capability::deprecate_eof}, std::pair{8, Capability::session_track},
              std::pair{16, Capability::found_rows}}) {
            if ((options & bit) != 0) agreed = agreed.with(capability);
        }
        session_.start({}, actions_);
        session_.on_dialled({}, actions_);
        perform();
        feed(Side::server, packets::greeting(agreed, told ? "8.0.36" : "5.5.5-10.11.6-MariaDB"));
        feed(Side::client, packets::handshake_response(agreed));
        feed(Side::server, packets::ok(2));
    }

    [[nodiscard]] bool over() const noexcept { return over_; }

    void step(std::uint8_t what, std::string_view& rest) {
        enum Kind : std::uint8_t { to_say, to_prepare, reply, any_client, any_server, time, end };
        const auto detail = static_cast<std::uint8_t>(what & 0x0f);
        switch (what >> 4) {
            case to_say: feed(Side::client, packets::query(statements.at(detail))); break;
            case to_prepare:
                feed(Side::client, packets::command(0x16, statements.at(detail)));
                break;
            case reply: feed(Side::server, packets::packet(detail, take(rest))); break;
            case any_client: feed(Side::client, take(rest)); break;
            case any_server: feed(Side::server, take(rest)); break;
            case time: pass_time(); break;
            case end: end_client(); break;
            default: break;
        }
    }

    void finish() {
        session_.on_closed({});
        events_.expect_even();
    }

  private:
    static std::string take(std::string_view& rest) {
        if (rest.empty()) return {};
        const auto size = static_cast<std::uint8_t>(rest.front());
        std::string taken(rest.substr(1, size));
        rest.remove_prefix(1 + taken.size());
        return taken;
    }

    void feed(Side from, const std::string& bytes) {
        if (over_ || bytes.empty() || (from == Side::client && client_ended_)) return;
        if (from == Side::client && held_) pass_time();
        // Gone behind the call, so that a view that is kept too long is caught.
        const std::vector<std::uint8_t> passing(bytes.begin(), bytes.end());
        session_.feed(from, passing, {}, actions_);
        perform();
    }

    /// Both that a plan is waited for and that a client is silent end some time.
    void pass_time() {
        if (over_) return;
        if (std::exchange(held_, false)) {
            session_.on_released({}, actions_);
            perform();
        } else if (std::exchange(wake_due_, false)) {
            session_.on_woken({}, actions_);
            perform();
        }
    }

    void end_client() {
        if (over_ || std::exchange(client_ended_, true)) return;
        session_.on_end(Side::client, {}, actions_);
        perform();
    }

    void perform() {
        for (const Action& action : actions_) {
            if (action.kind == ActionKind::send) sent_.assign(isotap::as_text(action.bytes));
            held_ = held_ || action.kind == ActionKind::hold;
            wake_due_ = wake_due_ || action.kind == ActionKind::wake;
            over_ = over_ || action.kind == ActionKind::go_blind ||
                    action.kind == ActionKind::finish || action.kind == ActionKind::start_tls;
        }
        actions_.clear();
    }

    isotap::Limits limits_ = [] {
        isotap::Limits limits;
        limits.observed_message = 256;
        limits.pipelined_replies = 8;
        limits.named_statements = 4;
        return limits;
    }();
    Notes notes_;
    isotap::fuzz::EventBalance events_;
    isotap::history::TransactionIds ids_{0, 0};
    isotap::history::Names names_{events_};
    isotap::postgres::test::LiteralPlans plans_;
    isotap::mysql::Session session_;
    Actions actions_;
    std::string sent_;  ///< last: touches every byte of what is sent
    bool held_ = false;
    bool wake_due_ = false;
    bool client_ended_ = false;
    bool over_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) {
        return 0;
    }
    Play play(data[0]);
    std::string_view rest = isotap::as_text(Bytes(data + 1, size - 1));
    while (!rest.empty() && !play.over()) {
        const auto what = static_cast<std::uint8_t>(rest.front());
        rest.remove_prefix(1);
        play.step(what, rest);
    }
    play.finish();
    return 0;
}
