// Histories as a tap records them: a statement for each operation, and the row that it touched.
#include <cstdio>
#include <vector>

#include "analysis/history/recording/recording_writer.hpp"
#include "tests/bench/history_output.hpp"

namespace isotap::bench {
namespace {

using history::recording::RecordingWriter;

constexpr history::NameId table{1};
constexpr std::uint64_t transactions_per_flush = 1'000;

class RecordingOutput final : public HistoryOutput {
  public:
    RecordingOutput(std::unique_ptr<RecordingWriter> writer, std::size_t sessions)
        : writer_(std::move(writer)), open_(sessions) {
        tell(history::NameDefined{table, "account"});
        for (std::size_t session = 0; session < sessions; ++session) {
            tell(history::SessionBegan{id_of(session), now_, history::Dialect::postgres, "bench",
                                       "bench", ""});
        }
    }

    void invoke(std::size_t session, std::span<const Operation> /*operations*/) override {
        open_[session] = history::TransactionId{++last_id_};
        tell(history::TransactionBegan{id_of(session), open_[session], tick(), false});
        tell(history::TransactionLevel{open_[session], history::IsolationLevel::serializable,
                                       history::LevelSource::session, false});
    }

    void complete(std::size_t session, std::span<const Operation> operations) override {
        history::StatementRef statement{open_[session], 0};
        for (const Operation& operation : operations) {
            ++statement.ordinal;
            run(statement, operation);
        }
        const Time at = tick();
        tell(history::TransactionEnded{open_[session], at, at, history::Outcome::committed, false});
        if (++completed_ % transactions_per_flush == 0) {
            writer_->flush();
        }
    }

    bool close() override {
        const bool closed = writer_->close();
        if (!closed) {
            std::fprintf(stderr, "%s\n", writer_->error().c_str());
        }
        return closed;
    }

  private:
    static history::SessionId id_of(std::size_t session) noexcept {
        return history::SessionId{session + 1};
    }

    void run(history::StatementRef statement, const Operation& operation) {
        if (operation.key >= current_.size()) {
            current_.resize(operation.key + current_.size() / 2 + 1, history::Version::initial());
        }
        history::Version& current = current_[operation.key];
        history::Access access{statement, table, {0, operation.key}, history::AccessKind::read,
                               current,   {}};
        if (operation.writes) {
            access.kind = history::AccessKind::update;
            access.after = current = history::Version::written_by(statement);
        }
        tell(history::StatementBegan{statement, tick(),
                                     operation.writes ? "UPDATE account SET n = ? WHERE id = ?"
                                                      : "SELECT n FROM account WHERE id = ?",
                                     false});
        tell(access);
        history::StatementEnded ended;
        ended.statement = statement;
        ended.at = tick();
        ended.coverage = history::Coverage::full;
        ended.rows = 1;
        ended.tag = operation.writes ? "UPDATE 1" : "SELECT 1";
        tell(ended);
    }

    void tell(const history::Event& event) { writer_->accept(event); }
    Time tick() { return now_ += std::chrono::microseconds{10}; }

    std::unique_ptr<RecordingWriter> writer_;
    std::vector<history::TransactionId> open_;               ///< by session
    std::vector<history::Version> current_;                  ///< by key
    std::uint64_t last_id_ = std::uint64_t{0x5A5A5} << 40U;  // with the tag of a run, as ids have
    std::uint64_t completed_ = 0;
    Time now_{std::chrono::seconds{1'700'000'000}};
};

}  // namespace

std::unique_ptr<HistoryOutput> recording_output(const std::string& path, std::size_t sessions) {
    auto writer = RecordingWriter::create(path, {nullptr, "generate_history", ""}, system_now());
    if (!writer) {
        std::fprintf(stderr, "%s\n", writer.error().c_str());
        return nullptr;
    }
    return std::make_unique<RecordingOutput>(std::move(*writer), sessions);
}

}  // namespace isotap::bench
