import { getPreviewKind } from './preview.ts'

/** The name for a downloaded document: letters and digits of its metadata name, with a harmless file extension. */
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

/** SECURITY: contains no extension that a double click executes or that a browser opens as a page. */
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
