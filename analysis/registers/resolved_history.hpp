#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/writer_index.hpp"

namespace isotap::analysis {

/// A transaction that counts: it committed, or somebody saw what it wrote. 0 is the state before
/// the first one, as a transaction that wrote every key.
using Node = std::uint32_t;
inline constexpr Node initial_node = 0;

/// What one read says besides the transactions that it connects.
enum class ReadFault : std::uint8_t {
    aborted_writer,    ///< G1a
    intermediate,      ///< G1b
    nobody,            ///< no operation wrote that value
    own_write_missed,  ///< its transaction had written another value before
    own_future,        ///< its own transaction wrote that value later
};

struct FaultyRead {
    ReadFault fault = ReadFault::nobody;
    std::uint32_t reader = 0;     ///< its transaction in the history
    std::uint32_t operation = 0;  ///< its place among the operations of the history
    history::WriterIndex::Writer writer;
};

/// A read of what another transaction wrote.
struct ExternalRead {
    history::KeyId key{};
    Node writer = initial_node;
    std::uint32_t operation = 0;
};

/// The last write of a transaction to a key.
struct FinalWrite {
    history::KeyId key{};
    std::uint32_t operation = 0;
};

/// A register history in which every read knows its writer: who read from whom, without values.
/// Immutable once built; must not outlive the history under it.
class ResolvedHistory {
  public:
    ResolvedHistory(const history::History& history, const history::WriterIndex& writers);

    [[nodiscard]] std::uint32_t node_count() const noexcept {
        return static_cast<std::uint32_t>(nodes_.size());
    }
    [[nodiscard]] std::uint32_t session_count() const noexcept {
        return static_cast<std::uint32_t>(sessions_.size());
    }
    [[nodiscard]] std::size_t key_count() const noexcept { return history_.atoms.key_count(); }

    /// In the order of the program.
    [[nodiscard]] std::span<const ExternalRead> reads(Node node) const noexcept {
        return std::span(reads_).subspan(nodes_[node].first_read, nodes_[node].reads);
    }
    /// By key. Those of the initial state are not listed.
    [[nodiscard]] std::span<const FinalWrite> writes(Node node) const noexcept {
        return std::span(writes_).subspan(nodes_[node].first_write, nodes_[node].writes);
    }
    [[nodiscard]] bool writes_key(Node node, history::KeyId key) const noexcept;

    [[nodiscard]] std::uint32_t session(Node node) const noexcept { return nodes_[node].session; }
    [[nodiscard]] std::uint32_t place(Node node) const noexcept { return nodes_[node].place; }
    /// The transactions of a session, one after the other. One of unknown outcome that others of
    /// its session follow is a session by itself.
    [[nodiscard]] std::span<const Node> in_session(std::uint32_t session) const noexcept {
        return sessions_[session];
    }
    /// The transaction before this one in its session, or the initial state.
    [[nodiscard]] Node before_in_session(Node node) const noexcept {
        const NodeParts& parts = nodes_[node];
        return parts.place == 0 ? initial_node : sessions_[parts.session][parts.place - 1];
    }
    [[nodiscard]] std::uint32_t transaction(Node node) const noexcept {
        return nodes_[node].transaction;
    }
    [[nodiscard]] const history::History& history() const noexcept { return history_; }
    [[nodiscard]] const std::vector<FaultyRead>& faults() const noexcept { return faults_; }

  private:
    struct NodeParts {
        std::uint32_t transaction = 0;
        std::uint32_t session = 0;
        std::uint32_t place = 0;
        std::uint32_t reads = 0;
        std::uint32_t writes = 0;
        std::size_t first_read = 0;
        std::size_t first_write = 0;
    };
    /// What the transaction at hand did to a key so far.
    struct OwnWrite {
        std::uint32_t transaction = none;
        std::uint32_t operation = 0;
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    void number_nodes();
    void part_from_indeterminate(std::uint32_t session);
    void resolve(Node node, std::vector<OwnWrite>& own);
    void resolve_read(Node node, std::uint32_t at, const OwnWrite& own);
    void fault(ReadFault fault, Node node, std::uint32_t at, history::WriterIndex::Writer writer);
    [[nodiscard]] history::WriterIndex::Writer writer_of(const history::Operation& read) const;
    [[nodiscard]] bool sees_initial(const history::Operation& read) const noexcept;
    [[nodiscard]] bool is_final(history::WriterIndex::Writer writer) const noexcept;

    const history::History& history_;
    const history::WriterIndex& writers_;
    std::vector<NodeParts> nodes_;
    std::vector<Node>
        node_of_;  ///< of each transaction of the history; `none` if it does not count
    std::vector<std::vector<Node>> sessions_;
    std::vector<ExternalRead> reads_;
    std::vector<FinalWrite> writes_;
    std::vector<FaultyRead> faults_;
};

}  // namespace isotap::analysis
