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
  number BIGINT PRIMARY KEY, name TEXT NOT NULL UNIQUE, salt TEXT NOT NULL, settings TEXT NOT NULL,
  horizon BIGINT, batch BIGINT NOT NULL);
CREATE TABLE decision (
  watch BIGINT NOT NULL, number BIGINT NOT NULL, json TEXT NOT NULL, reference BYTEA NOT NULL, cells TEXT NOT NULL,
  since BIGINT NOT NULL, sample TEXT NOT NULL, batch BIGINT NOT NULL, PRIMARY KEY (watch, number));
CREATE TABLE batch (
  watch BIGINT NOT NULL, number BIGINT NOT NULL, content BYTEA NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL,
  seen BIGINT NOT NULL, rows BIGINT NOT NULL, fresh BIGINT NOT NULL, again BIGINT NOT NULL, late BIGINT NOT NULL,
  replaced BIGINT NOT NULL, PRIMARY KEY (watch, number));
CREATE INDEX batch_content ON batch (watch, content);
CREATE TABLE scored (
  watch BIGINT NOT NULL, id BYTEA NOT NULL, at BIGINT NOT NULL, period BIGINT NOT NULL, score DOUBLE NOT NULL,
  cell BIGINT NOT NULL, alarm BIGINT NOT NULL, u DOUBLE NOT NULL, propensity DOUBLE NOT NULL,
  decision BIGINT NOT NULL, cluster BYTEA, batch BIGINT NOT NULL, long_id BYTEA, PRIMARY KEY (watch, id)) ROWLESS;
CREATE TABLE event (
  watch BIGINT NOT NULL, id BYTEA NOT NULL, at BIGINT NOT NULL, source TEXT NOT NULL, label BIGINT,
  batch BIGINT NOT NULL, PRIMARY KEY (watch, id, at, source)) ROWLESS;
CREATE TABLE tally (
  watch BIGINT NOT NULL, decision BIGINT NOT NULL, period BIGINT NOT NULL, cell BIGINT NOT NULL,
  alarm BIGINT NOT NULL, propensity DOUBLE NOT NULL, label BIGINT NOT NULL, batch BIGINT NOT NULL,
  rows BIGINT NOT NULL, PRIMARY KEY (watch, decision, period, cell, alarm, propensity, label, batch)) ROWLESS;
CREATE TABLE cells (
  watch BIGINT NOT NULL, decision BIGINT NOT NULL, period BIGINT NOT NULL, name TEXT NOT NULL, cell BIGINT NOT NULL,
  batch BIGINT NOT NULL, rows BIGINT NOT NULL,
  PRIMARY KEY (watch, decision, period, name, cell, batch)) ROWLESS;
CREATE TABLE compacted (watch BIGINT NOT NULL, id BYTEA NOT NULL, PRIMARY KEY (watch, id)) ROWLESS;
CREATE TABLE look (
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
        "id BYTEA, at BIGINT, period BIGINT, score DOUBLE, cell BIGINT, alarm BIGINT, u DOUBLE,"
        " propensity DOUBLE, decision BIGINT, cluster BYTEA, long_id BYTEA, n BIGINT"
    ),
    "staged_event": "id BYTEA, at BIGINT, source TEXT, label BIGINT, n BIGINT",
    "known_label": "id BYTEA PRIMARY KEY, label BIGINT, at BIGINT",
}
_ROW = "id, at, period, score, cell, alarm, u, propensity, decision, cluster, long_id"

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
LABELLED_ROWS = LABELLED_ROWS.format(score_day=SCORE_DAY.format(at="staged_event.at"))

# The labels of a moment, which other statements join: the last by its time.
FIND_LABELS = """
INSERT INTO known_label (id, label, at) SELECT id, label, at FROM (
  SELECT event.id AS id, event.label AS label, event.at AS at,
    row_number() OVER (PARTITION BY event.id ORDER BY event.at DESC, event.source DESC) AS place
  FROM event JOIN scored ON scored.watch = event.watch AND scored.id = event.id AND event.at >= {score_day}
  WHERE event.watch = :watch AND event.at <= :as_of AND event.batch <= :last AND scored.batch <= :last
) AS last_event WHERE place = 1 AND label IS NOT NULL""".format(score_day=SCORE_DAY.format(at="event.at"))
_LABEL = f"""CASE WHEN known_label.label IS NOT NULL THEN known_label.label
      WHEN scored.at <= :silent AND (scored.alarm = 1 OR scored.propensity > 0) THEN 0 ELSE {UNLABELLED} END"""
