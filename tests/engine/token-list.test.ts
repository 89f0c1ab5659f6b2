import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { migrate } from '../../electron/engine/db/migrate.ts'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { openDatabase } from '../../electron/engine/db/open.ts'
import { type Filter, keysQuery, type Position } from '../../electron/engine/tokens/walk.ts'
import { tempFolder } from '../vault.ts'

describe('the plans of the walks', () => {
  const filters: Filter[] = [
    { by: 'all' },
    { by: 'type', type: 'card' },
    { by: 'fingerprint', fingerprint: Buffer.alloc(32) },
    { by: 'metadata', key: 'a', value: 'b' },
    { by: 'index', digest: Buffer.alloc(16) },
  ]
  const positions: (Position | null)[] = [null, ['/b/c/', 5, 'x'], ['/b', 0, '']]
  const scopes = [['/'], ['/b/'], ['/a/', '/b/', '/c/d/']]
  const cases = filters.flatMap((filter) =>
    positions.flatMap((after) => scopes.map((each) => ({ filter, after, scopes: each }))),
  )

  test('L-03 every walk is ordered look-ups in indexes: nothing is scanned or sorted', () => {
    const db = openDatabase(path.join(tempFolder(), 'vault.db'), randomBytes(32), { create: true })
    migrate(db, migrations)
    for (const { filter, after, scopes } of cases) {
      const query = keysQuery(filter, scopes, after)
      if (!query) throw new Error('expected a query')
      const plan = db
        .prepare(`EXPLAIN QUERY PLAN ${query.source}`)
        .all(...query.values, 10)
        .map((row) => (row as { detail: string }).detail)
      const steps = plan.filter((detail) => !/^(MERGE \(UNION\)|LEFT|RIGHT)$/.test(detail))
      for (const step of steps)
        expect(step).toMatch(/^SEARCH (token|m|token_\w+)( EXISTS)? USING .*(INDEX|PRIMARY KEY)/)
      // SECURITY: a place costs one seek however deep it lies, or a few pages would occupy the vault.
      if (after && scopes[0] === '/') expect(steps[0]).toContain('(container,created_at,id)<(?,?,?)')
    }
    db.close()
  })
})
