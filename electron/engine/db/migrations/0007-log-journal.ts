import type { Database } from '../open.ts'

/** Adds the serial number of the last record that the log took from the journal of records. */
export function addLogJournal(db: Database): void {
  db.exec(`
CREATE TABLE log_journal (written INTEGER NOT NULL) STRICT;
INSERT INTO log_journal (written) VALUES (0);
`)
}
