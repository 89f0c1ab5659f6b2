export type PreviewKind = 'image' | 'text' | 'none'

/** Limits in bytes for previews of text and of images. */
export const MAX_TEXT_BYTES = 64 * 1024
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024

/**
 * How to preview a document of this type. SECURITY: HTML, SVG and other active types are shown as text only,
 * because content that a program stored must not run in the window.
 */
export function getPreviewKind(content_type: string): PreviewKind {
  const [type = ''] = content_type.toLowerCase().split(';', 1)
  const name = type.trim()
  if (/^image\/(png|jpeg|gif|webp)$/.test(name)) return 'image'
  if (/^text\/|[/+](json|xml)$|^application\/(javascript|x-ndjson|yaml|x-yaml|toml|sql)$/.test(name))
    return 'text'
  return 'none'
}

/** Whether this type is code or markup that other programs would run. */
export function isActive(content_type: string): boolean {
  return /html|xml|svg|javascript|ecmascript/i.test(content_type)
}
