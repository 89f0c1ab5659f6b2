import { enableCompileCache } from 'node:module'
import { toCofferError } from '../../shared/errors.ts'

enableCompileCache()
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
