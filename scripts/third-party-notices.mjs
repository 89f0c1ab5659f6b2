// Records which packages the bundles contain, and writes their notices. The bundlers, `npm run dist`, `npm run
// dist:npm` and `npm run dist:cli` call it.
import fs from 'node:fs'
import path from 'node:path'
import { root } from './install.mjs'

const records = path.join(root, 'out', 'packages')
const isNotice = (file) =>
  /^(licen[cs]e|copying|notice|copyright|third[-_]?party)[^.]*(\.(md|txt|third-party\.md))?$/i.test(file)
/** Code that the bundlers add themselves. */
const helpers = { rolldown: 'rolldown', '@oxc-project+runtime': 'rolldown', vite: 'vite' }

/**
 * Creates a plugin that writes out/packages/NAME.json: the packages that a bundle contains, each with its folder and
 * the notice files that cover its bundled modules. Paths are relative to the checkout. Fails the build for a module
 * that belongs neither to a package nor to the sources.
 */
export function notePackages(name) {
  const modules = new Set()
  return {
    name: 'note-packages',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') for (const id of file.moduleIds) modules.add(id)
      }
      // Style sheets are not part of a chunk.
      for (const id of this.getModuleIds()) if (/\.css(\?|$)/.test(id)) modules.add(id)
    },
    writeBundle() {
      const packages = new Map()
      for (const id of modules) {
        const found = locate(id)
        if (found === undefined)
          this.error(`third-party-notices.mjs does not know which package ${JSON.stringify(id)} belongs to.`)
        if (found === null) continue
        const notices = packages.get(found.folder) ?? new Set()
        for (const file of found.notices) notices.add(file)
        packages.set(found.folder, notices)
      }
      const noted = [...packages].map(([folder, notices]) => ({ folder, notices: [...notices].sort() }))
      noted.sort((a, b) => (a.folder < b.folder ? -1 : 1))
      fs.mkdirSync(records, { recursive: true })
      fs.writeFileSync(path.join(records, `${name}.json`), `${JSON.stringify(noted, null, 2)}\n`)
    },
  }
}

/** Finds the package of a module; null for a source of Coffer, undefined if it cannot be determined. */
function locate(id) {
  const file = id.replace(/^\0/, '').replace(/[?#].*$/, '')
  const helper = Object.keys(helpers).find((each) => id.startsWith(`\0${each}`))
  // The module that replaces an optional package that is not installed.
  if (id.startsWith('__vite-optional-peer-dep:')) return null
  if (helper) return noticesIn(path.join(root, 'node_modules', helpers[helper]))
  if (!path.isAbsolute(file)) return undefined
  const at = file.lastIndexOf('node_modules/')
  if (at < 0) return file.startsWith(root.replaceAll('\\', '/')) || file.startsWith(root) ? null : undefined
  const [first = '', second = ''] = file.slice(at + 'node_modules/'.length).split('/')
  const folder = path.join(file.slice(0, at), 'node_modules', first, first.startsWith('@') ? second : '')
  return noticesIn(folder, path.dirname(file))
}

/** Finds the notices in the folder of a package, and in the folders between it and one of its modules. */
function noticesIn(folder, from = folder) {
  const notices = []
  for (let at = from; !path.relative(folder, at).startsWith('..'); at = path.dirname(at)) {
    const found = fs
      .readdirSync(at, { withFileTypes: true })
      .filter((each) => each.isFile() && isNotice(each.name))
    notices.push(...found.map((each) => relative(path.join(at, each.name))))
  }
  return { folder: relative(folder), notices }
}

const relative = (file) => path.relative(root, file).replaceAll('\\', '/')

/** Returns the packages in bundles, as `notePackages` recorded them. */
export function packagesOf(bundles) {
  return bundles.flatMap((name) => JSON.parse(fs.readFileSync(path.join(records, `${name}.json`), 'utf8')))
}

/** The package in a folder. */
export const packageAt = (folder) => noticesIn(folder)

/** Lists the packages that the project in a folder needs at run time, and their dependencies. */
export function packagesInstalledFor(folder) {
  const found = new Map()
  const look = (at) => {
    const { dependencies, optionalDependencies } = manifestOf(at)
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      let parent = at
      while (!fs.existsSync(path.join(parent, 'node_modules', name)) && parent !== path.dirname(parent))
        parent = path.dirname(parent)
      const installed = path.join(parent, 'node_modules', name)
      if (found.has(installed) || !fs.existsSync(installed)) continue
      found.set(installed, noticesIn(installed))
      look(installed)
    }
  }
  look(folder)
  return [...found.values()]
}

/** The bundles in the npm package and in the desktop program. */
export const bundles = {
  npm: ['cli', 'reactors', 'elements-client', 'elements-three-ds', 'elements-frame', 'renderer'],
  desktop: [
    'main',
    'preload',
    'reactors',
    'elements-client',
    'elements-three-ds',
    'elements-frame',
    'renderer',
  ],
}

/**
 * Formats the notices: each package with its version and licence. Packages with the same notice share one copy of it.
 */
export function noticesOf(packages) {
  const byText = new Map()
  for (const { folder, notices } of packages) {
    const { name, version, license, author } = manifestOf(path.resolve(root, folder))
    const text = notices.length > 0 ? notices.map(read).join('\n\n') : withoutFile(folder, license, author)
    const more = name === 'better-sqlite3-multiple-ciphers' ? `\n\n${cipherNotice(folder)}` : ''
    const line = `${name} ${version}${typeof license === 'string' ? ` (${license})` : ''}`
    byText.set(text + more, (byText.get(text + more) ?? new Set()).add(line))
  }
  const parts = [...byText].map(([text, lines]) => `${[...lines].sort().join('\n')}\n\n${text}`).sort()
  const line = `\n\n${'-'.repeat(80)}\n\n`
  return `${['Coffer comes with code of the packages named here, under these licences.', ...parts].join(line)}\n`
}

const manifestOf = (folder) => JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
// Cuts a bundler's licence file after its own licence: those of its dependencies follow, which are not in our bundles.
const read = (file) =>
  fs
    .readFileSync(path.resolve(root, file), 'utf8')
    .split('# Licenses of bundled dependencies')[0]
    .replaceAll('\r', '')
    .trim()

const terms = () => {
  const own = read('LICENSE')
  return own.slice(own.indexOf('Permission is hereby granted'))
}

/** Returns what a package without a licence file says about its licence: in its guide, or else in its manifest. */
function withoutFile(folder, license, author) {
  const guide = fs.readdirSync(path.resolve(root, folder)).find((each) => /^readme(\.md)?$/i.test(each))
  const told = guide === undefined ? '' : read(path.join(folder, guide))
  const own = /^(#+ *)?licen[cs]e\s*\n[\s\S]*Permission is hereby granted[\s\S]*$/im.exec(told)
  if (own) return own[0]
  if (license !== 'MIT') throw new Error(`${folder} has no text of its licence, ${license}.`)
  const by = typeof author === 'object' ? `${author.name} <${author.email}>` : (author ?? 'its contributors')
  return `The package has no file with its licence. Its manifest says: MIT, by ${by}.\n\n${terms()}`
}

/** SQLite3 Multiple Ciphers is compiled into the driver. The driver's own notice does not name it; its source does. */
function cipherNotice(folder) {
  const source = path.resolve(root, folder, 'deps', 'sqlite3', 'sqlite3.c')
  const [head = ''] = /^\/\*[\s\S]*?\*\//.exec(fs.readFileSync(source, 'utf8')) ?? []
  return `Compiled in, together with SQLite, which is in the public domain:\n\n${head}\n\n${terms()}`
}
