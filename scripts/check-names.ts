import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { parseAst } from 'vite'

// Counts names in the source that break the conventions of docs/glossary.md. No commit may raise a count in names.json.
// `--list` prints the names that each count includes.

const root = path.join(import.meta.dirname, '..')
const file = path.join(import.meta.dirname, 'names.json')
const { denied, irregular, verbs, most } = JSON.parse(fs.readFileSync(file, 'utf8')) as {
  /** Words that names must not contain; docs/glossary.md has a replacement for each. */
  readonly denied: readonly string[]
  /** Past participles that do not end in -ed. */
  readonly irregular: readonly string[]
  /** Verbs that end in -ed. */
  readonly verbs: readonly string[]
  readonly most: Readonly<Record<string, number>>
}

type Node = { readonly type: string; readonly [member: string]: unknown }

const functions: string[] = []
const figures: Record<string, string[]> = {
  'past participles as functions': [],
  'functions named xOf': [],
  'questions with an effect': [],
  'types of one name in three files or more': [],
  'denied words in names': [],
}
const oneWord: string[] = []
const filesOfType = new Map<string, Set<string>>()

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const isFunction = (value: unknown) => isNode(value) && /^(Arrow)?FunctionExpression$/.test(value.type)

function nameIn(value: unknown): string | undefined {
  return isNode(value) && /Identifier$/.test(value.type) ? String(value.name) : undefined
}

const returnsNothing = (node: unknown) =>
  isNode(node) && JSON.stringify(node.returnType ?? null).includes('"TSVoidKeyword"')

function addFunction(name: string, node: unknown, at: string): void {
  const found = `${name} (${at})`
  functions.push(name)
  if (/^[a-z]+$/.test(name)) {
    oneWord.push(found)
    const isParticiple = (name.endsWith('ed') && !verbs.includes(name)) || irregular.includes(name)
    if (isParticiple) figures['past participles as functions']?.push(found)
  }
  if (/[a-z]Of$/.test(name)) figures['functions named xOf']?.push(found)
  if (/^(is|has|can|needs|should)[A-Z]/.test(name) && returnsNothing(node)) {
    figures['questions with an effect']?.push(found)
  }
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _]+/)
}

function visit(node: Node, at: string): void {
  const { type } = node
  const bound = /^(VariableDeclarator|Function.*|Class.*|TS(Type|Interface)\w*Declaration)$/.test(type)
    ? nameIn(node.id)
    : /^(Method|Property)Definition$/.test(type)
      ? nameIn(node.key)
      : undefined
  if (bound !== undefined) {
    const value = type === 'VariableDeclarator' ? node.init : node.value
    if (type === 'FunctionDeclaration') addFunction(bound, node, at)
    else if (type === 'MethodDefinition' ? node.kind === 'method' : isFunction(value)) {
      addFunction(bound, value, at)
    }
    if (/^(Class|TS)\w*Declaration$/.test(type)) {
      filesOfType.set(bound, (filesOfType.get(bound) ?? new Set()).add(at))
    }
    for (const word of wordsOf(bound).filter((each) => denied.includes(each))) {
      figures['denied words in names']?.push(`${bound}: ${word} (${at})`)
    }
  }
  if (type === 'Property' && node.method === true) {
    const name = nameIn(node.key)
    if (name !== undefined) addFunction(name, node.value, at)
  }
  for (const child of Object.values(node)) {
    if (isNode(child)) visit(child, at)
    else if (Array.isArray(child)) for (const each of child) if (isNode(each)) visit(each, at)
  }
}

const files = execFileSync('git', ['ls-files', 'electron', 'renderer', 'shared'], {
  cwd: root,
  encoding: 'utf8',
})
for (const name of files.split('\n').filter((each) => /(?<!\.d)\.tsx?$/.test(each))) {
  const lang = name.endsWith('x') ? 'tsx' : 'ts'
  visit(parseAst(fs.readFileSync(path.join(root, name), 'utf8'), { lang }, name) as unknown as Node, name)
}
for (const [name, within] of filesOfType) {
  if (within.size < 3 || name === 'Props') continue
  figures['types of one name in three files or more']?.push(`${name} (${[...within].join(', ')})`)
}

const counts: Record<string, number> = {
  'functions named by one word, in percent': Math.round((1000 * oneWord.length) / functions.length) / 10,
  ...Object.fromEntries(Object.entries(figures).map(([name, found]) => [name, found.length])),
}
for (const [name, count] of Object.entries(counts)) {
  const bound = most[name] ?? 0
  console.log(`${count} ${name}${count > bound ? `: more than ${bound}. See docs/glossary.md.` : ''}`)
  if (count > bound) process.exitCode = 1
  if (process.argv.includes('--list') || count > bound)
    console.log((figures[name] ?? oneWord).map((each) => `  ${each}`).join('\n'))
}
