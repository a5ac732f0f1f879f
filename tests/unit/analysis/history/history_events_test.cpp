#include "analysis/history/history_events.hpp"

#include <string>

#include <gtest/gtest.h>

#include "analysis/history/formats.hpp"

namespace isotap::history {
namespace {

/// Writes events down: `began 1`, `list x 1.1 2.1`, `read 1.1`, `wrote 1.1`, `ended 1`.
class Notes final : public EventSink {
  public:
    void accept(const Event& event) noexcept override {
        std::visit([this](const auto& known) { note(known); }, event);
    }
    std::string text;

  private:
    static std::string name(const Version& version) {
        switch (version.kind) {
            case VersionKind::written: break;
            case VersionKind::initial: return "T0";
            case VersionKind::unborn: return "unborn";
            default: return "?";
        }
        return std::to_string(version.writer) + "." + std::to_string(version.statement);
    }
    static std::string name(TransactionId id) {
        return std::to_string(static_cast<std::uint64_t>(id));
    }
    void note(const TransactionBegan& began) { text += "began " + name(began.transaction) + "\n"; }
    void note(const TransactionEnded& ended) { text += "ended " + name(ended.transaction) + "\n"; }
    void note(const Access& access) {
        text += access.kind == AccessKind::read
                    ? "read " + name(access.before) + "\n"
                    : "wrote " + name(access.after) + " over " + name(access.before) + "\n";
    }
    void note(const WriterList& list) {
        text += "list";
        for (const Version& version : list.writers) {
            text += " " + name(version);
        }
        text += "\n";
    }
    template <typename Other>
    void note(const Other& /*other*/) {}
};

std::string events_of(std::string_view text) {
    const auto read = read_history_text(text, "file");
    EXPECT_FALSE(read.has_error());
    Notes notes;
    emit_events(read->history, ListOrder(read->history, read->writers), notes);
    return notes.text;
}

TEST(HistoryEvents, AListTellsWhatEachAppendCameBehind) {
    EXPECT_EQ(events_of("{:type :ok, :process 0, :f :txn, :value [[:r :x nil] [:append :x 5]]}\n"
                        "{:type :ok, :process 1, :f :txn, :value [[:r :x [5 6]]]}\n"
                        "{:type :ok, :process 2, :f :txn, :value [[:append :x 6] [:r :x [5]]]}\n"),
              "began 1\nread T0\nwrote 1.2 over T0\nended 1\n"
              "began 2\nread 3.1\nended 2\n"
              "began 3\nwrote 3.1 over 1.2\nread 1.2\nended 3\n");
}

TEST(HistoryEvents, ListsThatContradictOneAnotherAreToldAsTheyAre) {
    EXPECT_EQ(events_of("{:type :ok, :process 0, :f :txn, :value [[:append :x 5] [:append :x 6]]}\n"
                        "{:type :ok, :process 1, :f :txn, :value [[:r :x [5]]]}\n"
                        "{:type :ok, :process 2, :f :txn, :value [[:r :x [5 6]]]}\n"
                        "{:type :ok, :process 3, :f :txn, :value [[:r :x [6 5]]]}\n"),
              "began 1\nwrote 1.1 over ?\nwrote 1.2 over ?\nended 1\n"
              "began 2\nlist T0 1.1\nread 1.1\nended 2\n"
              "began 3\nlist 1.1 1.2\nread 1.2\nended 3\n"
              "began 4\nlist T0 1.2 1.1\nread 1.1\nended 4\n");
}

TEST(HistoryEvents, TransactionsThatOverlapInTheFileOverlapInTheEvents) {
    EXPECT_EQ(events_of("{:type :invoke, :process 0, :f :txn, :value [[:append :x 1]]}\n"
                        "{:type :invoke, :process 1, :f :txn, :value [[:append :y 2]]}\n"
                        "{:type :ok, :process 1, :f :txn, :value [[:append :y 2]]}\n"
                        "{:type :ok, :process 0, :f :txn, :value [[:append :x 1]]}\n"),
              "began 2\nbegan 1\nwrote 1.1 over T0\nended 1\nwrote 2.1 over T0\nended 2\n");
}

TEST(HistoryEvents, AppendsThatNoListShowsComeBehindTheLastThatIsShown) {
    EXPECT_EQ(events_of("{:type :ok, :process 0, :f :txn, :value [[:append :x 1]]}\n"
                        "{:type :ok, :process 1, :f :txn, :value [[:append :x 2]]}\n"
                        "{:type :ok, :process 2, :f :txn, :value [[:append :x 3]]}\n"
                        "{:type :ok, :process 3, :f :txn, :value [[:r :x [1]]]}\n"),
              "began 1\nwrote 1.1 over T0\nwrote 1.1 over T0\nwrote 1.1 over T0\nended 1\n"
              "began 2\nwrote 2.1 over unborn\nwrote 2.1 over 1.1\nended 2\n"
              "began 3\nwrote 3.1 over unborn\nwrote 3.1 over 1.1\nended 3\n"
              "began 4\nread 1.1\nread 1.1\nread 1.1\nended 4\n");
}

TEST(HistoryEvents, WhatNobodyAppendedIsAVersionOfNobody) {
    const std::string events =
        events_of("{:type :ok, :process 0, :f :txn, :value [[:r :x [7]] [:append :x 1]]}");
    EXPECT_NE(events.find("read 4611686018427387911.1"), std::string::npos) << events;
}

}  // namespace
}  // namespace isotap::history
