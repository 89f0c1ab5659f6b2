import fs from 'node:fs'
import path from 'node:path'

// Checks that the modules of every area in docs/layers.json import downwards: a file may import from its own module and
// from modules of lower layers, never from another module of its own layer. Checks that files of an area import only the
// areas that docs/walls.json lists, and no package that it denies. Also fails for a folder or file that docs/layers.json
// does not list (`*` stands for every other folder), where the tree in ARCHITECTURE.md does not name the modules in the same
// order, for a circle of imports in the engine, and for a path in biome.json or docs/walls.json that matches no file:
// after a move, its rule would hold nothing.

/** What the files of an area import from other areas, and which packages they never import. */
type Wall = {
  readonly imports?: readonly string[]
  readonly never: readonly string[]
  readonly except?: readonly string[]
  readonly why: string
}
type Layer = { readonly modules: readonly string[]; readonly why: string }

const root = path.join(import.meta.dirname, '..')
const areas = JSON.parse(readFile('docs/layers.json')) as Record<string, readonly Layer[]>
const walls = Object.entries(JSON.parse(readFile('docs/walls.json')) as Record<string, Wall>)
const tree = readFile('ARCHITECTURE.md').split('\n')

const source = /\.(ts|tsx|mjs|css)$/
/** Static, dynamic and type imports alike, but not those in the first line of a template. */
const imported = /(?<=^[^`\n]*)(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"]([^'"]+)['"]/gm

function readFile(file: string): string {
  return fs.readFileSync(path.join(root, file), 'utf8')
}

function listFiles(area: string): string[] {
  return fs
    .readdirSync(path.join(root, area), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => source.test(file) && !file.endsWith('.d.ts'))
}

/** Returns the specifier of each import, and the imported file, which is undefined for a package. */
function listImports(file: string): { readonly specifier: string; readonly target: string | undefined }[] {
  return Array.from(readFile(file).matchAll(imported), ([, specifier = '']) => ({
    specifier,
    target: specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : undefined,
  }))
}

/** Says whether a pattern is the file, a folder around it, or matches it. */
const isWithin = (file: string, pattern: string) =>
  file.startsWith(`${pattern}/`) || path.matchesGlob(file, pattern)

/** The lines about an area in ARCHITECTURE.md's tree, without the line that names the area. */
function getTreeLines(area: string): string {
  const getDepth = (line: string) => line.search(/\S|$/)
  let start = -1
  for (const name of area.split('/')) {
    // Modules of several areas may have the same name.
    const inside = start < 0 ? 0 : getDepth(tree[start] ?? '') + 2
    start = tree.findIndex(
      (line, at) => at > start && getDepth(line) === inside && line.trimStart().startsWith(`${name}/`),
    )
    if (start < 0) return ''
  }
  const end = tree.findIndex((line, at) => at > start && getDepth(line) <= getDepth(tree[start] ?? ''))
  return tree.slice(start, end).join('\n').replace(/\S+\//, '')
}

function findProblems(area: string, layers: readonly Layer[]): string[] {
  const problems: string[] = []
  const files = listFiles(area)
  const listed = layers.flatMap(({ modules }) => modules)
  const folders = files
    .filter((file) => file.includes('/'))
    .map((file) => file.split('/')[0] ?? '')
    .filter((folder) => !listed.includes(folder))
  const layerByModule = new Map(
    layers.flatMap(({ modules }, layer) =>
      modules.flatMap((module) => (module === '*' ? folders : [module])).map((module) => [module, layer]),
    ),
  )
  const found = new Set<string>()
  for (const file of files) {
    const [module = ''] = file.split('/')
    const layer = layerByModule.get(module)
    if (layer === undefined) {
      problems.push(`${area}/${module} is not listed in docs/layers.json`)
      continue
    }
    found.add(module)
    for (const { target } of listImports(`${area}/${file}`)) {
      if (!target?.startsWith(`${area}/`)) continue
      const [other = ''] = target.slice(area.length + 1).split('/')
      const below = layerByModule.get(other)
      if (other === module || below === undefined || below > layer) continue
      problems.push(`${area}/${file} imports ${target}: ${module} is not above ${other}`)
    }
  }
  const text = getTreeLines(area)
  let last = 0
  for (const { modules } of layers) {
    const named = modules.filter((module) => module !== '*')
    const places = named.map((module) => {
      if (!found.has(module))
        problems.push(`${area}/${module} is listed in docs/layers.json and does not exist`)
      const place = text.search(
        new RegExp(`(?<![\\w/.-])${module.replace('.', '\\.')}${module.includes('.') ? '' : '/'}`),
      )
      if (place < last)
        problems.push(
          `${area}/${module} is missing from the tree in ARCHITECTURE.md, or not in the order of docs/layers.json`,
        )
      return place
    })
    last = Math.max(last, ...places)
  }
  return problems
}

const sources = ['electron', 'renderer', 'shared'].flatMap((area) =>
  listFiles(area).map((file) => `${area}/${file}`),
)

function findBreaches(file: string): string[] {
  const own = walls.filter(
    ([area, { except = [] }]) => isWithin(file, area) && !except.some((each) => isWithin(file, each)),
  )
  const imports = listImports(file)
  return own.flatMap(([area, wall]) =>
    imports
      .filter(({ specifier, target }) => {
        if (target === undefined) return wall.never.some((each) => path.matchesGlob(specifier, each))
        if (wall.imports === undefined || !/^(electron|renderer|shared)\//.test(target)) return false
        return ![area, ...wall.imports].some((each) => isWithin(target, each))
      })
      .map(({ specifier }) => `${file} imports ${specifier}: ${wall.why}`),
  )
}

/** Lists the circles in the imports of an area, those of types included. */
function findCircles(area: string): string[] {
  const problems: string[] = []
  const done = new Set<string>()
  const open: string[] = []
  const visitFile = (file: string): void => {
    const start = open.indexOf(file)
    if (start >= 0) problems.push(`${[...open.slice(start), file].join(' imports ')}: a circle`)
    if (start >= 0 || done.has(file)) return
    open.push(file)
    for (const { target } of listImports(file)) {
      if (target !== undefined && isWithin(target, area) && sources.includes(target)) visitFile(target)
    }
    open.pop()
    done.add(file)
  }
  for (const file of sources.filter((each) => isWithin(each, area))) visitFile(file)
  return problems
}

function findStalePatterns(): string[] {
  const listed = /"!?((?:\*\*\/\w|electron\b|renderer\b|shared\b|tests\/)[^"\s]*)"/g
  return ['biome.json', 'docs/walls.json'].flatMap((list) =>
    [...new Set(Array.from(readFile(list).matchAll(listed), ([, pattern = '']) => pattern))]
      .filter((pattern) => !fs.existsSync(path.join(root, pattern)))
      .filter((pattern) => !sources.some((file) => isWithin(file, pattern)))
      .map((pattern) => `${pattern} in ${list} matches no file`),
  )
}

const problems = [
  ...new Set(Object.entries(areas).flatMap(([area, layers]) => findProblems(area, layers))),
  ...sources.flatMap(findBreaches),
  ...findCircles('electron/engine'),
  ...findStalePatterns(),
]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
