"""Tables of a store, thresher/watch/1, and the statements that both engines run.

Everything carries the number of the batch that brought it. Batches are numbered in the order of their commits, and
`seen` never falls, so the state of any former moment is that of the batches up to some number.
"""

from __future__ import annotations

FORMAT = "thresher/watch/1"
FORMATS = "thresher/watch/"
UNLABELLED = -1  # where 0 and 1 are the classes

TABLES = """
CREATE TABLE store (format TEXT NOT NULL);
CREATE TABLE watch (
  number BIGINT PRIMARY KEY, name TEXT NOT NULL UNIQUE, salt BYTEA NOT NULL, settings TEXT NOT NULL,
  horizon BIGINT, batch BIGINT NOT NULL);
CREATE TABLE decision (
  watch BIGINT NOT NULL, number BIGINT NOT NULL, json TEXT NOT NULL, reference BYTEA NOT NULL, cells TEXT NOT NULL,
  since BIGINT NOT NULL, sample TEXT NOT NULL, batch BIGINT NOT NULL, PRIMARY KEY (watch, number));
CREATE TABLE batch (
  watch BIGINT NOT NULL, number BIGINT NOT NULL, content BYTEA NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL,
  seen BIGINT NOT NULL, rows BIGINT NOT NULL, fresh BIGINT NOT NULL, again BIGINT NOT NULL, late BIGINT NOT NULL,
  PRIMARY KEY (watch, number));
CREATE INDEX batch_content ON batch (watch, content);
CREATE TABLE scored (
  watch BIGINT NOT NULL, id BYTEA NOT NULL, at BIGINT NOT NULL, period BIGINT NOT NULL, score DOUBLE NOT NULL,
  bucket BIGINT NOT NULL, cell BIGINT NOT NULL, alarm BIGINT NOT NULL, u DOUBLE NOT NULL, propensity DOUBLE NOT NULL,
  decision BIGINT NOT NULL, cluster BYTEA, batch BIGINT NOT NULL, long_id BYTEA, PRIMARY KEY (watch, id)) ROWLESS;
CREATE TABLE event (
  watch BIGINT NOT NULL, id BYTEA NOT NULL, at BIGINT NOT NULL, source TEXT NOT NULL, label BIGINT,
  batch BIGINT NOT NULL, PRIMARY KEY (watch, id, at, source)) ROWLESS;
CREATE TABLE tally (
  watch BIGINT NOT NULL, decision BIGINT NOT NULL, period BIGINT NOT NULL, cell BIGINT NOT NULL,
  bucket BIGINT NOT NULL, alarm BIGINT NOT NULL, propensity DOUBLE NOT NULL, label BIGINT NOT NULL,
  batch BIGINT NOT NULL, rows BIGINT NOT NULL, low DOUBLE NOT NULL, high DOUBLE NOT NULL,
  PRIMARY KEY (watch, decision, period, cell, bucket, alarm, propensity, label, batch)) ROWLESS;
CREATE TABLE cells (
  watch BIGINT NOT NULL, decision BIGINT NOT NULL, period BIGINT NOT NULL, name TEXT NOT NULL, cell BIGINT NOT NULL,
  batch BIGINT NOT NULL, rows BIGINT NOT NULL,
  PRIMARY KEY (watch, decision, period, name, cell, batch)) ROWLESS;
CREATE TABLE compacted (watch BIGINT NOT NULL, id BYTEA NOT NULL, PRIMARY KEY (watch, id)) ROWLESS;
CREATE TABLE peek (
  watch BIGINT NOT NULL, at BIGINT NOT NULL, as_of BIGINT NOT NULL, digest BYTEA NOT NULL, summary TEXT NOT NULL,
  PRIMARY KEY (watch, at, digest)) ROWLESS;
CREATE TABLE alarm (
  watch BIGINT NOT NULL, decision BIGINT NOT NULL, promise TEXT NOT NULL, number BIGINT NOT NULL,
  raised BIGINT NOT NULL, period BIGINT NOT NULL, evidence DOUBLE NOT NULL, acknowledged BIGINT, restart BIGINT,
  note TEXT, PRIMARY KEY (watch, decision, promise, number)) ROWLESS
"""

# Temporary tables that a batch is loaded into, with their columns.
STAGES = {
    "staged_row": (
        "id BYTEA, at BIGINT, period BIGINT, score DOUBLE, bucket BIGINT, cell BIGINT, alarm BIGINT, u DOUBLE,"
        " propensity DOUBLE, decision BIGINT, cluster BYTEA, long_id BYTEA, n BIGINT"
    ),
    "staged_event": "id BYTEA, at BIGINT, source TEXT, label BIGINT, n BIGINT",
}
_ROW = "id, at, period, score, bucket, cell, alarm, u, propensity, decision, cluster, long_id"

