import { CofferError } from '../../../../shared/errors.ts'
import { PIECE_BYTES } from '../../../../shared/schemas/document.ts'
import { vaultStore, whileOpen } from '../../../parts/connection/store.ts'
import { host } from '../../../parts/connection/vault.ts'
import { hasCode } from '../../../parts/messages/sentence.ts'
import { toast } from '../../../parts/messages/toast.tsx'
import { strings } from '../strings.ts'

const t = strings.uploads

type Order = {
  readonly file: File
  readonly content_type: string
  readonly metadata: Readonly<Record<string, string>>
}

type Upload = Order & {
  readonly key: string
  readonly sent: number
  readonly state: 'waiting' | 'running' | 'failed'
  readonly problem: unknown
}

/** The uploads that have not ended well. They continue while the owner visits other screens. */
export const useUploads = vaultStore<{ readonly uploads: readonly Upload[] }>(() => ({ uploads: [] }))

const { getState, setState } = useUploads

function change(key: string, part: Partial<Upload>): void {
  setState(({ uploads }) => ({
    uploads: uploads.map((each) => (each.key === key ? { ...each, ...part } : each)),
  }))
}

function find(key: string): Upload | undefined {
  return getState().uploads.find((each) => each.key === key)
}

/** Uploads files one after the other. */
export function upload(orders: readonly Order[]): void {
  const uploads = orders.map((order) => ({
    ...order,
    key: crypto.randomUUID(),
    sent: 0,
    state: 'waiting' as const,
    problem: null,
  }))
  setState(({ uploads: before }) => ({ uploads: [...before, ...uploads] }))
  void runNext()
}

/** Tries a failed upload again, from its beginning. */
export function uploadAgain(key: string): void {
  change(key, { state: 'waiting', sent: 0, problem: null })
  void runNext()
}

/** Ends an upload, or dismisses one that failed; one that is running notices before its next piece. */
export function endUpload(key: string): void {
  const ended = find(key)
  setState(({ uploads }) => ({ uploads: uploads.filter((each) => each.key !== key) }))
  if (ended && ended.state !== 'failed') toast(t.cancelled(ended.file.name))
}

async function runNext(): Promise<void> {
  const { uploads } = getState()
  if (uploads.some(({ state }) => state === 'running')) return
  const next = uploads.find(({ state }) => state === 'waiting')
  if (!next) return
  const isOpen = whileOpen()
  change(next.key, { state: 'running' })
  try {
    const isDone = await send(next, () => isOpen() && find(next.key) !== undefined)
    if (isDone && isOpen()) {
      setState(({ uploads: all }) => ({ uploads: all.filter(({ key }) => key !== next.key) }))
      toast(t.done(next.file.name))
    }
  } catch (problem) {
    if (isOpen()) change(next.key, { state: 'failed', problem })
  }
  if (isOpen()) await runNext()
}

/** Sends a file piece by piece. Returns whether it was sent to its end. */
async function send(
  { key, file, content_type, metadata }: Upload,
  isWanted: () => boolean,
): Promise<boolean> {
  const { upload: id } = await host.host.beginUpload({ bytes: file.size, content_type, metadata })
  try {
    for (let at = 0; isWanted(); at += PIECE_BYTES) {
      const data = await base64Of(file.slice(at, at + PIECE_BYTES))
      if (!isWanted()) break
      const { document } = await patiently(() => host.host.sendPiece({ upload: id, data }))
      change(key, { sent: Math.min(file.size, at + PIECE_BYTES) })
      if (document) return true
    }
    return false
  } finally {
    // What was stored of it is removed; after the last piece, there is nothing to end.
    void host.host.endUpload({ upload: id }).catch(() => undefined)
  }
}

/** Waits as long as a refusal for too many requests says. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!hasCode(error, 'rate_limited') || !(error instanceof CofferError)) throw error
    await new Promise((resolve) => setTimeout(resolve, (error.retry_after ?? 10) * 1000))
    return ask()
  }
}

/** The bytes in base64. Throws `invalid` if the file can no longer be read. */
function base64Of(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).split(',', 2)[1] ?? '')
    reader.onerror = () => reject(new CofferError('invalid', t.unreadable))
    reader.readAsDataURL(blob)
  })
}
