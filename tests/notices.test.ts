import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { bundles, notePackages, noticesOf, packagesOf } from '../scripts/third-party-notices.mjs'
import { readFile, root } from './repository.ts'

const all = [...new Set([...bundles.npm, ...bundles.desktop])]
const listFolders = (bundle: string) => packagesOf([bundle]).map(({ folder }) => folder)
const collapseSpaces = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

test('the notices cover every bundle that the builds write', () => {
  const noted = fs.readdirSync(path.join(root, 'out', 'packages')).map((file) => path.basename(file, '.json'))
  expect(noted.sort()).toEqual(all.toSorted())
})

test.each(all)('the notices of %s contain every package with its licence', (bundle) => {
  const packages = packagesOf([bundle])
  const text = collapseSpaces(noticesOf(packages))
  for (const { folder, notices } of packages) {
    const { name, version } = JSON.parse(readFile(path.join(folder, 'package.json')))
    expect([folder, text.includes(`${name} ${version}`)]).toEqual([folder, true])
    for (const file of notices) {
      // Of a bundler's licence file, only the first part is its own licence. The rest lists its dependencies.
      const [own = ''] = readFile(file).split('# Licenses of bundled dependencies')
      expect([file, text.includes(collapseSpaces(own))]).toEqual([file, true])
    }
  }
})

test('every package that a source imports is recorded for its bundle', () => {
  const imported =
    /^(?:import(?! type).* from|import|@import|\} from) ['"]((?:@[\w-]+\/)?[a-z][\w-]*)(?=['"/])/gm
  const listImports = (sources: string) => {
    const files = fs.globSync(sources, { cwd: root }).filter((file) => !/\.d\.ts$|vite\.config/.test(file))
    const names = files.flatMap((file) => [...readFile(file).matchAll(imported)].map(([, name = '']) => name))
    return [...new Set(names)].filter((name) => name !== 'vite')
  }
  const external = ['better-sqlite3', 'keytar', '@node-rs/argon2']
  const cli = listImports('{electron/{cli,engine,host,http,outbound},shared}/**/*.ts').filter(
    (name) => !external.includes(name),
  )
  const window = listImports('renderer/**/*.{ts,tsx,css}')
  expect([cli.length > 8, window.length > 10]).toEqual([true, true])
  const expectFolders = (names: string[]) =>
    expect.arrayContaining(names.map((name) => `node_modules/${name}`))
  expect(listFolders('cli')).toEqual(expectFolders(cli))
  expect(listFolders('renderer')).toEqual(expectFolders(window))
  expect(listFolders('reactors')).toEqual(expectFolders(['basis-theory-node-sdk-2', 'axios', 'tr46']))
})

test('the build fails if the package of a module is unknown', () => {
  const plugin = notePackages('none') as unknown as {
    generateBundle(this: object, options: object, bundle: object): void
    writeBundle(this: object): void
  }
  const context = {
    getModuleIds: () => [],
    error: (message: string) => {
      throw new Error(message)
    },
  }
  plugin.generateBundle.call(context, {}, { 'a.js': { type: 'chunk', moduleIds: ['\0unknown/helper.js'] } })
  expect(() => plugin.writeBundle.call(context)).toThrow(
    'which package "\\u0000unknown/helper.js" belongs to',
  )
})

test('the desktop packages include the notices, licence and copyright', () => {
  const config = parse(readFile('electron-builder.yml'))
  expect(config.extraResources.map(({ from }: { from: string }) => from)).toEqual([
    'LICENSE',
    'out/THIRD-PARTY-NOTICES.txt',
  ])
  expect(readFile('LICENSE').split('\n')).toContain(config.copyright)
})
