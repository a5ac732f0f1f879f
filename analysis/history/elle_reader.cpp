#include <deque>
#include <optional>
#include <unordered_map>

#include "analysis/history/elle_operations.hpp"
#include "analysis/history/readers.hpp"

namespace isotap::history {

namespace {

enum class Type : std::uint8_t { unknown, invoke, ok, fail, info };
enum class Function : std::uint8_t { unstated, transaction, initialise, foreign };

Type type_of(const Atom& atom) noexcept {
    if (atom.text == "ok") {
        return Type::ok;
    }
    if (atom.text == "invoke") {
        return Type::invoke;
    }
    if (atom.text == "info") {
        return Type::info;
    }
    return atom.text == "fail" ? Type::fail : Type::unknown;
}

Function function_of(const Atom& atom) noexcept {
    if (atom.text == "txn") {
        return Function::transaction;
    }
    return atom.text == "init" ? Function::initialise : Function::foreign;
}

/// One line of the file.
struct Step {
    Type type = Type::unknown;
    Function function = Function::unstated;
    std::optional<std::int64_t> process;
    std::int64_t index = -1;
    std::string_view value;        ///< not read yet; empty when there is none
    bool operations_read = false;  ///< or it was read in passing
};

class ElleReader {
  public:
    ElleReader(const Source& source, Notation notation)
        : source_(source), forms_(source.text, notation), operations_(history_) {}

    ReadResult<History> read() {
        const bool in_vector = forms_.take('[');
        while (in_vector ? !forms_.take(']') : !forms_.at_end()) {
            if (!read_step()) {
                return error();
            }
            source_.done_before(forms_.offset());
        }
        if (forms_.failed() || (!forms_.at_end() && !forms_.fail("the end of the file")) ||
            !settle_open()) {
            return error();
        }
        operations_.settle_model();
        history_.has_real_time = true;
        history_.sessions = static_cast<std::uint32_t>(open_.size());
        return std::move(history_);
    }

  private:
    struct Invocation {
        Moment at = 0;
        std::string_view value;
        Function function = Function::unstated;
        std::int64_t index = -1;
    };

    bool read_step() {
        ++now_;
        const std::size_t first = history_.operations.size();
        Step step;
        if (!read_map(step)) {
            return false;
        }
        const bool ours = step.process.has_value() && step.function != Function::foreign;
        if (!ours || step.type == Type::unknown) {
            history_.operations.resize(first);  // the nemesis, or a workload of another kind
            return true;
        }
        const std::uint32_t session = session_of(*step.process);
        if (step.type == Type::invoke) {
            open_[session].push_back({now_, step.value, step.function, step.index});
            return true;
        }
        return complete(step, session, first);
    }

    bool read_map(Step& step) {
        if (!forms_.expect('{', "an operation: {:type …, :process …, :value …}")) {
            return false;
        }
        while (!forms_.take('}')) {
            Atom field;
            if (!forms_.atom(field)) {
                return false;
            }
            if (!read_field(field.text, step)) {
                return false;
            }
        }
        return true;
    }

    bool read_field(std::string_view field, Step& step) {
        if (field == "value") {
            const bool in_passing = step.type == Type::ok && step.function == Function::transaction;
            if (in_passing && forms_.peek() == '[') {
                step.operations_read = true;
                return operations_.read(forms_, true);
            }
            return forms_.skip(step.value);
        }
        Atom atom;
        if (field == "type") {
            return forms_.atom(atom) && known_type(step.type = type_of(atom));
        }
        if (field == "f") {
            return forms_.atom(atom) && (step.function = function_of(atom), true);
        }
        if (field == "process") {
            if (!forms_.atom(atom)) {
                return false;
            }
            if (atom.kind == Atom::Kind::integer) {
                step.process = atom.integer;
            }
            return true;
        }
        return field == "index" ? forms_.integer(step.index, "a number after :index")
                                : forms_.skip();
    }

    bool known_type(Type type) {
        return type != Type::unknown || forms_.fail("a type: invoke, ok, fail or info");
    }

    std::uint32_t session_of(std::int64_t process) {
        const auto [at, fresh] =
            sessions_.try_emplace(process, static_cast<std::uint32_t>(open_.size()));
        if (fresh) {
            open_.emplace_back();
        }
        return at->second;
    }

    /// Several overlapping invocations in one process are odd but occur: first come, first served.
    bool complete(Step& step, std::uint32_t session, std::size_t first) {
        Invocation invocation{beginning_of_time, {}, step.function, step.index};
        if (!open_[session].empty()) {
            invocation = open_[session].front();
            open_[session].pop_front();
        }
        const Outcome outcome = step.type == Type::ok     ? Outcome::committed
                                : step.type == Type::fail ? Outcome::aborted
                                                          : Outcome::indeterminate;
        if (!step.operations_read &&
            !read_later(names_operations(step.value) ? step.value : invocation.value, step.function,
                        outcome)) {
            return false;
        }
        add(session, outcome, first, invocation.at, now_,
            invocation.index >= 0 ? invocation.index : step.index);
        history_.transactions.back().initial = step.function == Function::initialise;
        return true;
    }

    static bool names_operations(std::string_view value) noexcept {
        return !value.empty() && (value.front() == '[' || value.front() == '{');
    }

    bool read_later(std::string_view value, Function function, Outcome outcome) {
        if (!names_operations(value)) {
            return true;  // a failure that says no more than that
        }
        FormReader forms(value, forms_.notation());
        const bool done = function == Function::initialise
                              ? operations_.read_initial(forms)
                              : operations_.read(forms, outcome == Outcome::committed);
        if (!done) {
            const auto before = static_cast<std::size_t>(value.data() - source_.text.data());
            later_failure_ =
                source_.error(forms.failure(), before + forms.failure_offset(), forms.expected());
        }
        return done;
    }

    /// What never completed may or may not have happened.
    bool settle_open() {
        for (std::uint32_t session = 0; session < open_.size(); ++session) {
            for (const Invocation& invocation : open_[session]) {
                const std::size_t first = history_.operations.size();
                if (!read_later(invocation.value, invocation.function, Outcome::indeterminate)) {
                    return false;
                }
                add(session, Outcome::indeterminate, first, invocation.at, now_ + 1,
                    invocation.index);
                history_.transactions.back().initial = invocation.function == Function::initialise;
            }
        }
        return true;
    }

    void add(std::uint32_t session, Outcome outcome, std::size_t first, Moment began, Moment ended,
             std::int64_t index) {
        Transaction transaction;
        transaction.label = static_cast<std::uint64_t>(index >= 0 ? index : ended);
        transaction.first_operation = first;
        transaction.operations = static_cast<std::uint32_t>(history_.operations.size() - first);
        transaction.session = session;
        transaction.began = began;
        transaction.ended = ended;
        transaction.outcome = outcome;
        history_.transactions.push_back(transaction);
    }

    [[nodiscard]] ReadError error() const {
        return later_failure_.has_value()
                   ? *later_failure_
                   : source_.error(forms_.failure(), forms_.failure_offset(), forms_.expected());
    }

    const Source& source_;
    FormReader forms_;
    History history_;
    ElleOperations operations_;
    std::unordered_map<std::int64_t, std::uint32_t> sessions_;
    std::vector<std::deque<Invocation>> open_;  ///< by session
    Moment now_ = 0;
    std::optional<ReadError> later_failure_;
};

}  // namespace

ReadResult<History> read_elle_edn(const Source& source) {
    return ElleReader(source, Notation::edn).read();
}

ReadResult<History> read_elle_json(const Source& source) {
    return ElleReader(source, Notation::json).read();
}

}  // namespace isotap::history
