import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/**
 * The folder of the built scripts: next to the bundles in `out/`, or below the root of a checkout that runs from its
 * sources.
 */
const folder = path.join(
  import.meta.dirname,
  ...(import.meta.filename.endsWith('.ts') ? ['..', '..', '..', 'out'] : ['..']),
  'elements',
)

export type PageScriptName = 'client' | 'three-ds'

type PageScript = { readonly text: string; readonly etag: string }

/** The placeholder for the listener's origin in the built scripts. */
const ORIGIN = 'COFFER_ORIGIN'

/**
 * Returns a script for pages, of Elements or of 3D Secure, with the listener's origin inserted; null if the scripts have
 * not been built.
 */
export function readPageScript(name: PageScriptName, origin: string): PageScript | null {
  const text = readBuiltFile(name, `${name}.js`)
  if (text === null) return null
  const own = text.replaceAll(ORIGIN, JSON.stringify(origin))
  return { text: own, etag: `"${createHash('sha256').update(own).digest('base64url').slice(0, 22)}"` }
}

/** Returns the name of the frames' script, which changes with its content; null if the scripts have not been built. */
export function findFrameScriptName(): string | null {
  const names = fs.existsSync(path.join(folder, 'frame')) ? fs.readdirSync(path.join(folder, 'frame')) : []
  return names.find((name) => hashed.test(name)) ?? null
}

/** Returns the frames' script by its name; null if that is not its name. */
export function readFrameScript(name: string): string | null {
  // SECURITY: the pattern excludes paths.
  return hashed.test(name) ? readBuiltFile('frame', name) : null
}

const hashed = /^frame-[\w-]{8,}\.js$/

function readBuiltFile(...names: string[]): string | null {
  const file = path.join(folder, ...names)
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null
}
