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

/** A package name of the registry with an optional version; not a URL or an option of npm. */
const SPEC = /^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(@[\w.^~<>=*+-]+)?$/i
const TARBALL = /\.(tgz|tar\.gz)$/i

/**
 * Adds packages to a folder with npm, without running their install scripts: names of the registry, or paths of folders
 * and tarballs. Returns those that could not be added, while the others were. `print` receives npm's output. Throws
 * `invalid` for what is neither a name nor a package, and `unavailable` when npm is missing or fails otherwise.
 */
export async function addPackages(
  folder: string,
  specs: readonly string[],
  print: (text: string) => void,
  npm = 'npm',
): Promise<string[]> {
  const resolved = specs.map(resolveSpec)
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const manifest = path.join(folder, 'package.json')
  if (!fs.existsSync(manifest)) {
    fs.writeFileSync(manifest, `${JSON.stringify({ name: 'reactor-packages', private: true }, null, 2)}\n`)
  }
  const failed = await addResolved({ folder, print, npm }, resolved)
  return specs.filter((_, at) => failed.includes(resolved[at] ?? ''))
}

/** Returns the name, or the full path of a folder or a tarball. Throws `invalid`. */
function resolveSpec(spec: string): string {
  const isPath =
    /^\.{0,2}[/\\]|^\.{1,2}$|^[a-z]:[/\\]/i.test(spec) || (TARBALL.test(spec) && !spec.includes('://'))
  if (isPath) return resolvePath(spec)
  if (SPEC.test(spec) && !spec.startsWith('-')) return spec
  throw new CofferError(
    'invalid',
    'Use package names of the npm registry, such as axios or axios@1.8.2, or paths, such as ./my-package.',
  )
}

function resolvePath(spec: string): string {
  const file = path.resolve(spec)
  const isPackage = TARBALL.test(file) ? fs.existsSync(file) : fs.existsSync(path.join(file, 'package.json'))
  if (!isPackage)
    throw new CofferError(
      'invalid',
      `There is no package at ${spec}: name a folder with a package.json, or a .tgz file.`,
    )
  // SECURITY: on Windows, npm runs in a shell.
  if (process.platform === 'win32' && !/^[\w .:\\/~-]+$/.test(file))
    throw new CofferError(
      'invalid',
      `The path ${spec} has characters that a shell would interpret. Move the package.`,
    )
  return file
}

type NpmRun = { readonly folder: string; readonly print: (text: string) => void; readonly npm: string }

/** Npm's error codes that concern a single package. */
const OF_ONE_PACKAGE = /^npm (?:error|ERR!) code (E404|ETARGET|ENOVERSIONS|TAR_BAD_ARCHIVE|EJSONPARSE)$/m

/**
 * Adds packages, and returns those that could not be added. Npm adds all or none, so if one fails, each half is added on
 * its own. Throws `unavailable` for a failure that does not concern a single package.
 */
async function addResolved(run: NpmRun, specs: readonly string[]): Promise<readonly string[]> {
  const { failure, output } = await runNpm(run, specs)
  if (failure === null) return []
  if (!OF_ONE_PACKAGE.test(output)) throw new CofferError('unavailable', failure)
  if (specs.length === 1) return specs
  const half = Math.ceil(specs.length / 2)
  const first = await addResolved(run, specs.slice(0, half))
  return [...first, ...(await addResolved(run, specs.slice(half)))]
}

async function runNpm(
  { folder, print, npm }: NpmRun,
  specs: readonly string[],
): Promise<{ readonly failure: string | null; readonly output: string }> {
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
  ]
  const isWindows = process.platform === 'win32'
  let output = ''
  const failure = await new Promise<string | null>((resolve) => {
    const quoted = isWindows ? specs.map((spec) => `"${spec}"`) : specs
    const child = spawn(isWindows ? `${npm}.cmd` : npm, [...npmArgs, ...quoted], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Windows runs .cmd files only in a shell; names and paths were checked above.
      shell: isWindows,
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        print(chunk.toString())
      })
    }
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
  return { failure, output }
}
