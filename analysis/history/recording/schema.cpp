#include "analysis/history/recording/schema.hpp"

namespace isotap::history::recording {

const char* const schema = R"sql(
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE name(id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE text(id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE session_began(seq INTEGER PRIMARY KEY, session INTEGER NOT NULL, at INTEGER NOT NULL,
    dialect INTEGER NOT NULL, user TEXT NOT NULL, database TEXT NOT NULL,
    application TEXT NOT NULL);
CREATE TABLE session_ended(seq INTEGER PRIMARY KEY, session INTEGER NOT NULL,
    at INTEGER NOT NULL);
CREATE TABLE transaction_began(seq INTEGER PRIMARY KEY, txn INTEGER NOT NULL,
    session INTEGER NOT NULL, at INTEGER NOT NULL, implicit INTEGER NOT NULL);
CREATE TABLE transaction_ended(seq INTEGER PRIMARY KEY, txn INTEGER NOT NULL,
    requested INTEGER NOT NULL, at INTEGER NOT NULL, outcome INTEGER NOT NULL,
    incomplete INTEGER NOT NULL, level INTEGER NOT NULL);
CREATE TABLE log(seq INTEGER PRIMARY KEY, txn INTEGER NOT NULL, entries TEXT NOT NULL);
CREATE TABLE row_label(seq INTEGER PRIMARY KEY, tbl INTEGER NOT NULL, row NOT NULL,
    label TEXT NOT NULL);
CREATE TABLE gap(seq INTEGER PRIMARY KEY, session INTEGER NOT NULL, txn INTEGER NOT NULL,
    at INTEGER NOT NULL, count INTEGER NOT NULL, reason INTEGER NOT NULL);
CREATE TABLE anomalies(id INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL,
    name TEXT NOT NULL, severity TEXT NOT NULL, explanation TEXT NOT NULL,
    document TEXT NOT NULL);

CREATE VIEW sessions AS
SELECT began.session, CASE began.dialect WHEN 1 THEN 'postgres' WHEN 2 THEN 'mysql'
        ELSE 'unknown' END AS dialect,
    began.user, began.database, began.application, began.at AS began_at, ended.at AS ended_at
FROM session_began AS began LEFT JOIN session_ended AS ended ON ended.session = began.session;

CREATE VIEW transactions AS
SELECT began.txn, began.session, began.at AS began_at, ended.at AS ended_at,
    CASE ended.outcome WHEN 0 THEN 'committed' WHEN 1 THEN 'aborted' WHEN 2 THEN 'indeterminate'
        ELSE 'open' END AS outcome,
    CASE ended.level WHEN 1 THEN 'READ UNCOMMITTED' WHEN 2 THEN 'READ COMMITTED'
        WHEN 3 THEN 'REPEATABLE READ' WHEN 4 THEN 'SNAPSHOT' WHEN 5 THEN 'SERIALIZABLE'
        ELSE 'UNKNOWN' END AS level,
    began.implicit, ended.incomplete
FROM transaction_began AS began LEFT JOIN transaction_ended AS ended ON ended.txn = began.txn;

CREATE VIEW statements AS
SELECT part.txn, part.statement, part.at, text.text AS sql,
    CASE part.outcome WHEN 0 THEN 'completed' WHEN 1 THEN 'suspended' WHEN 2 THEN 'failed'
        WHEN 3 THEN 'skipped' WHEN 4 THEN 'cut' ELSE 'open' END AS outcome,
    CASE part.coverage WHEN 0 THEN 'none' WHEN 1 THEN 'opaque' WHEN 2 THEN 'partial'
        WHEN 3 THEN 'full' END AS coverage,
    name.text AS reason, part.rows, part.ended_at
FROM (SELECT log.txn AS txn, json_extract(entry.value, '$[1]') AS statement,
          max(CASE json_extract(entry.value, '$[0]') WHEN 's'
              THEN json_extract(entry.value, '$[2]') END) AS at,
          max(CASE json_extract(entry.value, '$[0]') WHEN 's'
              THEN json_extract(entry.value, '$[3]') END) AS text,
          max(CASE json_extract(entry.value, '$[0]') WHEN 'e'
              THEN json_extract(entry.value, '$[2]') END) AS ended_at,
          max(CASE json_extract(entry.value, '$[0]') WHEN 'e'
              THEN json_extract(entry.value, '$[3]') END) AS outcome,
          max(CASE json_extract(entry.value, '$[0]') WHEN 'e'
              THEN json_extract(entry.value, '$[4]') END) AS coverage,
          max(CASE json_extract(entry.value, '$[0]') WHEN 'e'
              THEN json_extract(entry.value, '$[7]') END) AS rows,
          max(CASE json_extract(entry.value, '$[0]') WHEN 'e'
              THEN json_extract(entry.value, '$[8]') END) AS reason
      FROM log, json_each(log.entries) AS entry
      WHERE json_extract(entry.value, '$[0]') IN ('s', 'e')
      GROUP BY 1, 2) AS part
LEFT JOIN text ON text.id = part.text LEFT JOIN name ON name.id = part.reason;

CREATE VIEW accesses AS
SELECT log.txn, json_extract(entry.value, '$[1]') AS statement,
    CASE json_extract(entry.value, '$[0]') WHEN 'r' THEN 'read' WHEN 'k' THEN 'read'
        WHEN 'l' THEN 'locking read' WHEN 'b' THEN 'doubtful read'
        WHEN 'i' THEN 'insert' WHEN 'u' THEN 'update' ELSE 'delete' END AS kind,
    name.text AS "table", json_extract(entry.value, '$[3]') AS row,
    json_extract(entry.value, '$[4]') AS before,
    CASE json_extract(entry.value, '$[5]')
        WHEN '.' THEN 'T' || log.txn || '.' || json_extract(entry.value, '$[1]')
        ELSE json_extract(entry.value, '$[5]') END AS after
FROM log, json_each(log.entries) AS entry
LEFT JOIN name ON name.id = json_extract(entry.value, '$[2]')
WHERE json_extract(entry.value, '$[0]') IN ('r', 'k', 'l', 'b', 'i', 'u', 'd');

CREATE VIEW coverage AS
SELECT coverage, reason, count(*) AS statements, min(sql) AS example
FROM statements WHERE coverage IS NOT NULL GROUP BY coverage, reason;

CREATE VIEW gaps AS
SELECT gap.at, gap.session, gap.txn, gap.count, name.text AS reason
FROM gap LEFT JOIN name ON name.id = gap.reason;

CREATE VIEW edges AS
SELECT anomalies.id AS anomaly, edge.key + 1 AS step,
    json_extract(edge.value, '$.from') AS "from", json_extract(edge.value, '$.to') AS "to",
    json_extract(edge.value, '$.edge') AS edge, json_extract(edge.value, '$.table') AS "table",
    json_extract(edge.value, '$.row') AS row, json_extract(edge.value, '$.version') AS version
FROM anomalies, json_each(anomalies.document, '$.cycle') AS edge;
)sql";

}  // namespace isotap::history::recording
