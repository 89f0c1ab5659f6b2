import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { parseAst } from 'vite'

// Counts names that break the conventions of docs/glossary.md, in the source and in tests. The figures of names.json may
// only fall. If one rises, the names in changed files are printed; `--list` prints all names behind each figure.

const root = path.join(import.meta.dirname, '..')
const { denied, irregular, verbs, required, most } = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, 'names.json'), 'utf8'),
) as {
  /** Words that names must not contain, with the field's words for them. */
  readonly denied: Readonly<Record<string, string>>
  /** Past participles that do not end in -ed. */
  readonly irregular: readonly string[]
  /** Verbs that end in -ed. */
  readonly verbs: readonly string[]
  /** Names that an operation, a class or a library requires. */
  readonly required: readonly string[]
  readonly most: Readonly<Record<string, Readonly<Record<string, number>>>>
}

type Node = { readonly type: string; readonly [member: string]: unknown }

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** The name of an identifier; undefined for any other node. */
function getName(value: unknown): string | undefined {
  return isNode(value) && /Identifier$/.test(value.type) ? String(value.name) : undefined
}

/** Lists the identifiers that a binding or a parameter declares. */
function listBound(value: unknown): string[] {
  if (!isNode(value)) return []
  switch (value.type) {
    case 'Identifier':
      return [String(value.name)]
    case 'AssignmentPattern':
      return listBound(value.left)
    case 'RestElement':
      return listBound(value.argument)
    case 'TSParameterProperty':
      return listBound(value.parameter)
    case 'ArrayPattern':
      return (value.elements as unknown[]).flatMap(listBound)
    case 'ObjectPattern':
      // A shorthand keeps the name of the member that it takes, which may be a wire name.
      return (value.properties as Node[]).flatMap((each) =>
        each.shorthand === true ? [] : listBound(each.type === 'Property' ? each.value : each),
      )
    default:
      return []
  }
}

/** The expression inside casts. */
function unwrap(value: unknown): unknown {
  return isNode(value) && /^TS(As|Satisfies)Expression$/.test(value.type) ? unwrap(value.expression) : value
}

const isFunction = (value: unknown) => {
  const inner = unwrap(value)
  return isNode(inner) && /^(Arrow)?FunctionExpression$/.test(inner.type)
}

const returnsNothing = (node: unknown) =>
  isNode(node) && JSON.stringify(node.returnType ?? null).includes('"TSVoidKeyword"')

function splitWords(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _]+/)
}

class Names {
  readonly figures: Record<string, string[]> = {
    'functions named by one word': [],
    'past participles as functions': [],
    'functions named xOf': [],
    'questions with an effect': [],
    'declarations that repeat the name of a type': [],
    'denied words in names': [],
  }
  readonly #filesOfType = new Map<string, Set<string>>()

  addFile(file: string): void {
    const lang = file.endsWith('x') ? 'tsx' : 'ts'
    const tree = parseAst(fs.readFileSync(path.join(root, file), 'utf8'), { lang }, file)
    this.#visit(tree as unknown as Node, file)
  }

  /** Returns each figure with the names behind it. */
  finish(): Readonly<Record<string, readonly string[]>> {
    for (const [name, files] of this.#filesOfType) {
      if (name === 'Props') continue
      for (const file of [...files].slice(1))
        this.#add('declarations that repeat the name of a type', name, file)
    }
    return this.figures
  }

