import { CofferError } from '../../../shared/errors.ts'
import type { ApplicationType } from '../../../shared/permissions.ts'
import { toCofferError } from '../../engine/db/storage-error.ts'
import { owner } from '../../engine/door/call.ts'
import { allApplications } from '../../host/all-applications.ts'
import { starterApplication } from '../../host/first-data/starter-applications.ts'
import type { OwnersEngine } from '../../host/transfer/owners-engine.ts'
import { hintFor } from '../hint.ts'
import { sayForCertain } from '../terminal/broken-output.ts'
import { placeOf, say } from '../terminal/common.ts'
import type { InMemory } from '../terminal/in-memory.ts'
import { printable } from '../terminal/printable.ts'
import { openOrJoin } from '../terminal/shared-vault.ts'

export async function createKey(options: Options & { type: ApplicationType; name?: string }): Promise<void> {
  await withEngine(options, async (engine) => {
    const input = starterApplication(options.type, options.name)
    const { applications } = engine.as(owner)
    const { id, name, type, key, keys } = await applications.create(input)
    const text = options.json
      ? JSON.stringify({ id, name, type, key, keys })
      : `${printable(name)} (${type}), application ${id}\nKey, shown only once: ${key}`
    try {
      await sayForCertain(text)
    } catch (error) {
      // A key that nobody has seen must not keep working.
      await applications.remove({ id })
      const { code, message } = toCofferError(error)
      throw new CofferError(code, `${message} The application was deleted again.`, { cause: error })
    }
  })
}

export async function listKeys(options: Options): Promise<void> {
  await withEngine(options, async (engine) => {
    const all = await allApplications(engine)
    const rows = all.map(({ id, type, name, keys }) => ({ id, type, name, keys }))
    if (options.json) return say(JSON.stringify(rows))
    if (rows.length === 0) {
      const make = hintFor(placeOf(options), 'keys', 'create', '--type', 'private')
      return say(`No applications. Create one with: ${make}`)
    }
    for (const { id, type, name, keys } of rows) {
      say(
        `${id}  ${type.padEnd(10)}  ${keys.length} ${keys.length === 1 ? 'key ' : 'keys'}  ${printable(name)}`,
      )
    }
  })
}

export type Options = InMemory & { dataDir?: string; vault: string; json?: true }

async function withEngine(options: Options, use: (engine: OwnersEngine) => Promise<void>): Promise<void> {
  await using vault = await openOrJoin(placeOf(options), options)
  await use(vault.engine)
}
