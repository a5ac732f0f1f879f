#pragma once

#include "isotap/history/events.hpp"

namespace isotap::history {

/// An update that wrote what was there already, where such a one makes no version (InnoDB): its
/// access has the same version before and after. It is a write all the same: two clients that both
/// count from 10 to 11 have lost a count.
constexpr bool keeps_version(AccessKind kind, const Version& before,
                             const Version& after) noexcept {
    const bool state = before.kind == VersionKind::initial || before.kind == VersionKind::written;
    return kind == AccessKind::update && state && before == after;
}

}  // namespace isotap::history
