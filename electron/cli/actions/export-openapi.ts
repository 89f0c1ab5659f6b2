import { dataDirectory } from '../../host/files/data-dir.ts'
import { readSettingsFile } from '../../host/files/settings-file.ts'
import { httpFile } from '../../http/docs/http-file.ts'
import { postmanCollection } from '../../http/docs/postman.ts'
import { openApi } from '../../http/openapi.ts'
import { say } from '../terminal/common.ts'
import { writeFile } from '../terminal/write-file.ts'

/** Prints or writes the interface in a format. */
export function exportInterface({ format, url = configuredUrl(), out }: Options): void {
  const text = formats[format](url).trimEnd()
  if (out === undefined || out === '-') say(text)
  else writeFile(out, `${text}\n`)
}

const formats = {
  openapi: (url: string) => JSON.stringify(openApi(url), null, 2),
  http: httpFile,
  postman: (url: string) => JSON.stringify(postmanCollection(url), null, 2),
} satisfies Record<string, (url: string) => string>

export type Options = { format: keyof typeof formats; url?: string; out?: string }

/** Where the listener is by default. */
function configuredUrl(): string {
  return `http://127.0.0.1:${readSettingsFile(dataDirectory()).content.settings.port}`
}
