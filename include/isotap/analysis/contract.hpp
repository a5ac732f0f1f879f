#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/system/result.hpp>

#include "isotap/analysis/anomaly.hpp"

namespace isotap::analysis {

/// What one engine documents for its levels: which phenomena never happen there. Read from a text
/// (TOML, see configs/contracts), never changed afterwards; safe from every thread.
class Contract {
  public:
    struct Promise {
        ModelSet models;                     ///< kept as a whole
        std::vector<AnomalyKind> phenomena;  ///< excluded besides
        std::string documentation;           ///< where the engine says so
    };

    /// `text` is TOML. Fails with a message that names the line and what was expected there.
    static boost::system::result<Contract, std::string> parse(std::string_view text);

    [[nodiscard]] const std::string& engine() const noexcept { return engine_; }
    [[nodiscard]] const Promise* at(history::IsolationLevel level) const noexcept;

    /// A violation only where every transaction that had a part in it ran at a level that excludes
    /// it: transactions at weaker levels may harm only themselves, and nobody is accused on a
    /// doubt.
    [[nodiscard]] Severity judge(const Anomaly& anomaly) const noexcept;

    /// The weakest level at which it could not have happened; `unknown`: at none.
    [[nodiscard]] history::IsolationLevel weakest_level_without(
        const Anomaly& anomaly) const noexcept;

  private:
    std::string engine_;
    std::map<history::IsolationLevel, Promise> promises_;
};

}  // namespace isotap::analysis
