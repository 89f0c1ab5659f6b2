// `npm run dist:cli`: writes the command line with its own Node to dist/, as an archive for this system. The machine
// that unpacks it needs nothing else.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { create } from 'tar'
import { ownNode, root } from './install.mjs'
import { packNpm } from './pack-npm.mjs'
import { bundles, noticesOf, packageAt, packagesInstalledFor, packagesOf } from './third-party-notices.mjs'

const isWindows = process.platform === 'win32'

/**
 * The start script on systems with a shell. It calls another program (readlink) only if it was started through a link,
 * so it also works with an empty PATH.
 */
const unixProgram = `#!/bin/sh
program=$0
if [ -L "$program" ]; then program=$(readlink -f "$program"); fi
case $program in
  */*) folder=\${program%/*} ;;
  *) folder=. ;;
esac
export MALLOC_ARENA_MAX=1
exec "$folder/lib/node" --disable-warning=ExperimentalWarning --max-semi-space-size=8 "$folder/lib/node_modules/coffer/electron/cli/run.mjs" "$@"
`
const windowsProgram = `@"%~dp0lib\\node.exe" --disable-warning=ExperimentalWarning --max-semi-space-size=8 "%~dp0lib\\node_modules\\coffer\\electron\\cli\\run.mjs" %*\r\n`

/** Writes the archive into a folder, by default `dist`. Returns its path. */
export function packCli(folder = path.join(root, 'dist')) {
  const packed = packNpm(folder)
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
  const name = `coffer-${version}-${process.platform}-${process.arch}`
  const stage = path.join(folder, name)
  const lib = path.join(stage, 'lib')
  fs.rmSync(stage, { recursive: true, force: true })
  fs.mkdirSync(lib, { recursive: true })
  fs.writeFileSync(path.join(lib, 'package.json'), '{ "private": true }\n')
  run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', '--engine-strict=false', packed], lib)
  const modules = path.join(lib, 'node_modules')
  const installed = packagesInstalledFor(path.join(modules, 'coffer'))
  const driver = packageAt(path.join(root, 'node_modules', 'better-sqlite3'))
  fs.writeFileSync(
    path.join(stage, 'THIRD-PARTY-NOTICES.txt'),
    noticesOf([...packagesOf(bundles.npm), driver, ...installed]),
  )
  const prebuilt = path.join(modules, 'coffer', 'out', 'better-sqlite3', 'prebuilds')
  for (const file of fs.readdirSync(prebuilt)) {
    const [system = ''] = file.split('-')
    const isOurs = file.endsWith(`-${process.arch}.node`) && system.startsWith(process.platform)
    if (!isOurs) fs.rmSync(path.join(prebuilt, file))
  }
  fs.copyFileSync(ownNode(), path.join(lib, isWindows ? 'node.exe' : 'node'))
  fs.copyFileSync(licenceOfNode(ownNode()), path.join(lib, 'LICENSE.node.txt'))
  fs.copyFileSync(path.join(root, 'LICENSE'), path.join(stage, 'LICENSE'))
  const program = path.join(stage, isWindows ? 'coffer.cmd' : 'coffer')
  fs.writeFileSync(program, isWindows ? windowsProgram : unixProgram, { mode: 0o755 })
  const archive = path.join(folder, `${name}.tar.gz`)
  archiveFolder(archive, name)
  fs.rmSync(stage, { recursive: true })
  return archive
}

/** Archives a folder next to the archive. Without times and owners and in a fixed order, so that it can be reproduced. */
function archiveFolder(archive, name) {
  const folder = path.dirname(archive)
  const files = fs
    .readdirSync(path.join(folder, name), { recursive: true, withFileTypes: true })
    .filter((each) => !each.isDirectory())
    .map((each) => path.relative(folder, path.join(each.parentPath, each.name)).replaceAll('\\', '/'))
  create(
    { file: archive, cwd: folder, gzip: true, portable: true, mtime: new Date(0), sync: true },
    files.sort(),
  )
}

/** Returns the LICENSE file of a Node. In its archives, the file is next to `bin`, on Windows next to the program. */
function licenceOfNode(program) {
  const folder = path.dirname(fs.realpathSync(program))
  const places = ['..', '.', '../share/doc/node'].map((each) => path.join(folder, each, 'LICENSE'))
  const found = places.find(
    (file) => fs.existsSync(file) && fs.readFileSync(file, 'utf8').startsWith('Node.js is licensed'),
  )
  if (!found)
    throw new Error(`There is no LICENSE for ${program}, and the archive must include that of its Node.`)
  return found
}

function run(program, args, cwd) {
  const done = spawnSync(program, args, { cwd, shell: isWindows, stdio: ['ignore', 'ignore', 2] })
  if (done.status !== 0) throw new Error(`${program} ${args[0]} failed`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${path.relative(process.cwd(), packCli())}\n`)
}
