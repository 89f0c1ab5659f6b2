import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from './repository.ts'
import { createTempFolder } from './vault.ts'

/** Imports that each file must not have, of packages and of other areas. */
const denied: Readonly<Record<string, string>> = {
  'shared/a.ts':
    'node:fs electron react fastify better-sqlite3 ../electron/engine/index.ts ../renderer/ui/empty.tsx',
  'electron/engine/resources/a.ts':
    'electron electron/main node:http node:net fastify react undici node:https node:http2 node:tls node:dgram ' +
    '../../host/host.ts ../../outbound/outbound.ts ../../code-runner/pool.ts ../../http/start.ts ' +
    '../../cli/program.ts ../../main/index.ts ../../preload/index.ts ../../../renderer/ui/empty.tsx',
  'electron/outbound/a.ts':
    'electron electron/main fastify react ../engine/index.ts ../host/host.ts ../http/start.ts ../cli/program.ts ' +
    '../main/index.ts ../preload/index.ts ../testing/start-coffer.ts ../../renderer/ui/empty.tsx',
  'electron/code-runner/a.ts':
    'undici node:http node:https node:http2 node:tls node:dgram node:net electron electron/main fastify react ' +
    '../engine/index.ts ../outbound/outbound.ts ../host/host.ts ../http/start.ts ../cli/program.ts ' +
    '../main/index.ts ../preload/index.ts ../testing/start-coffer.ts ../../renderer/ui/empty.tsx',
  'electron/code-runner/runner/a.ts':
    'electron fastify react ../../engine/index.ts ../../outbound/outbound.ts',
  'electron/http/a.ts':
    'electron electron/main undici node:https node:http2 node:tls node:dgram ../engine/engine.ts ../host/host.ts ' +
    '../cli/program.ts ../main/index.ts ../preload/index.ts ../../renderer/ui/empty.tsx',
  'electron/host/a.ts':
    'electron electron/main react undici node:https node:http2 node:tls node:dgram ../engine/engine.ts ' +
    '../cli/program.ts ../main/index.ts ../preload/index.ts ../../renderer/ui/empty.tsx',
  'electron/cli/actions/a.ts':
    'electron electron/main react undici node:https node:http2 node:tls node:dgram ../../engine/engine.ts ' +
    '../../main/index.ts ../../preload/index.ts ../../../renderer/ui/empty.tsx',
  'electron/preload/a.ts':
    'node:fs undici node:https node:http2 node:tls node:dgram ../engine/index.ts ../host/host.ts ../http/start.ts ' +
    '../cli/program.ts ../main/index.ts ../../renderer/ui/empty.tsx',
  'electron/main/a.ts':
    'react undici node:https node:http2 node:tls node:dgram node:http node:net ../engine/engine.ts ' +
    '../cli/program.ts ../../renderer/ui/empty.tsx',
  'electron/testing/a.ts':
    'electron electron/main react undici node:https node:http2 node:tls node:dgram ../engine/engine.ts ' +
    '../cli/program.ts ../main/index.ts ../preload/index.ts ../../renderer/ui/empty.tsx',
  'renderer/ui/a.tsx': 'node:fs electron fastify better-sqlite3 ../../electron/engine/index.ts',
  'renderer/parts/connection/vault.ts': 'node:fs electron ../../../electron/engine/engine.ts',
  'renderer/elements/a.ts':
    'node:fs electron react react-dom @mantine/core ../../electron/engine/index.ts ../app/app.tsx ' +
    '../screens/home/home.tsx ../parts/connection/vault.ts ../ui/empty.tsx',
}

test('npm run check refuses every import across a wall', () => {
  const folder = path.join(createTempFolder(), 'checkout')
  for (const name of ['electron', 'renderer', 'shared', 'scripts', 'docs', 'tests/no-blind-cast.grit'])
    fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
  for (const name of ['ARCHITECTURE.md', 'biome.json', '.gitignore'])
    fs.cpSync(path.join(root, name), path.join(folder, name))
  const runNode = (...args: readonly string[]) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    return { status, output: (stdout + stderr).replaceAll('\\', '/') }
  }
  const checkLayers = () => runNode(path.join('scripts', 'check-layers.ts'))
  expect(checkLayers()).toEqual({ status: 0, output: '' })

  for (const [file, specifiers] of Object.entries(denied)) {
    const lines = specifiers.split(' ').map((each) => `await import('${each}')\n`)
    fs.appendFileSync(path.join(folder, file), lines.join(''))
  }
  const { status, output } = checkLayers()
  expect(status).toBe(1)
  for (const [file, specifiers] of Object.entries(denied))
    for (const each of specifiers.split(' ')) expect(output).toContain(`${file} imports ${each}: `)

  // Biome shows an editor who enters the engine elsewhere, and what vault.ts takes from it.
  fs.appendFileSync(
    path.join(folder, 'renderer/parts/connection/vault.ts'),
    "export { Engine } from '../../../electron/engine/index.ts'\n",
  )
  const biome = path.join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome')
  const lint = runNode(
    biome,
    'lint',
    '--only=style/noRestrictedImports',
    '--reporter=github',
    'electron',
    'renderer',
  )
  expect(lint.status).toBe(1)
  for (const file of Object.keys(denied).filter((each) => denied[each]?.includes('/engine/engine.ts')))
    expect(lint.output).toContain(`${file},line=`)
})
