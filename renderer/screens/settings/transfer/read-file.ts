import { CofferError } from '../../../../shared/errors.ts'
import type { TransferFormat } from '../../../../shared/schemas/transfer.ts'
import { strings } from './strings.ts'

const t = strings.import

/** Bytes to read for the preview. */
const SAMPLE_BYTES = 64 * 1024

/** Detects the format by the file extension; undefined if unknown. */
export function detectFormat(name: string): TransferFormat | undefined {
  if (/\.csv$/i.test(name)) return 'csv'
  return /\.(ndjson|jsonl)$/i.test(name) ? 'ndjson' : undefined
}

/** Bytes of a part of a file. */
const PART_BYTES = 4 * 1024 * 1024

/** Reads the text of a file in parts. Throws `invalid` if the file is empty, cannot be read or is not UTF-8. */
export async function* readParts(file: File): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for (let at = 0; at < file.size || at === 0; at += PART_BYTES) {
    const isLast = at + PART_BYTES >= file.size
    yield await decodeText(file.slice(at, at + PART_BYTES), decoder, !isLast)
  }
}

/**
 * Reads the first lines of a file, without a truncated last line. Throws `invalid` if the file is empty,
 * cannot be read or is not UTF-8.
 */
export async function readSample(file: File): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  if (file.size <= SAMPLE_BYTES) return decodeText(file, decoder, false)
  const text = await decodeText(file.slice(0, SAMPLE_BYTES), decoder, true)
  return text.slice(0, text.lastIndexOf('\n') + 1) || text
}

async function decodeText(blob: Blob, decoder: TextDecoder, isPart: boolean): Promise<string> {
  let bytes: ArrayBuffer
  try {
    bytes = await blob.arrayBuffer()
  } catch {
    throw new CofferError('invalid', t.unreadable)
  }
  if (bytes.byteLength === 0) throw new CofferError('invalid', t.empty)
  try {
    return decoder.decode(bytes, { stream: isPart })
  } catch {
    throw new CofferError('invalid', t.notText)
  }
}
