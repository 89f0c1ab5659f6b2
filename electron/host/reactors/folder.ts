import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { CofferError, invalid } from '../../../shared/errors.ts'
import { optional } from '../../../shared/schemas/common.ts'
import { configuration } from '../../../shared/schemas/configured.ts'
import { toCofferError } from '../../engine/db/storage-error.ts'
import { owner } from '../../engine/door/call.ts'
import type { Engine } from '../../engine/engine.ts'
import { allApplications } from '../all-applications.ts'
import { readYaml } from '../files/yaml-file.ts'

/** The file beside the code that says what a name alone does not. */
const ABOUT = 'reactors.yml'

/** What `reactors.yml` says of a reactor, by its name. */
const about = z.record(
  z.string(),
  z
    .strictObject({
      /** An application of the vault, by its name. */
      application: optional(z.string()),
      configuration: optional(configuration),
    })
    .nullable(),
)

/** A reactor as a folder holds it: `NAME.js`, with its entry in `reactors.yml` if it has one. */
export type ReactorFile = {
  readonly name: string
  readonly code: string
  readonly application?: string | undefined
  readonly configuration?: Record<string, string> | undefined
}

/** Reads a folder of reactors. Throws `invalid` with the place in `reactors.yml`, `not_found`, `unavailable`. */
export function readReactors(folder: string): ReactorFile[] {
  const names = filesOf(folder)
  const file = path.join(folder, ABOUT)
  const entries = fs.existsSync(file) ? readYaml(file, about).value : {}
  const without = Object.keys(entries).find((name) => !names.includes(name))
  if (without !== undefined) throw invalid(ABOUT, `describes ${without}, but there is no ${without}.js`)
  return names.map((name) => ({
    name,
    code: fs.readFileSync(path.join(folder, `${name}.js`), 'utf8'),
    ...(Object.hasOwn(entries, name) && entries[name]),
  }))
}

function filesOf(folder: string): string[] {
  try {
    return fs
      .readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
      .map(({ name }) => name.slice(0, -'.js'.length))
      .sort()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new CofferError('not_found', `There is no folder ${folder}.`)
    throw toCofferError(error)
  }
}

/**
 * Stores reactors by their names, as the owner: those that exist are replaced, the others created. Where a file names no
 * configuration, a stored one stays. Throws `invalid`, naming the file.
 */
export async function storeReactors(engine: Engine, files: readonly ReactorFile[]): Promise<void> {
  const client = engine.as(owner)
  const applications = files.some(({ application }) => application) ? await allApplications(engine) : []
  for (const { name, code, application, configuration } of files) {
    const named = applications.find((each) => each.name === application)
    if (application !== undefined && !named)
      throw invalid(`${name}.js`, `names no application ${application}`)
    const stored = await storedReactor(engine, name)
    const input = {
      name,
      code,
      configuration: configuration ?? stored?.configuration,
      application: named ? { id: named.id } : stored?.application,
    }
    try {
      if (stored) await client.reactors.update({ ...input, id: stored.id, runtime: stored.runtime })
      else await client.reactors.create(input)
    } catch (error) {
      const { code, message, errors } = toCofferError(error)
      throw new CofferError(code, `${name}.js: ${message}`, { errors, cause: error })
    }
  }
}

async function storedReactor(engine: Engine, name: string) {
  for (let page = 1; ; page++) {
    const { data } = await engine.as(owner).reactors.list({ page, size: 100 })
    const found = data.find((each) => each.name === name)
    if (found || data.length === 0) return found
  }
}
