#include "analysis/history/elle_writer.hpp"

#include <algorithm>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

namespace isotap::history {

namespace {

class ElleWriter {
  public:
    ElleWriter(const History& history, std::ostream& out) : history_(history), out_(out) {}

    void write() {
        const auto count = static_cast<std::uint32_t>(history_.transactions.size());
        std::vector<std::uint32_t> by_begin(count);
        std::vector<std::uint32_t> by_end(count);
        std::iota(by_begin.begin(), by_begin.end(), 0U);
        by_end = by_begin;
        if (!history_.has_real_time) {
            for (std::uint32_t t = 0; t < count; ++t) {
                line(t, false);
                line(t, true);
            }
            return;
        }
        const auto& all = history_.transactions;
        std::stable_sort(by_begin.begin(), by_begin.end(), [&](std::uint32_t a, std::uint32_t b) {
            return all[a].began < all[b].began;
        });
        std::stable_sort(by_end.begin(), by_end.end(), [&](std::uint32_t a, std::uint32_t b) {
            return all[a].ended < all[b].ended;
        });
        auto next = by_begin.begin();
        for (const std::uint32_t t : by_end) {
            for (; next != by_begin.end() && all[*next].began <= all[t].ended; ++next) {
                if (all[*next].began != beginning_of_time) {
                    line(*next, false);
                }
            }
            line(t, true);
        }
    }

  private:
    void line(std::uint32_t t, bool completes) {
        const Transaction& transaction = history_.transactions[t];
        line_ =
            "{:index " + std::to_string(index_) + ", :time " + std::to_string(index_) + ", :type ";
        ++index_;
        line_ += !completes                                  ? ":invoke"
                 : transaction.outcome == Outcome::committed ? ":ok"
                 : transaction.outcome == Outcome::aborted   ? ":fail"
                                                             : ":info";
        line_ += ", :process " + std::to_string(transaction.session) + ", :f :txn, :value [";
        const bool seen = completes && transaction.outcome == Outcome::committed;
        for (const Operation& operation : history_.operations_of(transaction)) {
            line_ += line_.back() == '[' ? "" : " ";
            add(operation, seen);
        }
        line_ += "]}\n";
        out_ << line_;
    }

    void add(const Operation& operation, bool seen) {
        const char* name = operation.kind == OperationKind::append  ? "[:append "
                           : operation.kind == OperationKind::write ? "[:w "
                                                                    : "[:r ";
        line_ += name;
        line_ += history_.atoms.spell(operation.key);
        line_ += ' ';
        if (operation.kind == OperationKind::read_list && seen) {
            line_ += '[';
            for (const Value element : history_.list(operation)) {
                line_ += line_.back() == '[' ? "" : " ";
                line_ += history_.atoms.spell(element);
            }
            line_ += ']';
        } else if (operation.kind == OperationKind::read_list ||
                   (operation.kind == OperationKind::read && !seen)) {
            line_ += "nil";
        } else {
            line_ += history_.atoms.spell(operation.value);
        }
        line_ += ']';
    }

    const History& history_;
    std::ostream& out_;
    std::string line_;
    std::uint64_t index_ = 0;
};

}  // namespace

void write_elle(const History& history, std::ostream& out) {
    ElleWriter(history, out).write();
}

}  // namespace isotap::history
