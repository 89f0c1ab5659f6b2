import { z } from 'zod'
import type { Json } from '../json.ts'
import { given } from './common.ts'
import { newToken } from './token.ts'

/** What a file of tokens is. */
export const transferFormat = z.enum(['csv', 'ndjson'])
export type TransferFormat = z.output<typeof transferFormat>

const anything = z.unknown() as z.ZodType<Json | undefined>

/**
 * How a record becomes a token: the members of a new token, in which a text `$name` stands for the record's column or
 * member of that name (`$a.b` for a member of a member, `$$` for a dollar sign itself). What a record does not have is
 * left out.
 */
export const importMapping = z.strictObject({
  type: given,
  data: given,
  ...Object.fromEntries(
    Object.keys(newToken.omit({ type: true, data: true, token_intent_id: true, privacy: true }).shape).map(
      (name) => [name, anything.optional()],
    ),
  ),
})
export type ImportMapping = Readonly<Record<string, Json | undefined>>

/** The most bytes of a file that the window imports: escaped as JSON it still is within `mostCallBytes`. */
export const mostImportBytes = 8_000_000

/** The most characters of a file that the window exports. */
export const mostExportText = 32_000_000

/** The beginning of a file, to look at. */
export const importSample = z.strictObject({
  format: transferFormat,
  text: z.string().max(200_000),
})

export const importPreview = z.object({
  columns: z.array(z.string()),
  /** The first records, a text for each column. */
  rows: z.array(z.array(z.string())),
  /** Whether each of them is a token as `coffer export` writes it, which needs no mapping. */
  tokens: z.boolean(),
})
export type ImportPreview = z.output<typeof importPreview>

export const textImport = z.strictObject({
  format: transferFormat,
  text: z.string().max(mostImportBytes),
  /** Null where each line is a token as `coffer export` writes it. */
  mapping: importMapping.nullable(),
  dry_run: z.boolean().default(false),
  /** Chosen at random for this file; the same again goes on with an import that was stopped. */
  import_id: z.uuid(),
  /** Whether an import of this id was begun before, so that its tokens may be there. */
  resume: z.boolean().default(false),
})

export const textImportReport = z.object({
  dry_run: z.boolean(),
  records: z.int(),
  created: z.int(),
  refused: z.int(),
  /** The refused lines, up to a thousand. SECURITY: a message never repeats what a line holds. */
  lines: z.array(z.object({ line: z.int(), message: z.string() })).readonly(),
})
export type TextImportReport = z.output<typeof textImportReport>
