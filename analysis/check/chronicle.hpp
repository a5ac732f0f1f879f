#pragma once

#include <iosfwd>
#include <map>
#include <optional>
#include <string>

#include "isotap/history/events.hpp"

namespace isotap::analysis {

/// Tells what a recording knows about one transaction, statement or row, one line an event, in the
/// order in which it happened. A sink: the recording is replayed into it.
class Chronicle final : public history::EventSink {
  public:
    struct Subject {
        std::optional<history::TransactionId> transaction;
        std::optional<std::uint32_t> statement;  ///< of that transaction
        std::string table;                       ///< or a row of this table …
        std::string row;                         ///< … by its label or its key
    };

    Chronicle(Subject subject, std::ostream& out) : subject_(std::move(subject)), out_(out) {}

    void accept(const history::Event& event) noexcept override;
    [[nodiscard]] bool told_anything() const noexcept { return told_; }

  private:
    template <typename One>
    void take(const One&) {}
    void take(const history::NameDefined& event);
    void take(const history::TransactionBegan& event);
    void take(const history::TransactionLevel& event);
    void take(const history::TransactionEnded& event);
    void take(const history::StatementBegan& event);
    void take(const history::StatementEnded& event);
    void take(const history::Savepoint& event);
    void take(const history::Access& event);
    void take(const history::WriterList& event);
    void take(const history::RowLabelled& event);
    void take(const history::PredicateRead& event);
    void take(const history::TableEmptied& event);
    void take(const history::HeldRead& event);
    void take(const history::Alias& event);
    void take(const history::Gap& event);

    [[nodiscard]] bool about(history::TransactionId id) const noexcept;
    [[nodiscard]] bool about(const history::StatementRef& statement) const noexcept;
    [[nodiscard]] bool about_row(history::NameId table, const history::RowKey& row) const;
    [[nodiscard]] std::string row_name(history::NameId table, const history::RowKey& row) const;
    void tell(const std::string& line);

    Subject subject_;
    std::ostream& out_;
    bool told_ = false;
    std::map<history::NameId, std::string> names_;
    std::optional<history::RowKey> labelled_;  ///< the row of the subject, by its label
};

}  // namespace isotap::analysis
