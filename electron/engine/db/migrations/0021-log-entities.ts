import type { Database } from '../open.ts'

/**
 * Finds records by entity through `log_id`, which is filled in blocks. Before, every record wrote to an index at a
 * random position, which slowed down creating entities as the log grew. Older records whose ids must still be masked
 * are listed by record, because there is no longer an index by entity.
 */
export function addLogEntities(db: Database): void {
  db.exec(`
CREATE TABLE log_unmasked_record (
  seq INTEGER NOT NULL,
  entity_id TEXT NOT NULL,
  PRIMARY KEY (seq, entity_id)
) STRICT, WITHOUT ROWID;
INSERT INTO log_unmasked_record
  SELECT log.seq, entity_id FROM log_unmasked CROSS JOIN log USING (entity_id)
  UNION SELECT log_entity.seq, entity_id FROM log_unmasked CROSS JOIN log_entity USING (entity_id);
DROP TABLE log_unmasked;
ALTER TABLE log_unmasked_record RENAME TO log_unmasked;

DROP INDEX log_by_entity;

-- Only for records about more than one entity: a row for each of them.
DROP TRIGGER log_removed;
CREATE TABLE log_entity_of_record (
  seq INTEGER NOT NULL,
  entity_id TEXT NOT NULL,
  PRIMARY KEY (seq, entity_id)
) STRICT, WITHOUT ROWID;
INSERT INTO log_entity_of_record
  SELECT seq, entity_id FROM log_entity INDEXED BY log_entity_by_record ORDER BY seq, entity_id;
DROP TABLE log_entity;
ALTER TABLE log_entity_of_record RENAME TO log_entity;
CREATE TRIGGER log_removed AFTER DELETE ON log BEGIN
  UPDATE log_count SET records = records - 1
    WHERE entity_type = old.entity_type AND refused = (old.status >= 400);
  DELETE FROM log_entity WHERE seq = old.seq;
END;
`)
}
