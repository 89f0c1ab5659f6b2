import { getPreviewKind } from './preview.ts'

/** The name to save a document under: letters and digits of its metadata's name, with an ending that runs nothing. */
export function formatFileName({ id, content_type, metadata }: NamableDocument): string {
  const [type = ''] = content_type.toLowerCase().split(';', 1)
  const stem = (metadata.name ?? '').replace(/\.[^.]*$/, '')
  const safe = stem
    .replace(/[^\p{L}\p{N} ._-]/gu, '')
    .replace(/^[. ]+/, '')
    .slice(0, 100)
  const base = safe.trim() || `document-${id.slice(0, 8)}`
  return `${base}.${endings[type.trim()] ?? (getPreviewKind(content_type) === 'text' ? 'txt' : 'bin')}`
}

type NamableDocument = {
  readonly id: string
  readonly content_type: string
  readonly metadata: Readonly<Record<string, string>>
}

/** SECURITY: no ending that a double click runs, and none that a browser opens as a page. */
const endings: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/zip': 'zip',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/tiff': 'tiff',
  'text/csv': 'csv',
  'text/markdown': 'md',
}
