import fs from 'node:fs'
import path from 'node:path'
import { type Document, isCollection, LineCounter, parseDocument, visit } from 'yaml'
import { CofferError } from '../../../shared/errors.ts'
import { type Json, MAX_NUMBER_LENGTH, toJsonNumber } from '../../../shared/json.ts'
import { checkJson } from '../../../shared/safe-json.ts'
import { parseInput } from '../../../shared/validation.ts'
import type { z } from '../../../shared/zod.ts'
import { describeSystemError } from '../../engine/index.ts'
import { type Locate, locateError, type Parsed } from './member-location.ts'

/** Reads YAML or JSON against a schema. Throws `invalid` with the file, the line, the member and what is expected. */
export function readYaml<T extends z.ZodType>(file: string, schema: T): Parsed<z.output<T>> {
  return { ...parseYaml(readText(file), file, schema), folder: path.dirname(file) }
}

function readText(file: string): string {
  try {
    // Anything else would be stored with other characters than the file has (rule A-14).
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fs.readFileSync(file))
  } catch (error) {
    if (error instanceof TypeError)
      throw new CofferError('invalid', `${file} is not UTF-8 text. Save it as UTF-8.`)
    throw new CofferError('invalid', `${file} cannot be read: ${describeSystemError(error)}.`, {
      cause: error,
    })
  }
}

/**
 * Reads YAML or JSON text against a schema. Throws `invalid` like `readYaml`, with `name` in place of the file. Paths
 * in the text are relative to the working directory.
 */
export function parseYaml<T extends z.ZodType>(text: string, name: string, schema: T): Parsed<z.output<T>> {
  const lines = new LineCounter()
  // JSON is also YAML, so one reader serves both. Anything that JSON cannot express is rejected rather than
  // converted.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    resolveKnownTags: false,
    stringKeys: true,
    merge: true,
  })
  const [broken] = [...document.errors, ...document.warnings]
  if (broken) {
    const { line } = lines.linePos(broken.pos[0])
    // SECURITY: the parser's own message may repeat the content.
    throw new CofferError('invalid', `${name}:${line} is not valid YAML or JSON (${broken.code}).`)
  }
  const locate = (member: string) => `${name}:${findLine(document, lines, member)} ${member}`.trimEnd()
  preserveNumbers(document, name, lines)
  assertNoCycles(document, name, lines)
  const json = toPlainJson(document, name, locate)
  try {
    return { value: parseInput(schema, json), at: locate, folder: process.cwd() }
  } catch (error) {
    throw error instanceof CofferError ? locateError(error, locate) : error
  }
}

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/**
 * Preserves the notation of JSON numbers (rule A-14). Other YAML numbers, such as `0x1f`, are converted to their value.
 */
function preserveNumbers(document: Document, name: string, lines: LineCounter): void {
  visit(document, {
    Scalar(_key, scalar) {
      const { value, source = '', range } = scalar
      if (typeof value !== 'number') return
      const written = toJsonNumberText(source)
      if (JSON_NUMBER.test(written) && written.length <= MAX_NUMBER_LENGTH)
        scalar.value = toJsonNumber(written)
      else if (!Number.isSafeInteger(value)) {
        const { line } = lines.linePos(range?.[0] ?? 0)
        throw new CofferError(
          'invalid',
          `${name}:${line} has a number that cannot be stored exactly. Put it in quotes.`,
        )
      }
    },
  })
}

/** Converts `+.5` and `007` to JSON notation. */
function toJsonNumberText(source: string): string {
  return source
    .replace(/^\+/, '')
    .replace(/^(-?)0*(?=\d)/, '$1')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.(?!\d)/, '')
}

/** SECURITY: rejects a node that contains itself, because reading it would never end. */
function assertNoCycles(document: Document, name: string, lines: LineCounter): void {
  visit(document, {
    Alias(_key, { source, range }, path) {
      if (!path.some((each) => isCollection(each) && each.anchor === source)) return
      const { line } = lines.linePos(range?.[0] ?? 0)
      throw new CofferError('invalid', `${name}:${line} refers to a part of the file that contains it.`)
    },
  })
}

function toPlainJson(document: Document, name: string, at: Locate): Json {
  let value: Json
  try {
    value = (document.toJS() ?? {}) as Json
  } catch (error) {
    // An alias is not defined, or the aliases expand to too many nodes.
    const detail = `${name} has an alias that is not defined, or aliases that expand too far.`
    throw new CofferError('invalid', detail, { cause: error })
  }
  try {
    checkJson(value)
  } catch (error) {
    throw error instanceof CofferError ? locateError(error, at) : error
  }
  return value
}

function findLine(document: Document, lines: LineCounter, path: string): number {
  const parts = path.split(/[.[\]]+/).filter((part) => part !== '')
  for (let depth = parts.length; depth > 0; depth--) {
    const keys = parts.slice(0, depth).map((part) => (/^\d+$/.test(part) ? Number(part) : part))
    const node = document.getIn(keys, true) as { range?: [number, number, number] | null } | undefined
    if (node?.range) return lines.linePos(node.range[0]).line
  }
  return 1
}
