#include "proxy/workload/play.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "isotap/proxy/startup_error.hpp"

namespace isotap::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using workload::Answer;
using workload::Boundary;
using workload::Event;
using workload::Happening;
using workload::Marker;

/// Most statements are answered at once; whoever is not is asked about after this long.
constexpr milliseconds grace{15};

std::string with_level(std::string sql, std::optional<history::IsolationLevel> level) {
    for (const std::string_view place : {"{level}", "{isolation_level.value}"}) {
        for (std::size_t at = sql.find(place); level && at != std::string::npos;
             at = sql.find(place)) {
            sql.replace(at, place.size(), workload::level_name(*level));
        }
    }
    return sql;
}

}  // namespace

Play::Play(const workload::Scenario& scenario, const std::vector<workload::Turn>& order,
           Server& server, Watch& watch, const ExecutorOptions& options, workload::Run& run)
    : scenario_(scenario),
      order_(order),
      server_(server),
      watch_(watch),
      options_(options),
      run_(run),
      schedule_(scenario, order),
      open_(scenario.sessions.size(), false),
      untold_(scenario.sessions.size()),
      heard_(scenario.sessions.size(), 0) {}

Play::~Play() {
    try {
        cancel_all();                  // only what an exception left under way
    } catch (const std::exception&) {  // the server is gone: every statement ends by itself
    }
}

void Play::open(std::optional<history::IsolationLevel> level) {
    for (const workload::Session& session : scenario_.sessions) {
        auto client = server_.connect(watch_.address());
        if (level) server_.set_level(*client, *level);
        Answer answer;
        if (!session.setup.empty()) {
            answer = client->execute(session.setup);
            answer.notices = client->hear();
            must_work(answer, session.name);
        }
        run_.setup.push_back(std::move(answer));
        workers_.push_back(std::make_unique<Worker>(std::move(client), board_));
    }
}

void Play::must_work(const Answer& answer, const std::string& session) const {
    if (answer.failed) {
        throw StartupError(StartupError::Kind::usage,
                           fmt::format("{}: the set-up of session {} fails with '{}': correct it",
                                       scenario_.name, session, answer.message));
    }
}

void Play::go() {
    for (;;) {
        if (const auto turn = schedule_.next()) {
            submit(*turn);
            settle(std::nullopt);
        } else if (flights_.empty()) {
            return;
        } else if (scenario_.specification) {
            const auto next = schedule_.first_left();
            settle(next ? flight_of(*next)->turn : flights_.front().turn);
        } else if (!release_one()) {
            cancel_all();
            settle(std::nullopt);
        }
    }
}

std::string Play::text_of(std::size_t turn) const {
    return with_level(scenario_.steps[order_[turn].step].sql, run_.setting.level);
}

void Play::submit(std::size_t turn) {
    const std::size_t session = schedule_.session_of(turn);
    if (!scenario_.specification) {
        server_.before_statement(workers_[session]->client(), !flights_.empty());
    }
    const auto& markers = order_[turn].markers;
    Flight flight;
    flight.turn = turn;
    listen();
    for (const Marker& marker : markers) {
        flight.notices.push_back(heard_[scenario_.steps[marker.step].session] + marker.notices);
    }
    schedule_.submit(turn);
    workers_[session]->submit(text_of(turn));
    flights_.push_back(std::move(flight));
    if (std::any_of(markers.begin(), markers.end(),
                    [](const Marker& marker) { return marker.kind == Marker::Kind::waits; })) {
        report_wait(flights_.back());
    }
}

/// Until nothing moves any more, everything that moved is recorded.
void Play::settle(std::optional<std::size_t> must_end) {
    do {
        const auto deadline = steady_clock::now() + options_.patience;
        for (;;) {
            note_answers();
            const bool awaited =
                must_end &&
                std::any_of(flights_.begin(), flights_.end(), [&](const Flight& flight) {
                    return flight.turn == *must_end && !flight.ended;
                });
            const bool all = std::all_of(flights_.begin(), flights_.end(),
                                         [](const Flight& flight) { return flight.ended; });
            const bool more = std::any_of(flights_.begin(), flights_.end(),
                                          [&](const Flight& one) { return awaits_notices(one); });
            if (!more && (all || (look_for_waits() && !awaited))) break;
            if (steady_clock::now() > deadline) {
                if (!awaited) break;
                cancel_all();
            }
        }
        // What a session said last before it began to wait is still on its way.
        if (scenario_.specification && !flights_.empty()) note_answers();
        watch_.look();
    } while (record());
}