  #add(figure: string, name: string, file: string): void {
    this.figures[figure]?.push(`${name} (${file})`)
  }

  #addFunction(name: string, node: unknown, file: string, isCallback = false): void {
    if (/^[a-z]+$/.test(name)) {
      if (!isCallback && !required.includes(name)) this.#add('functions named by one word', name, file)
      const isParticiple = (name.endsWith('ed') && !verbs.includes(name)) || irregular.includes(name)
      if (isParticiple) this.#add('past participles as functions', name, file)
    }
    // `valueOf` is JavaScript's own.
    if (/[a-z]Of$/.test(name) && name !== 'valueOf') this.#add('functions named xOf', name, file)
    if (/^(is|has|can|needs|should)[A-Z]/.test(name) && returnsNothing(node)) {
      this.#add('questions with an effect', name, file)
    }
  }

  #addName(name: string, file: string): void {
    if (required.includes(name)) return
    for (const word of splitWords(name)) {
      if (Object.hasOwn(denied, word)) {
        this.#add('denied words in names', `${name}: instead of ${word}, ${denied[word]}`, file)
      }
    }
  }

  #visit(node: Node, file: string): void {
    this.#visitDeclaration(node, file)
    for (const child of Object.values(node)) {
      if (isNode(child)) this.#visit(child, file)
      else if (Array.isArray(child)) for (const each of child) if (isNode(each)) this.#visit(each, file)
    }
  }

  #visitDeclaration(node: Node, file: string): void {
    const { type } = node
    if (/Function/.test(type) && Array.isArray(node.params)) {
      for (const name of node.params.flatMap(listBound)) this.#addName(name, file)
    }
    if (type === 'VariableDeclarator') this.#visitVariable(node, file)
    else if (/^(FunctionDeclaration|Class\w*|TS(Type|Interface|Module)\w*Declaration)$/.test(type))
      this.#visitFunctionOrType(node, file)
    else this.#visitMember(node, file)
  }

  #visitVariable(node: Node, file: string): void {
    for (const name of listBound(node.id)) this.#addName(name, file)
    const name = getName(node.id)
    if (name !== undefined && isFunction(node.init)) this.#addFunction(name, unwrap(node.init), file)
  }

  #visitFunctionOrType(node: Node, file: string): void {
    const name = getName(node.id)
    if (name === undefined || name === 'global') return
    this.#addName(name, file)
    if (node.type === 'FunctionDeclaration') this.#addFunction(name, node, file)
    else this.#filesOfType.set(name, (this.#filesOfType.get(name) ?? new Set()).add(file))
  }

  #visitMember(node: Node, file: string): void {
    const { type } = node
    // Members of objects may be wire names; only their functions are counted, and not the strings of a screen.
    const isText = file.endsWith('strings.ts')
    if (
      /^(Method|Property)Definition$/.test(type) ||
      (type === 'Property' && isFunction(node.value) && !isText)
    ) {
      const name = node.computed === true ? undefined : getName(node.key)
      if (name === undefined) return
      if (type !== 'Property') this.#addName(name, file)
      const isAccessor = node.kind === 'get' || node.kind === 'set' || node.kind === 'constructor'
      const isCallback = type === 'Property' && node.method !== true
      if (isFunction(node.value) && !isAccessor) this.#addFunction(name, unwrap(node.value), file, isCallback)
    }
  }
}

const listFiles = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')

/** Files that differ from the last commit, also new ones. */
const changed = new Set([
  ...listFiles('diff', '--name-only', 'HEAD'),
  ...listFiles('ls-files', '--others', '--exclude-standard'),
])

for (const [area, folders] of Object.entries({
  source: ['electron', 'renderer', 'shared'],
  tests: ['tests', 'scripts'],
})) {
  const names = new Names()
  const files = listFiles('ls-files', '--cached', '--others', '--exclude-standard', ...folders)
  for (const file of files.filter((each) => /(?<!\.d)\.tsx?$/.test(each))) {
    if (fs.existsSync(path.join(root, file))) names.addFile(file)
  }
  for (const [figure, found] of Object.entries(names.finish())) {
    const bound = most[area]?.[figure] ?? 0
    const isMore = found.length > bound
    if (isMore) process.exitCode = 1
    if (isMore)
      console.log(`${area}: ${found.length} ${figure}, and at most ${bound} are allowed (docs/glossary.md)`)
    else if (found.length < bound) {
      console.log(`${area}: ${found.length} ${figure}: lower the bound of ${bound} in scripts/names.json`)
    } else if (process.argv.includes('--list')) console.log(`${area}: ${found.length} ${figure}`)
    const own = found.filter((each) => changed.has(each.replace(/^.*\((.*)\)$/, '$1')))
    const listed = process.argv.includes('--list') || (isMore && own.length === 0) ? found : isMore ? own : []
    if (listed.length > 0) console.log(listed.map((each) => `  ${each}`).join('\n'))
  }
}
