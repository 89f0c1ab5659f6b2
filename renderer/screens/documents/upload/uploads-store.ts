import { CofferError } from '../../../../shared/errors.ts'
import { TRANSFER_CHUNK_BYTES } from '../../../../shared/schemas/document.ts'
import { createOpenCheck, createVaultStore } from '../../../parts/connection/store.ts'
import { host } from '../../../parts/connection/vault.ts'
import { hasCode } from '../../../parts/messages/describe-error.ts'
import { showToast } from '../../../parts/messages/toast.tsx'
import { strings } from '../strings.ts'

const t = strings.uploads

type UploadRequest = {
  readonly file: File
  readonly content_type: string
  readonly metadata: Readonly<Record<string, string>>
}

type QueuedUpload = UploadRequest & {
  readonly key: string
  readonly sent: number
  readonly state: 'waiting' | 'running' | 'failed'
  readonly problem: unknown
}

/** Pending and failed uploads. They continue on other screens. */
export const useUploads = createVaultStore<{ readonly uploads: readonly QueuedUpload[] }>(() => ({
  uploads: [],
}))

const { getState, setState } = useUploads

function updateUpload(key: string, part: Partial<QueuedUpload>): void {
  setState(({ uploads }) => ({
    uploads: uploads.map((each) => (each.key === key ? { ...each, ...part } : each)),
  }))
}

function findUpload(key: string): QueuedUpload | undefined {
  return getState().uploads.find((each) => each.key === key)
}

/** Uploads files one at a time. */
export function uploadFiles(requests: readonly UploadRequest[]): void {
  const uploads = requests.map((order) => ({
    ...order,
    key: crypto.randomUUID(),
    sent: 0,
    state: 'waiting' as const,
    problem: null,
  }))
  setState(({ uploads: before }) => ({ uploads: [...before, ...uploads] }))
  void runNext()
}

/** Retries a failed upload from the start. */
export function retryUpload(key: string): void {
  updateUpload(key, { state: 'waiting', sent: 0, problem: null })
  void runNext()
}

/** Cancels an upload or dismisses a failed one. A running upload stops before its next chunk. */
export function endUpload(key: string): void {
  const removed = findUpload(key)
  setState(({ uploads }) => ({ uploads: uploads.filter((each) => each.key !== key) }))
  if (removed && removed.state !== 'failed') showToast(t.cancelled(removed.file.name))
}

async function runNext(): Promise<void> {
  const { uploads } = getState()
  if (uploads.some(({ state }) => state === 'running')) return
  const next = uploads.find(({ state }) => state === 'waiting')
  if (!next) return
  const isOpen = createOpenCheck()
  updateUpload(next.key, { state: 'running' })
  try {
    const isDone = await sendFile(next, () => isOpen() && findUpload(next.key) !== undefined)
    if (isDone && isOpen()) {
      setState(({ uploads: all }) => ({ uploads: all.filter(({ key }) => key !== next.key) }))
      showToast(t.done(next.file.name))
    }
  } catch (problem) {
    if (isOpen()) updateUpload(next.key, { state: 'failed', problem })
  }
  if (isOpen()) await runNext()
}

async function sendFile(
  { key, file, content_type, metadata }: QueuedUpload,
  shouldContinue: () => boolean,
): Promise<boolean> {
  const { upload: id } = await host.beginUpload({ bytes: file.size, content_type, metadata })
  try {
    for (let at = 0; shouldContinue(); at += TRANSFER_CHUNK_BYTES) {
      const data = await toBase64(file.slice(at, at + TRANSFER_CHUNK_BYTES))
      if (!shouldContinue()) break
      const { document } = await retryWhenLimited(() => host.sendPiece({ upload: id, data }))
      updateUpload(key, { sent: Math.min(file.size, at + TRANSFER_CHUNK_BYTES) })
      if (document) return true
    }
    return false
  } finally {
    // Deletes the stored chunks. After the last chunk, there is nothing left to cancel.
    void host.endUpload({ upload: id }).catch(() => undefined)
  }
}

/** Waits and retries once if the vault responds with a rate limit. */
async function retryWhenLimited<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!hasCode(error, 'rate_limited') || !(error instanceof CofferError)) throw error
    await new Promise((resolve) => setTimeout(resolve, (error.retry_after ?? 10) * 1000))
    return ask()
  }
}

/** Encodes bytes in base64. Throws `invalid` if the file can no longer be read. */
function toBase64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).split(',', 2)[1] ?? '')
    reader.onerror = () => reject(new CofferError('invalid', t.unreadable))
    reader.readAsDataURL(blob)
  })
}
