import { execFile, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const packages = [
  'BasisTheoryClient==7.4.0',
  'basistheory==3.0.0',
  'requests==2.34.2',
  'cryptography==48.0.0',
]
const folder = path.join(os.tmpdir(), `coffer-python-${packages.join('-').replaceAll('==', '-')}`)
const python = path.join(folder, 'bin', 'python')

/** Why no Python program can be run here; null where one can. Fetches the packages on the first run, once. */
export function noPython(): string | null {
  if (process.platform === 'win32') return 'this test knows no Python on Windows'
  if (fs.existsSync(path.join(folder, 'complete'))) return null
  if (!runs('python3', ['-m', 'venv', folder])) return 'there is no python3 with venv'
  if (!runs(python, ['-m', 'pip', 'install', '--quiet', ...packages])) return 'PyPI cannot be reached'
  fs.writeFileSync(path.join(folder, 'complete'), '')
  return null
}

function runs(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore', timeout: 50_000 }).status === 0
}

/** Runs a Python program and gives the JSON that it prints. Rejects with what it complains about. */
export async function runPython(program: string, env: Record<string, string>): Promise<unknown> {
  const options = { env: { PATH: process.env.PATH ?? '', ...env }, timeout: 50_000 }
  const { stdout } = await promisify(execFile)(python, ['-c', program], options)
  return JSON.parse(stdout)
}
