import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { bundles, notePackages, noticesOf, packagesOf } from '../scripts/third-party-notices.mjs'

const root = path.join(import.meta.dirname, '..')
const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8')
const all = [...new Set([...bundles.npm, ...bundles.desktop])]
const foldersOf = (bundle: string) => packagesOf([bundle]).map(({ folder }) => folder)
const words = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

test('the notices cover every bundle that the builds write', () => {
  const noted = fs.readdirSync(path.join(root, 'out', 'packages')).map((file) => path.basename(file, '.json'))
  expect(noted.sort()).toEqual(all.toSorted())
})

test.each(all)('the notices of %s contain every package with its licence', (bundle) => {
  const packages = packagesOf([bundle])
  const text = words(noticesOf(packages))
  for (const { folder, notices } of packages) {
    const { name, version } = JSON.parse(read(path.join(folder, 'package.json')))
    expect([folder, text.includes(`${name} ${version}`)]).toEqual([folder, true])
    for (const file of notices) {
      // Of a bundler's licence file, only the first part is its own licence. The rest lists its dependencies.
      const [own = ''] = read(file).split('# Licenses of bundled dependencies')
      expect([file, text.includes(words(own))]).toEqual([file, true])
    }
  }
})

test('every package that a source imports is recorded for its bundle', () => {
  const imported =
    /^(?:import(?! type).* from|import|@import|\} from) ['"]((?:@[\w-]+\/)?[a-z][\w-]*)(?=['"/])/gm
  const named = (sources: string) => {
    const files = fs.globSync(sources, { cwd: root }).filter((file) => !/\.d\.ts$|vite\.config/.test(file))
    const names = files.flatMap((file) => [...read(file).matchAll(imported)].map(([, name = '']) => name))
    return [...new Set(names)].filter((name) => name !== 'vite')
  }
  const external = ['better-sqlite3', 'keytar', '@node-rs/argon2']
  const cli = named('{electron/{cli,engine,host,http,outbound},shared}/**/*.ts').filter(
    (name) => !external.includes(name),
  )
  const window = named('renderer/**/*.{ts,tsx,css}')
  expect([cli.length > 8, window.length > 10]).toEqual([true, true])
  const folders = (names: string[]) => expect.arrayContaining(names.map((name) => `node_modules/${name}`))
  expect(foldersOf('cli')).toEqual(folders(cli))
  expect(foldersOf('renderer')).toEqual(folders(window))
  expect(foldersOf('reactors')).toEqual(folders(['basis-theory-node-sdk-2', 'axios', 'tr46']))
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
  const told = parse(read('electron-builder.yml'))
  expect(told.extraResources.map(({ from }: { from: string }) => from)).toEqual([
    'LICENSE',
    'out/THIRD-PARTY-NOTICES.txt',
  ])
  expect(read('LICENSE').split('\n')).toContain(told.copyright)
})
