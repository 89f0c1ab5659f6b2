// Plain JavaScript for the machine's own Node (20 or newer), before anything is installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..')
const modules = path.join(root, 'node_modules')
const stamp = path.join(modules, '.coffer-installed')

/**
 * Returns the path of the Node that runs Coffer: the one installed from the npm registry, or else the machine's own.
 */
export function ownNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const own = path.join(modules, '.bin', name)
  return fs.existsSync(own) ? own : process.execPath
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

function lockHash() {
  return createHash('sha256')
    .update(fs.readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex')
}

function installed() {
  try {
    return fs.readFileSync(stamp, 'utf8') === lockHash()
  } catch {
    return false
  }
}

/** Runs `npm ci` unless this lockfile is installed already. */
export function install() {
  if (!installed()) {
    process.stderr.write('Installing the exact versions of the lockfile …\n')
    const npm = process.env.npm_execpath
    const done = npm
      ? spawnSync(process.execPath, [npm, 'ci'], { cwd: root, stdio: ['ignore', 2, 2] })
      : spawnSync('npm', ['ci'], { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
    if (done.status !== 0)
      fail(
        'The packages could not be installed. The first run needs the npm registry, or a mirror: `npm config set registry URL`.',
      )
    fs.writeFileSync(stamp, lockHash())
  }
  const version = spawnSync(ownNode(), ['--version'], { encoding: 'utf8' }).stdout ?? ''
  // The sources run without a build and use `await using`, which needs Node 24.
  if (Number.parseInt(version.slice(1), 10) < 24) {
    fail(`Coffer needs Node 24 or newer on this platform; this is ${version.trim()}. Install Node 24.`)
  }
}

const headlessShell = 'chromium-headless-shell'
const debian = [
  { package: 'chromium', programs: [headlessShell, 'chromium', 'chromium-browser', 'google-chrome'] },
  { package: 'gnome-keyring', programs: ['gnome-keyring-daemon'] },
  { package: 'dbus', programs: ['dbus-run-session'] },
  { package: 'libnss3-tools', programs: ['certutil'] },
]

function has(program) {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((dir) => dir && fs.existsSync(path.join(dir, program)))
}

const missing = () => debian.filter((each) => !each.programs.some(has)).map((each) => each.package)

function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync('apt-get', ['-qq', ...args], { stdio: 'ignore', env }).status === 0
}

/** Installs the browser and the keyring that tests use, or names them if this user may not install packages. */
function installForTests() {
  if (process.platform !== 'linux') return
  if (process.getuid?.() === 0 && has('apt-get')) {
    if (missing().length > 0) {
      process.stderr.write(`Installing ${missing().join(', ')} …\n`)
      apt('update')
    }
    const add = (...packages) => apt('install', '-y', '--no-install-recommends', ...packages)
    // Any Chromium works; a headless one takes half the time. Ubuntu does not have this package.
    if (!has(headlessShell)) add(headlessShell)
    if (missing().length > 0) add(...missing())
  }
  const names = missing().join(' ')
  if (names === '') return
  process.stderr.write(
    `Some tests need ${names} and fail without. On Debian and Ubuntu: sudo apt-get install ${names}\n`,
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  install()
  if (process.argv.includes('--for-tests')) installForTests()
}
