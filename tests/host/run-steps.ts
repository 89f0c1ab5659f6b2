import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { findBundle } from '../find-bundle.ts'
import type { ProgramStep } from './steps.ts'

export const program = findBundle('steps')

/** The keychain of a process: unlocked with a password, locked, or none on the session bus. */
export type Keychain = { unlocked_with: string } | 'locked' | 'none'

/** Runs steps in another process, in a session with a real Secret Service whose files are below `home`. */
export function runInSession(home: string, keychain: Keychain, steps: ProgramStep[]): unknown[] {
  for (const tool of ['dbus-run-session', 'gnome-keyring-daemon']) {
    const missing = spawnSync(tool, ['--version']).error
    expect(missing, `${tool} is missing: apt-get install dbus-daemon gnome-keyring`).toBeUndefined()
  }
  fs.mkdirSync(path.join(home, 'run'), { recursive: true, mode: 0o700 })
  const quiet = path.join(home, 'quiet-bus.conf')
  fs.writeFileSync(quiet, QUIET_BUS)
  const node = `exec "${process.execPath}" "${program}" "$STEPS"`
  const start = 'gnome-keyring-daemon --components=secrets'
  const script =
    keychain === 'none'
      ? node
      : keychain === 'locked'
        ? `${start} --start >&2; ${node}`
        : `printf %s "$PASSWORD" | ${start} --unlock >&2; ${node}`
  const bus = keychain === 'none' ? ['--config-file', quiet] : []
  return parseResults(
    spawnSync('dbus-run-session', [...bus, '--', 'sh', '-c', script], {
      encoding: 'utf8',
      timeout: 60_000,
      env: {
        ...createEnvironment(home),
        STEPS: JSON.stringify(steps),
        PASSWORD: typeof keychain === 'object' ? keychain.unlocked_with : '',
      },
    }),
  )
}

/**
 * If the tests run as root, gives a folder and its content to the user `nobody`. After the step `drop rights`, steps
 * run as that user.
 */
export function giveToOtherUser(folder: string): void {
  if (process.getuid?.() !== 0) return
  const inside = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const each of ['', ...inside]) fs.chownSync(path.join(folder, each), 65_534, 65_534)
}

/** Runs steps in another process, without a session bus unless its address is given. */
export function runSteps(steps: ProgramStep[], home: string, address?: string): unknown[] {
  const env = { ...createEnvironment(home), ...(address && { DBUS_SESSION_BUS_ADDRESS: address }) }
  return parseResults(
    spawnSync(process.execPath, [program, JSON.stringify(steps)], { encoding: 'utf8', timeout: 60_000, env }),
  )
}

/** Returns the results of all steps, or of those before a deliberate crash. */
function parseResults({ status, signal, error, stdout, stderr }: SpawnSyncReturns<string>) {
  expect(error, `${stdout}\n${stderr}`).toBeUndefined()
  // A deliberate crash is SIGKILL, which a shell reports as 137.
  expect([0, 137, 'SIGKILL'], stderr).toContain(status ?? signal)
  return (
    stdout
      .split('\n')
      // The bus may start a keychain, which prints its address to the same output.
      .filter((line) => line !== '' && !line.startsWith('GNOME_KEYRING_'))
      .map((line) => JSON.parse(line) as unknown)
  )
}

function createEnvironment(home: string) {
  return {
    PATH: process.env.PATH,
    NODE_OPTIONS: process.env.NODE_OPTIONS,
    HOME: home,
    TMPDIR: process.env.TMPDIR,
    XDG_RUNTIME_DIR: path.join(home, 'run'),
    XDG_DATA_HOME: path.join(home, 'share'),
    XDG_CONFIG_HOME: path.join(home, 'config'),
    XDG_CACHE_HOME: path.join(home, 'cache'),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  }
}

/** A session bus that starts no service by itself. */
const QUIET_BUS = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`
