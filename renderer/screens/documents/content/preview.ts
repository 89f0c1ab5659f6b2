/** How a document can be shown: as an image, as text, or not at all. */
export type PreviewKind = 'image' | 'text' | 'none'

/** The most bytes of text, and of an image, that are shown. */
export const MAX_TEXT_BYTES = 64 * 1024
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024

/**
 * How a document of this type is shown. SECURITY: HTML, SVG and the like are text and nothing else: what a program
 * stored must not run in the window.
 */
export function getPreviewKind(content_type: string): PreviewKind {
  const [type = ''] = content_type.toLowerCase().split(';', 1)
  const name = type.trim()
  if (/^image\/(png|jpeg|gif|webp)$/.test(name)) return 'image'
  if (/^text\/|[/+](json|xml)$|^application\/(javascript|x-ndjson|yaml|x-yaml|toml|sql)$/.test(name))
    return 'text'
  return 'none'
}

/** Whether a text has a type whose files are code or markup elsewhere. */
export function isActive(content_type: string): boolean {
  return /html|xml|svg|javascript|ecmascript/i.test(content_type)
}
