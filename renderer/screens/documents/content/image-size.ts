/** The maximum number of pixels to decode, because a small file can decode to gigabytes. */
const MAX_PIXELS = 40_000_000

type ImageSize = { readonly width: number; readonly height: number }

/** Whether an image is small enough to decode; null if it is not a PNG, GIF, WebP or JPEG. */
export function isDrawable(bytes: Uint8Array): boolean | null {
  const size = readImageSize(bytes)
  return size && size.width * size.height <= MAX_PIXELS
}

/** Reads the size in the header of a PNG, GIF, WebP or JPEG, whatever its declared type; null for other formats. */
export function readImageSize(bytes: Uint8Array): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return readPngSize(view) ?? readGifSize(view) ?? readWebpSize(view) ?? readJpegSize(view)
  } catch (error) {
    // The file ends before its size.
    if (error instanceof RangeError) return null
    throw error
  }
}

function readText(view: DataView, at: number, length: number): string {
  return String.fromCharCode(...Array.from({ length }, (_, index) => view.getUint8(at + index)))
}

function readPngSize(view: DataView): ImageSize | null {
  if (view.getUint32(0) !== 0x89504e47 || readText(view, 12, 4) !== 'IHDR') return null
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

function readGifSize(view: DataView): ImageSize | null {
  if (readText(view, 0, 4) !== 'GIF8') return null
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
}

function readWebpSize(view: DataView): ImageSize | null {
  if (readText(view, 0, 4) !== 'RIFF' || readText(view, 8, 4) !== 'WEBP') return null
  const kind = readText(view, 12, 4)
  if (kind === 'VP8 ')
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (kind !== 'VP8X') return null
  const readUint24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000 + 1
  return { width: readUint24(24), height: readUint24(27) }
}

/** Reads the size in the frame header. Skips the segments before that header by their lengths. */
function readJpegSize(view: DataView): ImageSize | null {
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
