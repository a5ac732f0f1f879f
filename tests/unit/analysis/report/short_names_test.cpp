#include "analysis/report/short_names.hpp"

#include <sstream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/report/text_report.hpp"

namespace isotap::analysis {
namespace {

using history::TransactionId;
using testing::HasSubstr;

constexpr TransactionId first{6'222'782'814'421'516'292};
constexpr TransactionId second{6'222'782'814'421'516'290};
constexpr TransactionId elsewhere{6'222'782'814'421'516'299};

class LongNames final : public Names {
  public:
    [[nodiscard]] std::string transaction(TransactionId id) const override {
        return "T" + std::to_string(static_cast<std::uint64_t>(id));
    }
    [[nodiscard]] std::string origin(TransactionId id) const override {
        return id == first ? "began early" : "";
    }
    [[nodiscard]] std::string table(history::NameId /*table*/) const override { return "account"; }
    [[nodiscard]] std::string row(history::NameId /*table*/,
                                  history::RowKey /*row*/) const override {
        return "17";
    }
    [[nodiscard]] std::string value(history::Version /*version*/) const override { return "5"; }
    [[nodiscard]] std::vector<NamedStatement> statements(TransactionId /*id*/) const override {
        return {{1, "SELECT"}};
    }
};

Anomaly lost_update() {
    Anomaly anomaly;
    anomaly.id = 1;
    anomaly.kind.type = AnomalyType::lost_update;
    CycleEdge edge;
    edge.kind = EdgeKind::rw;
    edge.from = first;
    edge.to = second;
    anomaly.edges.push_back(edge);
    edge.kind = EdgeKind::ww;
    edge.from = second;
    edge.to = first;
    anomaly.edges.push_back(edge);
    for (const TransactionId id : {first, second}) {
        InvolvedTransaction involved;
        involved.id = id;
        anomaly.transactions.push_back(involved);
    }
    return anomaly;
}

TEST(ShortNames, CountTransactionsInTheOrderInWhichTheyAppear) {
    const LongNames names;
    const std::vector<Anomaly> anomalies{lost_update()};
    const ShortNames labels(names, anomalies);
    EXPECT_EQ(labels.transaction(first), "T1");
    EXPECT_EQ(labels.transaction(second), "T2");
    EXPECT_EQ(labels.transaction(elsewhere), "T6222782814421516299") << "mentioned by no anomaly";
    EXPECT_EQ(labels.transaction(history::initial_transaction), "T0");
}

TEST(ShortNames, LeadBackToTheNameThatOthersKnow) {
    const LongNames names;
    const std::vector<Anomaly> anomalies{lost_update()};
    const ShortNames labels(names, anomalies);
    EXPECT_EQ(labels.origin(first), "T6222782814421516292, began early");
    EXPECT_EQ(labels.origin(second), "T6222782814421516290");
    EXPECT_EQ(labels.origin(elsewhere), "");
}

TEST(ShortNames, MakeAReportThatCanBeRead) {
    const LongNames names;
    const std::vector<Anomaly> anomalies{lost_update()};
    std::ostringstream text;
    write_anomaly_text(anomalies[0], ShortNames(names, anomalies), text);
    EXPECT_THAT(text.str(),
                HasSubstr("T1 < T2, because T1 read row 17 of account before T2 changed it (5)."));
    EXPECT_THAT(text.str(), HasSubstr("T6222782814421516292, began early: SELECT"));
}

}  // namespace
}  // namespace isotap::analysis
