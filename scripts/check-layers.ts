import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

// Checks that the modules of every area in docs/layers.json import downwards: a file may import from its own module and
// from modules of lower layers, never from another module of its own layer. Also fails for a folder or file that
// docs/layers.json does not list (`*` stands for every folder), where the tree in ARCHITECTURE.md does not name the
// modules in the same order, and for a path in biome.json that matches no file: after a move, its rule would hold nothing.

type Layer = { readonly modules: readonly string[]; readonly why: string }

const root = path.join(import.meta.dirname, '..')
const areas = JSON.parse(readFile('docs/layers.json')) as Record<string, readonly Layer[]>
const tree = readFile('ARCHITECTURE.md').split('\n')

const source = /\.(ts|tsx|mjs|css)$/
/** Static, dynamic and type imports alike. */
const imported = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g

function readFile(file: string): string {
  return fs.readFileSync(path.join(root, file), 'utf8')
}

function listFiles(area: string): string[] {
  return fs
    .readdirSync(path.join(root, area), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => source.test(file) && !file.endsWith('.d.ts'))
}

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
  const folders = files.filter((file) => file.includes('/')).map((file) => file.split('/')[0] ?? '')
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
    for (const [, specifier = ''] of readFile(`${area}/${file}`).matchAll(imported)) {
      const target = path.posix.join(area, path.posix.dirname(file), specifier)
      if (!target.startsWith(`${area}/`)) continue
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

function findStalePatterns(): string[] {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
  const patterns = readFile('biome.json').matchAll(/"!?((?:\*\*|electron|renderer|shared|tests)\/[^"\s]+)"/g)
  return [...new Set(Array.from(patterns, ([, pattern = '']) => pattern))]
    .filter((pattern) => !files.some((file) => path.matchesGlob(file, pattern)))
    .map((pattern) => `${pattern} in biome.json matches no file`)
}

const problems = [
  ...new Set(Object.entries(areas).flatMap(([area, layers]) => findProblems(area, layers))),
  ...findStalePatterns(),
]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
