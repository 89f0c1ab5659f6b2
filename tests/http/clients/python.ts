import { execFile, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { getTimeoutWithRegistry } from './timeouts.ts'

const packages = [
  'BasisTheoryClient==7.4.0',
  'basistheory==3.0.0',
  'requests==2.34.2',
  'cryptography==48.0.0',
]

const missing = new Map<string, string | null>()

/**
 * Returns why Python cannot run with these packages on this machine, or null if it can. Downloads them on the first
 * run.
 */
export function describeMissingPythonWith(needed: readonly string[]): string | null {
  const folder = getFolder(needed)
  const known = missing.get(folder)
  if (known !== undefined) return known
  const reason = installPackages(needed)
  missing.set(folder, reason)
  return reason
}

function installPackages(needed: readonly string[]): string | null {
  if (process.platform === 'win32') return 'these tests know no Python on Windows'
  const folder = getFolder(needed)
  if (fs.existsSync(path.join(folder, 'complete'))) return null
  if (!canRun('python3', ['-m', 'venv', folder])) return 'there is no python3 with venv'
  // Python compiles what the programs import; pip would compile a thousand modules.
  const install = ['-m', 'pip', 'install', '--quiet', '--no-compile', ...needed]
  if (!canRun(findPythonWith(needed), install)) return 'PyPI cannot be reached, or answers slowly'
  fs.writeFileSync(path.join(folder, 'complete'), '')
  return null
}

/** Returns the path of the Python that has these packages. */
export function findPythonWith(needed: readonly string[]): string {
  return path.join(getFolder(needed), 'bin', 'python')
}

/** The folder of the packages. It is not temporary, because downloading them takes longer than any test. */
const kept = path.join(import.meta.dirname, '../../../node_modules/.cache')

function getFolder(needed: readonly string[]): string {
  return path.join(kept, `coffer-python-${needed.join('-').replaceAll('==', '-')}`)
}

/** Returns why the Python clients cannot run on this machine, or null if they can. */
export function describeMissingPython(): string | null {
  return describeMissingPythonWith(packages)
}

/** Returns the path of the Python that has the clients. */
export function findPython(): string {
  return findPythonWith(packages)
}

/** Returns the version of a package that the tests install. */
export function readPythonVersion(name: string): string {
  return packages.find((each) => each.startsWith(`${name}==`))?.slice(name.length + 2) ?? ''
}

function canRun(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore', timeout: getTimeoutWithRegistry(50_000) }).status === 0
}

/** Runs a Python program and returns the JSON that it prints. Rejects with its error output. */
export async function runPython(program: string, env: Record<string, string>): Promise<unknown> {
  const options = { env: { PATH: process.env.PATH ?? '', ...env }, timeout: 50_000 }
  const { stdout } = await promisify(execFile)(findPython(), ['-c', program], options)
  return JSON.parse(stdout)
}
