// The entries of a recording's log: any bytes are told as events or refused with a place and a
// reason.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "isotap/analysis/engine.hpp"

#include "analysis/history/recording/log_decoder.hpp"

namespace {

class OneText final : public isotap::history::recording::TextSource {
  public:
    std::string_view text(isotap::history::recording::TextId id) override {
        return id == 1 ? "12345" : "";
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace history = isotap::history;
    const std::string_view entries(reinterpret_cast<const char*>(data), size);
    OneText texts;
    const history::TransactionId id{5};
    isotap::analysis::Engine engine;
    engine.accept(history::TransactionBegan{history::SessionId{1}, id, {}, false});
    const auto fault = history::recording::decode_log(entries, id, texts, engine);
    engine.accept(history::TransactionEnded{id, {}, {}, history::Outcome::committed, false});
    engine.finish();
    if (fault.byte > size) {
        std::abort();
    }
    return 0;
}
