#include "proxy/tap/alerts.hpp"

#include <set>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "analysis/report/explanation.hpp"
#include "analysis/report/json_report.hpp"
#include "analysis/report/remedies.hpp"
#include "proxy/tap/alert_command.hpp"
#include "proxy/tap/http_post.hpp"

namespace isotap::proxy {
namespace {

namespace json = boost::json;

constexpr std::size_t waiting_max = 100;
constexpr std::size_t patterns_max = 10'000;

std::string tables_of(const AnomalyRecord& record) {
    std::set<std::string> tables;
    for (const auto& [id, name] : record.tables) {
        if (!name.empty()) {
            tables.insert(name);
        }
    }
    return fmt::format("{}", fmt::join(tables, ", "));
}

/// The shape of `check --json`, with one anomaly.
std::string report_of(const AnomalyRecord& record, const std::string& engine) {
    analysis::Findings findings;
    findings.source = engine;
    findings.format = "live";
    findings.verdict = record.anomaly.severity == analysis::Severity::violation
                           ? analysis::Verdict::violation
                           : analysis::Verdict::hazard;
    findings.anomalies.push_back(record.anomaly);
    findings.violated = record.anomaly.violates;
    return json_report(findings, RecordNames(record));
}

std::string alertmanager_body(const AnomalyRecord& record, const std::string& engine) {
    const analysis::Anomaly& anomaly = record.anomaly;
    std::string words;
    for (const std::string& sentence : explain(anomaly, RecordNames(record))) {
        words += (words.empty() ? "" : " ") + sentence;
    }
    const json::object labels{{"alertname", "IsotapAnomaly"},
                              {"type", name_of(anomaly.kind)},
                              {"severity", std::string(to_string(anomaly.severity))},
                              {"engine", engine},
                              {"tables", tables_of(record)}};
    const json::object annotations{{"summary", title_of(anomaly)},
                                   {"description", words},
                                   {"advice", analysis::advice(anomaly, RecordNames(record))}};
    return json::serialize(
        json::array{json::object{{"labels", labels}, {"annotations", annotations}}});
}

std::string url_of_alertmanager(std::string root) {
    while (root.ends_with('/')) {
        root.pop_back();
    }
    return root + "/api/v2/alerts";
}

}  // namespace

Alerts::Alerts(AlertOptions options, std::string engine, Log& log, Pace pace)
    : options_(std::move(options)), engine_(std::move(engine)), log_(log), pace_(pace) {}

void Alerts::start() {
    const bool anybody =
        !options_.webhook.empty() || !options_.alertmanager.empty() || !options_.command.empty();
    if (anybody) {
        thread_ = std::thread([this] { run(); });
    }
}

void Alerts::offer(const AnomalyRecord& record) {
    if (!thread_.joinable()) {
        return;
    }
    if (!is_due(name_of(record.anomaly.kind) + " " + tables_of(record))) {
        const std::lock_guard lock(mutex_);
        ++figures_.suppressed;
        return;
    }
    if (!options_.webhook.empty()) {
        enqueue(Message::Way::webhook, report_of(record, engine_));
    }
    if (!options_.alertmanager.empty()) {
        enqueue(Message::Way::alertmanager, alertmanager_body(record, engine_));
    }
    if (!options_.command.empty()) {
        enqueue(Message::Way::command, report_of(record, engine_) + "\n");
    }
}

bool Alerts::is_due(const std::string& key) {
    const Clock::time_point now = Clock::now();
    while (!last_minute_.empty() && now - last_minute_.front() > std::chrono::minutes{1}) {
        last_minute_.pop_front();
    }
    const auto told = told_.find(key);
    const bool repeats = told != told_.end() && now - told->second < options_.repeat;
    if (repeats || last_minute_.size() >= pace_.each_minute) {
        return false;
    }
    if (told_.size() >= patterns_max) {
        told_.clear();
    }
    told_[key] = now;
    last_minute_.push_back(now);
    return true;
}

void Alerts::enqueue(Message::Way way, std::string body) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= waiting_max) {
        ++figures_.suppressed;
        return;
    }
    waiting_.push_back({way, std::move(body)});
    wake_.notify_all();
}

void Alerts::run() {
    while (true) {
        Message message;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
            if (stopping_ && Clock::now() > last_try_) {
                give_up();
            }
            if (waiting_.empty()) {
                return;
            }
            message = std::move(waiting_.front());
            waiting_.pop_front();
        }
        deliver(message);
    }
}

/// Whoever does not answer would keep us for as long with each message that is left.
void Alerts::give_up() {
    if (!waiting_.empty()) {
        log_.line(LogLevel::error, "alerts were not delivered before the end",
                  fmt::format("{} are left", waiting_.size()));
    }
    figures_.failed += waiting_.size();
    waiting_.clear();
}

void Alerts::deliver(const Message& message) {
    std::string failure;
    std::chrono::milliseconds wait = pace_.first_retry;
    for (unsigned tried = 0; tried < pace_.tries; ++tried) {
        failure = attempt(message);
        if (failure.empty() || !pause(tried + 1 < pace_.tries ? wait : wait * 0)) {
            break;
        }
        wait *= 2;
    }
    {
        const std::lock_guard lock(mutex_);
        ++(failure.empty() ? figures_.sent : figures_.failed);
    }
    if (!failure.empty()) {
        log_.line(LogLevel::error, "an alert was not delivered", failure);
    }
}

std::string Alerts::attempt(const Message& message) const {
    switch (message.way) {
        case Message::Way::webhook:
            return http_post(options_.webhook, message.body, pace_.patience, options_.authorities);
        case Message::Way::alertmanager:
            return http_post(url_of_alertmanager(options_.alertmanager), message.body,
                             pace_.patience, options_.authorities);
        case Message::Way::command: break;
    }
    return run_alert_command(options_.command, message.body, pace_.patience);
}

/// False when there is no time for another try.
bool Alerts::pause(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return !wake_.wait_for(lock, time, [this] { return stopping_; });
}

void Alerts::stop() {
    if (!thread_.joinable()) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        last_try_ = Clock::now() + pace_.patience;
    }
    wake_.notify_all();
    thread_.join();
}

AlertFigures Alerts::figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
}

}  // namespace isotap::proxy
