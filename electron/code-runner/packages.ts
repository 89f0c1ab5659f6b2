import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../shared/errors.ts'

export type ReactorPackage = { readonly name: string; readonly version: string }

/**
 * Lists the installed packages that the owner has added to a folder, sorted by name. Throws `invalid` for an unreadable
 * package.json.
 */
export function readPackages(folder: string): ReactorPackage[] {
  const { dependencies = {} } = readManifest(path.join(folder, 'package.json'))
  return Object.keys(dependencies)
    .sort()
    .flatMap((name) => {
      const { version } = readManifest(path.join(folder, 'node_modules', name, 'package.json'))
      return version === undefined ? [] : [{ name, version }]
    })
}

/**
 * Returns a function that gives the installed packages of a folder, with their versions. They are read again only after
 * npm has changed the folder. None if they cannot be read.
 */
export function createPackagesReader(getFolder: () => string): () => ReadonlyMap<string, string> {
  let before = ''
  let packages: ReadonlyMap<string, string> = new Map()
  return () => {
    const folder = getFolder()
    const state = [folder, ...npmFiles.map((file) => readModifiedTime(path.join(folder, file)))].join('\n')
    if (state !== before) {
      before = state
      packages = new Map(readPackagesOrNone(folder).map(({ name, version }) => [name, version]))
    }
    return packages
  }
}

/** The files that npm writes whenever it changes packages. */
const npmFiles = ['package.json', 'node_modules/.package-lock.json']

function readModifiedTime(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function readPackagesOrNone(folder: string): ReactorPackage[] {
  try {
    return readPackages(folder)
  } catch {
    // `coffer doctor` reports it.
    return []
  }
}

type Manifest = { readonly version?: string; readonly dependencies?: Readonly<Record<string, string>> }

function readManifest(file: string): Manifest {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Manifest
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new CofferError('invalid', `${path.basename(path.dirname(file))}/package.json cannot be read.`)
  }
}

/** A package name of the registry with an optional version; not a folder, a URL or an option of npm. */
const SPEC = /^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(@[\w.^~<>=*+-]+)?$/i

/**
 * Adds packages to a folder with npm, without running their install scripts. `print` receives npm's output. Throws
 * `invalid` for a bad package name, and `unavailable` when npm is missing or fails.
 */
export async function addPackages(
  folder: string,
  specs: readonly string[],
  print: (text: string) => void,
  npm = 'npm',
): Promise<void> {
  for (const spec of specs) {
    if (!SPEC.test(spec) || spec.startsWith('-')) {
      throw new CofferError('invalid', 'Use package names of the npm registry, such as axios or axios@1.8.2.')
    }
  }
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const manifest = path.join(folder, 'package.json')
  if (!fs.existsSync(manifest)) {
    fs.writeFileSync(manifest, `${JSON.stringify({ name: 'reactor-packages', private: true }, null, 2)}\n`)
  }
  // SECURITY: install scripts would run as the owner, outside the confined processes.
  const npmArgs = [
    'install',
    '--ignore-scripts',
    '--install-links',
    '--no-bin-links',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    // `npm run -s coffer` makes every npm below it silent; errors must still be printed.
    '--loglevel=error',
    '--save-exact',
    '--',
    ...specs,
  ]
  const isWindows = process.platform === 'win32'
  const failure = await new Promise<string | null>((resolve) => {
    const child = spawn(isWindows ? `${npm}.cmd` : npm, npmArgs, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Windows runs .cmd files only in a shell; the names were checked above.
      shell: isWindows,
    })
    child.stdout.on('data', (chunk: Buffer) => print(chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => print(chunk.toString()))
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve(
        error.code === 'ENOENT'
          ? 'npm was not found. Install Node.js, which includes it, and try again.'
          : 'npm could not be started.',
      ),
    )
    child.once('close', (code) =>
      resolve(
        code === 0
          ? null
          : 'npm could not add the packages; see its output above. Check that it can reach the registry.',
      ),
    )
  })
  if (failure !== null) throw new CofferError('unavailable', failure)
}
