import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { hasSucceeded } from '../../http/clients/matrix/command.ts'

/**
 * The folders of programs and packages. They are kept, because downloading takes longer than any test. They are not in
 * `node_modules`, where test runners find no tests.
 */
const kept = path.join(import.meta.dirname, '../../../out/clients')

const { NODE_OPTIONS: _, ...environment } = process.env

/** The environment of the tools of languages. They keep what they need in the real home. Tests have another one. */
export const toolEnvironment: NodeJS.ProcessEnv = {
  ...environment,
  HOME: os.userInfo().homedir,
  CGO_ENABLED: '0',
  GOTOOLCHAIN: 'local',
}

/** Returns the folder in which a copy of these programs is run. */
export function findFolder(name: string): string {
  return path.join(kept, name)
}

/** Copies the programs of a folder in `programs/`, so that they find the packages beside them. */
export function copyPrograms(source: string, name = source): string {
  const folder = findFolder(name)
  fs.cpSync(path.join(import.meta.dirname, '..', 'programs', source), folder, { recursive: true })
  return folder
}

/** Runs a tool of a language in a folder. Returns whether it succeeded. */
export function runTool(cwd: string, program: string, ...args: string[]): Promise<boolean> {
  return hasSucceeded(program, args, { cwd, env: toolEnvironment })
}

/** Runs a tool like `runTool`, unless the same call has succeeded before. */
export async function runToolOnce(folder: string, program: string, ...args: string[]): Promise<boolean> {
  const call = JSON.stringify([program, ...args])
  const marker = path.join(folder, '.downloaded')
  if (fs.existsSync(marker) && fs.readFileSync(marker, 'utf8') === call) return true
  const isDone = await runTool(folder, program, ...args)
  if (isDone) fs.writeFileSync(marker, call)
  return isDone
}

/** Copies programs and installs npm packages beside them. Returns why that is not possible, or null. */
export async function installNpmPackages(
  source: string,
  name: string,
  packages: readonly string[],
): Promise<string | null> {
  const install = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--no-save', ...packages]
  const isDone = await runToolOnce(copyPrograms(source, name), 'npm', ...install)
  return isDone ? null : 'the npm registry cannot be reached, or answers slowly'
}
