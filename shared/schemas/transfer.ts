import { expiring } from '../expiring.ts'
import { createdTogether } from '../find.ts'
import type { Json } from '../json.ts'
import { z } from '../zod.ts'
import { requiredJson } from './common.ts'
import { newToken } from './token.ts'

/** The format of a file of tokens. */
export const transferFormat = z.enum(['csv', 'ndjson'])
export type TransferFormat = z.output<typeof transferFormat>

const anything = z.unknown() as z.ZodType<Json | undefined>

/**
 * The mapping of a record to a token: the members of a new token, in which `$name` represents the record's column or
 * member with that name (`$a.b` for a nested member, `$$` for a literal dollar sign). Members that the record lacks are
 * left out.
 */
export const importMapping = z.strictObject({
  type: requiredJson,
  data: requiredJson,
  ...Object.fromEntries(
    Object.keys(newToken.omit({ type: true, data: true, token_intent_id: true, privacy: true }).shape).map(
      (name) => [name, anything.optional()],
    ),
  ),
})
export type ImportMapping = Readonly<Record<string, Json | undefined>>

/** The maximum size of a file that the window imports, in bytes. It is held in memory while it is imported. */
export const MAX_IMPORT_BYTES = 128 * 1024 * 1024

/** The maximum length of a part of such a file: even escaped as JSON, it fits into `MAX_CALL_BYTES`. */
export const MAX_IMPORT_PART = 8 * 1024 * 1024

/** A part of the text of a file, before the last one. */
export const importPart = z.strictObject({ import_id: z.uuid(), text: z.string().max(MAX_IMPORT_PART) })

/** The maximum number of characters in a file that the window exports. */
export const MAX_EXPORT_LENGTH = 32_000_000

/** The beginning of a file, for a preview. */
export const importSample = z.strictObject({ format: transferFormat, text: z.string().max(200_000) })

export const importPreview = z.object({
  columns: z.array(z.string()),
  /** The first records, one string per column. */
  rows: z.array(z.array(z.string())),
  /** Whether each record is a token as `coffer export` writes it, which needs no mapping. */
  tokens: z.boolean(),
})
export type ImportPreview = z.output<typeof importPreview>

export const textImport = z.strictObject({
  format: transferFormat,
  /** The text of the file, or the rest of it after the parts with this `import_id`. */
  text: z.string().max(MAX_IMPORT_PART),
  /** Null if each line is a token as `coffer export` writes it. */
  mapping: importMapping.nullable(),
  dry_run: z.boolean().default(false),
  /** A random id for this file; using the same one resumes a stopped import. */
  import_id: z.uuid(),
  /** Whether an import with this id was started before, so that its tokens may exist. */
  resume: z.boolean().default(false),
})

export const textImportReport = z.object({
  dry_run: z.boolean(),
  records: z.int(),
  created: z.int(),
  refused: z.int(),
  expiring: expiring.nullable(),
  /** The created tokens; null if they are not known exactly, and after a dry run. */
  together: z.array(createdTogether).readonly().nullable(),
  /** The refused lines, at most 1,000. SECURITY: a message never repeats the contents of a line. */
  lines: z.array(z.object({ line: z.int(), message: z.string() })).readonly(),
})
export type TextImportReport = z.output<typeof textImportReport>
