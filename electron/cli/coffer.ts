import { enableCompileCache } from 'node:module'
import path from 'node:path'
import { getHomeFolder } from '../host/files/home-folder.ts'

// SECURITY: by default, Node puts its compile cache into a shared folder, which another user could create
// first and fill with code.
const { XDG_CACHE_HOME: caches = '' } = process.env
enableCompileCache(
  path.join(path.isAbsolute(caches) ? caches : path.join(getHomeFolder(), '.cache'), 'coffer'),
)
// CI systems set variables to empty strings: treat these as unset.
for (const [name, value] of Object.entries(process.env)) {
  if (value === '' && name.startsWith('COFFER_')) delete process.env[name]
}
const { watchOutput } = await import('./terminal/broken-output.ts')
const { runProgram } = await import('./run-program.ts')
const { default: manifest } = await import('../../package.json', { with: { type: 'json' } })

watchOutput()
process.exitCode = await runProgram(manifest.version, process.argv.slice(2))
