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

/** Reads all text of a file. Throws `invalid` if the file is empty, cannot be read or is not UTF-8. */
export async function readFullText(file: File): Promise<string> {
  return decodeText(file, false)
}

/**
 * Reads the first lines of a file, without a truncated last line. Throws `invalid` if the file is empty,
 * cannot be read or is not UTF-8.
 */
export async function readSample(file: File): Promise<string> {
  if (file.size <= SAMPLE_BYTES) return decodeText(file, false)
  const text = await decodeText(file.slice(0, SAMPLE_BYTES), true)
  return text.slice(0, text.lastIndexOf('\n') + 1) || text
}

async function decodeText(blob: Blob, isPart: boolean): Promise<string> {
  let bytes: ArrayBuffer
  try {
    bytes = await blob.arrayBuffer()
  } catch {
    throw new CofferError('invalid', t.unreadable)
  }
  if (bytes.byteLength === 0) throw new CofferError('invalid', t.empty)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isPart })
  } catch {
    throw new CofferError('invalid', t.notText)
  }
}
