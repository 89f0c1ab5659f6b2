import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { parseAst } from 'vite'

// Counts what makes the source hard to keep. The figures of size.json may only fall. If one rises, the places behind it
// are printed; `--list` prints them for every figure.

type SyntaxNode = {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

const root = path.join(import.meta.dirname, '..')
const bounds = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, 'size.json'), 'utf8')) as Record<
  string,
  number
>
const figures: Record<string, string[]> = {
  'functions over 60 lines': [],
  casts: [],
  'variables of a module that change': [],
  'public members of Engine': [],
  'files of the engine that other areas import': [],
}
let lines = 0

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** Returns the figure that a node adds to, or undefined. */
function findFigure(node: SyntaxNode, parent: SyntaxNode, length: number): string | undefined {
  if (/Function/.test(node.type) && isNode(node.body) && length > 60) return 'functions over 60 lines'
  if (node.type === 'TSAsExpression') {
    const { typeAnnotation: type } = node as { typeAnnotation?: { typeName?: { name?: string } } }
    return type?.typeName?.name === 'const' ? undefined : 'casts'
  }
  if (node.type === 'VariableDeclaration' && node.kind === 'let') {
    return /^(Program|ExportNamedDeclaration)$/.test(parent.type)
      ? 'variables of a module that change'
      : undefined
  }
  return undefined
}

function visitNode(node: SyntaxNode, parent: SyntaxNode, file: string, text: string): void {
  const figure = findFigure(node, parent, text.slice(node.start, node.end).split('\n').length)
  const getPlace = () => `${file}:${text.slice(0, node.start).split('\n').length}`
  if (figure !== undefined) figures[figure]?.push(getPlace())
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) visitNode(child, node, file, text)
}

/** Lists the members of the class Engine that are neither private nor its constructor. */
function listPublicMembers(text: string): string[] {
  const start = text.indexOf('export class Engine {')
  const body = text.slice(start, text.indexOf('\n}\n', start))
  return Array.from(
    body.matchAll(/^ {2}(?!private |#|constructor\b)(?:(?:async|get|set|static|readonly) )*(\w+)[(<:?]/gm),
    ([, name = '']) => name,
  )
}

const inEngine = 'electron/engine/'
const entered = new Set<string>()
const listed = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', 'electron', 'renderer', 'shared'],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
for (const file of listed.split('\n').filter((each) => /\.(tsx?|mjs|css)$/.test(each))) {
  if (!fs.existsSync(path.join(root, file))) continue
  const text = fs.readFileSync(path.join(root, file), 'utf8')
  lines += text.split('\n').length - 1
  if (!/(?<!\.d)\.tsx?$/.test(file)) continue
  const tree = parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file) as object
  if (isNode(tree)) visitNode(tree, tree, file, text)
  if (file === `${inEngine}engine.ts`) figures['public members of Engine'] = listPublicMembers(text)
  if (file.startsWith(inEngine)) continue
  for (const [, to = ''] of text.matchAll(/(?:\bfrom|\bimport\()\s*'(\.[^']+)'/g)) {
    const target = path.posix.join(path.posix.dirname(file), to)
    if (target.startsWith(inEngine)) entered.add(target)
  }
}
figures['files of the engine that other areas import'] = [...entered]

const isListing = process.argv.includes('--list')
for (const [figure, bound] of Object.entries(bounds)) {
  const places = figures[figure] ?? []
  const count = figure === 'lines' ? lines : places.length
  if (count > bound) {
    process.exitCode = 1
    console.log(
      `${count} ${figure}, and at most ${bound} are allowed: simplify something, or raise the bound in scripts/size.json and say why in the commit`,
    )
  } else if (count < bound)
    console.log(`${count} ${figure}: lower the bound of ${bound} in scripts/size.json`)
  if (count > bound || isListing) for (const place of places) console.log(`  ${place}`)
}
