/** A small file can hold an image that takes gigabytes to draw. */
const MOST_PIXELS = 40_000_000

type Size = { readonly width: number; readonly height: number }

/** Whether an image is small enough to be drawn; null if it is none of the four kinds. */
export function isDrawable(bytes: Uint8Array): boolean | null {
  const size = imageSize(bytes)
  return size && size.width * size.height <= MOST_PIXELS
}

/** The size that a PNG, GIF, WebP or JPEG says it has, whatever its declared type; null for anything else. */
export function imageSize(bytes: Uint8Array): Size | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return sizeOfPng(view) ?? sizeOfGif(view) ?? sizeOfWebp(view) ?? sizeOfJpeg(view)
  } catch (error) {
    // It ends before its size.
    if (error instanceof RangeError) return null
    throw error
  }
}

function textAt(view: DataView, at: number, length: number): string {
  return String.fromCharCode(...Array.from({ length }, (_, index) => view.getUint8(at + index)))
}

function sizeOfPng(view: DataView): Size | null {
  if (view.getUint32(0) !== 0x89504e47 || textAt(view, 12, 4) !== 'IHDR') return null
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

function sizeOfGif(view: DataView): Size | null {
  if (textAt(view, 0, 4) !== 'GIF8') return null
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
}

function sizeOfWebp(view: DataView): Size | null {
  if (textAt(view, 0, 4) !== 'RIFF' || textAt(view, 8, 4) !== 'WEBP') return null
  const kind = textAt(view, 12, 4)
  if (kind === 'VP8 ')
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (kind !== 'VP8X') return null
  const three = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000 + 1
  return { width: three(24), height: three(27) }
}

/** The frame header stands behind segments of any number, each with its length. */
function sizeOfJpeg(view: DataView): Size | null {
  if (view.getUint16(0) !== 0xffd8) return null
  for (let at = 2; view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) at++
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    else at += 2 + view.getUint16(at + 2)
  }
  return null
}
