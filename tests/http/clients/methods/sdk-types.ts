import fs from 'node:fs'
import path from 'node:path'
import type { BasisTheoryClient } from '@basis-theory/node-sdk'

/** The declarations of the newest official client, which say what each of its methods sends and returns. */
const declarations = path.join(
  import.meta.dirname,
  '../../../../node_modules/@basis-theory/node-sdk/dist/cjs/api',
)

/** A method of the client: its path, such as `tokens.create`, and the types of its request and answer. */
export type SdkMethod = {
  readonly name: string
  /** The names and types of its parameters, without the options of the request. */
  readonly parameters: readonly (readonly [name: string, type: string])[]
  readonly answer: string
}

/** Lists every method of the client, by reflection. */
export function listMethods(client: BasisTheoryClient): SdkMethod[] {
  return listPaths(client, []).map(readMethod)
}

function listPaths(client: object, above: readonly string[]): string[][] {
  const members = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(client))
  return Object.entries(members).flatMap(([name, { get }]) => {
    if (name === 'constructor' || name.startsWith('_')) return []
    return get ? listPaths(Reflect.get(client, name), [...above, name]) : [[...above, name]]
  })
}

function readMethod(names: readonly string[]): SdkMethod {
  const folder = names.slice(0, -1).flatMap((name) => ['resources', name])
  const text = fs.readFileSync(path.join(declarations, ...folder, 'client/Client.d.ts'), 'utf8')
  const name = names.at(-1) ?? ''
  const found = new RegExp(
    `^    ${name}\\((.*)\\): (?:core\\.HttpResponsePromise|Promise)<(.*)>;$`,
    'm',
  ).exec(text)
  if (!found) throw new Error(`No declaration of ${names.join('.')}.`)
  const [, parameters = '', answer = ''] = found
  return {
    name: names.join('.'),
    parameters: parameters
      .split(', ')
      .map((each) => each.split(/\??: /) as [string, string])
      .filter(([parameter]) => parameter !== 'requestOptions'),
    answer: answer.replace(/^core\.Page<(.*)>$/, '$1[]'),
  }
}

const texts = fs
  .readdirSync(declarations, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.d.ts'))
  .map((file) => fs.readFileSync(path.join(declarations, file), 'utf8'))

/** The members of each interface of the client, with their types. */
const interfaces = readBlocks('interface (\\w+)', '(\\w+)\\??: (.*)')
/** The values of each enumeration, by name. */
const enumerations = readBlocks('declare const (\\w+):', 'readonly (\\w+): "(.*)"')

function readBlocks(head: string, line: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const blocks = new RegExp(`^export ${head} \\{\\n((?: .*\\n)*)\\}`, 'gm')
  const lines = new RegExp(`^ {4}${line};$`, 'gm')
  return new Map(
    texts.flatMap((text) =>
      Array.from(text.matchAll(blocks), ([, name = '', body = '']) => {
        const members = Array.from(
          body.matchAll(lines),
          ([, member = '', value = '']) => [member, value] as const,
        )
        return [name, new Map(members)] as const
      }),
    ),
  )
}

/** The kinds of types that the client's declarations have. */
type ParsedType =
  | { readonly kind: 'list'; readonly of: string }
  | { readonly kind: 'map'; readonly of: string }
  | { readonly kind: 'object'; readonly name: string; readonly members: ReadonlyMap<string, string> }
  | { readonly kind: 'other'; readonly name: string }

function parseType(text: string): ParsedType {
  const type = text.replace(/ \| (undefined|null)\b/g, '')
  const map = /^Record<string, (.*)>$/.exec(type)?.[1]
  if (map !== undefined) return { kind: 'map', of: map }
  if (type.endsWith('[]')) return { kind: 'list', of: type.slice(0, -2) }
  const name = type.split('.').at(-1) ?? ''
  const members = interfaces.get(name)
  return members ? { kind: 'object', name, members } : { kind: 'other', name }
}

export function isObjectType(type: string): boolean {
  return parseType(type).kind === 'object'
}

/** Returns a value of a type with all its members, those of a type inside itself excepted. */
export function createSample(text: string, above: readonly string[] = []): unknown {
  const type = parseType(text)
  switch (type.kind) {
    case 'list':
      return [createSample(type.of, above)]
    case 'map':
      return {}
    case 'object': {
      const { name, members } = type
      const own = [...members].filter(([, each]) => !above.some((outer) => each.includes(`.${outer}`)))
      return Object.fromEntries(own.map(([member, each]) => [member, createSample(each, [...above, name])]))
    }
    default:
      return createPlainSample(type.name)
  }
}

function createPlainSample(name: string): unknown {
  if (name === 'number') return 1
  if (name === 'boolean') return true
  if (name === 'Date') return new Date('2031-01-01')
  return enumerations.get(name)?.values().next().value ?? 'sample'
}

/** Which members of which types of the client the answers so far have had. */
export class SeenMembers {
  readonly #seen = new Map<string, Set<string>>()

  addMembers(text: string, value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    const type = parseType(text)
    if (type.kind === 'list' || type.kind === 'map') {
      for (const each of Object.values(value)) this.addMembers(type.of, each)
    } else if (type.kind === 'object') {
      const seen = this.#seen.get(type.name) ?? new Set()
      this.#seen.set(type.name, seen)
      for (const [member, each] of type.members) {
        const own: unknown = Reflect.get(value, member)
        if (own !== undefined && own !== null) seen.add(member)
        this.addMembers(each, own)
      }
    }
  }

  /** Lists the members of a type, and of the types of those that were seen, that no answer has had: `Token.aliases`. */
  listUnseen(text: string, above: readonly string[] = []): string[] {
    const type = parseType(text)
    if (type.kind === 'list' || type.kind === 'map') return this.listUnseen(type.of, above)
    // What was sent comes back as it was.
    if (type.kind === 'other' || type.name.endsWith('Request') || above.includes(type.name)) return []
    const seen = this.#seen.get(type.name)
    return [...type.members].flatMap(([member, each]) =>
      seen?.has(member) ? this.listUnseen(each, [...above, type.name]) : [`${type.name}.${member}`],
    )
  }
}
