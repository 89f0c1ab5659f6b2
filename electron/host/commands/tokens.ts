import { bulkAction, bulkReport, selection } from '../../../shared/schemas/bulk.ts'
import { nothing } from '../../../shared/schemas/common.ts'
import {
  importPart,
  importPreview,
  importSample,
  textImport,
  textImportReport,
  transferFormat,
} from '../../../shared/schemas/transfer.ts'
import { z } from '../../../shared/zod.ts'
import { createPreview } from '../transfer/preview.ts'
import { credential, defineCommand } from './command.ts'

export const tokenCommands = {
  /** Reads the beginning of a file, so that its columns can be mapped. Throws `invalid`. */
  previewImport: defineCommand({
    input: importSample,
    output: importPreview,
    handler: (_host, { text, format }) => createPreview(text, format),
  }),
  /**
   * Keeps a part of a file's text for `importTokens` with the same `import_id`, until the vault is locked or another file
   * replaces it. Throws `too_large`.
   */
  addImportPart: defineCommand({
    input: importPart,
    output: nothing,
    handler(host, input) {
      host.transfer.addPart(input)
      return {}
    },
  }),
  /** Creates a token from every record of a file's text. If cancelled, the tokens created so far stay. Job `import`. */
  importTokens: defineCommand({
    input: textImport,
    output: textImportReport,
    handler: (host, input) => host.transfer.importText(input),
  }),
  /**
   * Exports the tokens as the text of a file: masked, or as plaintext if the owner confirms with the vault's name and
   * its credential. Job `export`.
   */
  exportTokens: defineCommand({
    input: z.strictObject({
      format: transferFormat,
      /** Only the tokens of this selection, by the id that `selectTokens` returned. */
      selection: z.uuid().optional(),
      confirm: z.strictObject({ vault: z.string(), with: credential.optional() }).optional(),
    }),
    output: z.object({ text: z.string(), tokens: z.int() }),
    handler: (host, input) => host.transfer.exportText(input),
  }),
  /**
   * Remembers the selected tokens for `exportTokens`, `selectedIds` and `changeTokens`, until the vault is locked or
   * another selection replaces them. Tokens created later are not part of the selection.
   */
  selectTokens: defineCommand({
    input: z.strictObject({ selection }),
    output: z.object({ selection: z.uuid(), tokens: z.int() }),
    handler: (host, input) => host.bulk.selectTokens(input.selection),
  }),
  /** The ids of the selected tokens, up to 100,000; throws `too_large` for more. */
  selectedIds: defineCommand({
    input: z.strictObject({ selection: z.uuid() }),
    output: z.object({ ids: z.array(z.string()) }),
    handler: (host, input) => ({ ids: host.bulk.getIdsToCopy(input.selection) }),
  }),
  /**
   * Applies one action to every selected token, as the owner or as an application. Each token is changed by the
   * operation for a single token. A deletion starts after 10 seconds. Cancelling or locking stops the action; changes
   * made until then remain, and the report counts them. Job `selected tokens`.
   */
  changeTokens: defineCommand({
    input: z.strictObject({ selection: z.uuid(), action: bulkAction, as: z.string().max(100).optional() }),
    output: bulkReport,
    handler: (host, input) => host.bulk.changeTokens(input),
  }),
}