INSERT_ROWS = f"""
INSERT INTO scored (watch, {_ROW}, batch) SELECT :watch, {_ROW}, :batch FROM staged_row WHERE TRUE ORDER BY id
ON CONFLICT (watch, id) DO NOTHING"""
KNOWN_ROWS = """
SELECT n, (scored.at = staged_row.at AND scored.score = staged_row.score AND scored.decision = staged_row.decision)
FROM staged_row JOIN scored ON scored.watch = :watch AND scored.id = staged_row.id AND scored.batch <> :batch
ORDER BY n"""
DELETE_ROWS = "DELETE FROM scored WHERE watch = :watch AND id IN (SELECT id FROM staged_row)"

INSERT_EVENTS = """
INSERT INTO event (watch, id, at, source, label, batch)
SELECT :watch, id, at, source, label, :batch FROM staged_event WHERE TRUE ORDER BY id
ON CONFLICT (watch, id, at, source) DO NOTHING"""
KNOWN_EVENTS = """
SELECT n, (event.label = staged_event.label OR (event.label IS NULL AND staged_event.label IS NULL))
FROM staged_event JOIN event ON event.watch = :watch AND event.id = staged_event.id AND event.at = staged_event.at
  AND event.source = staged_event.source AND event.batch <> :batch
ORDER BY n"""
DELETE_EVENTS = """
DELETE FROM event WHERE watch = :watch AND EXISTS (
  SELECT 1 FROM staged_event AS s WHERE s.id = event.id AND s.at = event.at AND s.source = event.source)"""
# What a label refers to: n, whether its row is there, whether it is older than that, and is compacted.
LABELLED_ROWS = """
SELECT n, (scored.id IS NOT NULL), (scored.id IS NOT NULL AND staged_event.at < {score_day}),
  (compacted.id IS NOT NULL)
FROM staged_event
LEFT JOIN scored ON scored.watch = :watch AND scored.id = staged_event.id
LEFT JOIN compacted ON compacted.watch = :watch AND compacted.id = staged_event.id
ORDER BY n"""
# The label that a row had before this batch, of rows that had one.
FORMER_LABELS = """
SELECT n, label FROM (
  SELECT n, event.label AS label,
    row_number() OVER (PARTITION BY n ORDER BY event.at DESC, event.source DESC) AS place
  FROM staged_event JOIN event ON event.watch = :watch AND event.id = staged_event.id AND event.batch <> :batch
) AS former WHERE place = 1 ORDER BY n"""

# A label that is given for a day, at midnight, may belong to a score of that day.
SCORE_DAY = "(CASE WHEN {at} % 86400000000 = 0 THEN scored.at - scored.at % 86400000000 ELSE scored.at END)"
_LABELS = """
SELECT id, label, at FROM (
  SELECT event.id AS id, event.label AS label, event.at AS at,
    row_number() OVER (PARTITION BY event.id ORDER BY event.at DESC, event.source DESC) AS place
  FROM event JOIN scored ON scored.watch = event.watch AND scored.id = event.id AND event.at >= {score_day}
  WHERE event.watch = :watch AND event.at <= :as_of AND event.batch <= :last AND scored.batch <= :last
) AS known WHERE place = 1 AND label IS NOT NULL"""
LABELS = _LABELS.format(score_day=SCORE_DAY.format(at="event.at"))
LABELLED_ROWS = LABELLED_ROWS.format(score_day=SCORE_DAY.format(at="staged_event.at"))

# Counts of a state: one line per decision, period, cell, draw and label.
ROW_COUNTS = f"""
SELECT decision, period, cell, alarm, propensity, label, count(*) FROM (
  SELECT scored.decision AS decision, scored.period AS period, scored.cell AS cell, scored.alarm AS alarm,
    scored.propensity AS propensity,
    CASE WHEN labels.label IS NOT NULL THEN labels.label
      WHEN scored.at <= :silent AND (scored.alarm = 1 OR scored.propensity > 0) THEN 0 ELSE {UNLABELLED} END AS label
  FROM scored LEFT JOIN ({LABELS}) AS labels ON labels.id = scored.id
  WHERE scored.watch = :watch AND scored.batch <= :last AND scored.at <= :as_of
) AS state GROUP BY decision, period, cell, alarm, propensity, label"""
TALLY_COUNTS = """
SELECT decision, period, cell, alarm, propensity, label, sum(rows) FROM tally
WHERE watch = :watch AND batch <= :last GROUP BY decision, period, cell, alarm, propensity, label"""
LABELLED_SCORES = f"""
SELECT scored.decision, scored.period, scored.alarm, scored.propensity, scored.score, labels.label, count(*)
FROM ({LABELS}) AS labels JOIN scored ON scored.watch = :watch AND scored.id = labels.id
WHERE scored.decision = :decision AND scored.at <= :as_of
GROUP BY scored.decision, scored.period, scored.alarm, scored.propensity, scored.score, labels.label"""
BUCKET_COUNTS = """
SELECT bucket, sum(rows), min(low), max(high) FROM (
  SELECT bucket, count(*) AS rows, min(score) AS low, max(score) AS high FROM scored
  WHERE watch = :watch AND batch <= :last AND at <= :as_of AND decision = :decision AND period BETWEEN :first AND :until
  GROUP BY bucket
  UNION ALL
  SELECT bucket, sum(rows), min(low), max(high) FROM tally
  WHERE watch = :watch AND batch <= :last AND decision = :decision AND period BETWEEN :first AND :until
  GROUP BY bucket
) AS both_kinds GROUP BY bucket ORDER BY bucket"""
CLUSTERS = f"""
SELECT scored.decision, scored.alarm, scored.cluster, scored.period, labels.label, count(*)
FROM scored JOIN ({LABELS}) AS labels ON labels.id = scored.id
WHERE scored.watch = :watch AND scored.batch <= :last AND scored.at <= :as_of AND scored.cluster IS NOT NULL
GROUP BY scored.decision, scored.alarm, scored.cluster, scored.period, labels.label"""
# Ages of labels of rows that are due one: alarms and drawn rows.
AGES = f"""
SELECT scored.at, labels.at, labels.label FROM scored
LEFT JOIN ({LABELS}) AS labels ON labels.id = scored.id
WHERE scored.watch = :watch AND scored.batch <= :last AND scored.at <= :as_of AND scored.decision = :decision
  AND (scored.alarm = 1 OR scored.propensity > 0)"""
