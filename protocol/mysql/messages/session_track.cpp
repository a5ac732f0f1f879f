#include "protocol/mysql/messages/session_track.hpp"

#include "protocol/mysql/length_encoded.hpp"

namespace isotap::mysql {

bool SessionTrackReader::next_variable(Tracked& tracked) noexcept {
    if (variables_.at_end()) {
        return false;
    }
    tracked.kind = TrackerKind::system_variable;
    tracked.name = length_encoded_text(variables_);
    tracked.value = length_encoded_text(variables_);
    return variables_.ok();
}

bool SessionTrackReader::next(Tracked& tracked) noexcept {
    tracked = {};
    while (!next_variable(tracked)) {
        if (reader_.at_end()) {
            return false;
        }
        const auto kind = static_cast<TrackerKind>(reader_.u8());
        const std::string_view data = length_encoded_text(reader_);
        if (!reader_.ok()) {
            return false;
        }
        ByteReader inner(as_bytes(data));
        switch (kind) {
            case TrackerKind::system_variable: variables_ = inner; break;
            case TrackerKind::schema:
            case TrackerKind::transaction_characteristics:
            case TrackerKind::transaction_state:
                tracked = {kind, {}, length_encoded_text(inner)};
                if (inner.ok()) return true;
                break;
            case TrackerKind::state_change:
            case TrackerKind::gtids: break;
        }
    }
    return true;
}

}  // namespace isotap::mysql
