import { onTestFinished } from 'vitest'
import { deriveDatabaseKey } from '../electron/engine/crypto/keyring.ts'
import { openDatabase } from '../electron/engine/db/open.ts'
import type { EntityChange } from '../shared/entity-changes.ts'
import { computeExpected, readRows, toReportedChanges } from './entity-rows.ts'
import { openVault } from './vault.ts'

/** A vault, the changes that it reports, and the changes that its tables show. */
export function openVaultWithChanges() {
  const changes: EntityChange[] = []
  const vault = openVault({ onChanges: (added) => changes.push(...added), ephemeral: true })
  const db = openDatabase(vault.file, deriveDatabaseKey(vault.master), { create: false })
  onTestFinished(() => {
    db.close()
  })
  return {
    vault,
    /** A second connection to the file, in addition to the engine's. */
    db,
    changes,
    /** Runs an action; returns the reported and the expected changes. */
    async watch(action: () => unknown) {
      vault.engine.outcomes.flushLog()
      changes.length = 0
      const before = readRows(db)
      await action()
      vault.engine.outcomes.flushLog()
      return { reported: toReportedChanges(changes), expected: computeExpected(before, readRows(db)) }
    },
  }
}
