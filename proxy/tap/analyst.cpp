#include "proxy/tap/analyst.hpp"

#include <algorithm>
#include <chrono>

#include "protocol/sql/lexer.hpp"
#include "proxy/tap/event_parts.hpp"
#include "proxy/tap/redaction.hpp"
#include "proxy/tap/statistics_sum.hpp"

namespace isotap::proxy {
namespace {

using history::Event;
using Seconds = std::chrono::duration<double>;

/// Labels beyond are forgotten all at once: each comes again when its row is touched again.
constexpr std::size_t labels_max = 100'000;

StatementKind kind_of(std::string_view text, history::Dialect dialect) {
    sql::LexerState state;
    state.dialect = dialect;
    sql::Lexer lexer(text, state);
    sql::Token token = lexer.next();
    while (token.is(sql::TokenKind::open_paren)) {
        token = lexer.next();
    }
    std::string word(token.in(text).substr(0, 16));
    std::transform(word.begin(), word.end(), word.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    constexpr std::pair<std::string_view, StatementKind> words[] = {
        {"select", StatementKind::select},       {"table", StatementKind::select},
        {"values", StatementKind::select},       {"with", StatementKind::select},
        {"insert", StatementKind::insert},       {"replace", StatementKind::insert},
        {"update", StatementKind::update},       {"delete", StatementKind::remove},
        {"begin", StatementKind::transaction},   {"start", StatementKind::transaction},
        {"commit", StatementKind::transaction},  {"rollback", StatementKind::transaction},
        {"end", StatementKind::transaction},     {"savepoint", StatementKind::transaction},
        {"release", StatementKind::transaction}, {"abort", StatementKind::transaction},
    };
    for (const auto& [known, kind] : words) {
        if (known == word) {
            return kind;
        }
    }
    return StatementKind::other;
}

}  // namespace

Analyst::Analyst(AnalystOptions options, Bulletin& bulletin, OnRecord on_record)
    : options_(options),
      bulletin_(bulletin),
      on_record_(std::move(on_record)),
      kept_(options_.limits.kept_history) {
    start_engine();
    publish();
}

void Analyst::start_engine() {
    analysis::EngineOptions options;
    options.contract = options_.contract;
    options.window = options_.limits.graph_transactions;
    options.rows = options_.limits.graph_rows;
    options.arrival_skew = arrival_skew;
    options.work_per_edge = 0;  // a busy server has no end: what is late is worth less
    options.on_anomaly = [this](analysis::Anomaly&& anomaly) { on_anomaly(std::move(anomaly)); };
    engine_ = std::make_unique<analysis::Engine>(std::move(options));
}

void Analyst::accept(std::size_t lane, const Event& event, bool restart) {
    if (restart) {
        engine_->search();
        add_to(past_, engine_->statistics());
        start_engine();
        recorded_.forget();
        ++status_.restarts;
    }
    Event renamed = event;
    if (const auto* name = std::get_if<history::NameDefined>(&event)) {
        const NameTable::Defined defined = names_.define(lane, name->id, name->text);
        if (!defined.first) {
            return;
        }
        std::get<history::NameDefined>(renamed).id = defined.id;
    } else {
        rename(lane, renamed);
    }
    take(renamed);
}

void Analyst::rename(std::size_t lane, Event& event) {
    if (options_.dialect == history::Dialect::postgres) {
        spaces_.note(event);
    }
    const bool names_reason = std::holds_alternative<history::StatementEnded>(event) ||
                              std::holds_alternative<history::Gap>(event);
    const std::string prefix =
        spaces_.plain() || names_reason ? std::string{} : spaces_.prefix_of(event);
    for_each_name(event, [&](history::NameId& id) {
        id = names_.of(lane, id);
        if (!prefix.empty() && id != history::no_name) {
            const std::string text = prefix + std::string(names_.text(id));
            const NameTable::Defined defined = names_.define(text);
            id = defined.id;
            if (defined.first) {
                Event name = history::NameDefined{id, text};
                take(name);
            }
        }
    });
}

void Analyst::take(Event& event) {
    if (const auto* access = std::get_if<history::Access>(&event);
        access != nullptr && access->table == history::no_name) {
        // Rows of tables without a name would be taken for rows of one table.
        event = history::Gap{{}, access->statement.transaction, {}, 1, history::no_name};
    }
    if (recorder_ != nullptr && recorded_.admits(event)) {
        recorder_->accept(event);
    }
    {
        const std::lock_guard lock(kept_mutex_);
        kept_.accept(event);
    }
    note(event);
    engine_->accept(event);
}

void Analyst::note(const Event& event) {
    if (const auto* statement = std::get_if<history::StatementBegan>(&event)) {
        ++status_.statements.at(
            static_cast<std::size_t>(kind_of(statement->text, options_.dialect)));
    } else if (const auto* row = std::get_if<history::RowLabelled>(&event)) {
        if (options_.values) {
            if (labels_.size() >= labels_max) {
                labels_.clear();
            }
            labels_[{row->table, row->row}] = row->label;
        }
    } else if (std::holds_alternative<history::SessionBegan>(event)) {
        ++status_.sessions;
    } else if (std::holds_alternative<history::SessionEnded>(event)) {
        status_.sessions -= status_.sessions > 0 ? 1 : 0;
    }
}

void Analyst::on_anomaly(analysis::Anomaly&& anomaly) {
    auto record = std::make_shared<AnomalyRecord>();
    record->anomaly = std::move(anomaly);
    record->anomaly.id = next_anomaly_++;
    record->found = system_now();
    describe(*record);
    Time last{};
    for (const KeptTransaction& transaction : record->transactions) {
        last = std::max(last, transaction.ended);
    }
    if (last != Time{}) {
        status_.verdict_lag_seconds =
            std::max(status_.verdict_lag_seconds, Seconds(record->found - last).count());
    }
    bulletin_.add(record);
    on_record_(record);
}

void Analyst::describe(AnomalyRecord& record) const {
    for (const analysis::InvolvedTransaction& involved : record.anomaly.transactions) {
        const KeptTransaction* kept = kept_.find(involved.id);
        if (kept == nullptr) {
            continue;
        }
        KeptTransaction& copy = record.transactions.emplace_back(*kept);
        if (!options_.values) {
            for (KeptStatement& statement : copy.statements) {
                statement.text = redacted(statement.text, options_.dialect);
            }
        }
    }
    for (const analysis::CycleEdge& edge : record.anomaly.edges) {
        record.tables[edge.table] = names_.text(edge.table);
        const auto label = labels_.find({edge.table, edge.row});
        if (label != labels_.end()) {
            record.rows[label->first] = label->second;
        }
    }
}

template <typename Search>
void Analyst::timed(Search search) {
    const auto began = std::chrono::steady_clock::now();
    search();
    due_ = engine_->due().value_or(Time::max());
    status_.search_seconds = Seconds(std::chrono::steady_clock::now() - began).count();
    publish();
}

void Analyst::search() {
    timed([this] { engine_->search(); });
}

void Analyst::pass_time(Time now) {
    timed([this, now] { engine_->pass_time(now); });
}

void Analyst::finish() {
    engine_->finish();
    publish();
}

void Analyst::publish() {
    status_.statistics = past_;
    add_to(status_.statistics, engine_->statistics());
    status_.doubts = doubts_of(status_.statistics, status_.restarts);
    status_.verdict = verdict_of(status_.statistics, status_.restarts);
    for (const analysis::CoverageReason& reason : status_.statistics.coverage.reasons) {
        status_.reasons[reason.reason] = names_.text(reason.reason);
    }
    AnalysisStatus shown = status_;
    for (analysis::CoverageReason& reason : shown.statistics.coverage.reasons) {
        if (!options_.values) {
            reason.example = redacted(reason.example, options_.dialect);
        }
    }
    bulletin_.publish(std::move(shown));
}

std::optional<KeptTransaction> Analyst::transaction(history::TransactionId id) const {
    const std::lock_guard lock(kept_mutex_);
    const KeptTransaction* kept = kept_.find(id);
    if (kept == nullptr) {
        return std::nullopt;
    }
    KeptTransaction copy = *kept;
    if (!options_.values) {
        for (KeptStatement& statement : copy.statements) {
            statement.text = redacted(statement.text, options_.dialect);
        }
    }
    return copy;
}

}  // namespace isotap::proxy
