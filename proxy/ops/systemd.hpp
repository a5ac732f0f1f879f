#pragma once

#include <string_view>

namespace isotap::proxy {

/// Tells systemd (Type=notify) a state such as `READY=1`; several are separated by newlines.
/// Without a service manager, or when it does not listen, nothing happens: it is only a courtesy.
void notify_systemd(std::string_view state) noexcept;

}  // namespace isotap::proxy
