#pragma once

#include "analysis/history/form_reader.hpp"
#include "analysis/history/history.hpp"
#include "analysis/history/list_chains.hpp"

namespace isotap::history {

/// Elle's micro-operations: `[[:append x 1] [:r y nil] …]`, put at the end of a history.
class ElleOperations {
  public:
    explicit ElleOperations(History& history) noexcept : history_(history), lists_(history) {}

    /// A vector of operations. Without `observed` its reads say nothing: the transaction did not
    /// certainly commit.
    bool read(FormReader& forms, bool observed);

    /// The state that a predicate history begins with: `{:x 1}`.
    bool read_initial(FormReader& forms);

    /// Once all is read: what the history is about. A nil that was read is an empty list in a
    /// history of lists, so nothing needs to change after the fact.
    void settle_model() noexcept;

  private:
    bool read_one(FormReader& forms, bool observed);
    bool read_key(FormReader& forms, KeyId& into);
    bool read_observation(FormReader& forms, bool observed);
    bool read_predicate(FormReader& forms, bool observed);
    bool read_pairs(FormReader& forms, std::vector<KeyAndValue>& into);
    bool read_written(FormReader& forms, OperationKind kind);
    bool agree(FormReader& forms, bool& seen, bool excluded);

    History& history_;
    ListChains lists_;
    bool saw_lists_ = false;
    bool saw_registers_ = false;
    bool saw_predicates_ = false;
};

}  // namespace isotap::history
