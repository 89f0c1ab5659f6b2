// `npm run dist`: builds and packs the desktop program for this system. Options go to electron-builder.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { build } from './build.mjs'
import { source, whyUnreached } from './fetch-electron.mjs'
import { ownNode, root } from './install.mjs'

build()
const unreached = await whyUnreached(source)
// Without this check, electron-builder would retry for most of a minute.
if (unreached !== null && !hasElectron()) fail(unreached)
const program = path.join(root, 'node_modules', 'electron-builder', 'cli.js')
const child = spawn(ownNode(), [program, ...process.argv.slice(2)], {
  cwd: root,
  stdio: ['inherit', 'pipe', 'pipe'],
})
/** electron-builder's output from its first error line on, which ends with a long stack trace. */
const failure = []
for (const output of [child.stdout, child.stderr]) {
  createInterface(output).on('line', (line) => {
    if (failure.length > 0 || /^\s*⨯/.test(line)) failure.push(line)
    else if (!isAdvice(line)) process.stdout.write(`${line}\n`)
  })
}
child.on('close', (code) => {
  const [, what] = /\b((?:getaddrinfo|connect|read) E[A-Z]+ \S+)/.exec(failure.join('\n')) ?? []
  if (what !== undefined) fail(unreached ?? what)
  process.stderr.write(failure.map((line) => `${line}\n`).join(''))
  process.exitCode = code ?? 1
})

/**
 * Whether a line is advice that does not apply: electron-builder considers @electron/rebuild superfluous, but
 * resources/before-pack.mjs calls it.
 */
function isAdvice(line) {
  return (
    /@electron\/rebuild already used|^To ensure your native dependencies/.test(line) || line.trim() === ''
  )
}

/** Whether an earlier run has left this version of Electron in the user's cache, for any system. */
function hasElectron() {
  const manifest = path.join(root, 'node_modules', 'electron', 'package.json')
  const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8'))
  const home = os.homedir()
  const caches = [
    process.env.electron_config_cache,
    process.env.ELECTRON_BUILDER_CACHE,
    path.join(process.env.XDG_CACHE_HOME ?? path.join(home, '.cache'), 'electron'),
    path.join(process.env.XDG_CACHE_HOME ?? path.join(home, '.cache'), 'electron-builder'),
    path.join(home, 'Library', 'Caches', 'electron'),
    path.join(home, 'Library', 'Caches', 'electron-builder'),
    path.join(process.env.LOCALAPPDATA ?? home, 'electron', 'Cache'),
    path.join(process.env.LOCALAPPDATA ?? home, 'electron-builder', 'Cache'),
  ]
  return caches.some((folder) => {
    if (!folder || !fs.existsSync(folder)) return false
    const files = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })
    return files.some(
      (file) => path.basename(file).startsWith(`electron-v${version}-`) && file.endsWith('.zip'),
    )
  })
}

function fail(why) {
  process.stderr.write(
    `The desktop program could not be packed: ${why}. The first run fetches Electron and the packaging tools; after that it works offline.\n`,
  )
  process.exit(1)
}
