import type { Database } from '../open.ts'

/** How far the log has taken over the journal of records: the serial number of the last record that came from it. */
export function addLogJournal(db: Database): void {
  db.exec(`
CREATE TABLE log_journal (written INTEGER NOT NULL) STRICT;
INSERT INTO log_journal (written) VALUES (0);
`)
}
