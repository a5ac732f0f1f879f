#include "analysis/history/form_reader.hpp"
#include "analysis/history/history_builder.hpp"
#include "analysis/history/list_chains.hpp"
#include "analysis/history/readers.hpp"

namespace isotap::history {

namespace {

/// dbcop's JSON: sessions of transactions of events, under "data".
class DbcopJsonReader {
  public:
    explicit DbcopJsonReader(const Source& source)
        : source_(source), forms_(source.text, Notation::json) {}

    ReadResult<History> read() {
        bool found = false;
        if (!each_field([&](std::string_view field) {
                found |= field == "data";
                return field == "data" ? each('[', [&] { return read_session(); }) : forms_.skip();
            }) ||
            (!forms_.at_end() && !forms_.fail("the end of the file")) ||
            (!found && !forms_.fail("a field \"data\" with the sessions"))) {
            return source_.error(forms_.failure(), forms_.failure_offset(), forms_.expected());
        }
        return std::move(builder_.history);
    }

  private:
    template <typename Body>
    bool each(char bracket, Body body) {
        if (!forms_.expect(bracket, bracket == '[' ? "a list" : "an object")) {
            return false;
        }
        while (!forms_.take(bracket == '[' ? ']' : '}')) {
            if (!body()) {
                return false;
            }
        }
        return true;
    }

    template <typename Body>
    bool each_field(Body body) {
        return each('{', [&] {
            Atom name;
            return forms_.atom(name) && body(name.text);
        });
    }

    bool read_session() {
        const std::uint32_t session = builder_.begin_session();
        return each('[', [&] {
            bool committed = true;
            const bool read = each_field([&](std::string_view field) {
                if (field == "events") {
                    return each('[', [&] { return read_event(); });
                }
                if (field == "committed" || field == "success") {
                    return read_truth(committed);
                }
                return forms_.skip();
            });
            builder_.end_transaction(session, committed ? Outcome::committed : Outcome::aborted);
            source_.done_before(forms_.offset());
            return read;
        });
    }

    bool read_truth(bool& into) {
        Atom truth;
        if (!forms_.atom(truth) || (truth.text != "true" && truth.text != "false")) {
            return forms_.fail("true or false");
        }
        into = truth.text == "true";
        return true;
    }

    bool read_event() {
        return each_field([&](std::string_view kind) {
            if (kind != "Write" && kind != "Read") {
                return forms_.fail("\"Write\" or \"Read\"");
            }
            Value variable = initial_value;
            Value version = initial_value;
            const bool read = each_field([&](std::string_view field) {
                if (field == "variable") {
                    return read_value(forms_, builder_.history.atoms, variable);
                }
                return field == "version" ? read_value(forms_, builder_.history.atoms, version)
                                          : forms_.skip();
            });
            if (read && variable == initial_value) {
                return forms_.fail("a field \"variable\"");
            }
            if (read && kind == "Write" && version == initial_value) {
                return forms_.fail("a version that was written");
            }
            builder_.add(variable, version,
                         kind == "Write" ? OperationKind::write : OperationKind::read);
            return read;
        });
    }

    const Source& source_;
    FormReader forms_;
    HistoryBuilder builder_;
};

}  // namespace

ReadResult<History> read_dbcop_json(const Source& source) {
    return DbcopJsonReader(source).read();
}

}  // namespace isotap::history
