import fs from 'node:fs'
import path from 'node:path'
import type { AnsweredNames } from './answered-names.ts'
import type { RunFolder } from './run-folder.ts'
import { bundleVariables, createBundle, readCertificates } from './trusted-roots.ts'

export type EnvironmentInput = {
  readonly answered: AnsweredNames
  readonly frontPort: number
  /** The certificate of the authority. */
  readonly root: string
  readonly folder: RunFolder
  /** The environment that the program would have otherwise. */
  readonly base: NodeJS.ProcessEnv
}

/** In the package, the bundle is in `out/`, and the preload stays among the sources. */
const preload = import.meta.filename.endsWith('.ts')
  ? path.join(import.meta.dirname, 'preload.cjs')
  : path.join(import.meta.dirname, '..', '..', 'electron', 'as-hosted', 'preload.cjs')

/**
 * Writes the files that programs read, and returns the variables that make them find Coffer under the service's names
 * (rule H-03). Variables of the user are completed, not replaced.
 */
export function createHostedEnvironment(input: EnvironmentInput): Record<string, string> {
  const { root, folder, base } = input
  const bundle = folder.writeFile('bundle.pem', createBundle(root, base))
  return {
    ...createNodeEnvironment(input),
    ...Object.fromEntries(bundleVariables.map((name) => [name, bundle])),
  }
}

/** Node takes the authority in addition to its own certificates, and the preload leads its connections to the front. */
function createNodeEnvironment({
  answered,
  frontPort,
  root,
  folder,
  base,
}: EnvironmentInput): Record<string, string> {
  const file = folder.writeFile('preload.cjs', fs.readFileSync(preload))
  const own = readCertificates(base.NODE_EXTRA_CA_CERTS)
  return {
    NODE_OPTIONS: [base.NODE_OPTIONS, `--require=${JSON.stringify(file)}`].filter(Boolean).join(' '),
    NODE_EXTRA_CA_CERTS: folder.writeFile('authority.pem', `${own}${own && '\n'}${root}`),
    COFFER_AS_HOSTED: JSON.stringify(
      Object.fromEntries([...answered.keys()].map((name) => [name, frontPort])),
    ),
  }
}
