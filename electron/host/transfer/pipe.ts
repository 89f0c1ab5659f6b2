import fs from 'node:fs'
import net from 'node:net'

/** Whether a file is a pipe or a device, such as one from `<(…)`: it can be read or written, but not replaced. */
export function isPipe(file: string): boolean {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  return stat !== undefined && !stat.isFile() && !stat.isDirectory()
}

/**
 * Opens a pipe or device, and waits until the other end is open too. A pending read of a pipe can be cancelled, unlike
 * that of a file. Rejects with the system's error, or when `signal` aborts.
 */
export async function openPipe(
  file: string,
  mode: 'r' | 'w',
  signal: AbortSignal | undefined,
): Promise<net.Socket | fs.ReadStream | fs.WriteStream> {
  if (!fs.statSync(file).isFIFO()) {
    return mode === 'r' ? fs.createReadStream(file) : fs.createWriteStream(file)
  }
  signal?.throwIfAborted()
  const fd = await new Promise<number>((resolve, reject) => {
    let other: number | undefined
    // `open` blocks in the system until the other end is opened, so an abort opens the other end. The other end stays
    // open until `open` has returned, because `open` may not have started to block yet.
    const openOtherEnd = () => {
      other = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_NONBLOCK)
    }
    signal?.addEventListener('abort', openOtherEnd, { once: true })
    fs.open(file, mode, (error, opened) => {
      signal?.removeEventListener('abort', openOtherEnd)
      if (other !== undefined) fs.closeSync(other)
      if (error) reject(error)
      else if (signal?.aborted) fs.close(opened, () => reject(signal.reason))
      else resolve(opened)
    })
  })
  return new net.Socket({ fd, readable: mode === 'r', writable: mode === 'w' })
}
