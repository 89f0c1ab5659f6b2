import fs from 'node:fs'
import path from 'node:path'
import type { AnsweredNames } from './answered-names.ts'
import { listHostNames } from './answered-names.ts'
import { createKeyStore, STORE_PASSWORD } from './java-key-store.ts'
import type { RunFolder } from './run-folder.ts'
import { bundleVariables, createBundle, listRoots, readCertificates } from './trusted-roots.ts'

const BUNDLE = 'bundle.pem'

type EnvironmentInput = {
  readonly answered: AnsweredNames
  readonly preloadPort: number
  readonly proxy: { readonly url: string; readonly port: number }
  /** The certificate of the authority. */
  readonly root: string
  readonly folder: RunFolder
  /** The environment that the program would have otherwise. */
  readonly base: NodeJS.ProcessEnv
}

/** Files for programs. The path is the same for the sources and the bundles in `out/`. */
const resources = path.join(import.meta.dirname, '..', '..', 'resources', 'as-hosted')

/**
 * Writes the files that programs read, and returns the variables that make them find Coffer under the service's names
 * (rule H-03). What the user has set is completed where a variable can hold both, and replaced otherwise.
 */
export function createHostedEnvironment(input: EnvironmentInput): Record<string, string> {
  return {
    COFFER_AS_HOSTED: JSON.stringify(
      Object.fromEntries([...input.answered.keys()].map((name) => [name, input.preloadPort])),
    ),
    ...createNodeVariables(input),
    ...createProxyVariables(input),
    ...createBundleVariables(input),
    ...createJavaVariables(input),
    ...createPythonVariables(input),
    ...createPhpVariables(input),
  }
}

/** Writes a file that sets these variables in a shell, and returns its path. */
export function writeShellFile(environment: Readonly<Record<string, string>>, folder: RunFolder): string {
  const lines = Object.entries(environment).map(
    ([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`,
  )
  return folder.writeFile('environment.sh', lines.join(''))
}

/** Node takes the authority in addition to its own certificates. The preload leads its connections to the front. */
function createNodeVariables({ root, folder, base }: EnvironmentInput): Record<string, string> {
  const preload = findPreload(folder)
  const own = readCertificates(base.NODE_EXTRA_CA_CERTS)
  return {
    NODE_OPTIONS: appendOptions(base.NODE_OPTIONS, `--require=${JSON.stringify(preload)}`),
    NODE_EXTRA_CA_CERTS: folder.writeFile('authority.pem', [own, root].join('\n').trimStart()),
    // `https` of Bun ignores the proxy's variables. A path with a space cannot be written in this variable.
    ...(!/\s/.test(preload) && { BUN_OPTIONS: appendOptions(base.BUN_OPTIONS, `--preload=${preload}`) }),
  }
}

/**
 * Returns the path of the preload: that of the package, so that a program which outlives Coffer can still start Node.
 * Only Electron can read inside an `.asar` archive, so its preload is copied.
 */
function findPreload(folder: RunFolder): string {
  const file = path.join(resources, 'preload.cjs')
  return file.includes('.asar') ? folder.writeFile('preload.cjs', fs.readFileSync(file)) : file
}

/** Calls to this machine pass by the proxy. An entry of the user that hides an answered name is left out. */
function createProxyVariables({ answered, proxy, base }: EnvironmentInput): Record<string, string> {
  const hosts = listHostNames(answered)
  const isHiding = (entry: string) => {
    const domain = entry
      .replace(/:\d+$/, '')
      .replace(/^\*?\./, '')
      .toLowerCase()
    return domain === '*' || hosts.some((host) => host === domain || host.endsWith(`.${domain}`))
  }
  const own = [base.NO_PROXY, base.no_proxy].flatMap((list) => list?.split(/[\s,]+/) ?? [])
  const remaining = own.filter((entry) => entry !== '' && !isHiding(entry))
  const bypass = [...new Set(['localhost', '127.0.0.1', '::1', ...remaining])].join(',')
  return { HTTPS_PROXY: proxy.url, https_proxy: proxy.url, NO_PROXY: bypass, no_proxy: bypass }
}

function createBundleVariables({ root, folder, base }: EnvironmentInput): Record<string, string> {
  const bundle = folder.writeFile(BUNDLE, createBundle(root, base))
  return Object.fromEntries(bundleVariables.map((name) => [name, bundle]))
}

/** PHP reads the certificates from its settings. The empty entry stands for the folder that it would read otherwise. */
function createPhpVariables({ folder, base }: EnvironmentInput): Record<string, string> {
  const bundle = JSON.stringify(path.join(folder.path, BUNDLE))
  const file = folder.writeFile(
    path.join('php', 'coffer.ini'),
    `curl.cainfo=${bundle}\nopenssl.cafile=${bundle}\n`,
  )
  return { PHP_INI_SCAN_DIR: `${base.PHP_INI_SCAN_DIR ?? ''}${path.delimiter}${path.dirname(file)}` }
}

/** Java heeds neither the proxy's variables nor a bundle, and cannot send a password to a proxy by properties. */
function createJavaVariables({ proxy, root, folder, base }: EnvironmentInput): Record<string, string> {
  const store = folder.writeFile('trusted.jks', createKeyStore([...listRoots(), root]))
  const options = [
    '-Dhttps.proxyHost=127.0.0.1',
    `-Dhttps.proxyPort=${proxy.port}`,
    `-Djavax.net.ssl.trustStore=${store.includes(' ') ? `"${store}"` : store}`,
    `-Djavax.net.ssl.trustStorePassword=${STORE_PASSWORD}`,
    '-Djavax.net.ssl.trustStoreType=JKS',
  ]
  return { JAVA_TOOL_OPTIONS: appendOptions(base.JAVA_TOOL_OPTIONS, options.join(' ')) }
}

/** Some Python clients, such as aiohttp, ignore the proxy's variables. */
function createPythonVariables({ folder, base }: EnvironmentInput): Record<string, string> {
  const text = fs.readFileSync(path.join(resources, 'sitecustomize.py'))
  const file = folder.writeFile(path.join('python', 'sitecustomize.py'), text)
  return { PYTHONPATH: [path.dirname(file), base.PYTHONPATH].filter(Boolean).join(path.delimiter) }
}

function appendOptions(own: string | undefined, more: string): string {
  return [own, more].filter(Boolean).join(' ')
}
