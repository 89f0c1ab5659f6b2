import fs from 'node:fs'
import { toStorageError } from '../../engine/index.ts'
import { getDataDirectory } from '../../host/files/data-dir.ts'
import { readSettingsFile } from '../../host/files/settings-file.ts'
import { createHttpFile } from '../../http/docs/http-file.ts'
import { createPostmanCollection } from '../../http/docs/postman.ts'
import type { KeysOfRequests } from '../../http/docs/which-key.ts'
import { openApi } from '../../http/openapi.ts'
import { findKeysInMemory } from '../terminal/request-server.ts'
import { printHint, printLine } from '../terminal/vault-options.ts'

/**
 * Prints the API description in one of the formats, or writes it to a file. A collection of requests includes the
 * keys of the in-memory vault that is running at its base URL, if any.
 */
export async function exportInterface({
  format,
  url = readConfiguredUrl(),
  out,
}: ExportOpenApiOptions): Promise<void> {
  const keys = format !== 'openapi' && URL.canParse(url) ? await findKeysInMemory(url) : undefined
  const text = formats[format](url, keys).trimEnd()
  if (out === undefined || out === '-') printLine(text)
  else writeFile(out, `${text}\n`)
  if (keys)
    printHint(
      `The requests include the keys of the in-memory vault at ${url}. They stop working when it stops.`,
    )
}

const formats = {
  openapi: (url) => JSON.stringify(openApi(url), null, 2),
  http: createHttpFile,
  postman: (url, keys) => JSON.stringify(createPostmanCollection(url, keys), null, 2),
} satisfies Record<string, (url: string, keys: KeysOfRequests) => string>

export type ExportOpenApiOptions = { format: keyof typeof formats; url?: string; out?: string }

/** Returns the base URL of the listener, on the port from the settings. */
function readConfiguredUrl(): string {
  return `http://127.0.0.1:${readSettingsFile(getDataDirectory()).content.settings.port}`
}

/** Writes an output file with the permissions `mode`. Throws `unavailable` or `storage_full`, which name the file. */
function writeFile(file: string, text: string, mode = 0o666): void {
  try {
    fs.writeFileSync(file, text, { mode })
  } catch (error) {
    throw toStorageError(error, file)
  }
}