_STATE = """FROM scored LEFT JOIN known_label ON known_label.id = scored.id
  WHERE scored.watch = :watch AND scored.batch <= :last AND scored.at <= :as_of"""

# Counts of a state: one line per decision, period, cell, draw and label.
ROW_COUNTS = f"""
SELECT decision, period, cell, alarm, propensity, label, count(*) FROM (
  SELECT scored.decision AS decision, scored.period AS period, scored.cell AS cell, scored.alarm AS alarm,
    scored.propensity AS propensity, {_LABEL} AS label
  {_STATE}
) AS state GROUP BY decision, period, cell, alarm, propensity, label"""
TALLY_COUNTS = """
SELECT decision, period, cell, alarm, propensity, label, sum(rows) FROM tally
WHERE watch = :watch AND batch <= :last GROUP BY decision, period, cell, alarm, propensity, label"""
CLUSTERS = """
SELECT scored.decision, scored.alarm, scored.cluster, scored.period, known_label.label, count(*)
FROM scored JOIN known_label ON known_label.id = scored.id
WHERE scored.watch = :watch AND scored.batch <= :last AND scored.at <= :as_of AND scored.cluster IS NOT NULL
GROUP BY scored.decision, scored.alarm, scored.cluster, scored.period, known_label.label"""
# Hours from score to label, or without a label until now, of rows that are due one.
AGES = """
SELECT period, hours, label, count(*) FROM (
  SELECT scored.period AS period, coalesce(known_label.label, -1) AS label,
    (CASE WHEN known_label.at IS NULL THEN :as_of ELSE known_label.at END - scored.at) / 3600000000 AS hours
  FROM scored LEFT JOIN known_label ON known_label.id = scored.id
  WHERE scored.watch = :watch AND scored.batch <= :last AND scored.at <= :as_of AND scored.decision = :decision
    AND (scored.alarm = 1 OR scored.propensity > 0)
) AS aged GROUP BY period, hours, label ORDER BY period, hours, label"""
# The queue of a closed stretch: rows by their permanent random numbers, and where its labelled prefix ends.
QUEUE_CELLS = """
SELECT scored.cell, count(*), min(CASE WHEN known_label.label IS NULL THEN scored.u END)
FROM scored LEFT JOIN known_label ON known_label.id = scored.id
WHERE scored.watch = :watch AND scored.batch <= :last AND scored.at <= :as_of AND scored.decision = :decision
  AND scored.period BETWEEN :first AND :until AND scored.alarm = :alarm
GROUP BY scored.cell ORDER BY scored.cell"""
QUEUE_TALLY = """
SELECT cell, sum(rows) FROM tally WHERE watch = :watch AND batch <= :last AND decision = :decision
  AND period BETWEEN :first AND :until AND alarm = :alarm GROUP BY cell ORDER BY cell"""
QUEUE_LABELS = """
SELECT scored.cell, scored.u, known_label.label FROM known_label
JOIN scored ON scored.watch = :watch AND scored.id = known_label.id
WHERE scored.decision = :decision AND scored.period BETWEEN :first AND :until AND scored.alarm = :alarm
ORDER BY scored.u, scored.id"""
_QUEUED = """
SELECT scored.id, scored.long_id, scored.at, scored.score, scored.cell, scored.u
FROM scored LEFT JOIN known_label ON known_label.id = scored.id
WHERE scored.watch = :watch AND scored.batch <= :last AND scored.at <= :as_of AND scored.decision = :decision
  AND known_label.label IS NULL AND scored.alarm = :alarm"""
DRAWN_ROWS = f"{_QUEUED} AND scored.propensity > 0 ORDER BY scored.at, scored.u, scored.id LIMIT :most"
QUEUED_ROWS = f"""{_QUEUED} AND scored.period BETWEEN :first AND :until AND scored.cell BETWEEN :low AND :high
  AND scored.u < :before ORDER BY scored.u, scored.id LIMIT :most"""
ORPHANS = """
SELECT count(DISTINCT event.id) FROM event
WHERE event.watch = :watch AND event.at <= :as_of AND event.batch <= :last AND NOT EXISTS (
  SELECT 1 FROM scored WHERE scored.watch = :watch AND scored.id = event.id AND scored.batch <= :last)
  AND NOT EXISTS (SELECT 1 FROM compacted WHERE compacted.watch = :watch AND compacted.id = event.id)"""