/// Waits a little for the first answer.
void Play::note_answers() {
    std::unique_lock lock(board_.mutex);
    bool any = false;
    const auto look = [&] {
        for (Flight& flight : flights_) {
            if (!flight.ended && workers_[schedule_.session_of(flight.turn)]->answered()) {
                flight.ended = true;
                any = true;
            }
        }
        return any;
    };
    board_.changed.wait_for(lock, grace, look);
    listen();
}

void Play::listen() {
    for (std::size_t session = 0; session < workers_.size(); ++session) {
        for (std::string& notice : workers_[session]->client().hear()) {
            untold_[session].push_back(std::move(notice));
            ++heard_[session];
        }
    }
}

/// What a session has said while its statement goes on.
void Play::tell(std::size_t session) {
    if (!scenario_.specification || untold_[session].empty()) return;
    Event event;
    event.happening = Happening::told;
    event.session = session;
    event.answer.notices = std::exchange(untold_[session], {});
    run_.events.push_back(std::move(event));
}

/// What was submitted last first, then what it set free, in the order of submission. True when that
/// itself made something move.
bool Play::record() {
    const std::size_t recorded = run_.events.size();
    if (!flights_.empty()) tell(schedule_.session_of(flights_.back().turn));
    if (!flights_.empty() && (!flights_.back().ended || held_back(flights_.back()))) {
        report_wait(flights_.back());
    }
    if (!flights_.empty() && !flights_.back().reported) {
        const Flight last = flights_.back();
        flights_.pop_back();
        record_end(last);
    }
    for (const Flight& flight : flights_) {
        if (!flight.ended || held_back(flight)) tell(schedule_.session_of(flight.turn));
    }
    for (bool again = true; again;) {
        again = false;
        for (std::size_t i = 0; i < flights_.size(); ++i) {
            if (!flights_[i].ended || held_back(flights_[i])) continue;
            const Flight flight = flights_[i];
            flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(i));
            record_end(flight);
            again = true;
            break;
        }
    }
    return !flights_.empty() &&
           std::any_of(run_.events.begin() + static_cast<std::ptrdiff_t>(recorded),
                       run_.events.end(),
                       [](const Event& event) { return event.happening == Happening::added; });
}

void Play::record_end(const Flight& flight) {
    const std::size_t session = schedule_.session_of(flight.turn);
    Event event;
    event.session = session;
    event.turn = flight.turn;
    event.waited = flight.reported;
    event.answer = workers_[session]->take();
    event.answer.notices = std::exchange(untold_[session], {});
    const bool failed = event.answer.transaction_lost;
    const Boundary boundary = workload::boundary_of(text_of(flight.turn));
    if (!event.answer.failed && boundary == Boundary::begins) open_[session] = true;
    if (boundary == Boundary::ends) open_[session] = false;
    run_.events.push_back(std::move(event));
    const bool lost = failed && open_[session] && !schedule_.recovers(flight.turn);
    const std::vector<std::size_t> dropped = schedule_.end(flight.turn, lost);
    if (lost && !scenario_.specification) roll_back(session);
    for (const std::size_t turn : dropped) {
        Event skipped;
        skipped.happening = Happening::dropped;
        skipped.session = session;
        skipped.turn = turn;
        run_.events.push_back(std::move(skipped));
    }
}

void Play::roll_back(std::size_t session) {
    Event event;
    event.happening = Happening::added;
    event.session = session;
    event.answer = workers_[session]->client().execute("ROLLBACK");
    open_[session] = false;
    run_.events.push_back(std::move(event));
}

/// Everybody left waits: the first idle session that others wait for and that has nothing more to
/// say is rolled back. False when there is none.
bool Play::release_one() {
    for (std::size_t session = 0; session < workers_.size(); ++session) {
        const bool wanted = std::any_of(flights_.begin(), flights_.end(), [&](const Flight& f) {
            return std::find(f.blockers.begin(), f.blockers.end(), session) != f.blockers.end();
        });
        if (!wanted || flight_of(session) != nullptr || !open_[session]) continue;
        roll_back(session);
        settle(std::nullopt);
        return true;
    }
    return false;
}

/// The last resort.
void Play::cancel_all() {
    for (const Flight& flight : flights_) {
        if (!flight.ended) {
            server_.cancel(workers_[schedule_.session_of(flight.turn)]->client().id());
        }
    }
}

void Play::close() {
    for (std::size_t session = 0; session < workers_.size(); ++session) {
        if (!scenario_.specification) {
            if (workers_[session]->client().in_transaction()) roll_back(session);
            continue;
        }
        const std::string& sql = scenario_.sessions[session].teardown;
        Client& client = workers_[session]->client();
        run_.teardown.push_back(sql.empty() ? Answer() : client.execute(sql));
        run_.teardown.back().notices = client.hear();
    }
}

}  // namespace isotap::proxy
