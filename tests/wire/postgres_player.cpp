#include "tests/wire/postgres_player.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "isotap/base/byte_reader.hpp"

#include "tests/wire/postgres_step_message.hpp"
#include "tests/wire/postgres_transcript.hpp"

namespace isotap::test {
namespace {

std::string joined(const Transcript& lines) {
    std::string all;
    for (const std::string& line : lines) {
        all.append("    ").append(line).append("\n");
    }
    return all;
}

}  // namespace

Transcript PostgresPlayer::play(const WireScript& script) {
    connections_.clear();
    transcript_.clear();
    ignored_.clear();
    name_ = "a";
    for (const Step& step : script.steps) {
        try {
            perform(step);
        } catch (const std::exception& error) {
            throw std::runtime_error(script.name + ".wire:" + std::to_string(step.line) + ": " +
                                     error.what() + "\n" + joined(transcript_));
        }
    }
    connections_.clear();
    return std::move(transcript_);
}

void PostgresPlayer::perform(Step step) {
    for (Word& word : step.words) {
        word.text = with_process_numbers(std::move(word.text));
    }
    const std::string& name = step.name();
    if (const auto message = message_of(step)) {
        current().pending += *message;
    } else if (name == "on") {
        name_ = step.at(1);
    } else if (name == "start") {
        start(step);
    } else if (name == "cancel") {
        cancel(step);
    } else if (name == "control") {
        control(step.at(1));
    } else if (name == "saw" || name == "never") {
        demand(step, name == "saw");
    } else if (!perform_reading(step) && !perform_ending(step)) {
        throw std::runtime_error("nobody knows what '" + name + "' means");
    }
}

bool PostgresPlayer::perform_reading(const Step& step) {
    const std::string& name = step.name();
    if (name == "send") {
        flush(current());
    } else if (name == "until") {
        read_until(backend_type(step.at(1)), step.words.size() > 2 ? step.number(2) : 1);
    } else if (name == "read") {
        for (long i = 0; i < step.number(1); ++i) {
            read_one();
        }
    } else if (name == "until-body") {
        while (read_one().body.find(step.at(1)) == std::string::npos) {
        }
    } else if (name == "ignore") {
        ignored_ += backend_type(step.at(1));
    } else if (name == "byte") {
        flush(current());
        const auto byte = current().wire.read_byte();
        note(byte ? std::string("byte ") + *byte : "end");
    } else {
        return false;
    }
    return true;
}

bool PostgresPlayer::perform_ending(const Step& step) {
    const std::string& name = step.name();
    if (name == "end") {
        read_to_end();
    } else if (name == "rest") {
        read_rest();
    } else if (name == "half-close") {
        flush(current());
        current().wire.stream().end_sending();
    } else if (name == "close") {
        flush(current());
        connections_.erase(name_);
    } else if (name == "reset") {
        flush(current());
        current().wire.stream().reset();
        connections_.erase(name_);
    } else if (name == "tls") {
        flush(current());
        current().wire.stream().start_tls();
    } else if (name == "tls-direct") {
        current().wire.stream().start_tls({.alpn = "postgresql"});
        note("agreed on " + current().wire.stream().agreed_alpn());
    } else {
        return false;
    }
    return true;
}

void PostgresPlayer::start(const Step& step) {
    Parameters parameters{{"user", "postgres"}, {"database", "postgres"}};
    for (std::size_t i = 1; i < step.words.size(); i += 2) {
        parameters.emplace_back(step.at(i), step.at(i + 1));
    }
    current().pending += startup_packet(parameters);
    read_until('Z', 1);
}

/// A cancel request travels on a connection of its own, which the server ends without a word.
void PostgresPlayer::cancel(const Step& step) {
    const auto target = connections_.find(step.at(1));
    if (target == connections_.end()) throw std::runtime_error("nobody to cancel");
    std::string key = target->second->wire.key();
    if (step.words.size() > 2 && step.at(2) == "wrong-secret") key.back() ^= 1;
    const std::string previous = std::exchange(name_, "cancel");
    current().pending = MessageWriter().be32(cancel_request).text(key).framed();
    read_to_end();
    connections_.erase(name_);
    name_ = previous;
}

void PostgresPlayer::control(const std::string& sql) {
    if (!control_) {
        control_ = std::make_unique<PostgresWire>(server_);
        control_->start();
    }
    const ServerError error = error_in(control_->query(sql));
    if (!error.text.empty()) throw std::runtime_error("control: " + error.text);
}

void PostgresPlayer::demand(const Step& step, bool wanted) const {
    const bool seen = std::any_of(
        transcript_.begin(), transcript_.end(),
        [&](const std::string& line) { return line.find(step.at(1)) != std::string::npos; });
    if (seen != wanted) {
        throw std::runtime_error((wanted ? "nobody said " : "somebody said ") + step.at(1));
    }
}

PostgresPlayer::Connection& PostgresPlayer::current() {
    auto& connection = connections_[name_];
    if (!connection) {
        connection = std::make_unique<Connection>(front_);
        if (over_tls_) connection->wire.start_tls();
    }
    return *connection;
}

void PostgresPlayer::flush(Connection& connection) {
    connection.wire.send(std::exchange(connection.pending, {}));
}

Frame PostgresPlayer::read_one() {
    flush(current());
    std::optional<Frame> frame = current().wire.read();
    if (!frame) {
        note("end");
        throw std::runtime_error("the connection ended too early");
    }
    current().wire.note_key(*frame);
    note(*frame);
    return std::move(*frame);
}

void PostgresPlayer::read_until(char type, long count) {
    while (count > 0) {
        count -= read_one().type == type ? 1 : 0;
    }
}

void PostgresPlayer::read_to_end() {
    flush(current());
    while (const std::optional<Frame> frame = current().wire.read()) {
        note(*frame);
    }
    note("end");
}

/// What comes up to the end, where it is no message.
void PostgresPlayer::read_rest() {
    flush(current());
    std::string bytes;
    while (const auto byte = current().wire.read_byte()) {
        bytes += *byte;
    }
    note("bytes " + bytes);
    note("end");
}

void PostgresPlayer::note(const Frame& frame) {
    if (ignored_.find(frame.type) == std::string::npos) note(transcript_line(frame));
}

void PostgresPlayer::note(const std::string& line) {
    transcript_.push_back(name_ + "< " + line);
}

std::string PostgresPlayer::with_process_numbers(std::string text) const {
    for (const auto& [name, connection] : connections_) {
        const std::string place = "$pid(" + name + ")";
        for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place)) {
            ByteReader key(as_bytes(connection->wire.key()));
            text.replace(at, place.size(), std::to_string(static_cast<std::int32_t>(key.be32())));
        }
    }
    return text;
}

}  // namespace isotap::test