# Labels that waited for their row and are older than it.
EARLY_LABELS = """
SELECT DISTINCT coalesce(scored.long_id, event.id) FROM event
JOIN scored ON scored.watch = event.watch AND scored.id = event.id AND event.at < {score_day}
WHERE event.watch = :watch AND event.at <= :as_of AND event.batch <= :last AND scored.batch <= :last
ORDER BY 1""".format(score_day=SCORE_DAY.format(at="event.at"))
# Drawn rows whose label came before them, by the probability that was recorded with them.
LABELLED_BEFORE_DRAWN = """
SELECT propensity, count(*) FROM scored
WHERE watch = :watch AND batch <= :last AND at <= :as_of AND decision = :decision AND alarm = 0 AND propensity > 0
  AND EXISTS (SELECT 1 FROM event
    WHERE event.watch = scored.watch AND event.id = scored.id AND event.batch < scored.batch)
GROUP BY propensity"""
# Periods of which all scores lie outside the reference's.
FOREIGN_PERIODS = """
SELECT period FROM scored
WHERE watch = :watch AND batch <= :last AND at <= :as_of AND decision = :decision
GROUP BY period
HAVING count(*) >= :least AND sum(CASE WHEN score BETWEEN :lowest AND :highest THEN 1 ELSE 0 END) = 0
ORDER BY period"""
CORRECTIONS = """
SELECT count(*) FROM (
  SELECT event.id FROM event JOIN scored ON scored.watch = event.watch AND scored.id = event.id
  WHERE event.watch = :watch AND event.at <= :as_of AND event.batch <= :last AND scored.batch <= :last
  GROUP BY event.id HAVING count(DISTINCT coalesce(event.label, -1)) > 1) AS corrected"""
LATEST = """
SELECT (SELECT max(at) FROM scored WHERE watch = :watch AND batch <= :last AND at <= :as_of),
  (SELECT max(at) FROM event WHERE watch = :watch AND batch <= :last AND at <= :as_of)"""
CELL_COUNTS = """
SELECT period, name, cell, sum(rows) FROM cells
WHERE watch = :watch AND batch <= :last AND decision = :decision
GROUP BY period, name, cell"""
ALARMS = """
SELECT decision, promise, number, raised, period, evidence,
  CASE WHEN acknowledged <= :as_of THEN acknowledged END, CASE WHEN acknowledged <= :as_of THEN restart END,
  CASE WHEN acknowledged <= :as_of THEN note END
FROM alarm WHERE watch = :watch AND raised <= :as_of ORDER BY decision, promise, number"""
RAISE_ALARM = """
INSERT INTO alarm (watch, decision, promise, number, raised, period, evidence)
VALUES (:watch, :decision, :promise, :number, :raised, :period, :evidence)
ON CONFLICT (watch, decision, promise, number) DO NOTHING"""
ADD_TALLY = """
INSERT INTO tally (watch, decision, period, cell, alarm, propensity, label, batch, rows)
VALUES (:watch, :decision, :period, :cell, :alarm, :propensity, :label, :batch, :rows)
ON CONFLICT (watch, decision, period, cell, alarm, propensity, label, batch)
DO UPDATE SET rows = tally.rows + excluded.rows"""
ADD_CELLS = """
INSERT INTO cells (watch, decision, period, name, cell, batch, rows)
VALUES (:watch, :decision, :period, :name, :cell, :batch, :rows)
ON CONFLICT (watch, decision, period, name, cell, batch) DO UPDATE SET rows = cells.rows + excluded.rows"""
COMPACT_ROWS = f"""
INSERT INTO tally (watch, decision, period, cell, alarm, propensity, label, batch, rows)
SELECT :watch, decision, period, cell, alarm, propensity, label, :batch, count(*) FROM (
  SELECT scored.decision AS decision, scored.period AS period, scored.cell AS cell, scored.alarm AS alarm,
    scored.propensity AS propensity, {_LABEL} AS label
  {_STATE} AND scored.period < :before
) AS state GROUP BY decision, period, cell, alarm, propensity, label"""
COMPACT_STEPS = (
    """INSERT INTO compacted (watch, id) SELECT watch, id FROM scored
    WHERE watch = :watch AND period < :before AND (alarm = 1 OR propensity > 0 OR EXISTS (
      SELECT 1 FROM event WHERE event.watch = scored.watch AND event.id = scored.id)) ON CONFLICT DO NOTHING""",
    """DELETE FROM event WHERE watch = :watch AND id IN (
      SELECT id FROM scored WHERE watch = :watch AND period < :before)""",
    "DELETE FROM scored WHERE watch = :watch AND period < :before",
)
