import { enableCompileCache } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { toCofferError } from '../../shared/errors.ts'

// SECURITY: Node's own choice is a folder that others may make first, and then put code into.
const { XDG_CACHE_HOME: caches = '' } = process.env
enableCompileCache(path.join(path.isAbsolute(caches) ? caches : path.join(os.homedir(), '.cache'), 'coffer'))
// An empty variable, as a CI leaves it, is one that is not set.
for (const [name, value] of Object.entries(process.env)) {
  if (value === '' && name.startsWith('COFFER_')) delete process.env[name]
}
const { mindBrokenOutput } = await import('./broken-output.ts')
const { buildProgram } = await import('./program.ts')
const { default: manifest } = await import('../../package.json', { with: { type: 'json' } })

mindBrokenOutput()
try {
  await buildProgram(manifest.version).parseAsync()
} catch (error) {
  // One clear sentence; what is unknown keeps its cause for whoever debugs.
  process.stderr.write(`coffer: ${toCofferError(error).message}\n`)
  if (process.env.COFFER_DEBUG) console.error(error)
  process.exitCode = 1
}