# Rows in the order of their permanent random numbers.
QUEUE = f"""
SELECT scored.id, scored.long_id, scored.at, scored.period, scored.score, scored.cell, scored.alarm,
  scored.propensity, scored.u, labels.label
FROM scored LEFT JOIN ({LABELS}) AS labels ON labels.id = scored.id
WHERE scored.watch = :watch AND scored.batch <= :last AND scored.at <= :as_of AND scored.decision = :decision
  AND scored.period BETWEEN :first AND :until AND scored.alarm = :alarm
ORDER BY scored.u, scored.id"""
ORPHANS = """
SELECT count(DISTINCT event.id) FROM event
WHERE event.watch = :watch AND event.at <= :as_of AND event.batch <= :last AND NOT EXISTS (
  SELECT 1 FROM scored WHERE scored.watch = :watch AND scored.id = event.id AND scored.batch <= :last)
  AND NOT EXISTS (SELECT 1 FROM compacted WHERE compacted.watch = :watch AND compacted.id = event.id)"""
CORRECTIONS = """
SELECT count(*) FROM (
  SELECT event.id FROM event JOIN scored ON scored.watch = event.watch AND scored.id = event.id
  WHERE event.watch = :watch AND event.at <= :as_of AND event.batch <= :last AND scored.batch <= :last
  GROUP BY event.id HAVING count(DISTINCT coalesce(event.label, -1)) > 1) AS corrected"""
CELL_COUNTS = """
SELECT decision, period, name, cell, sum(rows) FROM cells WHERE watch = :watch AND batch <= :last
GROUP BY decision, period, name, cell"""
ADD_TALLY = """
INSERT INTO tally (watch, decision, period, cell, bucket, alarm, propensity, label, batch, rows, low, high)
VALUES (:watch, :decision, :period, :cell, :bucket, :alarm, :propensity, :label, :batch, :rows, :low, :high)
ON CONFLICT (watch, decision, period, cell, bucket, alarm, propensity, label, batch)
DO UPDATE SET rows = tally.rows + excluded.rows,
  low = CASE WHEN excluded.low < tally.low THEN excluded.low ELSE tally.low END,
  high = CASE WHEN excluded.high > tally.high THEN excluded.high ELSE tally.high END"""
ADD_CELLS = """
INSERT INTO cells (watch, decision, period, name, cell, batch, rows)
VALUES (:watch, :decision, :period, :name, :cell, :batch, :rows)
ON CONFLICT (watch, decision, period, name, cell, batch) DO UPDATE SET rows = cells.rows + excluded.rows"""
COMPACT_ROWS = f"""
INSERT INTO tally (watch, decision, period, cell, bucket, alarm, propensity, label, batch, rows, low, high)
SELECT :watch, decision, period, cell, bucket, alarm, propensity, label, :batch, count(*), min(score), max(score) FROM (
  SELECT scored.decision AS decision, scored.period AS period, scored.cell AS cell, scored.bucket AS bucket,
    scored.alarm AS alarm, scored.propensity AS propensity, scored.score AS score,
    CASE WHEN labels.label IS NOT NULL THEN labels.label
      WHEN scored.at <= :silent AND (scored.alarm = 1 OR scored.propensity > 0) THEN 0 ELSE {UNLABELLED} END AS label
  FROM scored LEFT JOIN ({LABELS}) AS labels ON labels.id = scored.id
  WHERE scored.watch = :watch AND scored.period < :before
) AS state GROUP BY decision, period, cell, bucket, alarm, propensity, label"""
COMPACT_STEPS = (
    """INSERT INTO compacted (watch, id) SELECT watch, id FROM scored
    WHERE watch = :watch AND period < :before AND (alarm = 1 OR propensity > 0 OR EXISTS (
      SELECT 1 FROM event WHERE event.watch = scored.watch AND event.id = scored.id)) ON CONFLICT DO NOTHING""",
    """DELETE FROM event WHERE watch = :watch AND id IN (
      SELECT id FROM scored WHERE watch = :watch AND period < :before)""",
    "DELETE FROM scored WHERE watch = :watch AND period < :before",
)
