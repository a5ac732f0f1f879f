#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "isotap/history/events.hpp"

#include "proxy/workload/kept_events.hpp"
#include "proxy/workload/run_digest.hpp"
#include "proxy/workload/server.hpp"

namespace isotap::proxy {

/// What conditions would have matched: a statement that chose rows by a condition, and a write that
/// changed whether a row meets it, depend on one another although the statement never got the row.
///
/// Rows are looked at whenever all is still, over the control connection, which sees what has been
/// committed and locks nothing that a client asks for. Whether a row meets a condition says the
/// server. A version that nobody saw says nothing: it makes no dependency. One thread.
class ConditionWitness {
  public:
    explicit ConditionWitness(Server& server) : server_(server) {}

    /// Remembers every version of a row that is there now. The first time: before any session.
    void look();

    /// A write of another transaction after which the condition is met, or before which it was.
    struct Judged {
        RowChange change;
        bool before = false;
        bool after = false;
    };

    /// What the committed writes of a run did to a condition. A dirty reader is left alone where
    /// there was something dirty to read.
    [[nodiscard]] std::vector<Judged> judge(const RunDigest& digest,
                                            const ConditionRead& read) const;

    /// Hands on the events, with what conditions read and writes changed among them. `digest` is of
    /// these events.
    void tell(const RunDigest& digest, const KeptEvents& events,
              const std::function<void(const history::Event&)>& hand_on) const;

  private:
    /// The image of a version: none where there is no row, nothing where nobody saw it.
    using Image = std::optional<std::optional<std::string>>;
    /// Table, key, how rows name the writer.
    using VersionName = std::tuple<std::string, history::RowKey, std::uint32_t>;

    [[nodiscard]] Image image_of(const RunDigest& digest, const RowChange& change,
                                 const history::Version& version) const;
    [[nodiscard]] bool sees_past_its_snapshot(const RunDigest& digest,
                                              const ConditionRead& read) const;
    [[nodiscard]] history::Event placed(history::Event event) const;

    Server& server_;
    bool looked_ = false;
    std::set<std::uint32_t> before_us_;  ///< writers of what the first look saw
    std::map<VersionName, std::string> images_;
};

}  // namespace isotap::proxy
